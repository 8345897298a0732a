"""Leases: what each lib folder uses of a store. They lie in the store, because other containers and machines that share
it do not see the folder, or see another one at its path.

    <lib>/.spm-lease     the folder's id, random, and its inode: a copy of the folder gets an id of its own. Not its
                         device, whose number may be another one after a restart or on another machine
    <store>/leases/<id>  JSON: `lib` (its path) and `entries`. Its time is that of the latest renewal: at most once a day,
                         by use
    <store>/leases/kept  `entries` that the store's owner keeps (cache keep): it does not expire

Pruning removes no entry of a lease that was renewed in the last 30 days, also if its lib folder cannot be seen: only
`cache prune --gone` ends such leases early."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import time

from harness.spm.atomic import write_file
from harness.spm.store.store import links, names_elsewhere, Store, StoreEntry

LASTS_S = 30 * 86400
RENEWED_S = 86400
AHEAD_S = 86400  # a time further in the future is a wrong clock's
ID_FILE = ".spm-lease"
KEPT = "kept"
_ID = re.compile("[0-9a-f]{32}").fullmatch
_BY_PATH = "path"  # how the name of the lease begins whose lib folder has no id


def is_current(store: Store, lib: str) -> bool:
    """Whether the lease of `lib` needs no renewal now. Reads one small file and asks for two times."""
    try:
        facts = os.stat(f"{store.root}/leases/{_own_id(lib) or _by_path(lib)}")
    except OSError:
        return False
    return facts.st_size > 0 and abs(time.time() - facts.st_mtime) < RENEWED_S  # a power cut may have emptied it


def renew(store: Store, lib: str, more: list[StoreEntry] | None = None) -> None:
    """Writes the lease of `lib` over all entries that it links to now. With `more`, over these too: then it is not
    current, so that the next use writes it again if this one is killed. Needs the store's shared lock."""
    os.makedirs(f"{store.root}/leases", exist_ok=True)
    used = [*(entry for _, entry in links(store, lib)), *(more or [])]
    names = {f"{each.name}/{each.version}" for each in used if store.owns(each)}
    if known := _own_id(lib):
        # What was used by way of another path to this store, as another container has it mounted.
        names |= names_elsewhere(store, lib).intersection(Lease(store, known).entries)
    text = json.dumps({"lib": lib, "entries": sorted(names)})
    leases, identity = f"{store.root}/leases", _own_id(lib)
    if identity:
        write_file(f"{leases}/{identity}", text)
    else:
        identity = os.urandom(16).hex()
        by_path = _by_path(lib)
        write_file(f"{leases}/{identity}", text)  # first: a kill must not leave the folder without a lease
        if _give_id(lib, identity):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{leases}/{by_path}")
        else:
            os.rename(f"{leases}/{identity}", f"{leases}/{by_path}")
            identity = by_path
    if more is not None:
        then = time.time() - RENEWED_S
        with contextlib.suppress(PermissionError):  # a file system may not let us: then it is current for a day
            os.utime(f"{leases}/{identity}", (then, then))


def keep(store: Store, entries: list[StoreEntry]) -> None:
    """Makes `entries` those that the store's owner keeps, and no others."""
    path = f"{store.root}/leases/{KEPT}"
    if entries:
        write_file(path, json.dumps({"entries": sorted(f"{each.name}/{each.version}" for each in entries)}))
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


class Lease:
    """One lease of a store; `lib` is "" for what the owner keeps, and for an unreadable file, which has no entries."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._path, self._name = store, f"{store.root}/leases/{name}", name
        with contextlib.suppress(OSError):
            self._renewed = os.stat(self._path).st_mtime
        fields = _read(self._path)
        lib, entries = fields.get("lib"), fields.get("entries")
        known = lib if isinstance(lib, str) and name != KEPT else ""
        self.lib: str = known if known.startswith("/") and "\0" not in known else ""
        self.entries = [each for each in entries if isinstance(each, str)] if isinstance(entries, list) else []

    _renewed = 0.0

    def holder(self) -> str:
        """Who holds it, for people."""
        return self.lib or "kept by the store's owner"

    def holds(self, now: float) -> bool:
        """Whether pruning must leave its entries."""
        if self._name == KEPT:
            return True
        return bool(self.lib) and now - self._renewed < LASTS_S

    def is_gone(self) -> bool:
        """Whether its lib folder is not at its path, as this process sees it: nothing is, or another folder."""
        if not self.lib:
            return False
        try:
            os.lstat(self.lib)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:  # it cannot be known
            return False
        return not self._name.startswith(_BY_PATH) and (_written(self.lib) or [""])[0] != self._name

    def paths(self) -> list[str]:
        """The entries' paths: those that the lib folder links to now, if it can be seen, and of those of the last
        renewal the ones to which it links by another path; else all of the last renewal."""
        packages = f"{self._store.root}/packages"
        if self.lib and _own_id(self.lib) == self._name:
            elsewhere = names_elsewhere(self._store, self.lib).intersection(self.entries)
            return [entry.path for _, entry in links(self._store, self.lib)] + [f"{packages}/{each}" for each in elsewhere]
        return [f"{packages}/{each}" for each in self.entries]

    def correct_time(self, now: float) -> None:
        """Ends a time that a wrong clock set far ahead."""
        if self._renewed > now + AHEAD_S:
            os.utime(self._path, (now, now))

    def remove(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)


def all_of(store: Store) -> list[Lease]:
    try:
        names = sorted(os.listdir(f"{store.root}/leases"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [Lease(store, name) for name in names if not name.startswith(".")]


def end_gone(store: Store) -> None:
    """Ends the leases of lib folders that are not there. Needs the store's exclusive lock."""
    for each in all_of(store):
        if each.is_gone():
            each.remove()


def has_id(lib: str) -> bool:
    return bool(_own_id(lib))


def _own_id(lib: str) -> str:
    """The id of a lib folder; "" if it has none or only that of the folder it was copied from."""
    words = _written(lib)
    return words[0] if len(words) == 2 and _ID(words[0]) and words[1] == str(os.stat(lib).st_ino) else ""


def _by_path(lib: str) -> str:
    """The name of the lease of a folder that can have no id."""
    return _BY_PATH + hashlib.sha256(os.fsencode(lib)).hexdigest()[:28]


def _written(lib: str) -> list[str]:
    """The words of the folder's file; none without a readable one."""
    # Another user may have made the folder: no link is followed, and no pipe waited for.
    try:
        file = os.open(f"{lib}/{ID_FILE}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    try:
        return os.read(file, 200).decode("ascii", "replace").split() if stat.S_ISREG(os.fstat(file).st_mode) else []
    except OSError:
        return []
    finally:
        os.close(file)


def _give_id(lib: str, identity: str) -> bool:
    """Whether the folder now has the id: it may be read-only."""
    try:
        write_file(f"{lib}/{ID_FILE}", f"{identity} {os.stat(lib).st_ino}\n")
    except OSError:
        return False
    return True


def _read(path: str) -> dict:
    try:
        with open(path, encoding="utf-8") as file:
            fields = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}
