"""Unpacks archives into a tree by rules of our own over ar and tarfile.

An archive is refused, and leaves nothing, when
  - a name is absolute, has a '..' or a control character in it, is MOST_LEVELS deep, or comes twice;
  - something would be written below what is not a folder (through a link, above all);
  - a link leads out of the tree, at once or by way of other links (a .deb's absolute ones are re-rooted in it);
  - it holds a device, a pipe or a hard link to something that was not kept, among what is kept;
  - it has more than MOST_MEMBERS members or MOST_BYTES of contents, or a header that claims a megabyte;
  - a pattern of `keep` matches nothing, or what is kept lies outside `strip`.
Two artifacts of a package may bring the same path only with the same contents.
Files become 444 or 555, folders 555: no owner, set-user-id or write bit of the archive survives; times of files do."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import tarfile

from harness.spm.archives import ar
from harness.spm.store import contents
from harness.spm.store.contents import FILE, FOLDER, LINK, Node
from harness.spm.errors import Cancelled, Refused
from harness.spm.archives.inflate import Stream
from harness.spm.pins.patterns import Keep

MOST_MEMBERS = 1_000_000
MOST_BYTES = 32 << 30
MOST_LEVELS = 100
LATEST = (1 << 31) - 1  # a file's time beyond it is a lie that some file systems cannot hold
_MOST_HOPS = 40  # as the kernel: a longer chain of links leads nowhere
_PIECE = 1 << 20
_CONTROL = re.compile(r"[\x00-\x1f\x7f]").search


class Tree:
    """A package's folder in the making. Several archives may be unpacked into it at once, by threads."""

    def __init__(self, root: str):
        self.root = root
        self.nodes: dict[str, Node] = {}
        self._clashes: list[tuple[str, Node]] = []
        os.mkdir(root, 0o755)

    def claim(self, path: str, node: Node) -> bool:
        """Whether `path` is now `node`'s; False where another artifact has it, which `seal` then judges."""
        holder = self.nodes.setdefault(path, node)
        if holder is node:
            return True
        if holder.owner == node.owner:
            raise Refused(f"{path} comes twice")
        if holder.kind != node.kind:
            raise Refused(f"{path} is a {holder.kind} of one artifact and a {node.kind} of another")
        self._clashes.append((path, node))
        return False

    def seal(self) -> dict:
        """Judges what concerns the tree as a whole, makes it read-only and returns its list (files.json)."""
        for path, node in self._clashes:
            if not node.same_as(self.nodes[path]):
                raise Refused(f"two artifacts bring different contents of {path}")
            # Which of the two was written is a matter of timing; which time it bears must not be.
            if node.kind == FILE and node.time > self.nodes[path].time:
                self.nodes[path].time = node.time
                os.utime(os.path.join(self.root, path), (node.time, node.time))
        for path, node in self.nodes.items():
            if node.kind == LINK and self._leaves(path, node.content):
                raise Refused(f"the link {path} -> {node.content} leads out of the package")
        for path, node in self.nodes.items():
            if node.kind == FOLDER:
                os.chmod(os.path.join(self.root, path), contents.FOLDER_MODE)
        os.chmod(self.root, contents.FOLDER_MODE)
        return contents.document(self.nodes)

    def _leaves(self, path: str, target: str) -> bool:
        """Follows a link as the kernel would, with the tree as the whole world."""
        at = path.split("/")[:-1]
        ahead = target.split("/")[::-1]
        hops = 0
        while ahead:
            part = ahead.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not at:
                    return True
                at.pop()
                continue
            at.append(part)
            node = self.nodes.get("/".join(at))
            if node and node.kind == LINK:
                hops += 1
                if hops > _MOST_HOPS:
                    return False
                at.pop()
                ahead += node.content.split("/")[::-1]
        return False


def unpack(archive: str, artifact, tree: Tree, owner: int, cancelled=lambda: False):
    """Unpacks what `artifact` keeps of the file `archive`; `owner` tells a package's artifacts apart."""
    file = os.open(archive, os.O_RDONLY | os.O_CLOEXEC)
    try:
        is_ar = os.pread(file, len(ar.MAGIC), 0) == ar.MAGIC
        offset, length = ar.data_of_deb(file) if is_ar else (0, os.fstat(file).st_size)
        _Unpacker(Stream(file, offset, length), artifact, tree, owner, is_ar, cancelled).run()
    except tarfile.TarError as error:
        raise Refused(f"expected a tar archive: {error}") from None
    finally:
        os.close(file)


