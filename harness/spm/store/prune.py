"""Keeps the store small: what no lib folder uses goes when it is old, and the least recently used when it is much."""

from __future__ import annotations

import os
import time

from harness.spm.store import lib, trees
from harness.spm.store.store import Entry, Store, write_file

OLDER_THAN_S = 30 * 86400
MAX_BYTES = 10 * 10**9
_EVERY_S = 86400


class Cached:
    """An entry with what pruning weighs."""

    def __init__(self, entry: Entry, users: list[str]):
        self.entry, self.users = entry, users
        stamp = entry.stamp()
        self.bytes, self.files, self.lib = stamp["bytes"], stamp["files"], stamp["lib"]
        self.last_use = entry.last_use()


def survey(store: Store) -> list[Cached]:
    """Every entry with the lib folders that use it."""
    users: dict[str, list[str]] = {}
    for folder in live_roots(store):
        for _, entry in lib.links(store, folder):
            users.setdefault(entry.path, [])
            if folder not in users[entry.path]:
                users[entry.path].append(folder)
    found = []
    for entry in store.entries():
        try:
            found.append(Cached(entry, sorted(users.get(entry.path, []))))
        except (OSError, ValueError, KeyError):
            pass  # gone meanwhile, or damaged: the next install of it repairs it
    return found


def live_roots(store: Store) -> list[str]:
    """The lib folders that use the store; a root whose folder is gone is forgotten."""
    found = []
    for name in sorted(os.listdir(f"{store.root}/roots")) if os.path.isdir(f"{store.root}/roots") else []:
        link = f"{store.root}/roots/{name}"
        if os.path.isdir(link):
            found.append(os.readlink(link))
        elif os.path.islink(link):
            os.unlink(link)
    return sorted(found)


def victims(cached: list[Cached], older_than_s: float, max_bytes: int, now: float) -> list[Cached]:
    """What goes: the unused that are old, then the least recently used of the unused until the rest fits."""
    unused = sorted((each for each in cached if not each.users), key=lambda each: each.last_use)
    gone = [each for each in unused if now - each.last_use >= older_than_s]
    total = sum(each.bytes for each in cached) - sum(each.bytes for each in gone)
    for each in unused[len(gone) :]:
        if total <= max_bytes:
            break
        gone.append(each)
        total -= each.bytes
    return gone


def remove(store: Store, entry: Entry):
    """Takes the final name away first: a removal that is killed leaves no half entry."""
    staging = store.staging(entry)
    trees.remove(staging)
    os.rename(entry.path, staging)
    trees.remove(staging)
    try:
        os.rmdir(os.path.dirname(entry.path))
    except OSError:
        pass  # another version of it stays


def sweep(store: Store, older_than_s: float, now: float):
    """Removes what killed runs left, but of downloads only the old. Only under the exclusive lock, when nobody else
    works in the store."""
    for part in ("unpacking", "archives"):
        for name in os.listdir(f"{store.root}/{part}"):
            path = f"{store.root}/{part}/{name}"
            if not _is_young_part(path.removesuffix(".from"), older_than_s, now):
                trees.remove(path)
    for name in os.listdir(f"{store.root}/locks"):
        if name != "store":
            os.unlink(f"{store.root}/locks/{name}")


def _is_young_part(path: str, older_than_s: float, now: float) -> bool:
    try:
        return path.endswith(".part") and now - os.stat(path).st_mtime < older_than_s
    except FileNotFoundError:
        return False


def automatic(store: Store):
    """Once a day, and only when nobody else is at work: sweeps and prunes with the usual limits."""
    stamp = f"{store.root}/pruned"
    try:
        if time.time() - os.stat(stamp).st_mtime < _EVERY_S:
            return
    except FileNotFoundError:
        pass
    with store.lock("store") as lock:
        if lock.take(wait=False):
            now = time.time()
            sweep(store, OLDER_THAN_S, now)
            for each in victims(survey(store), OLDER_THAN_S, MAX_BYTES, now):
                remove(store, each.entry)
            write_file(stamp, "")
