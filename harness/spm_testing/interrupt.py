"""Sends an interrupt at the worst moment; the time limits of tests."""

from __future__ import annotations

import signal
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any

PATIENCE_S = 300.0
"""How long a test waits for an event that must come. It only tells a hang from a busy machine."""


def with_signals_of_a_terminal(test: unittest.TestCase) -> None:
    """nohup and a shell's background jobs ignore some signals; what `test` starts does not inherit that."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        test.addCleanup(signal.signal, number, signal.signal(number, handler))


class UnnoticedInterrupt:
    """An interrupt that nobody wakes the main thread for: as when it comes just before that begins to wait.

    `late` says that the main thread had not seen it when all patience was gone."""

    def __init__(self, test: unittest.TestCase) -> None:
        test.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        self.late = False
        self._seen = threading.Event()
        test.addCleanup(self._seen.set)

    def send(self, seen: Callable[..., Any] | None = None) -> None:
        """Sends it once the main thread sleeps, then waits until that has seen it: `seen()`, or the test's end.

        Called by any other thread."""
        asleep = 0
        while asleep < 3:  # it is ready to run, or runs, until it waits for more than us
            time.sleep(0.01)
            with open(f"/proc/self/task/{threading.main_thread().native_id}/stat", encoding="ascii") as file:
                asleep = asleep + 1 if ") S " in file.read() else 0
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        until = time.monotonic() + PATIENCE_S
        while not (seen or self._seen.is_set)():
            if time.monotonic() > until:
                self.late = True
                break
            time.sleep(0.01)
