"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable


def nearest_hint(wanted: str, names: Iterable[str]) -> str:
    """'did you mean ...?', or the list of all names if none is similar."""
    near = difflib.get_close_matches(wanted, list(names), n=1, cutoff=0.5)
    return f"did you mean '{near[0]}'?" if near else "one of " + ", ".join(sorted(set(names)))
