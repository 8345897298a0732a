"""The same work on many things at once."""

from __future__ import annotations

import queue
import threading


def each(act, tasks: list, jobs: int):
    """Yields (task, act(task)) as they are done, `jobs` at once; the first exception that `act` raises ends it.

    Whoever leaves the loop early leaves threads behind that finish what they are at and no more."""
    todo, done = queue.SimpleQueue(), queue.SimpleQueue()
    for task in tasks:
        todo.put(task)
    over = threading.Event()

    def work():
        while not over.is_set():
            try:
                task = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((task, act(task), None))
            except BaseException as error:
                done.put((task, None, error))

    for _ in range(min(jobs, len(tasks))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in tasks:
            task, result, error = done.get()
            if error:
                raise error
            yield task, result
    finally:
        over.set()
