"""Brings packages into the store and the lib folder: download, unpack while others download, seal, rename, link.

The lib folder changes last and only when every package is in the store: an install that fails leaves it as it was.
One lock per entry makes processes share the work: what another is making is waited for, then found."""

from __future__ import annotations

import json
import os
import queue
import threading
import time

from harness.spm.store import lib, prune, trees
from harness.spm.transfer.download import Downloader, Failed, is_whole, summary
from harness.spm.errors import Cancelled, Refused, SpmError, system_error
from harness.spm.store.store import Store, write_file
from harness.spm.archives.tree import Tree
from harness.spm.archives.unpack import unpack
from harness.spm.words import plural, size as size_words

# What a byte of archive becomes on disk, for the check before a download. The pinned set's mean is 3.7.
UNPACK_RATIO = 4


class Plan:
    """What an install has to do, known before it starts."""

    def __init__(self, items: list):
        self.items = items
        self.unlinked = [item for item in items if not item.linked()]
        self.missing = [item for item in items if not item.entry.exists()]

    def artifacts(self) -> dict:
        """The artifacts to unpack, by sha256: one that two packages share is one download."""
        return {
            artifact.sha256: artifact for item in self.missing for artifact in item.package.artifacts_for(item.platform)
        }

    def download_bytes(self) -> int:
        return sum(artifact.size for artifact in self.artifacts().values())


def install(items: list, manifest, settings, store: Store, report) -> Plan:
    """Makes all `items` active; returns what there was to do. An SpmError leaves the lib folder unchanged."""
    lib.check(settings.lib, settings.lib_folder(), items)
    if settings.dry_run:
        return Plan(items)
    try:
        store.prepare()
        with store.lock("store") as lock:
            lock.take(shared=True, waiting=lambda holder: report.waiting("the store", holder))
            plan = Plan(items)  # only now: a pruning may just have ended
            _fill(plan, manifest, settings, store, report)
            lib.prepare(settings.lib, settings.lib_folder())
            lib.register(store, settings.lib)
            for item in items:
                if not item.linked():
                    lib.activate(item)
                    report.linked(item)
                item.entry.use()
        prune.automatic(store)
    except OSError as error:
        raise system_error("installing", error) from None
    return plan


def _fill(plan: Plan, manifest, settings, store: Store, report):
    """Makes every missing entry, or waits for whoever makes it."""
    missing = plan.missing
    if missing:
        _check_space(plan, store)
        report.started(len(missing), len(plan.artifacts()), plan.download_bytes())
    while missing:
        mine, others = [], []
        try:
            for item in missing:
                lock = store.lock(os.path.basename(store.staging(item.entry)))
                (mine if lock.take(wait=False) else others).append((item, lock))
            todo = [item for item, _ in mine if not item.entry.exists()]
            if todo:
                _Run(todo, manifest, settings, store, report).run()
        finally:
            for _, lock in mine:
                lock.release()
        if others:
            item, lock = others[0]
            with lock:
                lock.take(waiting=lambda holder: report.waiting(f"package {item.package.name}", holder))
        missing = [item for item, _ in others if not item.entry.exists()]


def _check_space(plan: Plan, store: Store):
    download = plan.download_bytes()
    needed, free = download * (1 + UNPACK_RATIO), store.free_bytes()
    if free < needed:
        raise SpmError(
            f"the store's disk is too small for {plural(len(plan.missing), 'package')}: expected about "
            f"{size_words(needed)} free in {store.root} ({size_words(download)} to download and their contents), "
            f"found {size_words(free)}",
            "python3 make.py spm cache prune --older-than 0d, or set SPM_STORE to a larger disk",
        )


def _task(artifact) -> tuple:
    """The largest first: what every other thread waits for at the end should be small."""
    return -artifact.size, artifact.sha256, artifact


_END = (1, "", None)  # behind every task


