"""A download in the making: `<sha256>.part`, which outlives a run that fails or is killed.

Beside it stands `<sha256>.part.from` with two lines: the address its latest bytes came from and what that server calls
this version of its file, for If-Range. The whole is hashed whatever they say: they only save asking in vain."""

from __future__ import annotations

import hashlib

from harness.spm.store import trees
from harness.spm.store.store import write_file
from harness.spm.transfer import transport

FROM = ".from"


class Part:
    """The file as far as it has come, hashed as it grows. OSErrors are the disk's."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = open(path, "a+b", buffering=0)
        self._file.seek(0)
        self._hash = hashlib.file_digest(self._file, "sha256")
        self.length = self._file.tell()

    def digest(self) -> str:
        return self._hash.hexdigest()

    def validator(self, address: str) -> str:
        """What makes a request for the rest at `address` one for the rest of the same bytes; "" where unknown."""
        known, _, validator = self._origin().partition("\n")
        return validator.strip() if known == transport.shown(address) else ""

    def begin(self, offset: int, address: str, validator: str) -> None:
        """Makes ready for bytes from `offset` on: all that is here, or nothing."""
        if offset != self.length:
            self.clear()
        origin = f"{transport.shown(address)}\n{validator}\n"
        if origin != self._origin():
            write_file(self._path + FROM, origin)

    def _origin(self) -> str:
        try:
            with open(self._path + FROM, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def append(self, piece: bytes) -> None:
        self._hash.update(piece)
        rest = memoryview(piece)
        while rest:
            written = self._file.write(rest)
            self.length += written
            rest = rest[written:]

    def clear(self) -> None:
        self._file.truncate(0)
        self._hash, self.length = hashlib.sha256(), 0

    def close(self, whole: bool = False) -> None:
        """Leaves the bytes for the next run; of a whole file and of an empty one nothing but the file, or nothing."""
        self._file.close()
        if whole or not self.length:
            trees.remove(self._path + FROM)
        if not self.length:
            trees.remove(self._path)
