"""Fills the store: unpacks archives during other downloads, seals each tree and renames it to its final name. After one
flush of the disk, marks the entries as valid.

Each entry has a kernel lock, held from the first unpacked file to the mark. An entry that another process is making is
left to it, waited for at the end, and made here only if that process failed. A run that ends before the mark leaves
complete trees; the next run takes them over if every hash is right."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import threading
import time
from typing import Any

from harness.spm import interruptible, trees
from harness.spm.archives import contents, workers
from harness.spm.archives.tree import Tree
from harness.spm.atomic import write_file
from harness.spm.errors import Cancelled, Refused, SpmError, system_error
from harness.spm.formatting import plural, size as size_words
from harness.spm.pins.manifest import Artifact, Manifest
from harness.spm.settings import Settings
from harness.spm.store import licence_record
from harness.spm.store.durable import Disk, mark
from harness.spm.store.install import InstallPlan
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import Store, StoreEntry
from harness.spm.threads import starting
from harness.spm.transfer.fetch import Fetcher
from harness.spm.transfer.progress import Report

# Bytes on disk per byte of archive, for the check before a download. The mean of the pinned set is 3.7.
UNPACK_RATIO = 4
_STALLED_S = 5.0  # how long an interrupted run waits for a disk that does not answer


def fill(plan: InstallPlan, manifest: Manifest, settings: Settings, store: Store, report: Report) -> None:
    """Makes every missing entry of `plan`, or waits for the process that makes it. Needs the shared lock of the store
    (prune.locked).

    Afterwards plan.missing holds the items whose trees were not in the store."""
    with Disk(store.root) as disk:
        plan.missing = _take_over(plan.missing, disk, store, report)
        if not plan.missing:
            return
        _check_space(plan, store)
        report.started(len(plan.missing), len(plan.artifacts()), plan.download_bytes())
        missing = plan.missing
        tasks = sum(len(item.package.artifacts_for(item.platform)) for item in missing)
        with (
            workers.Workers(min(workers.count(), tasks)) as unpackers,
            report,
            Fetcher(manifest, settings, store.archive, store.lock, report) as fetcher,
        ):
            while missing:
                others = _FillBatch(missing, fetcher, unpackers, disk, store, report).run()
                for item in others[:1]:
                    with store.entry_lock(item.entry) as lock:
                        lock.take(waiting=lambda holder: report.event("waiting", what=f"package {item.package.name}", holder=holder))
                missing = [item for item in others if not item.entry.exists()]
            for artifact in plan.artifacts().values():
                fetcher.release(artifact)


def _take_over(items: list, disk: Disk, store: Store, report: Report) -> list:
    """Marks entries of `items` that are complete except for the mark; returns the other items."""
    whole = []
    with contextlib.ExitStack() as locks:
        for item in items:
            if not item.entry.has_no_stamp():
                lock = locks.enter_context(store.entry_lock(item.entry))
                if lock.take(wait=False) and not item.entry.exists() and _is_whole(item.entry):
                    whole.append(item.entry)
        mark(whole, disk, report)
    return [item for item in items if not item.entry.exists()]


def _is_whole(entry: StoreEntry) -> bool:
    try:
        return not contents.problems(entry.tree, entry.files(), deep=True)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _check_space(plan: InstallPlan, store: Store) -> None:
    download = plan.download_bytes()
    needed, free = download * (1 + UNPACK_RATIO), store.free_bytes()
    if free < needed:
        raise SpmError(
            f"the store's disk is too small for {plural(len(plan.missing), 'package')}: expected about "
            f"{size_words(needed)} free in {store.root} ({size_words(download)} to download and their contents), "
            f"found {size_words(free)}",
            "python3 make.py spm cache prune --older-than 0d, or set SPM_STORE to a larger disk",
        )


class _FillBatch:
    """One batch of entries: the fetcher's threads feed the unpacking threads; the first error stops all."""

    def __init__(
        self,
        items: list[WantedPackage],
        fetcher: Fetcher,
        unpackers: workers.Workers,
        disk: Disk,
        store: Store,
        report: Report,
    ) -> None:
        self._fetcher, self._unpackers, self._disk, self._report = fetcher, unpackers, disk, report
        self._store = store
        self._artifacts: dict[str, Any] = {}  # sha256 -> artifact
        self._users: dict[str, list[Any]] = {}  # sha256 -> [(entry being made, owner number, artifact)]
        self._builds = [_EntryBuild(item, store) for item in items]
        for making in self._builds:
            for owner, artifact in enumerate(making.artifacts):
                self._artifacts.setdefault(artifact.sha256, artifact)
                self._users.setdefault(artifact.sha256, []).append((making, owner, artifact))
        # (priority, user, archive): the largest first, because all other threads wait for the last one.
        self._tasks: queue.PriorityQueue[Any] = queue.PriorityQueue()
        self._stopped = False
        self._error: BaseException | None = None

    def run(self) -> list:
        """Returns the items that other processes are making."""
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._unpackers.number)]
        try:
            for thread in threads:
                with starting():
                    thread.start()
            for artifact, path in self._fetcher.fetch_all(self._artifacts.values()):
                for number, user in enumerate(self._users[artifact.sha256]):
                    self._tasks.put(((-artifact.size, artifact.sha256, number), user, path))
            self._end(threads)
            interruptible.join(threads)
            mark([making.item.entry for making in self._builds if making.finished], self._disk, self._report)
        except BaseException:
            self._stop()
            self._end(threads)
            interruptible.join(threads, _STALLED_S)
            raise
        finally:
            # Files that a thread may still write stay for the next run; the lock is held until this process ends.
            if not any(thread.is_alive() for thread in threads):
                for making in self._builds:
                    making.leave()
        if self._error:
            raise self._error
        return [making.item for making in self._builds if making.elsewhere]

    def _end(self, threads: list) -> None:
        for _ in threads:
            self._tasks.put(((1,), None, ""))  # behind every other

    def _work(self) -> None:
        while True:
            _, user, archive = self._tasks.get()
            if not user:
                return
            try:
                if not self._stopped:
                    making, owner, rules = user
                    self._unpack(making, owner, rules, archive)
            except Cancelled:
                pass
            except BaseException as error:
                self._error = self._error or error
                self._stop()
                self._fetcher.cancel()

    def _stop(self) -> None:
        self._stopped = True
        self._unpackers.stop()

    def _unpack(self, making: _EntryBuild, owner: int, rules: Artifact, archive: str) -> None:
        name, entry = making.item.package.name, making.item.entry
        self._report.unpacking(name, +1)
        try:
            if making.begin():
                note = functools.partial(licence_record.save, self._store, rules.sha256)
                if making.add(self._unpackers.unpack(archive, rules, making.tree.root, owner, making.lock_file, note)):
                    size, files = making.finish()
                    self._report.event("stored", package=name, version=entry.version, path=entry.tree, bytes=size, files=files)
        except SpmError as error:
            if isinstance(error, Refused):
                trees.remove(archive)
            error.what = f"{name}: {rules.path}: {error.what}"
            raise
        except OSError as error:
            raise system_error(f"unpacking {name}: {rules.path}", error) from None
        finally:
            self._report.unpacking(name, -1)