class _Run:
    """One batch of entries: downloading threads feed unpacking threads; the first error stops all of them."""

    def __init__(self, items, manifest, settings, store: Store, report):
        self._items, self._store, self._report = items, store, report
        self._downloader = Downloader(manifest, settings, report)
        self._artifacts = {}  # sha256 -> artifact
        self._users = {}  # sha256 -> [(entry in the making, owner number, artifact)]
        self._making = [_Making(item, store) for item in items]
        for making in self._making:
            for owner, artifact in enumerate(making.artifacts):
                self._artifacts.setdefault(artifact.sha256, artifact)
                self._users.setdefault(artifact.sha256, []).append((making, owner, artifact))
        self._downloads, self._unpacks = queue.PriorityQueue(), queue.PriorityQueue()
        self._lock = threading.Lock()
        self._left = len(self._artifacts)
        self._done = threading.Event()
        self._stopped = False
        self._failures: list[Failed] = []
        self._error: BaseException | None = None
        self._jobs = max(1, settings.jobs)

    def run(self):
        for artifact in self._artifacts.values():
            self._downloads.put(_task(artifact))
        unpackers = max(2, min(os.cpu_count() or 2, 8))
        downloaders = [self._start(self._downloads, self._download) for _ in range(min(self._jobs, self._left))]
        workers = [self._start(self._unpacks, self._unpack) for _ in range(unpackers)]
        try:
            while not self._done.wait(self._report.tick_s):
                self._report.tick()
        except BaseException:
            self._stop(None)
            raise
        finally:
            for _ in range(len(downloaders)):
                self._downloads.put(_END)
            for _ in range(len(workers)):
                self._unpacks.put(_END)
            # A download may hang in the network; it writes only to its own .part, which the next run begins anew.
            for thread in downloaders:
                thread.join(1.0)
            for thread in workers:
                thread.join()
            self._report.close()
            for making in self._making:
                making.discard()
        if self._failures:
            raise summary(self._failures)
        if self._error:
            raise self._error

    def _start(self, source: queue.PriorityQueue, act) -> threading.Thread:
        def work():
            while (artifact := source.get()[-1]) is not None:
                try:
                    if not self._stopped:
                        act(artifact)
                except Cancelled:
                    pass
                except BaseException as error:
                    self._stop(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    def _stop(self, error: BaseException | None):
        with self._lock:
            if isinstance(error, Failed):
                self._failures.append(error)
            elif error is not None and self._error is None:
                self._error = error
            self._stopped = True
        self._downloader.cancel()
        self._done.set()

    def _download(self, artifact):
        path = self._store.archive(artifact.sha256)
        with self._store.lock(artifact.sha256) as lock:
            lock.take(waiting=lambda holder: self._report.waiting(artifact.file_name, holder))
            if is_whole(path, artifact):  # of a run that ended between downloading and unpacking
                self._report.found(artifact)
            else:
                self._report.begun(artifact)
                fetched = False
                try:
                    self._downloader.fetch(artifact, path + ".part")
                    os.rename(path + ".part", path)
                    fetched = True
                except OSError as error:
                    raise system_error(f"downloading {artifact.path}", error) from None
                finally:
                    self._report.ended(artifact, fetched)
                    if not fetched:
                        _forget(path + ".part")
        self._unpacks.put(_task(artifact))

    def _unpack(self, artifact):
        path = self._store.archive(artifact.sha256)
        for making, owner, rules in self._users[artifact.sha256]:
            name = making.item.package.name
            self._report.unpacking(name, +1)
            try:
                making.unpack(path, rules, owner, lambda: self._stopped)
                if making.complete():
                    size, files = making.finish()
                    self._report.stored(making.item, size, files)
            except SpmError as error:
                error.what = f"{name}: {rules.path}: {error.what}"
                if isinstance(error, Refused):
                    _forget(path)
                raise
            except OSError as error:
                raise system_error(f"unpacking {name}: {rules.path}", error) from None
            finally:
                self._report.unpacking(name, -1)
        _forget(path)
        with self._lock:
            self._left -= 1
            if not self._left:
                self._done.set()


class _Making:
    """One entry in the making, in the store's `unpacking` folder."""

    def __init__(self, item, store: Store):
        self.item = item
        self.artifacts = item.package.artifacts_for(item.platform)
        self._staging = store.staging(item.entry)
        self._left = len(self.artifacts)
        self._lock = threading.Lock()
        self._tree: Tree | None = None
        self._started = False

    def unpack(self, archive: str, artifact, owner: int, cancelled):
        with self._lock:
            if self._tree is None:
                self._started = True
                trees.remove(self._staging)  # of a run that was killed: we hold the lock
                os.mkdir(self._staging)
                self._tree = Tree(self._staging + "/tree")
        unpack(archive, artifact, self._tree, owner, cancelled)

    def complete(self) -> bool:
        """Counts one artifact as unpacked; True for the last."""
        with self._lock:
            self._left -= 1
            return self._left == 0

    def finish(self) -> tuple[int, int]:
        """Seals the tree and gives the entry its final name; (bytes, files)."""
        files = self._tree.seal()
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
        write_file(self._staging + "/used", "")
        os.makedirs(os.path.dirname(entry.path), exist_ok=True)
        damaged = self._staging + ".old"
        if os.path.lexists(entry.path):
            trees.remove(damaged)
            os.rename(entry.path, damaged)
        os.rename(self._staging, entry.path)
        trees.remove(damaged)
        return size, len(files["files"])

    def discard(self):
        """Removes what was not finished."""
        if self._started:
            trees.remove(self._staging)


def _forget(path: str):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
