"""A forward-only stream of a compressed archive's contents, for tarfile and for copying files out of it.

Reads a part of a file, recognises the compression by its first bytes, and never holds more than about a megabyte."""

from __future__ import annotations

import bz2
import lzma
import os
import zlib

from harness.spm.errors import Refused

_INPUT = 1 << 18
_OUTPUT = 1 << 20
# The most that tarfile may ask for at once: headers are small, and whoever claims otherwise wants our memory.
_LARGEST_HEADER = 1 << 20


class _Gzip:
    """zlib with the interface of lzma's and bz2's decompressors."""

    def __init__(self):
        self._zlib = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, limit: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, limit)

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data


class _Plain:
    needs_input, eof, unused_data = True, False, b""

    def decompress(self, data: bytes, limit: int) -> bytes:
        return data


# first bytes -> (name, decompressor or None where the standard library has none)
_FORMATS = (
    (b"\xfd7zXZ\0", "xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=1 << 30)),
    (b"\x1f\x8b", "gzip", _Gzip),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
    (b"\x28\xb5\x2f\xfd", "zstd", None),
    (b"PK\x03\x04", "zip", None),
)


class Stream:
    """The contents of bytes [offset, offset + length) of an open file."""

    def __init__(self, file: int, offset: int, length: int):
        self._file, self._offset, self._end = file, offset, offset + length
        self._buffer, self._at, self._before = b"", 0, 0  # _before: contents that came before the buffer
        first = os.pread(file, min(6, length), offset)
        name, self._make = next(
            ((name, make) for magic, name, make in _FORMATS if first.startswith(magic)), ("tar", _Plain)
        )
        if self._make is None:
            raise Refused(
                f"expected an archive of tar, gzip, bzip2 or xz, found {name}",
                "pin the same contents in another format",
            )
        self._decompressor = self._make()

    def tell(self) -> int:
        return self._before + self._at

    def seek(self, position: int, whence: int = 0):
        if whence != 0 or position < self.tell():
            raise Refused("the archive's headers lead backwards")
        while position > self.tell():
            if not self.take(position - self.tell()):
                break
        return self.tell()

    def read(self, size: int = -1) -> bytes:
        """For tarfile: up to `size` bytes of headers."""
        if not 0 <= size <= _LARGEST_HEADER:
            raise Refused(f"a header of the archive claims {size:,} bytes, expected at most {_LARGEST_HEADER:,}")
        first = self.take(size)
        if len(first) == size:
            return bytes(first)
        parts = [bytes(first)]
        size -= len(first)
        while size and (piece := self.take(size)):
            parts.append(bytes(piece))
            size -= len(piece)
        return b"".join(parts)

    def take(self, size: int) -> memoryview:
        """The next bytes, at most `size` and as many as are at hand; none at the end."""
        if self._at == len(self._buffer) and size:
            self._before += self._at
            self._buffer, self._at = self._refill(), 0
        piece = memoryview(self._buffer)[self._at : self._at + size]
        self._at += len(piece)
        return piece

    def _refill(self) -> bytes:
        try:
            return self._inflate()
        except (lzma.LZMAError, zlib.error, OSError, EOFError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise Refused(f"the archive cannot be decompressed: {error}") from None

    def _inflate(self) -> bytes:
        while True:
            data = b""
            if self._decompressor.eof:
                # A file may hold several compressed members, and zeros between and after them.
                data = self._decompressor.unused_data.lstrip(b"\0") or self._input().lstrip(b"\0")
                if not data and self._offset == self._end:
                    return b""
                if not data:
                    continue
                self._decompressor = self._make()
            elif self._decompressor.needs_input:
                data = self._input()
                if not data:
                    if isinstance(self._decompressor, _Plain):
                        return b""
                    raise EOFError("it ends in the middle")
            output = self._decompressor.decompress(data, _OUTPUT)
            if output:
                return output

    def _input(self) -> bytes:
        data = os.pread(self._file, min(_INPUT, self._end - self._offset), self._offset)
        self._offset += len(data)
        if not data:
            self._end = self._offset  # a file shorter than its container says
        return data
