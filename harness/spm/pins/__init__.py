"""packages.json: what is pinned, and what it must not say."""
