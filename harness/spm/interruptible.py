"""Waits that an interrupt ends.

A signal does not end a wait of Python if it arrives just before the wait begins, or if the kernel delivers it to
another thread: the handler runs only when the main thread is back in the interpreter. So every wait here is a loop of
short waits."""

import contextlib
import queue
import time
from typing import Any

STEP_S = 0.5  # the longest single wait


def take(done: queue.SimpleQueue[Any]) -> Any:
    """The next item of a queue."""
    while True:
        with contextlib.suppress(queue.Empty):
            return done.get(timeout=STEP_S)


def join(threads: list, patience_s: float = float("inf")) -> None:
    """Waits for threads to end, at most `patience_s` in all."""
    until = time.monotonic() + patience_s
    for thread in threads:
        # An interrupt may come before it was started.
        while thread.ident is not None and thread.is_alive() and (left := until - time.monotonic()) > 0:
            thread.join(min(STEP_S, left))


def sleep(seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(STEP_S, left))
