"""Messages for people: stage lines, a status line, errors. All on standard error."""

from __future__ import annotations

import os
import signal
import sys
import time

from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harness.spm import invocation
else:
    invocation = late("harness.spm.invocation")

VERBOSE_INTERVAL_S = 10.0
"""Interval of progress lines in piped output. A terminal gets one line that is rewritten."""


class MakeError(Exception):
    """An expected failure: `what` was expected and found, `hint` (the next command), and make.py's exit status."""

    def __init__(self, what: str, hint: str = "", status: int = 1) -> None:
        super().__init__(what)
        self.what, self.hint, self.status = what, hint, status


def how_ended(status: int) -> str:
    """The end of a child process, from what subprocess calls its return code."""
    return f"exit status {status}" if status >= 0 else f"signal {-status} ({signal.strsignal(-status)})"


def print_line(text: str) -> None:
    """Prints one line to standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def print_error(error: MakeError) -> None:
    """Prints the error line and its hint."""
    print_line(f"make.py: error: {error.what}")
    if error.hint:
        print_line(f"hint: {invocation.as_invoked(error.hint)}")


def on_terminal() -> bool:
    """Whether progress may rewrite its line: standard error is a terminal and plain output was not requested."""
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def duration(seconds: float) -> str:
    """A duration for people, as the harness writes it (duration_text): '1 h 2 min', '3 min 20 s', 'under a second'."""
    if seconds < 1:
        return "under a second"
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    large, small, unit, smaller = (whole // 60, whole % 60, "min", "s") if whole < 3600 else \
        (whole // 3600, whole % 3600 // 60, "h", "min")
    return f"{large} {unit} {small} {smaller}" if small else f"{large} {unit}"


class StatusLine:
    """A status line for long work: call `update(text)` as often as you like and `close()` at the end."""

    def __init__(self, clock: Callable[..., Any] = time.monotonic) -> None:
        self._clock = clock
        self._terminal = on_terminal()
        self._last = clock()

    def update(self, text: str) -> None:
        """Shows `text`: at once on a terminal, elsewhere at most every VERBOSE_INTERVAL_S seconds."""
        now = self._clock()
        if self._terminal:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
            sys.stderr.write("\r\x1b[K" + text[: max(10, width - 1)])
            sys.stderr.flush()
        elif now - self._last >= VERBOSE_INTERVAL_S:
            self._last = now
            print_line("  " + text)

    def close(self) -> None:
        """Removes the status line."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
