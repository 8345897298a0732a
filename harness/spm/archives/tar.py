"""Tar archives, in any compression that the standard library has: tarfile reads the headers, what they mean is judged
in rules.py. Knows what tarfile knows: ustar, GNU's long names and sparse files, pax with its three kinds of them."""

from __future__ import annotations

import contextlib
import struct
import tarfile

from harness.spm.archives import inflate
from harness.spm.archives.rules import FILE, FOLDER, HARD_LINK, LINK, ODD, Member
from harness.spm.errors import Refused

_ZEROS = bytes(1 << 16)
_KINDS = {
    tarfile.REGTYPE: FILE,
    tarfile.AREGTYPE: FILE,
    tarfile.CONTTYPE: FILE,
    tarfile.GNUTYPE_SPARSE: FILE,
    tarfile.DIRTYPE: FOLDER,
    tarfile.SYMTYPE: LINK,
    tarfile.LNKTYPE: HARD_LINK,
}


def members(file: int, offset: int, length: int, most: int):
    """The members of the archive at bytes [offset, offset + length) of an open file, which may become `most` bytes."""
    make = inflate.compression(file, offset, length)
    source = inflate.pieces(file, offset, length, make, most)
    with contextlib.closing(inflate.ahead(source) if make else source) as source:
        try:
            yield from _members(inflate.Stream(source))
        # ValueError: tarfile's on numbers that are none; IndexError: on a map of holes that ends with the archive;
        # RecursionError: on headers about headers about headers.
        except (tarfile.TarError, ValueError, IndexError, RecursionError) as error:
            raise Refused(f"expected a tar archive: {error}") from None
        for _ in source:
            pass  # a compressed archive's own checks stand at its end


def _members(stream: inflate.Stream):
    with tarfile.TarFile(
        fileobj=stream, mode="r", tarinfo=_Header, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        header = archive.next()
        while header:
            archive.members.clear()  # or it keeps them all
            take = _expanded(header, stream) if header.sparse is not None else stream.take
            kind = _KINDS.get(header.type, ODD)
            yield Member(header.name, kind, header.mode, header.size, header.mtime, header.linkname, take)
            _go(stream, archive.offset, header.name)
            while not archive.pax_headers and (member := _ordinary(stream)):
                end = stream.tell() + (member.size + 511) // 512 * 512
                yield member
                _go(stream, end, member.name)
            stream.next_member()
            archive.offset = stream.tell()
            header = archive.next()


_FIELDS = struct.Struct("100s 8s 8s 8s 12s 12s 8s c 100s 72x 8s 8s 155s 12x").unpack
_ORDINARY = {kind: _KINDS[kind] for kind in (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE)}


def _ordinary(stream: inflate.Stream) -> Member | None:
    """The next member where its header is as most are, told as tarfile would; else None, and tarfile is to read it.

    tarfile takes 40 microseconds for a header, which was half of unpacking many small files."""
    block = stream.peek(512)
    try:
        name, mode, user, group, size, time, checksum, kind, target, major, minor, prefix = _FIELDS(block)
        if kind not in _ORDINARY or _octal(checksum) != sum(block) - sum(checksum) + 8 * ord(" "):
            return None
        mode, size, time = _octal(mode), _octal(size), _octal(time)
        for unused in (user, group, major, minor):
            _octal(unused)  # tarfile takes a header for none where one of them is no number
    except (struct.error, ValueError):
        return None
    if size < 0 or size and kind != tarfile.REGTYPE:
        return None
    stream.take(512)
    name = f"{_text(prefix)}/{_text(name)}" if prefix[0] else _text(name)
    return Member(name, _ORDINARY[kind], mode, size, time, _text(target), stream.take)


def _go(stream: inflate.Stream, end: int, name: str):
    if stream.seek(end) < end:
        raise Refused(f"the archive ends in the middle of {name}")


def _octal(field: bytes) -> int:
    return int(field.rstrip(b"\0 ") or b"0", 8)


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _expanded(header: tarfile.TarInfo, stream: inflate.Stream):
    """`take` of a sparse file: zeros where it has holes."""
    position, ranges = 0, iter(header.sparse)
    hole = data = 0  # bytes to come of each before the next range

    def take(size: int):
        nonlocal position, hole, data
        while not hole and not data:
            begins, length = next(ranges, (header.size, 0))
            if not position <= begins <= begins + length <= header.size:
                raise Refused(f"{header.name}: its holes overlap, or lie beyond its {header.size:,} bytes")
            hole, data = begins - position, length
            if begins == header.size:
                break
        piece = memoryview(_ZEROS)[: min(size, hole)] if hole else stream.take(min(size, data))
        hole, data = (hole - len(piece), data) if hole else (0, data - len(piece))
        position += len(piece)
        return piece

    return take


class _Header(tarfile.TarInfo):
    """tarfile's header, refused where tarfile would take a damaged one for the archive's end."""

    @classmethod
    def fromtarfile(cls, archive):
        begins = archive.fileobj.tell()
        try:
            return super().fromtarfile(archive)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:
            if not begins:
                raise
            raise Refused(f"expected a tar header at byte {begins:,}, found something else: {error}") from None
