"""What is printed of the tables of options.py: help, and the commands in hints."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable

from harness.spm.invocation import as_invoked
from harness.spm.options import ALIASES, COMMON, Command, DETAILS, ENVIRONMENT, HEADINGS, Option, OWN, PLACES, PROGRAM, VERBS

_HELP_WIDTH = 80


def help_text(verb: str = "") -> str:
    """The help of a verb, or of all."""
    return as_invoked(_help_text(verb))


def _help_text(verb: str) -> str:
    if not verb:
        rows = [(f"{name} {each.names}".strip(), each.text) for name, each in VERBS.items()]
        lines = dict(zip(VERBS, _table(rows)))
        for first, heading in HEADINGS.items():
            lines[first] = f"{'' if first == 'install' else chr(10)}{heading}\n{lines[first]}"
        common = " ".join(f"[{name} {each.value}".rstrip() + "]" for name, each in COMMON.items())
        return "\n".join(
            [
                *(f"usage: {PROGRAM} VERB ...", *lines.values()),
                *(*_wrapped_options(f"before or after every verb: {common}"), f"their meaning: {PROGRAM} VERB --help"),
                *("from the environment:", *_table(ENVIRONMENT.items()), ""),
            ]
        )
    own = {name: OWN[name] for name in VERBS[verb].options}
    usage = " ".join(filter(None, (PROGRAM, verb, "[OPTION]...", VERBS[verb].names)))
    details = ["", "states:", *_table(DETAILS[verb].items())] if verb in DETAILS else []
    return "\n".join([f"usage: {usage}", VERBS[verb].text, "", *_table(_option_rows({**own, **COMMON})), *details, ""])


def _wrapped_options(text: str) -> list[str]:
    """Wraps the text between options, never inside one."""
    held = text.replace("[", "\0[").replace(" ", "\1").replace("\1\0[", " [").replace("\0", "")
    return [line.replace("\1", " ") for line in textwrap.wrap(held, _HELP_WIDTH, subsequent_indent="  ")]


def _option_rows(options: dict[str, Option]) -> list[tuple[str, str]]:
    short = {long: alias for alias, long in ALIASES.items()}
    return [
        (f"{short[name] + ', ' if name in short else ''}{name} {each.value}".strip(), each.text)
        for name, each in options.items()
    ]


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    rows = list(rows)
    width = max(len(left) for left, _ in rows)
    return [
        textwrap.fill(text, _HELP_WIDTH, initial_indent=f"  {left.ljust(width)}  ", subsequent_indent=" " * (width + 4))
        for left, text in rows
    ]


def with_places(hint: str, command: Command | None) -> str:
    """A hint for printing: its command gets the paths (such as --store) that `command` was given."""
    line, comma, rest = hint.partition(", ")
    if line.startswith(f"{PROGRAM} ") and command and not line.endswith("--help"):
        after = line.removeprefix(f"{PROGRAM} ") + " "
        verb = next(each for each in VERBS if after.startswith(f"{each} "))
        places = [name for name in (*PLACES, *VERBS[verb].options) if name in PLACES or name == "--platform"]
        given = [f"{name} {shlex.quote(command.options[name])}" for name in places if name in command.options]
        hint = " ".join([line, *given]) + comma + rest
    return as_invoked(hint)
