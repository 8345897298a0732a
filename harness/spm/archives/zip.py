"""Zip archives: zipfile reads the directory, and every field of it is compared with the members' own headers.

A zip stores most facts twice, and readers differ in which copy they trust. In addition to rules.py, refused is one
  - whose directory and members differ in a name, a size, a checksum or a method, before the contents or behind them;
  - whose members share bytes (how a few kilobytes become a petabyte), or that has other bytes before or between them:
    each begins where the one before it ended, and the directory where the last did;
  - with a name that has a backslash or a drive: elsewhere they lead to other folders;
  - with an encrypted member, or one compressed otherwise than by deflate and bzip2.
A link is a member with a link's mode whose contents are the target. Times without a zone are read as UTC, so the same
archive gives the same tree everywhere."""

from __future__ import annotations

import bz2
import calendar
import errno
import io
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator
from typing import Any

from harness.spm import formatting
from harness.spm.archives import inflate
from harness.spm.archives.rules import FILE, FOLDER, LINK, Member, OTHER_KIND
from harness.spm.errors import Refused

MAGICS = (b"PK\x03\x04", b"PK\x05\x06")  # of a member, and of the directory's end where there is none

_METHODS = {zipfile.ZIP_STORED: None, zipfile.ZIP_DEFLATED: inflate.Deflate, zipfile.ZIP_BZIP2: bz2.BZ2Decompressor}
_KINDS = {0: FILE, stat.S_IFREG: FILE, stat.S_IFDIR: FOLDER, stat.S_IFLNK: LINK}
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x1 | 0x40 | 0x2000, 0x8, 0x800  # flags
_LARGEST_DIRECTORY = 32 << 20  # bytes: some 300,000 members
_LARGEST_TARGET = 4096
_LOCAL = struct.Struct("<4s 2x 2H 4x 3L 2H")
# The data descriptor after a streamed member: an optional signature, the checksum and the sizes, selected by its length.
# A checksum may look like the signature, so only the length decides.
_DESCRIPTORS = {each.size: each for each in map(struct.Struct, ("<3L", "<4s 3L", "<L 2Q", "<4s L 2Q"))}
_DESCRIPTOR_MARK = b"PK\x07\x08"
_IN_ZIP64, _UNKNOWN = 0xFFFFFFFF, (0, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)  # sizes: given elsewhere; not known yet
_ZIP64, _TIMES, _UNICODE_NAME = 0x0001, 0x5455, 0x7075  # extra fields
_UNIX = 3
_MISLEADING = re.compile(r"\\|^[A-Za-z]:").search


def members(file: int, most: int) -> Generator[Member, None, None]:
    """The members of an open zip file in file order; none may unpack to more than `most` bytes."""
    try:
        with _File(file, closefd=False) as whole, zipfile.ZipFile(whole) as archive:
            infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
            directory = archive.start_dir
    # On a damaged directory zipfile raises more than its documented error.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, EOFError, struct.error) as error:
        raise Refused(f"expected a zip archive: {error}") from None
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        # Python 3.9 looks for a directory before the first byte.
        raise Refused("expected a zip archive: its directory's place is wrong") from None
    places = [*((info.header_offset, _name(info)) for info in infos), (directory, "the directory")]
    if places[0][0] < 0:
        raise Refused(f"the archive lacks {-places[0][0]:,} bytes that its directory expects")
    if places[0][0]:
        raise Refused("the archive begins with something that its directory does not list")
    for info, following in zip(infos, places[1:]):
        body = _MemberData(file, info, following, most)
        yield _member(info, body)
        body.check()


class _File(io.FileIO):
    """Limits the memory that zipfile uses for a directory."""

    def read(self, size: Any = -1) -> Any:
        if size > _LARGEST_DIRECTORY:
            raise Refused(f"the archive's directory has {size:,} bytes, expected at most {_LARGEST_DIRECTORY:,}")
        return super().read(size)


def _name(info: zipfile.ZipInfo) -> str:
    raw = _raw_name(info)
    if (told := _unicode_name(info.extra, raw)) is not None:
        return told
    # Unix's zip stores the raw bytes of a name, and rarely sets the UTF-8 flag.
    encoding = "utf-8" if info.flag_bits & _UTF8 or info.create_system == _UNIX else "cp437"
    return raw.decode(encoding, "surrogateescape")


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")


def _unicode_name(extra: bytes, raw: bytes) -> str | None:
    """A member's name in its Unicode extra field, which is valid only for the raw name with the stored checksum."""
    for field in _fields(extra, _UNICODE_NAME):
        if field[:5] == b"\1" + zlib.crc32(raw).to_bytes(4, "little"):
            return field[5:].decode("utf-8", "surrogateescape")
    return None


def _member(info: zipfile.ZipInfo, body: _MemberData) -> Member:
    name = _name(info)
    if _MISLEADING(name):
        raise Refused(f"{name} has a backslash or a drive")
    mode = info.external_attr >> 16  # 0 where it comes from a system without them
    kind = _KINDS.get(stat.S_IFMT(mode), OTHER_KIND)
    if kind == OTHER_KIND and stat.S_ISFIFO(mode) and info.file_size:
        kind = FILE  # zip's input was a pipe
    if name.endswith("/") and kind == FILE:
        kind = FOLDER
    if kind == FOLDER and info.file_size:
        raise Refused(f"{name} is a folder with contents")
    target = body.text() if kind == LINK else ""
    return Member(name, kind, mode, info.file_size, _time(info), target, body.take)


