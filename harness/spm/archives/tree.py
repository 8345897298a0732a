"""A package's folder while it is unpacked, and the checks of the whole tree."""

from __future__ import annotations

import contextlib
import os
import stat
import unicodedata
from collections.abc import Callable
from typing import Any

from harness.spm.archives import abilities, contents
from harness.spm.archives.contents import FILE, FOLDER, LINK, Node
from harness.spm.archives.links import LinkResolver
from harness.spm.errors import Refused

OWNER_WRITES = 0o200
_FOLDER_MODE = 0o755  # while it is filled
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class DifferInCase(Refused):
    """Two names differ only in case; `on_disk` if the tree allows both but the file system does not."""

    def __init__(self, what: str, on_disk: bool = False) -> None:
        super().__init__(what)
        self.on_disk = on_disk


class Tree:
    """A folder that archives are unpacked into; `seal` finishes it.

    A tree of the store is read-only; a `writable` one is not. A `case_sensitive` one may have names that differ only in
    case; only one archive at a time may be unpacked into it."""

    def __init__(self, root: str, writable: bool = False, case_sensitive: bool = False) -> None:
        self.root = root
        self.nodes: dict[str, Node] = {}
        self._writable = OWNER_WRITES if writable else 0
        self._case_sensitive = case_sensitive
        self._fold = _composed if case_sensitive else _folded
        self._folded: dict[str, str] = {}  # path without case and Unicode form -> path
        self._clashes: list[tuple[str, Node]] = []
        self._make_root()

    def folder(self, path: str, owner: int) -> None:
        """Adds a folder; any number of members and artifacts may have the same one."""
        if self._hold_folder(path, Node(FOLDER, owner)):
            self._make(path, os.mkdir, f"{self.root}/{path}", _FOLDER_MODE)

    def file(self, path: str, node: Node, fill: Callable[..., Any]) -> None:
        """Adds a file: `fill(open file, or None to discard)` writes the contents and returns their sha256."""
        if not self._claim(path, node):
            node.content = fill(None)
            return
        mode = node.mode | self._writable
        file = self._make(path, os.open, f"{self.root}/{path}", _CREATE, mode)
        if file is None:
            node.content = fill(None)
            return
        try:
            node.content = fill(file)
            abilities.set_mode(file, mode)  # whatever the umask
            abilities.set_time(file, node.time)
            facts = os.fstat(file)  # what the file system made of both: the tree is compared with this later
            node.mode, node.time = stat.S_IMODE(facts.st_mode) & ~self._writable, int(facts.st_mtime)
        finally:
            os.close(file)

    def link(self, path: str, target: str, owner: int) -> None:
        if self._claim(path, Node(LINK, owner, content=target)):
            self._make(path, os.symlink, target, f"{self.root}/{path}")

    def hard_link(self, path: str, origin_path: str, origin: Node) -> None:
        same = Node(FILE, origin.owner, origin.mode, origin.size, origin.time, origin.content)
        if self._claim(path, same):
            self._make(path, self._make_hard_link, f"{self.root}/{origin_path}", f"{self.root}/{path}")

    def merge(self, nodes: dict[str, Node]) -> None:
        """Merges the nodes of an ArtifactTree of this tree; checks conflicts between artifacts."""
        for path, node in nodes.items():
            if node.kind == FOLDER:
                self._hold_folder(path, node)
            else:
                self._claim(path, node)

    def seal(self) -> dict:
        """Checks the whole tree, sets the folders' modes and returns the tree's list (files.json)."""
        for path, node in self._clashes:
            if not node.same_as(self.nodes[path]):
                raise Refused(f"two artifacts bring different contents of {path}")
            # Which artifact wrote the file depends on timing; its time stamp must not.
            if node.kind == FILE:
                time = self.nodes[path].time = max(node.time, self.nodes[path].time)
                abilities.set_time(os.path.join(self.root, path), time)
        for path, node in self.nodes.items() if self._clashes else ():
            if node.kind == FILE:  # another name of such a file bears its time
                node.time = int(os.lstat(f"{self.root}/{path}").st_mtime)
        targets = {path: node.content for path, node in self.nodes.items() if node.kind == LINK}
        links = LinkResolver(targets, self._fold)
        for path, target in targets.items():
            if links.lead_out(path):
                raise Refused(f"the link {path} -> {target} leads out of the package")
        self._finish([path for path, node in self.nodes.items() if node.kind == FOLDER])
        return contents.document(self.nodes)

    def _hold_folder(self, path: str, node: Node) -> bool:
        """Whether the folder is new; raises Refused if the path is not a folder."""
        holder = self._hold(path, node)
        if holder.kind != FOLDER:
            raise Refused(f"{path} is a folder here and a {holder.kind} before")
        return holder is node

    def _claim(self, path: str, node: Node) -> bool:
        """Whether `path` now belongs to `node`; False if another artifact has it, which `seal` then checks."""
        holder = self._hold(path, node)
        if holder is node:
            return True
        if holder.owner == node.owner:
            raise Refused(f"{path} comes twice")
        if holder.kind != node.kind:
            raise Refused(f"{path} is a {holder.kind} of one artifact and a {node.kind} of another")
        self._clashes.append((path, node))
        return False

    def _hold(self, path: str, node: Node) -> Node:
        """The node that holds `path`: `node`, unless there was an earlier one."""
        # Checked before anything is written: on a case-insensitive disk the second file would overwrite the first.
        other = self._folded.setdefault(self._fold(path), path)
        if other != path:
            what = "{} and {} differ only in {}Unicode form"
            what = what.format(*sorted((path, other)), "" if self._case_sensitive else "case or ")
            raise Refused(what) if _composed(other) == _composed(path) else DifferInCase(what)
        return self.nodes.setdefault(path, node)

    def _make(self, path: str, make: Callable[..., Any], *arguments: int | str) -> int | None:
        """Creates a new path of the tree. If it already exists on the disk, another name differs only in case."""
        try:
            return make(*arguments)
        except FileExistsError:
            if not self._case_sensitive:
                raise
            same = _folded(path)
            both = sorted(each for each in self.nodes if _folded(each) == same)
            if len(both) < 2:
                raise
        what = f"{' and '.join(both)} differ only in case, and the folder's file system takes them for one"
        raise DifferInCase(what, on_disk=True)

    def _make_root(self) -> None:
        os.mkdir(self.root, _FOLDER_MODE)

    def _make_hard_link(self, origin: str, path: str) -> None:
        abilities.hard_link(origin, path)

    def _finish(self, folders: list[str]) -> None:
        for path in ("", *folders):
            abilities.set_mode(f"{self.root}/{path}", contents.FOLDER_MODE | self._writable)


