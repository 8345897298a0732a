"""Downloads artifacts to the store's archives folder, each once, even if several processes need it.

An artifact is downloaded under the kernel lock of its .part. The lock is taken only after a slot for its host, so that
other processes can take what this one cannot begin yet. An artifact that another process is downloading is left for
last, then waited for and reused. Only a sweep removes archives, and a sweep needs the store's exclusive lock
(prune.py), so a waiting process always finds the archive. If its holder was killed, the next process continues the
.part."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from harness.spm import interruptible
from harness.spm.errors import Cancelled, system_error
from harness.spm.lock import Lock
from harness.spm.pins.manifest import Artifact, Manifest
from harness.spm.settings import Settings
from harness.spm.threads import starting
from harness.spm.transfer.download import Downloader, FetchFailed, is_whole, summary, THREADS
from harness.spm.transfer.progress import Report

_JOIN_S = 1.0  # a thread that hangs in the network or in a lock is abandoned


class Fetcher(contextlib.AbstractContextManager["Fetcher"]):
    """All downloads of one run. Use it as a context manager, while the store is shared (prune.locked).

    `archive` and `lock` give the path and the kernel lock of the artifact with a sha256."""

    def __init__(
        self, manifest: Manifest, settings: Settings, archive: Callable[[str], str], lock: Callable[[str], Lock], report: Report
    ) -> None:
        self._downloader = Downloader(manifest, settings, report)
        self._archive, self._lock, self._report = archive, lock, report
        # Artifacts to begin, and those that another process is downloading.
        self._free: deque[Artifact] = deque()
        self._held: deque[Artifact] = deque()
        self._arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()  # (artifact, path), or None at the end
        self._threads: list[threading.Thread] = []
        self._mutex = threading.Lock()
        self._stopped = self._keep_going = False
        self._failures: list[FetchFailed] = []
        self._error: BaseException | None = None
        self._named: set[str] = set()  # holders that were already reported

    def __exit__(self, *_: object) -> None:
        self.cancel()
        interruptible.join(self._threads, _JOIN_S)

    def fetch_all(
        self, artifacts: Iterable[Artifact], keep_going: bool = False
    ) -> Iterator[tuple[Artifact, FetchFailed] | tuple[Artifact, str]]:
        """Yields (artifact, path of its verified file) as each arrives. The first error stops all and is raised; if
        `keep_going`, an artifact that no source delivers is yielded as (artifact, its FetchFailed) and the rest goes on.

        `artifacts` have different hashes. Ends early, without an error, when somebody calls `cancel`."""
        # The largest first: the last to arrive should be small to unpack.
        self._free.extend(sorted(artifacts, key=lambda each: (-each.size, each.sha256)))
        count = len(self._free)
        self._keep_going = keep_going
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(THREADS, count))]
        for thread in self._threads:
            with starting():
                thread.start()
        for _ in range(count):
            arrived = interruptible.take(self._arrived)
            if arrived is None:
                break
            yield arrived
        if self._stopped:
            self.__exit__()
            if self._failures:
                raise summary(self._failures)
            if self._error:
                raise self._error

    def release(self, artifact: Artifact) -> None:
        """Marks an archive as no longer needed by this run; the next sweep removes it."""
        with contextlib.suppress(OSError):
            os.utime(self._archive(artifact.sha256), (0, 0))

    def cancel(self) -> None:
        """Stops running downloads; may be called by any thread."""
        self._stopped = True
        self._downloader.cancel()
        self._arrived.put(None)

    def _work(self) -> None:
        try:
            while task := self._next():
                artifact, lock = task
                found: str | FetchFailed
                try:
                    with lock:
                        found = self._fetch_verified(artifact)
                except FetchFailed as error:
                    if not self._keep_going:
                        raise
                    found = error
                finally:
                    self._downloader.slots.leave()
                self._arrived.put((artifact, found))
        except Cancelled:
            pass
        except BaseException as error:
            with self._mutex:
                if isinstance(error, FetchFailed):
                    self._failures.append(error)
                else:
                    self._error = self._error or error
            self.cancel()

    def _next(self) -> tuple[Artifact, Lock] | None:
        """(artifact, its lock, taken), or None when nothing is left to begin."""
        slots = self._downloader.slots
        while True:
            artifact = slots.first(self._free, self._downloader.place_of)
            with self._mutex:
                wait = artifact is None
                if self._stopped or wait and not self._held:
                    return None
                artifact = artifact or self._held.popleft()
            lock = self._lock(artifact.sha256)
            if lock.take(wait=wait, waiting=lambda holder: self._report_holder(artifact, holder)):
                if not self._stopped:
                    return artifact, lock
                lock.release()
            else:
                self._held.append(artifact)
                slots.leave()

    def _report_holder(self, artifact: Artifact, holder: str) -> None:
        with self._mutex:
            new = holder not in self._named
            self._named.add(holder)
        if new:
            self._report.event("waiting", what=artifact.file_name, holder=holder)

    def _fetch_verified(self, artifact: Artifact) -> str:
        path = self._archive(artifact.sha256)
        if is_whole(path, artifact):
            self._report.found(artifact)
            return path
        try:
            self._downloader.fetch(artifact, path + ".part")
            os.rename(path + ".part", path)
        except OSError as error:
            raise system_error(f"downloading {artifact.path}", error) from None
        return path
