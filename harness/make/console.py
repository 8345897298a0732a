"""What make.py says to people: stage lines, a status line, errors. All of it on standard error."""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

VERBOSE_INTERVAL_S = 10.0
"""Piped output gets a progress line this often; a terminal gets one line that is rewritten."""


class MakeError(Exception):
    """One sentence (expected and found), the next command, and the exit status `make.py` ends with."""

    def __init__(self, what: str, hint: str = "", status: int = 1) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.status = status


def say(text: str) -> None:
    """One plain line."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def complain(error: MakeError) -> None:
    """The error line and its hint."""
    say(f"make.py: error: {error.what}")
    if error.hint:
        from harness.spm.invocation import as_invoked
        say(f"hint: {as_invoked(error.hint)}")


def on_terminal() -> bool:
    """Whether progress may rewrite its line: a terminal, and nobody asked for plain output."""
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def duration(seconds: float) -> str:
    """'under a second', '12 s', '3 min 20 s': what a person reads faster than 200.3."""
    if seconds < 1:
        return "under a second"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


class Progress:
    """A status line for long work: `update(text)` as often as you like, `close()` at the end."""

    def __init__(self, clock: Callable[..., Any] = time.monotonic) -> None:
        self._clock = clock
        self._terminal = on_terminal()
        self._last = clock()

    def update(self, text: str) -> None:
        """Shows `text` now on a terminal; elsewhere at most every VERBOSE_INTERVAL_S seconds."""
        now = self._clock()
        if self._terminal:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
            sys.stderr.write("\r\x1b[K" + text[: max(10, width - 1)])
            sys.stderr.flush()
        elif now - self._last >= VERBOSE_INTERVAL_S:
            self._last = now
            say("  " + text)

    def close(self) -> None:
        """Removes the status line."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
