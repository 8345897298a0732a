"""The same work on many things at once."""

from __future__ import annotations

import contextlib
import operator
import queue
import threading
import time

_PATIENCE_S = 1.0
_STEP_S = 1.0


def each(act, tasks, jobs: int, cancel=lambda: None):
    """Yields (task, act(task)) as they are done, `jobs` at once; the first exception of `act` or of `tasks` ends it.

    `tasks` is any iterable: what has yet to come is waited for by one of the threads. Whoever leaves the loop early
    calls `cancel`, waits a moment for the threads, then leaves them behind: they finish what they are at, no more."""
    todo, taking, done, over = iter(tasks), threading.Lock(), queue.SimpleQueue(), threading.Event()

    def work():
        try:
            while not over.is_set():
                with taking:
                    task = next(todo, done)
                if task is done:
                    break
                done.put((task, act(task), None))
        except BaseException as error:
            done.put((None, None, error))
        done.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, operator.length_hint(todo, jobs)))]
    try:
        for thread in threads:
            thread.start()
        left = len(threads)
        while left:
            found = take(done)
            if found is None:
                left -= 1
                continue
            task, result, error = found
            if error:
                raise error
            yield task, result
    finally:
        over.set()
        cancel()
        join(threads, _PATIENCE_S)


def take(done: queue.SimpleQueue):
    """The next of a queue. Python misses a signal that comes just before it begins to wait, or that the kernel gives to
    another thread; so it never waits for long."""
    while True:
        with contextlib.suppress(queue.Empty):
            return done.get(timeout=_STEP_S)


def join(threads: list[threading.Thread], patience_s: float):
    """Waits for threads to end, for so long in all."""
    until = time.monotonic() + patience_s
    for thread in threads:
        if thread.ident is not None:  # an interrupt may come before it was started
            thread.join(max(0.0, until - time.monotonic()))
