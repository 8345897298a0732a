"""The store: every unpacked package by content, shared by all checkouts of one user.

    <store>/
      CACHEDIR.TAG                backup programs leave the folder out
      packages/<name>/<version>/  one entry; it appears by one rename, complete
        tree/                     what the artifacts hold, read-only; the links of lib folders lead here
        files.json                every file, link and folder of the tree with mode, size, time and hash (contents.py)
        stamp.json                name, version, platform, lib, bytes, files, artifacts, time of unpacking
        used                      empty; its time is the entry's last use, to the hour; without it the entry counts as
                                  damaged, and is made anew or repaired
      archives/<sha256>           a verified artifact on its way to be unpacked; its time is 0 once somebody has done so
      archives/<sha256>.part      one on its way here; it and its .from outlive a run that failed, until they are old
      unpacking/<name>-<version>/ an entry in the making or going; removed by whoever next takes its lock, or by a sweep
      locks/                      kernel locks: `store` (shared by installs, exclusive for pruning), `<name>-<version>`
                                  (unpacking and renaming one entry), `<sha256>` (downloading one .part)
      roots/<key>                 a link to each lib folder that uses the store; <key> is from the sha256 of its path. A
                                  root whose folder is gone is removed, and with it the claim on its entries
      pruned                      empty; its time is that of the last automatic pruning

Nothing waits for the disk to have written: that would cost a cold install more than all else. A power cut within
seconds of an install can lose bytes, which `verify` finds.
Archives are not kept: only the tree is used, both would take a third more, and a pin brings the same bytes back. Who
wants them kept has a mirror."""

from __future__ import annotations

import hashlib
import json
import os
import time

from harness.spm.errors import SpmError, USAGE

USE_STEP_S = 3600  # a use is noted at most this often: a no-op then writes nothing

_CACHEDIR_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Unpacked packages of the laboratory; see harness/spm/store/store.py\n"
)


class Entry:
    """One package version's place in the store."""

    __slots__ = ("name", "version", "path")

    def __init__(self, store: str, name: str, version: str):
        self.name, self.version = name, version
        self.path = f"{store}/packages/{name}/{version}"

    @property
    def tree(self) -> str:
        return self.path + "/tree"

    def exists(self) -> bool:
        """Whether the entry is complete and its tree still stands."""
        try:
            os.stat(self.path + "/used")
            return os.path.isdir(self.tree)
        except OSError:
            return False

    def use(self):
        """Notes that the entry is in use now. A store that we may not write is left as it is."""
        try:
            if time.time() - os.stat(self.path + "/used").st_mtime > USE_STEP_S:
                os.utime(self.path + "/used")
        except OSError:
            pass

    def last_use(self) -> float:
        """Seconds since the epoch; 0 for an entry that is condemned."""
        try:
            return os.stat(self.path + "/used").st_mtime
        except FileNotFoundError:
            return 0.0

    def condemn(self):
        """Lets a damaged entry, if it is there at all, count as none: the next install makes it anew."""
        try:
            os.unlink(self.path + "/used")
        except FileNotFoundError:
            pass

    def approve(self):
        """Lets an entry that was condemned count again."""
        os.close(os.open(self.path + "/used", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666))

    def stamp(self) -> dict:
        return read_json(self.path + "/stamp.json")

    def files(self) -> dict:
        return read_json(self.path + "/files.json")


class Store:
    """The folder and its parts. Making one touches nothing."""

    def __init__(self, root: str):
        self.root = root

    def entry(self, name: str, version: str) -> Entry:
        return Entry(self.root, name, version)

    def entries(self) -> list[Entry]:
        """All entries, sorted by name and version."""
        found = []
        for name in _names(f"{self.root}/packages"):
            found += [Entry(self.root, name, version) for version in _names(f"{self.root}/packages/{name}")]
        return [entry for entry in found if os.path.exists(entry.path + "/stamp.json")]

    def prepare(self):
        """Makes the store's folders."""
        try:
            os.makedirs(self.root, exist_ok=True)
            for part in ("packages", "archives", "unpacking", "locks", "roots"):
                os.makedirs(f"{self.root}/{part}", exist_ok=True)
            tag = f"{self.root}/CACHEDIR.TAG"
            if not os.path.exists(tag):
                write_file(tag, _CACHEDIR_TAG)
        except (FileExistsError, NotADirectoryError) as error:
            raise SpmError(
                f"store: expected a folder, found a file: {error.filename}",
                "name a folder with --store DIR or SPM_STORE",
                USAGE,
            ) from None
        except FileNotFoundError as error:  # the parent is there: its file system refuses
            raise SpmError(
                f"store: expected a place for a folder, found none: {error.filename}",
                "name a folder with --store DIR or SPM_STORE",
                USAGE,
            ) from None

    def archive(self, sha256: str) -> str:
        return f"{self.root}/archives/{sha256}"

    def staging(self, entry: Entry) -> str:
        return f"{self.root}/unpacking/{entry.name}-{entry.version}"

    def entry_lock(self, entry: Entry):
        return self.lock(os.path.basename(self.staging(entry)))

    def lock(self, name: str):
        from harness.spm.store.locks import Lock

        return Lock(f"{self.root}/locks/{name}")

    def entry_of(self, target: str) -> Entry | None:
        """The entry to which a link's target leads, or None where it leads elsewhere."""
        parts = target.removeprefix(f"{self.root}/packages/").split("/")
        if not target.startswith(f"{self.root}/packages/") or len(parts) != 3 or parts[2] != "tree":
            return None
        return Entry(self.root, parts[0], parts[1])

    def root_link(self, lib: str) -> str:
        """Where the store notes that the lib folder `lib` uses it."""
        return f"{self.root}/roots/{hashlib.sha256(os.fsencode(lib)).hexdigest()[:32]}"

    def free_bytes(self) -> int:
        facts = os.statvfs(self.root)
        return facts.f_bavail * facts.f_frsize


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_json(path: str):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write_file(path: str, text: str):
    """Writes a whole file or none."""
    from harness.spm.store.beside import beside

    with beside(path) as name, open(name, "w", encoding="utf-8") as file:
        file.write(text)