def _time(info: zipfile.ZipInfo) -> int:
    """Seconds since the epoch: from the extra field, else the DOS time read as UTC."""
    for field in _fields(info.extra, _TIMES):
        if len(field) >= 5 and field[0] & 1:
            return int.from_bytes(field[1:5], "little", signed=True)
    try:
        return calendar.timegm(info.date_time)
    except ValueError:
        return 0


def _fields(extra: bytes, wanted: int) -> Iterator[bytes]:
    """The extra fields of one kind."""
    while len(extra) >= 4:
        kind, length = struct.unpack("<2H", extra[:4])
        if kind == wanted and len(extra) >= 4 + length:
            yield extra[4 : 4 + length]
        extra = extra[4 + length :]


def _in_full(sizes: list[int], extra: bytes) -> list[int]:
    """A member's (checksum, compressed size, size), with the sizes from its ZIP64 extra field."""
    crc, size, full_size = sizes
    field = next(_fields(extra, _ZIP64), b"")
    if full_size == _IN_ZIP64 and len(field) >= 8:
        full_size, field = int.from_bytes(field[:8], "little"), field[8:]
    if size == _IN_ZIP64 and len(field) >= 8:
        size = int.from_bytes(field[:8], "little")
    return [crc, size, full_size]


class _MemberData:
    """The contents of one directory entry. They end where `following` (place, name) begins."""

    def __init__(self, file: int, info: zipfile.ZipInfo, following: tuple[int, str], most: int) -> None:
        self._info, self._crc, self._taken = info, 0, 0
        name, size = _name(info), info.compress_size
        header = os.pread(file, _LOCAL.size, info.header_offset)
        if len(header) < _LOCAL.size or not header.startswith(MAGICS[0]):
            raise Refused(f"{name}: expected a member at byte {info.header_offset:,}, found something else")
        _, flags, method, *sizes, name_length, extra_length = _LOCAL.unpack(header)
        begins = info.header_offset + _LOCAL.size + name_length + extra_length
        found = os.pread(file, name_length, info.header_offset + _LOCAL.size)
        extra = os.pread(file, extra_length, begins - extra_length)
        told = _unicode_name(extra, found)
        if found != _raw_name(info) or told not in (None, name):
            told = told or found.decode("utf-8", "backslashreplace")
            raise Refused(f"{name} is called {told} in its own header")
        if (flags | info.flag_bits) & _ENCRYPTED:
            raise Refused(f"{name} is encrypted")
        if method != info.compress_type:
            raise Refused(f"{name} is compressed by method {info.compress_type}, but in its own header by {method}")
        if method not in _METHODS:
            raise Refused(f"{name} is compressed by method {method}, expected none, deflate or bzip2")
        self._listed = info.CRC, size, info.file_size
        unknown = _UNKNOWN if flags & _SIZES_FOLLOW else ()
        if any(here != there and here not in unknown for here, there in zip(_in_full(sizes, extra), self._listed)):
            raise Refused(f"{name} has another size or checksum in its own header")
        self._check_end(file, begins + size, following, flags & _SIZES_FOLLOW)
        self._stream = inflate.Stream(inflate.pieces(file, begins, size, _METHODS[method], most, single=True))

    def _check_end(self, file: int, end: int, following: tuple[int, str], sizes_follow: bool) -> None:
        """Checks that between the contents, which end at `end`, and `following` there is only the data descriptor."""
        name, (next_begins, next_name) = _name(self._info), following
        left = next_begins - end
        if left < 0:
            raise Refused(f"{next_name} shares bytes with the member before it")
        if not sizes_follow:
            if left:
                raise Refused(f"{formatting.plural(left, 'byte')} between {name} and {next_name}, of no member")
            return
        if left not in _DESCRIPTORS:
            raise Refused(f"{name}: expected its sizes after its contents, in 12, 16, 20 or 24 bytes, found {left:,}")
        *mark, crc, size, full_size = _DESCRIPTORS[left].unpack(os.pread(file, left, end))
        if mark not in ([], [_DESCRIPTOR_MARK]) or (crc, size, full_size) != self._listed:
            raise Refused(f"{name} has another size or checksum after its contents")

    def take(self, size: int) -> memoryview:
        piece = self._stream.take(size)
        self._crc = zlib.crc32(piece, self._crc)
        self._taken += len(piece)
        return piece

    def text(self) -> str:
        """The whole contents, for a link's target."""
        if self._info.file_size > _LARGEST_TARGET:
            raise Refused(f"{_name(self._info)} is a link with a target of {self._info.file_size:,} bytes")
        return bytes(self.take(self._info.file_size)).decode("utf-8", "surrogateescape")

    def check(self) -> None:
        """Checks that the contents were complete and match the directory. Skipped contents are not inflated for
        this."""
        name, size = _name(self._info), self._info.file_size
        if self._taken < size:
            return
        if self._stream.take(1):
            raise Refused(f"{name}: expected {size:,} bytes, found more")
        if self._crc != self._info.CRC:
            raise Refused(f"{name}: expected checksum {self._info.CRC:08x}, found {self._crc:08x}")
