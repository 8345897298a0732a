"""Decompression as a forward stream of pieces, with a few megabytes of memory at most."""

from __future__ import annotations

import bz2
import lzma
import os
import queue
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from harness.spm.errors import Refused
from harness.spm.threads import starting

_INPUT = 1 << 18
_OUTPUT = 1 << 20
_AHEAD = 4  # pieces
_LARGEST_HEADER = 1 << 20  # bytes per member: real headers are small, a larger claim is an attack on memory
_LARGEST_DICTIONARY = 256 << 20  # xz -9 takes a quarter of it


class Deflate:
    """zlib with the interface of lzma's and bz2's decompressors. `window` is zlib's wbits: -15 for deflate alone."""

    def __init__(self, window: int = -15) -> None:
        self._zlib = zlib.decompressobj(window)

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


# first bytes -> (name, decompressor or None where the standard library has none)
_FORMATS = (
    (b"\xfd7zXZ\0", "xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_LARGEST_DICTIONARY)),
    (b"\x1f\x8b", "gzip", lambda: Deflate(31)),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
    (b"\x28\xb5\x2f\xfd", "zstd", None),
)


def compression(file: int, offset: int, length: int) -> Callable[[], Any] | None:
    """A factory of decompressors for the bytes at `offset` of an open file, chosen by magic number; None if plain."""
    first = os.pread(file, min(6, length), offset)
    for magic, name, make in _FORMATS:
        if first.startswith(magic):
            if make is None:
                raise Refused(
                    f"expected an archive of tar, gzip, bzip2 or xz, found {name}",
                    "pin the same contents in another format",
                )
            return make
    return None


def pieces(
    file: int, offset: int, length: int, make: Callable[[], Any] | None, most: int, single: bool = False
) -> Generator[bytes, None, None]:
    """The contents of bytes [offset, offset + length) of an open file, at most `most` bytes of them. A file may hold
    several compressed streams, and zeros between and after them, unless it must be a `single` one."""
    source = _blocks(file, offset, length)
    done = 0
    for piece in _inflated(source, make, single) if make else source:
        done += len(piece)
        if done > most:
            raise Refused(f"the archive unpacks to more than {most:,} bytes")
        yield piece


def _blocks(file: int, offset: int, length: int) -> Iterator[bytes]:
    end = offset + length
    while offset < end and (data := os.pread(file, min(_INPUT, end - offset), offset)):
        offset += len(data)
        yield data


def _inflated(blocks: Iterator[bytes], make: Callable[[], Any], single: bool) -> Iterator[bytes]:
    decompressor = make()
    try:
        while True:
            data = b""
            if decompressor.eof:
                data = decompressor.unused_data
                while not (data := data if single else data.lstrip(b"\0")):
                    if (more := next(blocks, None)) is None:
                        return
                    data = more
                if single:
                    raise EOFError("it ends before its bytes do")
                decompressor = make()
            elif decompressor.needs_input:
                if (more := next(blocks, None)) is None:
                    raise EOFError("it ends in the middle")
                data = more
            if output := decompressor.decompress(data, _OUTPUT):
                yield output
    except (lzma.LZMAError, zlib.error, OSError, EOFError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise Refused(f"the archive cannot be decompressed: {error}") from None


def ahead(source: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The same pieces, read ahead by another thread, because decompressors and disks release the interpreter's lock. A
    caller that stops early must close the generator, which ends the thread."""
    ready: queue.Queue[Any] = queue.Queue(_AHEAD)
    stopped = False

    def work() -> None:
        last = None
        try:
            for piece in source:
                ready.put(piece)
                if stopped:
                    break
        except BaseException as error:
            last = error
        ready.put(last)

    thread = threading.Thread(target=work, daemon=True)
    with starting():
        thread.start()
    piece = b""
    try:
        while isinstance(piece := ready.get(), bytes):
            yield piece
        if piece:
            raise piece
    finally:
        stopped = True
        while isinstance(piece, bytes):
            piece = ready.get()
        thread.join()


class Stream:
    """Pieces as a forward-only file: `read` for headers, `take` for contents."""

    def __init__(self, source: Iterator[bytes]) -> None:
        self._source = source
        self._buffer, self._at, self._before = b"", 0, 0  # _before: bytes before the buffer
        self.headers_left = _LARGEST_HEADER  # bytes of headers that this member may still read

    def tell(self) -> int:
        return self._before + self._at

    def seek(self, position: int, whence: int = 0) -> int:
        """Skips forward to `position`, or to the end if that is before it."""
        left = position - self.tell()
        if whence != 0 or left < 0:
            raise Refused("the archive's headers lead backwards")
        while left and (piece := self.take(left)):
            left -= len(piece)
        return self.tell()

    def peek(self, size: int) -> bytes:
        """Up to `size` of the buffered next bytes, without consuming them."""
        return self._buffer[self._at : self._at + size]

    def next_member(self) -> None:
        self.headers_left = _LARGEST_HEADER

    def read(self, size: int) -> bytes:
        """Up to `size` bytes of headers."""
        if not 0 <= size <= self.headers_left:
            raise Refused(f"a header of the archive claims {size:,} bytes, expected at most {_LARGEST_HEADER:,}")
        self.headers_left -= size
        data = bytes(self.take(size))
        while len(data) < size and (piece := self.take(size - len(data))):
            data += piece
        return data

    def take(self, size: int) -> memoryview:
        """Consumes up to `size` of the next buffered bytes; returns none at the end."""
        if self._at == len(self._buffer) and size:
            self._before += self._at
            self._buffer, self._at = next(self._source, b""), 0
        piece = memoryview(self._buffer)[self._at : self._at + size]
        self._at += len(piece)
        return piece
