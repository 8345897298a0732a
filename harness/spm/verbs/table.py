"""Data on standard output: aligned columns for people, one JSON object per line for programs.

A table wider than the terminal is fitted to it: first with shorter texts if the verb has them, then by wrapping cells.
In a file or a pipe, each row is one complete line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from harness.spm.formatting import columns as _length, printable
from harness.spm.settings import Settings


def show(
    rows: list[dict],
    columns: tuple[str, ...],
    settings: Settings,
    texts: dict[str, Callable[..., Any]] | None = None,
    briefly: dict[str, Callable[..., Any] | None] | None = None,
) -> None:
    """Prints `rows`; `columns` are the fields shown to people, `texts` converts a field to its text.

    `briefly` holds shorter conversions for a narrow terminal, used in order while needed; None omits the field."""
    if settings.json:
        for row in rows:
            print(json.dumps(row))
        return
    if not rows:
        return
    width = _terminal_width()
    found = _columns_of(rows, columns, texts or {})
    if width and _width(found) > width:
        found = _briefer(rows, columns, texts or {}, briefly or {}, width)
    lines = list(_lines(found, width) if width and _width(found) > width else zip(*found.values()))
    widths = [max(map(_length, cells)) for cells in zip(*lines)]
    for line in lines:
        print("  ".join(cell + " " * (most - _length(cell)) for cell, most in zip(line, widths)).rstrip())


def _briefer(
    rows: list[dict], columns: tuple[str, ...], texts: dict, briefly: dict, width: int
) -> dict[str, list[str]]:
    """`_columns_of` with the fewest short texts that make the table fit, or with all if it cannot fit."""

    def made(brief: list[str]) -> dict[str, list[str]]:
        names = [name for name in columns if name not in brief or briefly[name]]
        return _columns_of(rows, names, {**texts, **{field: briefly[field] for field in brief}})

    brief: list[str] = []
    for field in briefly:
        if _width(made(brief)) > width:
            brief.append(field)
    for field in [*brief]:  # a later one may have been enough
        others = [each for each in brief if each != field]
        if _width(made(others)) <= width:
            brief = others
    return made(brief)


def _columns_of(rows: list[dict], names: Iterable[str], texts: dict) -> dict[str, list[str]]:
    """{field: its title and its cells}"""
    return {
        name: [name.replace("_", " "), *(printable(_text(row[name], texts.get(name))) for row in rows)]
        for name in names
    }


def _width(columns: dict[str, list[str]]) -> int:
    return sum(max(map(_length, cells)) + 2 for cells in columns.values()) - 2


def _terminal_width() -> int:
    """The width of standard output; 0 if it is not a terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 0


def _lines(columns: dict[str, list[str]], width: int) -> Iterator[list[str]]:
    """The lines of a table; the widest columns are narrowed until it fits, and their cells wrapped."""
    titles = [max(map(len, cells[0].split())) for cells in columns.values()]
    widths = [max(title, *map(_length, cells[1:])) for title, cells in zip(titles, columns.values())]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        wide = [(have, place) for place, (have, least) in enumerate(zip(widths, titles)) if have > least]
        if not wide:
            break  # no table fits this terminal
        widths[max(wide)[1]] -= 1
    for row in zip(*columns.values()):
        parts = [_wrapped(cell, most) for cell, most in zip(row, widths)]
        for number in range(max(map(len, parts))):
            yield [each[number] if number < len(each) else "" for each in parts]


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken after a space, hyphen, comma or slash if possible."""
    lines = []
    while _length(text) > width:
        end = 1
        while _length(text[: end + 1].rstrip()) <= width:
            end += 1
        good = max(text.rfind(mark, 0, end) for mark in " -,/") + 1
        end = good if good > 0 and text[:good].strip() else end
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, text]


def _text(value: Any, convert: Callable[..., Any] | None) -> str:
    if convert:
        return convert(value)
    return ", ".join(value) if isinstance(value, (list, tuple)) else str(value)


def print_note(text: str) -> None:
    """Prints a line for people."""
    print(f"spm: {printable(text)}", file=sys.stderr)


def short(version: str) -> str:
    """A version for people: twelve digits are enough to be unique."""
    return version[:12]
