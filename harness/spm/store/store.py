"""The store: every unpacked package by content, shared by all checkouts of one user.

    <store>/
      CACHEDIR.TAG                backup programs leave the folder out
      packages/<name>/<version>/  one entry; it appears by one rename, complete
        tree/                     what the artifacts hold, read-only; the links of lib folders lead here
        files.json                every file, link and folder of the tree with mode, size, time and hash
                                  (archives/contents.py)
        stamp.json                name, version, platform, lib, bytes, files, artifacts, time of unpacking; an entry with an
                                  unreadable stamp is invalid, and a sweep removes it
        used                      empty: the mark of a valid entry, made once all the above is on the disk. Its time is
                                  the last use, to the hour. An entry without it is taken over if every hash is right,
                                  else made again or repaired
      archives/<sha256>           a verified artifact to be unpacked; its time is 0 once it has been unpacked
      archives/<sha256>.part      an unfinished download; it and its .from survive a failed run, until they are old
      unpacking/<name>-<version>/ an entry being made or removed; deleted by the next holder of its lock, or by a sweep
      locks/                      kernel locks: `store` (shared by installs, exclusive for pruning), `<name>-<version>`
                                  (unpacking and renaming one entry), `<sha256>` (downloading one .part)
      licences/<sha256>           the licence files of an artifact, read once (licence_record.py); any may be removed
      leases/<id>                 what a lib folder uses (lease.py)
      roots/<key>                 a link to each lib folder that uses the store, for versions of spm without leases; <key>
                                  is from the sha256 of its path. It counts for folders without a lease
      pruned                      empty; its time is that of the last automatic pruning

An install flushes the disk once, then marks its entries (durable.py): a power cut loses only unmarked entries. The
links of lib are made after the marks. Archives are not kept: only the tree is used, archives would take a third more
space, and a pin gives the same bytes again. To keep them, use a mirror."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator

from harness.spm.atomic import write_file
from harness.spm.errors import SpmError, USAGE
from harness.spm.late import late
from harness.spm.settings import existing_parent, PLATFORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harness.spm import lock as locks
    from harness.spm.lock import Lock
else:
    locks = late("harness.spm.lock")

_PARTS = ("packages", "archives", "unpacking", "locks", "licences", "leases", "roots")
_OTHERS_WRITE = 0o022
_HINT = "name a folder with --store DIR or SPM_STORE"
_STAMP_PIECE = 1 << 14  # enough for nearly all stamps; allocating a megabyte takes longer than everything else here
USE_STEP_S = 3600  # the last use is updated at most this often, so that a no-op writes nothing

_CACHEDIR_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Unpacked packages of the laboratory; see harness/spm/store/store.py\n"
)


into_a_store = re.compile(r"/(?:.*/)?packages/([^/]+/[0-9a-f]{64})/tree", re.DOTALL).fullmatch
"""Matches the target of a link into any store; its group is `<name>/<version>`."""


class StoreEntry:
    """One package version's place in the store."""

    __slots__ = ("name", "version", "path")

    def __init__(self, store: str, name: str, version: str) -> None:
        self.name, self.version = name, version
        self.path = f"{store}/packages/{name}/{version}"

    @property
    def tree(self) -> str:
        return self.path + "/tree"

    def exists(self) -> bool:
        """Whether the entry is valid and its tree still exists."""
        try:
            os.stat(self.path + "/used")
            return not self.has_no_stamp() and os.path.isdir(self.tree)
        except OSError:
            return False

    def has_no_stamp(self) -> bool:
        """Whether the folder is not an entry: its stamp is missing, empty or damaged, for example by a power cut."""
        # A no-op install does this for two hundred entries: os.read is faster than a file object.
        try:
            file = os.open(self.path + "/stamp.json", os.O_RDONLY | os.O_CLOEXEC)
            try:
                text = piece = os.read(file, _STAMP_PIECE)
                while len(piece) == _STAMP_PIECE:
                    text += (piece := os.read(file, _STAMP_PIECE))
                return not isinstance(json.loads(text), dict)
            finally:
                os.close(file)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return True
        except OSError:
            return False  # a read error or too many open files is no reason to remove an entry

    def use(self) -> None:
        """Updates the time of the last use. Does nothing in a read-only store."""
        with contextlib.suppress(OSError):
            if time.time() - os.stat(self.path + "/used").st_mtime > USE_STEP_S:
                os.utime(self.path + "/used")

    def last_use(self) -> float:
        """Seconds since the epoch; 0 for an entry that is marked as damaged."""
        try:
            return os.stat(self.path + "/used").st_mtime
        except FileNotFoundError:
            return 0.0

    def mark_damaged(self) -> None:
        """Marks an entry as damaged: it is invalid until every hash in it is right again. It may be missing."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path + "/used")

    def discard(self) -> None:
        """Makes the folder no entry at all: nothing of it is used again."""
        self.mark_damaged()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path + "/stamp.json")

    def mark_valid(self) -> None:
        """Marks an entry as valid; its bytes must be on the disk."""
        os.close(os.open(self.path + "/used", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666))

    def stamp(self) -> dict:
        return read_json(self.path + "/stamp.json")

    def files(self) -> dict:
        return read_json(self.path + "/files.json")


class Store:
    """The store's folder and its parts. `behind` are other stores, whose entries are used where this one has none. The
    constructor does not access the disk."""

    def __init__(self, root: str, behind: Iterable[str] = ()) -> None:
        self.root, self.behind = root, tuple(behind)
        self._roots = (root, *self.behind)

    def entry(self, name: str, version: str) -> StoreEntry:
        """The entry of the first store that has it, else its place in this one."""
        own = StoreEntry(self.root, name, version)
        if self.behind and not own.exists():
            for root in self.behind:
                other = StoreEntry(root, name, version)
                if other.exists():
                    return other
        return own

    def entries(self) -> list[StoreEntry]:
        """All entries, sorted by name and version, also invalid ones."""
        return [entry for entry in self._places() if not entry.has_no_stamp()]

    def broken_entries(self) -> list[StoreEntry]:
        """Folders in the place of entries, but without a readable stamp."""
        return [entry for entry in self._places() if entry.has_no_stamp()]

    def _places(self) -> list[StoreEntry]:
        packages = f"{self.root}/packages"
        places = ((name, version) for name in _names(packages) for version in _names(f"{packages}/{name}"))
        return [StoreEntry(self.root, name, version) for name, version in places]

    def prepare(self) -> None:
        """Makes the store's folders."""
        try:
            for folder in (self.root, *(f"{self.root}/{part}" for part in _PARTS)):
                os.makedirs(folder, exist_ok=True)
                _remove_others_write(folder)
            tag = f"{self.root}/CACHEDIR.TAG"
            if not os.path.exists(tag) or not os.path.getsize(tag):
                write_file(tag, _CACHEDIR_TAG)
        except (FileExistsError, NotADirectoryError) as error:
            raise SpmError(f"store: expected a folder, found a file: {error.filename}", _HINT, USAGE) from None
        except FileNotFoundError as error:  # the parent exists, but its file system refuses
            what = f"store: expected a place for a folder, found none: {error.filename}"
            raise SpmError(what, _HINT, USAGE) from None

    def archive(self, sha256: str) -> str:
        return f"{self.root}/archives/{sha256}"

    def staging(self, entry: StoreEntry) -> str:
        return f"{self.root}/unpacking/{entry.name}-{entry.version}"

    def entry_lock(self, entry: StoreEntry) -> Lock:
        return self.lock(os.path.basename(self.staging(entry)))

    def lock(self, name: str) -> Lock:
        return locks.Lock(f"{self.root}/locks/{name}")

    def owns(self, entry: StoreEntry) -> bool:
        """Whether the entry is in this store, and not in one behind it."""
        return entry.path.startswith(f"{self.root}/packages/")

    def entry_of(self, target: str) -> StoreEntry | None:
        """The entry of this store or of one behind it that a link's target leads to, or None if it leads elsewhere."""
        for root in self._roots:
            parts = target.removeprefix(f"{root}/packages/").split("/")
            if target.startswith(f"{root}/packages/") and len(parts) == 3 and parts[2] == "tree":
                return StoreEntry(root, parts[0], parts[1])
        return None

    def root_link(self, lib: str) -> str:
        """The path of the store's record that the lib folder `lib` uses it."""
        return f"{self.root}/roots/{hashlib.sha256(os.fsencode(lib)).hexdigest()[:32]}"

    def writable(self) -> bool:
        """Whether this user may write to the store. A read-only store can still be linked to."""
        return os.access(existing_parent(f"{self.root}/locks"), os.W_OK | os.X_OK)

    def free_bytes(self) -> int:
        facts = os.statvfs(self.root)
        return facts.f_bavail * facts.f_frsize


