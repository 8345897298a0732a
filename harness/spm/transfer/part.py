"""An unfinished download: `<sha256>.part`, which survives a failed or killed run.

`<sha256>.part.from` has two lines: the address of its latest bytes and that server's validator (entity tag or date) for
If-Range. They only avoid useless requests: the complete file is always hashed."""

import hashlib

from harness.spm import trees
from harness.spm.atomic import write_file
from harness.spm.hashing import sha256_of
from harness.spm.sources import transport

FROM = ".from"


class PartialFile:
    """The partial file, hashed as it grows. An OSError comes from the disk."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = open(path, "a+b", buffering=0)
        self._file.seek(0)
        self._hash = sha256_of(self._file)
        self.length = self._file.tell()

    def digest(self) -> str:
        return self._hash.hexdigest()

    def validator(self, address: str) -> str:
        """The If-Range validator for a request for the rest at `address`; "" if unknown."""
        known, _, validator = self._origin().partition("\n")
        return validator.strip() if known == transport.shown(address) else ""

    def begin(self, offset: int, address: str, validator: str) -> None:
        """Prepares for bytes from `offset` on, which is the current length or 0."""
        if offset != self.length:
            self.clear()
        origin = f"{transport.shown(address)}\n{validator}\n"
        if origin != self._origin():
            write_file(self._path + FROM, origin)

    def _origin(self) -> str:
        try:
            with open(self._path + FROM, encoding="utf-8", errors="replace") as file:
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
        """Closes the part and keeps it for the next run. A whole file loses its .from; an empty part is removed."""
        self._file.close()
        if whole or not self.length:
            trees.remove(self._path + FROM)
        if not self.length:
            trees.remove(self._path)
