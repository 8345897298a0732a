"""Tar archives in any compression of the standard library: tarfile reads the headers, rules.py checks their meaning.
Supports what tarfile supports: ustar, GNU's long names and sparse files, and pax with its three kinds of sparse files.

In addition to rules.py, archives are refused that tarfile reads differently from GNU tar or bsdtar:
  - several headers of a kind about a member, or a header of pax's after GNU's;
  - a header for all members that gives them one path or size;
  - a prefix of a name where the format has none;
  - a sparse file without a map, or with data that ends within a block before other data;
  - a size of pax's that is no number, or no file's; a number in no form of tar's."""

from __future__ import annotations

import contextlib
import re
import struct
import tarfile
from collections.abc import Callable, Generator, Iterator
from typing import Any

from harness.spm.archives import inflate
from harness.spm.archives.rules import FILE, FOLDER, HARD_LINK, LINK, Member, OTHER_KIND
from harness.spm.errors import Refused

_ZEROS = bytes(1 << 16)
_InvalidHeader, _TruncatedHeader = tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError  # type: ignore[attr-defined]
_KINDS = {
    tarfile.REGTYPE: FILE,
    tarfile.AREGTYPE: FILE,
    tarfile.CONTTYPE: FILE,
    tarfile.GNUTYPE_SPARSE: FILE,
    tarfile.DIRTYPE: FOLDER,
    tarfile.SYMTYPE: LINK,
    tarfile.LNKTYPE: HARD_LINK,
}


def members(file: int, offset: int, length: int, most: int) -> Generator[Member, None, None]:
    """The members of the archive at bytes [offset, offset + length) of an open file; at most `most` bytes unpacked."""
    make = inflate.compression(file, offset, length)
    source = inflate.pieces(file, offset, length, make, most)
    with contextlib.closing(inflate.ahead(source) if make else source) as source:
        try:
            yield from _members(inflate.Stream(source))
        # tarfile raises ValueError on invalid numbers, IndexError on a sparse map that is cut off by the archive's end,
        # and RecursionError on deeply nested extension headers.
        except (tarfile.TarError, ValueError, IndexError, RecursionError) as error:
            raise Refused(f"expected a tar archive: {error}") from None
        for _ in source:
            pass  # reads on: a compressed archive has its checksums at its end


