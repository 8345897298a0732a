"""Uploads to a source that takes them: looks whether the file is there, tries again what may pass, looks that it came."""

from __future__ import annotations

import random
import threading

from harness.spm.errors import Cancelled
from harness.spm.transfer.transport import TransferError

TRIES = 4
FIRST_PAUSE_S = 0.5  # before the second try; doubled for each further one
# How servers say that a file is not there: some do not tell those who may not list from those who may not read.
_ABSENT = (403, 404, 410, 416)


def holds(source, address: str, size: int) -> bool:
    """Whether a file of `size` bytes is at `address`; raises TransferError where that cannot be found out."""
    try:
        # The last byte tells as much as HEAD, which not every server answers.
        body = source.open(address, size - 1)
    except TransferError as error:
        if error.status in _ABSENT:
            return False
        raise
    try:
        return (_count(body) if body.length is None else body.length) == size
    finally:
        body.close()


def _count(body) -> int:
    count = body.offset
    while piece := body.read(1 << 18):
        count += len(piece)
    return count


class Uploader:
    """All uploads of one run to one source. Its methods may be called by many threads."""

    def __init__(self, source):
        self._source = source
        self._cancelled = threading.Event()

    def cancel(self):
        self._cancelled.set()

    def holds(self, addresses: list[str], size: int) -> bool:
        return any(self._patiently(lambda: holds(self._source, address, size)) for address in addresses)

    def put(self, address: str, path: str, size: int, sha256: str, advanced=lambda done: None):
        """Uploads the file `path`; raises TransferError."""

        def told(done: int):
            if self._cancelled.is_set():
                raise Cancelled()
            advanced(done)

        self._patiently(lambda: self._source.put(address, path, sha256, told))
        if not self.holds([address], size):
            raise TransferError(f"it took {size:,} bytes and does not have them")

    def _patiently(self, act):
        pause = FIRST_PAUSE_S
        for left in reversed(range(TRIES)):
            try:
                return act()
            except TransferError as error:
                if not error.passing or not left:
                    raise
            if self._cancelled.wait(pause * random.uniform(0.5, 1.0)):
                raise Cancelled()
            pause *= 2
