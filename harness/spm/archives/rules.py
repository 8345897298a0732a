"""The rules for unpacking archives of every container format.

An archive is refused, and leaves nothing, when
  - a name is absolute, has a '..' or a control character in it, is longer than a disk takes, is MOST_LEVELS deep, or
    comes twice; or differs from another of the package only in Unicode form, or in case, unless the tree may have both;
    or ends in '/' where it is no folder's;
  - something would be written below what is not a folder (through a link, above all);
  - a link leads out of the tree, at once or by way of other links (a .deb's absolute ones are re-rooted in it);
  - it holds a device, a pipe or a hard link to something that was not kept, among what is kept;
  - it has more than MOST_MEMBERS members, more contents than `most_bytes` allows, or a header that claims a megabyte;
  - a pattern of `keep` matches nothing, or what is kept lies outside `strip`.
Two artifacts of a package may have the same path only with the same contents.
Files get mode 444 or 555, folders 555. Owners, set-user-id and write bits are dropped; times of files stay.

A container (tar.py, zip.py, ar.py) yields Members; a MemberUnpacker checks them and puts them into a Tree."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Callable, Iterable
from typing import Any

from harness.spm.archives import contents
from harness.spm.archives.contents import FILE, FOLDER, LINK, Node
from harness.spm.archives.licence_files import Collector
from harness.spm.archives.tree import Tree
from harness.spm.errors import Refused
from harness.spm.pins.patterns import KeepFilter

HARD_LINK, OTHER_KIND = "hard link", "other"  # kinds of members, in addition to FILE, FOLDER and LINK

MOST_MEMBERS = 1_000_000
MOST_LEVELS = 100
MOST_BYTES = 32 << 30
# A decompression bomb is recognised by its ratio. The pinned archives expand 5 times together and 19 times at most;
# deflate can expand 1,032 times and xz 7,000 times. The limit is ten times the real maximum, above a harmless minimum.
HARMLESS_BYTES, MOST_RATIO = 100_000_000, 200
LATEST = (1 << 31) - 1  # a later file time is wrong, and some file systems cannot store it
_MOST_PART, _MOST_PATH = 255, 2048  # bytes of a name, and of a path below the tree; Linux allows 4096 in all
_PIECE = 1 << 20
_CONTROL = re.compile(r"[\x00-\x1f\x7f]").search
# Fast path for names that obey every rule of _clean, as nearly all do: printable ASCII, no part begins with a dot.
_PART = rf"[ -\-0-~][ -.0-~]{{0,{_MOST_PART - 1}}}"
_ORDINARY = re.compile(rf"(?:\./)?({_PART}(?:/{_PART}){{0,{MOST_LEVELS - 1}}})/?").fullmatch


def most_bytes(archive_bytes: int) -> int:
    """The most bytes that an archive of this size may expand to."""
    return min(MOST_BYTES, max(HARMLESS_BYTES, MOST_RATIO * archive_bytes))


class UnpackRules:
    """The `strip` and `keep` of an artifact; by default, everything is kept."""

    def __init__(self, strip: str = "", keep: Iterable[str] = ()) -> None:
        self.strip, self.keep = strip, list(keep)


class Member:
    """One member of an archive, as the archive has it. `take(most)` gives a file's next bytes, none at the end."""

    __slots__ = ("name", "kind", "mode", "size", "time", "target", "take")

    def __init__(
        self, name: str, kind: str, mode: int, size: int, time: float, target: str, take: Callable[..., Any]
    ) -> None:
        self.name, self.kind, self.mode, self.size, self.time = name, kind, mode, size, time
        self.target, self.take = target, take