@contextlib.contextmanager
def owner_writes_only() -> Iterator[None]:
    """Sets the umask so that only the owner can write new files: write access to a store runs code as all its users."""
    before = os.umask(0o777)
    os.umask(before | _OTHERS_WRITE)
    try:
        yield
    finally:
        os.umask(before)


def links(store: Store, lib: str) -> list[tuple[str, StoreEntry]]:
    """All links of a lib folder and of its platforms' folders that lead into the store."""
    found = [(path, store.entry_of(target)) for path, target in _targets(lib)]
    return [(path, entry) for path, entry in found if entry and not os.path.basename(path).startswith(".")]


def names_elsewhere(store: Store, lib: str) -> set[str]:
    """`<name>/<version>` of each link of a lib folder into a store that is not this one, or is under another path."""
    found = [into_a_store(target) for _, target in _targets(lib) if store.entry_of(target) is None]
    return {match[1] for match in found if match}


def _targets(lib: str) -> Iterator[tuple[str, str]]:
    """(path, target) of every link of a lib folder and of its platforms' folders."""
    for folder in (lib, *(os.path.join(lib, platform) for platform in PLATFORMS)):
        for name in _names(folder):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                yield path, os.readlink(path)


def _remove_others_write(folder: str) -> None:
    facts = os.stat(folder)
    shared = facts.st_mode & stat.S_ISVTX  # a sticky folder like /tmp, if root chose it as the store
    if facts.st_mode & _OTHERS_WRITE and facts.st_uid == os.geteuid() and not shared:
        os.chmod(folder, stat.S_IMODE(facts.st_mode) & ~_OTHERS_WRITE)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_json(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)
