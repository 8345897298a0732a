"""argparse with make.py's errors: one line, the nearest name, exit status 2."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from harness.make.console import MakeError
from harness.make.names import nearest_hint
from harness.spm.invocation import as_invoked


def _eighty_columns(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, max_help_position=27, width=80)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises MakeError instead of printing its usage, and whose help fits 80 columns."""

    def __init__(self, prog: str, description: str | None = None) -> None:
        super().__init__(prog=as_invoked(f"python3 {prog}"), allow_abbrev=False, formatter_class=_eighty_columns,
                         description=description)

    def _options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings if name.startswith("--")]

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        if unknown:
            word = unknown[1].split("=")[0]
            kind = "option" if word.startswith("-") else "argument"
            hint = nearest_hint(word, self._options()) if kind == "option" else f"{self.prog} --help"
            raise MakeError(f"unknown {kind} '{word}'", hint, 2)
        choice = re.match(r"argument (\S+): invalid choice: '?([^' ]+)'? \(choose from (.*)\)", message)
        if choice:
            names = re.findall(r"[\w.+-]+", choice[3])
            raise MakeError(f"{choice[1]}: expected one of {', '.join(names)}, found '{choice[2]}'",
                             nearest_hint(choice[2], names, f"{self.prog} --help"), 2)
        both = re.match(r"argument (\S+): not allowed with argument (\S+)", message)
        if both:
            raise MakeError(f"{both[2]} and {both[1]} cannot be combined", f"{self.prog} --help", 2)
        raise MakeError(message, f"{self.prog} --help", 2)
