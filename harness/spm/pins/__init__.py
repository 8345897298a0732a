"""packages.json: its pins, its sources' fields and their checks."""