def _members(stream: inflate.Stream) -> Iterator[Member]:
    with _Archive(
        fileobj=stream, mode="r", tarinfo=_Header, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        # After the end of an archive without members, Python 3.9 would look before its first byte.
        header = archive.next() if archive.firstmember else None
        while header:
            archive.members.clear()  # or it keeps them all
            for keyword in _NOT_FOR_ALL.intersection(archive.pax_headers or {}):
                raise Refused(f"a header for all members has their '{keyword}'")
            if not (said := header.pax_headers.get("size", "0")).isdecimal():
                raise Refused(f"{header.name}: expected a size, found '{said}'")  # where tarfile reads 0
            take = _expanded(header, stream) if header.sparse is not None else stream.take
            kind = _KINDS.get(header.type, OTHER_KIND)
            if kind != FILE and int(said):
                raise Refused(f"{header.name} is no file, and has {int(said):,} bytes")  # which some readers pass over
            # tarfile drops the slash, and with it what some readers take for a folder.
            slash = "/" if header.pax_headers.get("path", "").endswith("/") else ""
            yield Member(header.name + slash, kind, header.mode, header.size, header.mtime, header.linkname, take)
            _skip_to(stream, archive.offset, header.name)
            while not archive.pax_headers and (member := _ordinary(stream)):
                end = stream.tell() + (member.size + 511) // 512 * 512
                yield member
                _skip_to(stream, end, member.name)
            stream.next_member()
            archive.offset = stream.tell()
            header = archive.next()


_NOT_FOR_ALL = {"path", "linkpath", "size", "GNU.sparse.name", "GNU.sparse.size", "GNU.sparse.map", "GNU.sparse.major"}
_FIELDS = struct.Struct("100s 8s 16s 12s 12s 8s c 100s 6s 66x 16s 155s 12x").unpack
_USTAR = b"ustar\0"
_NUMBER = re.compile(rb" *[0-7]* *(\0.*)?|[\x80\xff].*", re.DOTALL).fullmatch
_NUMBERS = ((100, 108), (108, 116), (116, 124), (124, 136), (136, 148), (148, 156), (329, 337), (337, 345))
_UNUSED = re.compile(rb"(?:[0-7]{7}[\0 ]|[0-7]{6} \0|\0{8}){2}").fullmatch  # two numbers
_ORDINARY = {kind: _KINDS[kind] for kind in (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE)}


def _ordinary(stream: inflate.Stream) -> Member | None:
    """Fast path: the next member if its header is a common one, with tarfile's result; else None, for tarfile to read.

    tarfile needs 40 microseconds for a header, which was half the time of unpacking many small files."""
    block = stream.peek(512)
    try:
        name, mode, owners, size, time, checksum, kind, target, magic, device, prefix = _FIELDS(block)
        if kind not in _ORDINARY or _octal(checksum) != sum(block) - sum(checksum) + 8 * ord(" "):
            return None
        mode, size, time = _octal(mode), _octal(size), _octal(time)
    except (struct.error, ValueError):
        return None
    if size and kind != tarfile.REGTYPE or prefix[0] and magic != _USTAR:
        return None
    if not (_UNUSED(owners) and _UNUSED(device)):  # if one is not a number, tarfile rejects the header
        return None
    stream.take(512)
    name = f"{_text(prefix)}/{_text(name)}" if prefix[0] else _text(name)
    return Member(name, _ORDINARY[kind], mode, size, time, _text(target), stream.take)


def _skip_to(stream: inflate.Stream, end: int, name: str) -> None:
    if stream.seek(end) < end:
        raise Refused(f"the archive ends in the middle of {name}")


def _octal(field: bytes) -> int:
    digits = field.rstrip(b"\0 ").lstrip(b" ") or b"0"
    if not digits.isdigit():
        raise ValueError
    return int(digits, 8)


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _expanded(header: tarfile.TarInfo, stream: inflate.Stream) -> Callable[[int], memoryview]:
    """The `take` function of a sparse file: holes read as zeros."""
    position, ranges = 0, iter(_ranges(header))
    hole = data = 0  # bytes to come of each before the next range

    def take(size: int) -> memoryview:
        nonlocal position, hole, data
        while not hole and not data and position < header.size:
            begins, length = next(ranges, (header.size, 0))
            hole, data = begins - position, length
        piece = memoryview(_ZEROS)[: min(size, hole)] if hole else stream.take(min(size, data))
        hole, data = (hole - len(piece), data) if hole else (0, data - len(piece))
        position += len(piece)
        return piece

    return take


def _ranges(header: tarfile.TarInfo) -> list[tuple[int, int]]:
    """(place, length) of the data of a sparse file."""
    found: list[tuple[int, int]] = []
    end = 0
    sparse: Any = header.sparse
    if not sparse:
        raise Refused(f"{header.name}: expected a map of its holes, found none")
    for begins, length in sparse:
        if begins == length == 0:
            continue  # room for one that was not needed
        if not end <= begins <= begins + length <= header.size:
            raise Refused(f"{header.name}: its holes overlap, or lie beyond its {header.size:,} bytes")
        if length and found and found[-1][1] % 512:
            raise Refused(f"{header.name}: its data ends within a block and goes on in another")
        if length:
            found.append((begins, length))
        end = begins + length
    return found


class _Archive(tarfile.TarFile):
    members: list[tarfile.TarInfo]
    firstmember: tarfile.TarInfo | None

    def __init__(self, **options: Any) -> None:
        self.about: list[str] = []  # kinds of the extension headers seen for the next member
        super().__init__(**options)


_ABOUT = {
    tarfile.XHDTYPE: "x",
    tarfile.SOLARIS_XHDTYPE: "x",
    tarfile.GNUTYPE_LONGNAME: "L",
    tarfile.GNUTYPE_LONGLINK: "K",
}


class _Header(tarfile.TarInfo):
    """A tarfile header that refuses damage which tarfile would treat as the archive's end."""

    def _proc_member(self, archive: _Archive) -> _Header | None:  # of tarfile's own, to be overridden
        about = _ABOUT.get(self.type)
        if about is None and self.type != tarfile.XGLTYPE:
            archive.about.clear()
        elif about:
            archive.about.append(about)
            if archive.about.count(about) > 1 or about == "x" and len(archive.about) > 1:
                found = ", ".join(archive.about)
                raise Refused(f"expected one header of a kind about a member, x first, found {found}")
        return super()._proc_member(archive)  # type: ignore[misc]

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> Any:
        return _sound(super().frombuf(buf, encoding, errors), buf)

    @classmethod
    def fromtarfile(cls, archive: Any) -> Any:
        with _whole(archive):
            return super().fromtarfile(archive)

    # Since a security fix of 2025, which distributions also backported, tarfile calls these, and for some headers only
    # these.

    @classmethod
    def _frombuf(cls, buf: bytes, *arguments: Any, **options: Any) -> Any:
        return _sound(super()._frombuf(buf, *arguments, **options), buf)  # type: ignore[misc]

    @classmethod
    def _fromtarfile(cls, archive: Any, **options: Any) -> Any:
        with _whole(archive):
            return super()._fromtarfile(archive, **options)  # type: ignore[misc]


def _sound(header: tarfile.TarInfo, buf: bytes) -> tarfile.TarInfo:
    if not all(_NUMBER(buf, *each) for each in _NUMBERS):  # tarfile accepts everything that int(text, 8) does
        raise _InvalidHeader("invalid number")
    if buf[345] and not buf.startswith(_USTAR, 257) and header.type not in tarfile.GNU_TYPES:
        raise Refused(f"{header.name} has a prefix, and is not of the format that has them")
    return header


@contextlib.contextmanager
def _whole(archive: Any) -> Iterator[None]:
    """Refuses invalid headers after the first member, which tarfile would treat as the archive's end."""
    begins = archive.fileobj.tell()
    try:
        yield
    except (_InvalidHeader, _TruncatedHeader) as error:
        if not begins:
            raise
        raise Refused(f"expected a tar header at byte {begins:,}, found something else: {error}") from None