class _EntryBuild:
    """One entry being made, in the store's `unpacking` folder."""

    def __init__(self, item: WantedPackage, store: Store) -> None:
        self.item = item
        self.artifacts = item.package.artifacts_for(item.platform)
        self.tree: Any = None
        self.elsewhere = self.finished = self._ours = False
        self._staging = store.staging(item.entry)
        self._entry_lock = store.entry_lock(item.entry)
        self._left = len(self.artifacts)
        self._mutex = threading.Lock()

    def begin(self) -> bool:
        """Takes the entry's lock; False if another process is making the entry or has just made it."""
        with self._mutex:
            if not self._ours and not self.elsewhere:
                self._ours = self._entry_lock.take(wait=False)
                self.elsewhere = not self._ours or self.item.entry.exists()
                if not self.elsewhere:
                    trees.remove(self._staging)  # left by a killed run: we hold the lock
                    os.mkdir(self._staging)
                    self.tree = Tree(self._staging + "/tree")
                elif self._ours:
                    self.leave()
            return self.tree is not None

    @property
    def lock_file(self) -> int:
        return self._entry_lock.file

    def add(self, nodes: dict) -> bool:
        """Adds the nodes of one artifact; returns True for the last artifact."""
        with self._mutex:
            self.tree.merge(nodes)
            self._left -= 1
            return self._left == 0

    def finish(self) -> tuple[int, int]:
        """Seals the tree and renames the entry to its final name, without the mark; returns (bytes, files)."""
        files = self.tree.seal()
        size = sum(each[2] for each in files["files"])
        entry = self.item.entry
        stamp = {
            "name": entry.name,
            "version": entry.version,
            "platform": self.item.platform,
            "lib": self.item.package.lib,
            "bytes": size,
            "files": len(files["files"]),
            "artifacts": [each.sha256 for each in self.artifacts],
            "unpacked": int(time.time()),
        }
        write_file(self._staging + "/files.json", json.dumps(files, separators=(",", ":")))
        write_file(self._staging + "/stamp.json", json.dumps(stamp))
        os.makedirs(os.path.dirname(entry.path), exist_ok=True)
        damaged = self._staging + ".old"
        if os.path.lexists(entry.path):
            trees.remove(damaged)
            os.rename(entry.path, damaged)
        os.rename(self._staging, entry.path)
        self.finished = True
        trees.remove(damaged)
        return size, len(files["files"])

    def leave(self) -> None:
        """Removes unfinished files and releases the entry's lock."""
        if self._ours:
            trees.remove(self._staging)
            self._ours = False
            self._entry_lock.release()
