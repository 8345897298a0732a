"""Runs a function on many tasks in parallel."""

import operator
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from harness.spm import interruptible
from harness.spm.threads import starting

_PATIENCE_S = 1.0


def each(
    act: Callable[..., Any], tasks: Iterable[Any], jobs: int, cancel: Callable[[], Any] = lambda: None
) -> Iterator[Any]:
    """Yields (task, act(task)) as they are done, `jobs` at once; the first exception of `act` or of `tasks` ends it.

    `tasks` may be a generator: one of the threads waits for its next item. Leaving the loop early calls `cancel` and
    waits a moment for the threads; those still running finish their current task only."""
    todo, taking, over = iter(tasks), threading.Lock(), threading.Event()
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work() -> None:
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
            with starting():
                thread.start()
        left = len(threads)
        while left:
            found = interruptible.take(done)
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
        interruptible.join(threads, _PATIENCE_S)
