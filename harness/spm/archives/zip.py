"""Zip archives: zipfile reads the directory, and every word of it is held against the members themselves.

A zip says most things twice, and readers differ in whom they believe. Refused, beside what rules.py refuses in every
container, is one
  - whose directory and members differ in a name, a size, a checksum or a method;
  - whose members share bytes (how a few kilobytes become a petabyte), or that begins with what its directory omits;
  - with a name that has a backslash or a drive: elsewhere they lead to other folders;
  - with an encrypted member, or one compressed otherwise than by deflate and bzip2.
A link is a member with a link's mode, its target the contents. Times are UTC where the archive says so, else taken for
it: the same archive gives the same tree everywhere."""

from __future__ import annotations

import bz2
import calendar
import io
import os
import re
import stat
import struct
import zipfile
import zlib

from harness.spm.archives import inflate
from harness.spm.archives.rules import FILE, FOLDER, LINK, ODD, Member
from harness.spm.errors import Refused

MAGICS = (b"PK\x03\x04", b"PK\x05\x06")  # of a member, and of the directory's end where there is none

_METHODS = {zipfile.ZIP_STORED: None, zipfile.ZIP_DEFLATED: inflate.Deflate, zipfile.ZIP_BZIP2: bz2.BZ2Decompressor}
_KINDS = {0: FILE, stat.S_IFREG: FILE, stat.S_IFDIR: FOLDER, stat.S_IFLNK: LINK}
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x1 | 0x40 | 0x2000, 0x8, 0x800  # flags
_LARGEST_DIRECTORY = 32 << 20  # bytes: some 300,000 members
_LARGEST_TARGET = 4096
_LOCAL = struct.Struct("<4s 2x 2H 4x 3L 2H")
_IN_ZIP64 = 0xFFFFFFFF
_MISLEADING = re.compile(r"\\|^[A-Za-z]:").search


def members(file: int, most: int):
    """The members of the archive that is an open file, in the order of their places in it; none may become more than
    `most` bytes."""
    try:
        with _File(file, closefd=False) as whole, zipfile.ZipFile(whole) as archive:
            infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
    # What zipfile raises on a directory that is noise is not its documented error alone.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, EOFError, struct.error) as error:
        raise Refused(f"expected a zip archive: {error}") from None
    if infos and infos[0].header_offset:
        raise Refused("the archive begins with something that its directory does not list")
    end = 0
    for info in infos:
        body = _Body(file, info, end, most)
        end = body.end
        yield _member(info, body)
        body.check()


class _File(io.FileIO):
    """Keeps zipfile from taking more memory than a directory needs."""

    def read(self, size=-1):
        if size > _LARGEST_DIRECTORY:
            raise Refused(f"the archive's directory has {size:,} bytes, expected at most {_LARGEST_DIRECTORY:,}")
        return super().read(size)


def _member(info: zipfile.ZipInfo, body: _Body) -> Member:
    name = info.orig_filename
    if _MISLEADING(name):
        raise Refused(f"{name} has a backslash or a drive")
    mode = info.external_attr >> 16  # 0 where it comes from a system without them
    kind = _KINDS.get(stat.S_IFMT(mode), ODD)
    if name.endswith("/") and kind == FILE:
        kind = FOLDER
    if kind == FOLDER and info.file_size:
        raise Refused(f"{name} is a folder with contents")
    target = body.text() if kind == LINK else ""
    return Member(name, kind, mode, info.file_size, _time(info), target, body.take)


def _time(info: zipfile.ZipInfo) -> int:
    """Seconds since the epoch: of the extra field for them, else what the clock of whoever packed it showed."""
    extra = info.extra
    while len(extra) >= 4:
        kind, length = struct.unpack("<2H", extra[:4])
        if kind == 0x5455 and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            return int.from_bytes(extra[5:9], "little", signed=True)
        extra = extra[4 + length :]
    try:
        return calendar.timegm(info.date_time)
    except ValueError:
        return 0


class _Body:
    """What a line of the directory stands for: must begin at `after` or later, and has its end at `end`."""

    def __init__(self, file: int, info: zipfile.ZipInfo, after: int, most: int):
        self._info, self._crc, self._taken = info, 0, 0
        name, size = info.orig_filename, info.compress_size
        header = os.pread(file, _LOCAL.size, info.header_offset)
        if len(header) < _LOCAL.size or not header.startswith(MAGICS[0]):
            raise Refused(f"{name}: expected a member at byte {info.header_offset:,}, found something else")
        _, flags, method, *sizes, name_length, extra_length = _LOCAL.unpack(header)
        if info.header_offset < after:
            raise Refused(f"{name} shares bytes with the member before it")
        found = os.pread(file, name_length, info.header_offset + _LOCAL.size)
        found = found.decode("utf-8" if flags & _UTF8 else "cp437", "surrogateescape")
        if found != name:
            raise Refused(f"{name} is called {found} where it stands")
        if (flags | info.flag_bits) & _ENCRYPTED:
            raise Refused(f"{name} is encrypted")
        if method != info.compress_type:
            raise Refused(f"{name} is compressed by method {info.compress_type}, where it stands by {method}")
        if method not in _METHODS:
            raise Refused(f"{name} is compressed by method {method}, expected none, deflate or bzip2")
        said = (info.CRC, size, info.file_size)
        if not flags & _SIZES_FOLLOW and any(here not in (there, _IN_ZIP64) for here, there in zip(sizes, said)):
            raise Refused(f"{name} has another size or checksum where it stands")
        begins = info.header_offset + _LOCAL.size + name_length + extra_length
        self.end = begins + size
        self._stream = inflate.Stream(inflate.pieces(file, begins, size, _METHODS[method], most, single=True))

    def take(self, size: int) -> memoryview:
        piece = self._stream.take(size)
        self._crc = zlib.crc32(piece, self._crc)
        self._taken += len(piece)
        return piece

    def text(self) -> str:
        """All of it, for a link's target."""
        if self._info.file_size > _LARGEST_TARGET:
            raise Refused(f"{self._info.orig_filename} is a link with a target of {self._info.file_size:,} bytes")
        return bytes(self.take(self._info.file_size)).decode("utf-8", "surrogateescape")

    def check(self):
        """That what was taken is all there is, and what the directory says. What nobody took is not inflated for it."""
        name, size = self._info.orig_filename, self._info.file_size
        if self._taken < size:
            return
        if self._stream.take(1):
            raise Refused(f"{name}: expected {size:,} bytes, found more")
        if self._crc != self._info.CRC:
            raise Refused(f"{name}: expected checksum {self._info.CRC:08x}, found {self._crc:08x}")
