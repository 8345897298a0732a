"""packages.json: its pins and its checks."""
