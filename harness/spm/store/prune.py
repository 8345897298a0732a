"""Limits the store: entries that no lib folder's lease holds are removed by age, then the least recently used ones by size."""

import contextlib
import os
import time
from collections.abc import Iterator

from harness.spm import trees
from harness.spm.atomic import write_file
from harness.spm.store import lease, licence_record
from harness.spm.store.store import links, owner_writes_only, Store, StoreEntry
from harness.spm.transfer.progress import Report

OLDER_THAN_S = 30 * 86400
MAX_BYTES = 10 * 10**9
_EVERY_S = 86400
LEFTOVER_S = 86400  # an unfinished download is kept this long for the next run


class CacheEntry:
    """An entry with the facts that pruning needs."""

    def __init__(self, entry: StoreEntry, users: list[str]) -> None:
        self.entry, self.users = entry, users
        stamp = entry.stamp()
        self.bytes, self.files, self.lib = stamp["bytes"], stamp["files"], stamp["lib"]
        self.last_use = entry.last_use()


def cache_entries(store: Store, gone: bool = False) -> list[CacheEntry]:
    """Every entry with the lib folders that use it; with `gone` without those that are not there."""
    users: dict[str, set[str]] = {}
    now = time.time()
    for each in lease.all_of(store):
        for path in each.paths() if each.holds(now) and not (gone and each.is_gone()) else ():
            users.setdefault(path, set()).add(each.holder())
    for folder in _roots_without_lease(store):
        for _, entry in links(store, folder):
            users.setdefault(entry.path, set()).add(folder)
    found = []
    for entry in store.entries():
        # It may have been removed meanwhile, or be damaged: its next install repairs it.
        with contextlib.suppress(OSError, ValueError, KeyError):
            found.append(CacheEntry(entry, sorted(users.get(entry.path, ()))))
    return found


def _roots_without_lease(store: Store) -> list[str]:
    """The lib folders that use the store and were made before leases."""
    folders = [os.readlink(link) for link in _root_links(store) if os.path.isdir(link)]
    return [folder for folder in folders if not lease.has_id(folder)]


def _root_links(store: Store) -> list[str]:
    roots = f"{store.root}/roots"
    return [f"{roots}/{name}" for name in os.listdir(roots)] if os.path.isdir(roots) else []


def removable(cached: list[CacheEntry], older_than_s: float, max_bytes: int, now: float) -> list[CacheEntry]:
    """The entries to remove: unused old ones (a time in the future counts as new), then the least recently used of the
    unused until the rest fits."""
    unused = sorted((each for each in cached if not each.users), key=lambda each: each.last_use)
    gone = [each for each in unused if max(0.0, now - each.last_use) >= older_than_s]
    total = sum(each.bytes for each in cached) - sum(each.bytes for each in gone)
    for each in unused[len(gone) :]:
        if total <= max_bytes:
            break
        gone.append(each)
        total -= each.bytes
    return gone


def remove(store: Store, entry: StoreEntry) -> None:
    """Removes an entry. It is renamed first, so that a killed removal leaves no partial entry."""
    staging = store.staging(entry)
    trees.remove(staging)
    os.rename(entry.path, staging)
    trees.remove(staging)
    with contextlib.suppress(OSError):  # another version of it stays
        os.rmdir(os.path.dirname(entry.path))


@contextlib.contextmanager
def locked(store: Store, report: Report, exclusive: bool = False) -> Iterator[None]:
    """Holds the store's lock: the shared one prevents pruning, and the last process to leave cleans up; the exclusive one
    waits until all other processes have left."""
    with owner_writes_only():
        store.prepare()
        with store.lock("store") as lock:
            lock.take(shared=not exclusive, waiting=lambda holder: report.event("waiting", what="the store", holder=holder))
            yield
        if not exclusive:
            automatic(store)


def sweep(store: Store, leftover_s: float = LEFTOVER_S) -> None:
    """Removes used archives, what power cuts and killed or failed runs left, and roots whose folder is gone. A .part or
    archive younger than `leftover_s` stays for the next run. Needs the exclusive lock."""
    for name in os.listdir(f"{store.root}/unpacking"):
        trees.remove(f"{store.root}/unpacking/{name}")
    for each in store.broken_entries():
        remove(store, each)
    _correct_times(store)
    archives = f"{store.root}/archives"
    for name in os.listdir(archives):
        try:
            idle_s = time.time() - os.stat(f"{archives}/{name.removesuffix('.from')}").st_mtime
        except FileNotFoundError:  # a .from goes with its .part
            idle_s = leftover_s
        if idle_s >= leftover_s:
            os.unlink(f"{archives}/{name}")
    licence_record.sweep(store, _artifacts(store))
    for link in _root_links(store):
        if os.path.islink(link) and not os.path.lexists(os.readlink(link)):
            os.unlink(link)
    for held in lease.all_of(store):
        if not held.holds(time.time()):
            held.remove()
    for name in os.listdir(f"{store.root}/locks"):
        if name != "store":
            os.unlink(f"{store.root}/locks/{name}")


def _artifacts(store: Store) -> set[str]:
    """The sha256 of each artifact that an entry of the store is made of."""
    found: set[str] = set()
    for entry in store.entries():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            found.update(entry.stamp()["artifacts"])
    return found


def _correct_times(store: Store) -> None:
    """Sets times far in the future to now: a clock that once was ahead must not keep things for ever."""
    now = time.time()
    for held in lease.all_of(store):
        held.correct_time(now)
    archives = f"{store.root}/archives"
    for path in (*(f"{entry.path}/used" for entry in store.entries()), *(f"{archives}/{name}" for name in os.listdir(archives))):
        with contextlib.suppress(FileNotFoundError):
            if os.stat(path).st_mtime > now + lease.AHEAD_S:
                os.utime(path, (now, now))


def automatic(store: Store) -> None:
    """If no other process uses the store: sweeps if needed, and once a day prunes with the default limits.

    Errors of the disk are ignored: the run itself has already succeeded."""
    with contextlib.suppress(OSError), store.lock("store") as lock:
        due = _is_due(store)
        left = any(os.listdir(f"{store.root}/{part}") for part in ("archives", "unpacking"))
        if (due or left) and lock.take(wait=False):
            sweep(store)
            if due:
                for each in removable(cache_entries(store), OLDER_THAN_S, MAX_BYTES, time.time()):
                    remove(store, each.entry)
                write_file(_stamp(store), "")


def _is_due(store: Store) -> bool:
    try:
        return abs(time.time() - os.stat(_stamp(store)).st_mtime) >= _EVERY_S
    except FileNotFoundError:
        return True


def _stamp(store: Store) -> str:
    return f"{store.root}/pruned"
