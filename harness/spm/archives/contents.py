"""The list of a tree's contents in the store (files.json), and the differences between a tree and its list.

    { "files":   [[path, mode, size, time, sha256], ...],   time in whole seconds
      "owners":  [number, ...],      of each file's artifact, as an index of Package.artifacts_for; lists from before
                                     `verify --repair` lack it, and their trees are repaired as a whole
      "links":   [[path, target], ...],
      "folders": [path, ...] }                              each sorted by path"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections import Counter

from harness.spm.late import late
from harness.spm.threads import starting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent import futures
else:
    futures = late("concurrent.futures")

FILE, LINK, FOLDER = "file", "link", "folder"
MODE, EXECUTABLE_MODE, FOLDER_MODE = 0o444, 0o555, 0o555
_KIND_AND_EXECUTABLE = 0o170111  # the checked bits of a mode; users and disks may change write bits
_PIECE = 1 << 20
_LARGE = 1 << 20


class Node:
    """One path of a tree: `content` is a file's sha256 or a link's target, `owner` the number of its artifact."""

    __slots__ = ("kind", "owner", "mode", "size", "time", "content")

    def __init__(self, kind: str, owner: int, mode: int = 0, size: int = 0, time: int = 0, content: str = "") -> None:
        self.kind, self.owner, self.mode, self.size, self.time, self.content = kind, owner, mode, size, time, content

    def same_as(self, other: Node) -> bool:
        return (self.kind, self.mode, self.size, self.content) == (other.kind, other.mode, other.size, other.content)


def document(nodes: dict[str, Node]) -> dict:
    """The files.json document of a tree."""
    paths = sorted(nodes)
    files = [(path, nodes[path]) for path in paths if nodes[path].kind == FILE]
    return {
        "files": [[path, node.mode, node.size, node.time, node.content] for path, node in files],
        "owners": [node.owner for _, node in files],
        "links": [[path, nodes[path].content] for path in paths if nodes[path].kind == LINK],
        "folders": [path for path in paths if nodes[path].kind == FOLDER],
    }


def problems(tree: str, listed: dict, deep: bool = False) -> dict[str, str]:
    """{path: how it differs from the list}, sorted by path; `deep` hashes every file."""
    if not os.path.isdir(tree):
        return {"": "the tree is missing"}
    # At most two system calls per file: a toolchain and its headers are 20,000 files.
    found = {}
    children: Counter[str] = Counter()
    lstat, below = os.lstat, tree + "/"
    with _Readers(below, listed["files"] if deep else []) as readers:
        for path, mode, size, time, digest in listed["files"]:
            children[path.rpartition("/")[0]] += 1
            try:
                facts, now = readers.read(path, size) if deep else (lstat(below + path), digest)
                if (
                    facts[stat.ST_SIZE] != size
                    or facts[stat.ST_MTIME] != time
                    or (facts[stat.ST_MODE] ^ (stat.S_IFREG | mode)) & _KIND_AND_EXECUTABLE
                ):
                    found[path] = _difference(facts, mode, size)
                elif now != digest:
                    found[path] = f"expected sha256 {digest}, found {now}"
            except OSError as error:
                found[path] = _reason(error, "a file")
    for path, target in listed["links"]:
        children[path.rpartition("/")[0]] += 1
        try:
            if (now := os.readlink(below + path)) != target:
                found[path] = f"expected a link to {target}, found one to {now}"
        except OSError as error:
            found[path] = _reason(error, "a link")
    for path in listed["folders"]:
        children[path.rpartition("/")[0]] += 1
        try:
            if not stat.S_ISDIR(lstat(below + path)[stat.ST_MODE]):
                found[path] = "expected a folder, found something else"
        except OSError as error:
            found[path] = _reason(error)
    found.update(_unexpected(tree, listed, children, found))
    return dict(sorted(found.items()))


def _unexpected(tree: str, listed: dict, children: Counter, found: dict[str, str]) -> dict[str, str]:
    """Unexpected paths. Folders whose children are all correct and as many as expected are not searched."""
    suspects = {path.rpartition("/")[0] for path in found}
    more, names = {}, {}
    for folder in ("", *listed["folders"]):
        if folder in found:
            continue
        try:
            names[folder] = os.listdir(f"{tree}/{folder}")
        except OSError as error:
            more[folder] = _reason(error)
            continue
        if len(names[folder]) != children[folder]:
            suspects.add(folder)
    if suspects:
        known = {path for path, *_ in (*listed["files"], *listed["links"])}.union(listed["folders"])
        for folder in suspects.intersection(names):
            for path in (f"{folder}/{name}".lstrip("/") for name in names[folder]):
                if path not in known:
                    more[path] = "expected nothing here"
    return more


class _Readers(contextlib.AbstractContextManager["_Readers"]):
    """Hashes files: large ones in other threads, small ones at once, because a handover would take longer."""

    def __init__(self, below: str, files: list) -> None:
        self._below, self._taken, self._pool = below, {}, None
        large = [(path, size) for path, _, size, *_ in files if size >= _LARGE]
        if large:
            self._pool = futures.ThreadPoolExecutor(min(os.cpu_count() or 2, 8))
            with starting():
                self._taken = {path: self._pool.submit(read, below + path, size) for path, size in large}

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def read(self, path: str, size: int) -> tuple[os.stat_result, str]:
        return self._taken.pop(path).result() if path in self._taken else read(self._below + path, size)


def _difference(facts: os.stat_result, mode: int, size: int) -> str:
    if not stat.S_ISREG(facts.st_mode):
        return "expected a file, found something else"
    if facts.st_size != size:
        return f"expected {size:,} bytes, found {facts.st_size:,}"
    if (facts.st_mode ^ mode) & 0o111:
        return f"expected mode {mode:o}, found {stat.S_IMODE(facts.st_mode):o}"
    return "was changed after it was unpacked"


def _reason(error: OSError, kind: str = "") -> str:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "is missing"
    # ELOOP: a link opened as a file. EINVAL: a file read as a link.
    return f"expected {kind}, found something else" if error.errno in (errno.ELOOP, errno.EINVAL) else str(error.strerror)


def read(path: str, size: int) -> tuple[os.stat_result, str]:
    """A path's stat result, and the sha256 of its contents if it is a file of `size` bytes."""
    # Not open() and file_digest(): for a small file they take as long as hashing itself.
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        facts = os.fstat(file)
        if facts.st_size != size or not stat.S_ISREG(facts.st_mode):
            return facts, ""
        most = min(size + 1, _PIECE)
        piece = os.read(file, most)
        digest = hashlib.sha256(piece)
        while len(piece) == most:  # a shorter one is a file's last
            piece = os.read(file, most)
            digest.update(piece)
        return facts, digest.hexdigest()
    finally:
        os.close(file)
