"""Data on standard output: aligned columns for people, one object a line for programs."""

from __future__ import annotations

import json


def show(rows: list[dict], columns: tuple[str, ...], settings, texts=None):
    """Prints `rows`; `columns` are the fields that people see, `texts` turns a field into what they read."""
    if settings.json:
        for row in rows:
            print(json.dumps(row))
        return
    from harness.spm.words import printable

    cells = [[printable(_text(row[name], (texts or {}).get(name))) for name in columns] for row in rows]
    titles = [name.replace("_", " ") for name in columns]
    widths = [max(map(len, column)) for column in zip(titles, *cells)]
    for line in [titles, *cells] if cells else []:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def _text(value, convert) -> str:
    if convert:
        return convert(value)
    return ", ".join(value) if isinstance(value, (list, tuple)) else str(value)


def short(version: str) -> str:
    """A version as people see it; twelve digits tell any two apart."""
    return version[:12]
