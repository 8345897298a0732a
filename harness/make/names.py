"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable


def nearest_hint(wanted: str, names: Iterable[str], otherwise: str = "") -> str:
    """'did you mean ...?'; if no name is similar `otherwise`, or the list of all names."""
    near = difflib.get_close_matches(wanted, list(names), n=1, cutoff=0.7)
    return f"did you mean '{near[0]}'?" if near else otherwise or "one of " + ", ".join(sorted(set(names)))