class _Unpacker:
    """One archive on its way into a tree."""

    def __init__(self, stream: Stream, artifact, tree: Tree, owner: int, reroot: bool, cancelled):
        self._stream, self._tree, self._owner, self._reroot, self._cancelled = stream, tree, owner, reroot, cancelled
        self._strip = artifact.strip + "/" if artifact.strip else ""
        self._keep = Keep(artifact.keep)
        self._made = {""}  # folders that surely exist
        self._seen: set[str] = set()
        self._bytes = 0

    def run(self):
        with tarfile.TarFile(fileobj=self._stream, mode="r", encoding="utf-8", errors="surrogateescape") as tar:
            # Reading on for nothing is not free: a bundle of 18 MB may be pinned for one of its files.
            while not self._keep.satisfied() and (member := tar.next()):
                if self._cancelled():
                    raise Cancelled()
                self._one(tar, member)
                tar.members.clear()  # or it keeps them all
        for pattern in self._keep.idle():
            raise Refused(f"keep: '{pattern}' matches nothing in the archive", "correct `keep` in packages.json")

    def _one(self, tar: tarfile.TarFile, member: tarfile.TarInfo):
        name = _clean(member.name)
        if name in self._seen and not member.isdir():
            raise Refused(f"{name} comes twice")
        self._seen.add(name)
        if len(self._seen) > MOST_MEMBERS:
            raise Refused(f"the archive has more than {MOST_MEMBERS:,} members")
        if not name or not self._keep(name):
            return
        path = self._stripped(name, member)
        if path is None:
            return
        if member.isdir():
            self._folder(path)
        elif member.isreg() or member.issparse():
            self._file(tar, member, path)
        elif member.issym():
            self._link(path, name, member.linkname)
        elif member.islnk():
            self._hard_link(path, member.linkname)
        else:
            raise Refused(f"{name} is a device, a pipe or of a kind unknown")

    def _stripped(self, name: str, member: tarfile.TarInfo) -> str | None:
        """The path in the tree; None for the folders that lead to `strip`."""
        if name.startswith(self._strip):
            return name[len(self._strip) :]
        if member.isdir() and self._strip.startswith(name + "/"):
            return None
        raise Refused(
            f"{name} is kept but lies outside strip '{self._strip[:-1]}'", "correct `strip` or `keep` in packages.json"
        )

    def _folder(self, path: str):
        if path in self._made:
            return
        self._parent(path)
        holder = self._tree.nodes.setdefault(path, Node(FOLDER, self._owner))
        if holder.kind != FOLDER:
            raise Refused(f"{path} is a folder here and a {holder.kind} before")
        try:
            os.mkdir(f"{self._tree.root}/{path}", 0o755)
        except FileExistsError:
            pass  # another artifact's thread was faster
        self._made.add(path)

    def _parent(self, path: str):
        parent = path.rpartition("/")[0]
        if parent not in self._made:
            self._folder(parent)

    def _file(self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: str):
        size = member.size
        self._bytes += size
        if size < 0 or self._bytes > MOST_BYTES:
            raise Refused(f"the archive unpacks to more than {MOST_BYTES:,} bytes")
        self._parent(path)
        mode = contents.EXECUTABLE_MODE if member.mode & 0o111 else contents.MODE
        node = Node(FILE, self._owner, mode, size, int(min(max(0, member.mtime), LATEST)))
        take = tar.extractfile(member).read if member.sparse is not None else self._stream.take
        if not self._tree.claim(path, node):
            node.content = _copy(take, size, None)
            return
        file = os.open(
            f"{self._tree.root}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode
        )
        try:
            node.content = _copy(take, size, file)
            os.fchmod(file, mode)  # whatever the umask
            os.utime(file, (node.time, node.time))
        finally:
            os.close(file)

    def _link(self, path: str, name: str, target: str):
        if target.startswith("/"):
            target = self._rerooted(path, name, target)
        if not target or _CONTROL(target):
            raise Refused(f"the link {name} has an empty or unprintable target")
        self._parent(path)
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), target)).split("/")[0] == "..":
            raise Refused(f"the link {path} -> {target} leads out of the package")
        if self._tree.claim(path, Node(LINK, self._owner, content=target)):
            os.symlink(target, f"{self._tree.root}/{path}")

    def _rerooted(self, path: str, name: str, target: str) -> str:
        if not self._reroot:
            raise Refused(f"the link {name} -> {target} is absolute")
        inside = posixpath.normpath(target).lstrip("/")
        if not (inside + "/").startswith(self._strip):
            raise Refused(f"the link {name} -> {target} leads out of the package")
        return posixpath.relpath("/" + inside[len(self._strip) :], "/" + posixpath.dirname(path))

    def _hard_link(self, path: str, target: str):
        source = _clean(target)
        inside = source[len(self._strip) :] if source.startswith(self._strip) else ""
        origin = self._tree.nodes.get(inside)
        if origin is None or origin.kind != FILE or origin.owner != self._owner:
            raise Refused(
                f"the hard link {path} -> {source} leads to no file that is kept",
                "add its target to `keep` in packages.json",
            )
        self._parent(path)
        if self._tree.claim(path, Node(FILE, self._owner, origin.mode, origin.size, origin.time, origin.content)):
            os.link(f"{self._tree.root}/{inside}", f"{self._tree.root}/{path}", follow_symlinks=False)


def _clean(name: str) -> str:
    """A member's name without './' and doubled slashes; '' for the root itself."""
    if name.startswith("/"):
        raise Refused(f"{name} is absolute")
    if _CONTROL(name):
        raise Refused(f"{name!r} has an unprintable character")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"{name} leads upwards")
    if len(parts) > MOST_LEVELS:
        raise Refused(f"{name[:60]}... is more than {MOST_LEVELS} folders deep")
    return "/".join(parts)


def _copy(take, size: int, file: int | None) -> str:
    """Copies `size` bytes from `take` to an open file, or nowhere; returns their sha256."""
    digest = hashlib.sha256()
    while size:
        piece = take(min(size, _PIECE))
        if not piece:
            raise Refused(f"the archive ends {size:,} bytes before its last file does")
        size -= len(piece)
        digest.update(piece)
        while file is not None and piece:
            piece = piece[os.write(file, piece) :]
    return digest.hexdigest()
