"""spm, the laboratory's package manager: packages.json -> store -> lib. Python's standard library only."""
