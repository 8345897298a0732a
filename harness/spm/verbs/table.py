"""Data on standard output: aligned columns for people, one object a line for programs.

A table wider than the terminal is fitted to it: with briefer texts where a verb has them, then with cells of several
lines. Elsewhere, as in a file or a pipe, a row is a line and has everything."""

from __future__ import annotations

import json
import os
import sys

from harness.spm.formatting import columns as _length, printable
from collections.abc import Callable, Iterable, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from harness.spm.settings import Settings


def show(
    rows: list[dict],
    columns: tuple[str, ...],
    settings: Settings,
    texts: dict[str, Callable[..., Any]] | None = None,
    briefly: dict[str, Callable[..., Any] | None] | None = None,
) -> None:
    """Prints `rows`; `columns` are the fields that people see, `texts` turns a field into what they read.

    `briefly` does so where the terminal is narrow, the first field first and none without need; None leaves out."""
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
    """What `_columns_of` returns, with as few brief texts as make it fit; with all where it does not."""

    def made(brief: list[str]) -> dict[str, list[str]]:
        names = [name for name in columns if name not in brief or briefly[name]]
        return _columns_of(rows, names, {**texts, **{field: briefly[field] for field in brief}})

    brief: list[str] = []
    for field in briefly:
        if _width(made(brief)) > width:
            brief.append(field)
    for field in [*brief]:  # a later one may have made room enough
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
    """Of standard output; 0 where it is no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 0


def _lines(columns: dict[str, list[str]], width: int) -> Iterator[list[str]]:
    """The lines of a table whose widest columns are narrowed until it fits; cells go on below."""
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
    """Lines of at most `width` columns, broken after a space, a hyphen, a comma or a slash where there is one."""
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


def short(version: str) -> str:
    """A version as people see it; twelve digits tell any two apart."""
    return version[:12]
