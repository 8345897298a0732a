"""Limits parallel transfers: in all, per host, and none to a host that requested a wait.

A thread holds its slot for one transfer only: while it pauses, another transfer uses the slot."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from harness.spm.errors import Cancelled
from harness.spm.pins.manifest import Artifact

PER_HOST = 6
# Debian's snapshot archive blocks clients with many parallel requests.
PER_SNAPSHOT_HOST = 2


def most_at_once(place: str) -> int:
    """The limit of parallel transfers at `place` (transport.place)."""
    return PER_SNAPSHOT_HOST if (urlsplit(place).hostname or "").startswith("snapshot.") else PER_HOST


class HostSlots:
    """`jobs` parallel transfers. `cancel` ends all waits; the waiting threads get Cancelled."""

    def __init__(self, jobs: int) -> None:
        self._changed = threading.Condition()
        self._left = jobs
        self._busy: Counter[str] = Counter()  # place -> transfers there
        self._open_at: dict[str, float] = {}  # place -> when the next request is allowed
        self._mine = threading.local()  # place: where this thread has its slot
        self._over = threading.Event()

    @property
    def cancelled(self) -> bool:
        return self._over.is_set()

    def cancel(self) -> None:
        self._over.set()
        with self._changed:
            self._changed.notify_all()

    def first(self, tasks: deque, place_of: Callable[..., Any]) -> Artifact | None:
        """Waits for a slot and removes the first of `tasks` whose place has one; this thread then holds the slot. None
        if there are no tasks. No other code may change `tasks` meanwhile."""
        with self._changed:
            while tasks:
                for number, task in enumerate(tasks):
                    if self._take(place_of(task)):
                        del tasks[number]
                        return task
                self._wait()
        return None

    @contextlib.contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Holds a slot at `place`: waits for one unless this thread already has it, and releases it at the end."""
        if getattr(self._mine, "place", None) != place or self.closed_s(place):
            self.leave()
            with self._changed:
                while not self._take(place):
                    self._wait()
        try:
            if self.cancelled:
                raise Cancelled()
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Releases this thread's slot, if it holds one."""
        place = getattr(self._mine, "place", None)
        if place is not None:
            self._mine.place = None
            with self._changed:
                self._left += 1
                self._busy[place] -= 1
                self._changed.notify_all()

    def close_for(self, place: str, seconds: float) -> bool:
        """Allows no new transfer at `place` for `seconds`; False if it was already closed for that time."""
        with self._changed:
            until = time.monotonic() + seconds
            news = until > self._open_at.get(place, 0) + 1
            self._open_at[place] = max(until, self._open_at.get(place, 0))
        return news

    def closed_s(self, place: str) -> float:
        """Seconds until `place` accepts requests again."""
        return max(0.0, self._open_at.get(place, 0) - time.monotonic())

    def sleep(self, seconds: float) -> None:
        if seconds > 0 and self._over.wait(seconds):
            raise Cancelled()

    def _take(self, place: str) -> bool:
        if not self._left or self._busy[place] >= most_at_once(place) or self.closed_s(place):
            return False
        self._left -= 1
        self._busy[place] += 1
        self._mine.place = place
        return True

    def _wait(self) -> None:
        if self.cancelled:
            raise Cancelled()
        # There is no notification when a closed place opens.
        closed = [seconds for seconds in map(self.closed_s, self._open_at) if seconds]
        self._changed.wait(min(closed) + 0.01 if closed else None)
