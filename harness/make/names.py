"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable


_MOST_LISTED = 12


def nearest_hint(wanted: str, names: Iterable[str], otherwise: str = "") -> str:
    """'did you mean ...?'; if no name is similar or has `wanted` in it, `otherwise`, or a list of the first names."""
    known = sorted(set(names))
    near = (difflib.get_close_matches(wanted, known, n=1, cutoff=0.7)
            or [name for name in known if len(wanted) >= 3 and wanted in name][:1])
    if near:
        return f"did you mean '{near[0]}'?"
    more = len(known) - _MOST_LISTED
    listed = known if more <= 1 else [*known[:_MOST_LISTED], f"{more} more"]
    return otherwise or "one of " + ", ".join(listed)