class MemberUnpacker:
    """Checks one archive's members and puts them into a tree. `rules` has the strip and keep of an artifact, `owner` is
    the artifact's number in its package, and `reroot` makes absolute links lead into the tree. `licences` collects the
    licence files, also those that are not kept."""

    def __init__(
        self, tree: Tree, owner: int, rules: Any, reroot: bool, most: int, licences: Collector | None = None
    ) -> None:
        self._tree, self._owner, self._reroot, self._most = tree, owner, reroot, most
        self._strip = rules.strip + "/" if rules.strip else ""
        self._keep = KeepFilter(rules.keep)
        self._made = {""}  # folders that are known to exist
        self._seen: set[str] = set()
        self._bytes = 0
        self._licences = licences

    def satisfied(self) -> bool:
        """Whether no further member can match."""
        return self._keep.satisfied()

    def finish(self) -> None:
        for pattern in self._keep.idle():
            raise Refused(f"keep: '{pattern}' matches nothing in the archive", "correct `keep` in packages.json")

    def add(self, member: Member) -> None:
        name, kind = _clean(member.name), member.kind
        if name in self._seen and kind != FOLDER:
            raise Refused(f"{name} comes twice")
        self._seen.add(name)
        if len(self._seen) > MOST_MEMBERS:
            raise Refused(f"the archive has more than {MOST_MEMBERS:,} members")
        if not name:
            if kind != FOLDER:
                raise Refused("the archive's root is not a folder")
            if not member.name:
                raise Refused("a folder has no name")
            return
        if kind not in (FOLDER, OTHER_KIND) and member.name.endswith(("/", "/.")):
            raise Refused(f"{name} has a folder's name but is no folder")  # some readers go by the name
        if not self._keep(name):
            if self._licences:
                self._licences.passed(name, member)
            return
        path = self._stripped(name, kind)
        if path is None:
            return
        if self._licences:
            self._licences.unpacked(name, member, path)
        if kind == FOLDER:
            self._folder(path)
        elif kind == FILE:
            self._file(path, member)
        elif kind == LINK:
            self._link(path, name, member.target)
        elif kind == HARD_LINK:
            self._hard_link(path, member.target)
        else:
            raise Refused(f"{name} is a device, a pipe or of an unknown kind")

    def _stripped(self, name: str, kind: str) -> str | None:
        """The path in the tree; None for the folders that lead to `strip`."""
        if name.startswith(self._strip):
            return name[len(self._strip) :]
        if kind == FOLDER and self._strip.startswith(name + "/"):
            return None
        raise Refused(
            f"{name} is kept but lies outside strip '{self._strip[:-1]}'", "correct `strip` or `keep` in packages.json"
        )

    def _folder(self, path: str) -> None:
        if path not in self._made:
            self._parent(path)
            self._tree.folder(path, self._owner)
            self._made.add(path)

    def _parent(self, path: str) -> None:
        parent = path.rpartition("/")[0]
        if parent not in self._made:
            self._folder(parent)

    def _file(self, path: str, member: Member) -> None:
        self._bytes += member.size
        if member.size < 0 or self._bytes > self._most:
            raise Refused(f"the archive unpacks to more than {self._most:,} bytes")
        self._parent(path)
        mode = contents.EXECUTABLE_MODE if member.mode & 0o111 else contents.MODE
        node = Node(FILE, self._owner, mode, member.size, int(min(max(0, member.time), LATEST)))
        self._tree.file(path, node, lambda file: _copy(member, file))

    def _link(self, path: str, name: str, target: str) -> None:
        if target.startswith("/"):
            target = self._rerooted(path, name, target)
        if not target or _CONTROL(target):
            raise Refused(f"the link {name} has an empty or unprintable target")
        _check_length(target)
        self._parent(path)
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), target)).split("/")[0] == "..":
            raise Refused(f"the link {path} -> {target} leads out of the package")
        self._tree.link(path, target, self._owner)

    def _rerooted(self, path: str, name: str, target: str) -> str:
        if not self._reroot:
            raise Refused(f"the link {name} -> {target} is absolute")
        inside = posixpath.normpath(target).lstrip("/")
        if not (inside + "/").startswith(self._strip):
            raise Refused(f"the link {name} -> {target} leads out of the package")
        return posixpath.relpath("/" + inside[len(self._strip) :], "/" + posixpath.dirname(path))

    def _hard_link(self, path: str, target: str) -> None:
        source = _clean(target)
        inside = source[len(self._strip) :] if source.startswith(self._strip) else ""
        origin = self._tree.nodes.get(inside)
        if origin is None or origin.kind != FILE or origin.owner != self._owner:
            raise Refused(
                f"the hard link {path} -> {source} leads to no file that is kept",
                "add its target to `keep` in packages.json",
            )
        self._parent(path)
        self._tree.hard_link(path, inside, origin)


def _clean(name: str) -> str:
    """A member's name without './' and doubled slashes; '' for the root itself."""
    if len(name) <= _MOST_PATH and (ordinary := _ORDINARY(name)):
        return ordinary[1]
    if name.startswith("/"):
        raise Refused(f"{name} is absolute")
    if _CONTROL(name):
        raise Refused(f"{name!r} has an unprintable character")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"{name} leads upwards")
    if len(parts) > MOST_LEVELS:
        raise Refused(f"{name[:60]}... is more than {MOST_LEVELS} folders deep")
    _check_length(name)
    return "/".join(parts)


def _check_length(path: str) -> None:
    data = os.fsencode(path)
    if len(data) > _MOST_PATH or max(map(len, data.split(b"/"))) > _MOST_PART:
        raise Refused(f"{path[:60]}... is longer than {_MOST_PATH:,} bytes, or than {_MOST_PART} between two slashes")


def _copy(member: Member, file: int | None) -> str:
    """Copies a member's contents to an open file, or nowhere; returns their sha256."""
    digest, left = hashlib.sha256(), member.size
    while left:
        piece = member.take(min(left, _PIECE))
        if not piece:
            raise Refused(f"{member.name}: expected {member.size:,} bytes, found {member.size - left:,}")
        left -= len(piece)
        digest.update(piece)
        while file is not None and piece:
            piece = piece[os.write(file, piece) :]
    return digest.hexdigest()
