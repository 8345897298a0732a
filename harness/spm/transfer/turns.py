"""Who may transfer when: so many at once, fewer of them with one host, none with a host that asked us to wait.

A thread holds its turn for one transfer only: while it waits or pauses, another host's work goes on in its place."""

from __future__ import annotations

import contextlib
import threading
import time
from urllib.parse import urlsplit

from harness.spm.errors import Cancelled

PER_HOST = 6
# A dated archive of Debian shuts out clients that ask for much at once.
PER_SNAPSHOT_HOST = 2
_ALL = 1000  # more threads than there will ever be


def most_at_once(place: str) -> int:
    """How many transfers `place` (transport.place) serves at once."""
    return PER_SNAPSHOT_HOST if (urlsplit(place).hostname or "").startswith("snapshot.") else PER_HOST


class Turns:
    """`jobs` transfers at once. `cancel` ends all waiting: whoever waits gets Cancelled."""

    def __init__(self, jobs: int):
        self._jobs = threading.Semaphore(jobs)
        self._hosts: dict[str, threading.Semaphore] = {}
        self._open_at: dict[str, float] = {}  # place -> when it may be asked again
        self._lock = threading.Lock()
        self._over = threading.Event()

    @property
    def cancelled(self) -> bool:
        return self._over.is_set()

    def cancel(self):
        self._over.set()
        with self._lock:
            for gate in (self._jobs, *self._hosts.values()):
                gate.release(_ALL)

    @contextlib.contextmanager
    def at(self, place: str):
        """Waits for a turn at `place`, and holds it."""
        while True:
            self.sleep(self.closed_s(place))
            # The host's gate comes first: who waits there must not keep another host's work from its turn.
            with self._gate(place), self._jobs:
                if self.cancelled:
                    raise Cancelled()
                if not self.closed_s(place):
                    yield
                    return

    def close_for(self, place: str, seconds: float) -> bool:
        """Lets nobody begin at `place` for so long; False where that was known already."""
        with self._lock:
            until = time.monotonic() + seconds
            news = until > self._open_at.get(place, 0) + 1
            self._open_at[place] = max(until, self._open_at.get(place, 0))
        return news

    def closed_s(self, place: str) -> float:
        """Seconds until `place` may be asked."""
        return max(0.0, self._open_at.get(place, 0) - time.monotonic())

    def sleep(self, seconds: float):
        if seconds > 0 and self._over.wait(seconds):
            raise Cancelled()

    def _gate(self, place: str) -> threading.Semaphore:
        with self._lock:
            if place not in self._hosts:
                self._hosts[place] = threading.Semaphore(_ALL if self.cancelled else most_at_once(place))
            return self._hosts[place]