class ArtifactTree(Tree):
    """The part of one artifact in a tree that other processes fill at the same time.

    An existing path belongs to another process: it is not overwritten and links are not followed. Whether both contents
    are equal is checked when the tree absorbs the parts."""

    def _make_root(self) -> None:
        pass

    def _make(self, path: str, make: Callable[..., Any], *arguments: int | str) -> int | None:
        with contextlib.suppress(FileExistsError):
            return make(*arguments)
        if self.nodes[path].kind == FOLDER and not stat.S_ISDIR(os.lstat(f"{self.root}/{path}").st_mode):
            raise Refused(f"{path} is a folder of one artifact and something else of another")
        return None

    def _make_hard_link(self, origin: str, path: str) -> None:
        if not stat.S_ISDIR(os.lstat(origin).st_mode):  # else another artifact's folder
            super()._make_hard_link(origin, path)


class DryRunTree(Tree):
    """A tree that is checked like any other but never written to disk."""

    def __init__(self, case_sensitive: bool = False) -> None:
        super().__init__("", case_sensitive=case_sensitive)

    def _make_root(self) -> None:
        pass

    def _make(self, path: str, make: Callable[..., Any], *arguments: int | str) -> None:
        return None

    def _finish(self, folders: list[str]) -> None:
        pass


def _composed(path: str) -> str:
    """A key that is equal for paths that differ only in Unicode form."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _folded(path: str) -> str:
    """A key that is equal for paths that some file system treats as one: Unicode's canonical caseless matching."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())
