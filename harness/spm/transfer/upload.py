"""Uploads to a source that accepts them: checks whether a file exists, retries temporary errors, checks the result."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from typing import Any

from harness.spm.sources import reading, Source
from harness.spm.sources.transport import TransferError

# Statuses of a missing file. Some servers answer 403 to users who may not list the folder.
_ABSENT = (403, 404, 410)
# Conditions of an artifact at a place.
WHOLE, MISSING, DAMAGED = "whole", "missing", "damaged"
_PIECE = 1 << 18


def holds(source: Source, addresses: list[str], size: int) -> bool:
    """Whether a file of `size` bytes is at one of `addresses`; raises TransferError where that cannot be found out."""
    return any(_length(source, address, size) == size for address in addresses)


def condition(source: Source, addresses: list[str], size: int, sha256: str) -> str:
    """WHOLE, MISSING, DAMAGED or why it cannot be read, from all bytes at the first of `addresses` that has the file;
    raises TransferError if the whole place does not answer."""
    for address in addresses:
        try:
            state: str = reading.with_retries(lambda address=address: _condition(source, address, size, sha256))
        except TransferError as error:
            if error.host:
                raise
            return error.reason
        if state != MISSING:
            return state
    return MISSING


def _condition(source: Source, address: str, size: int, sha256: str) -> str:
    try:
        body = source.open(address)
    except TransferError as error:
        if error.status in _ABSENT:
            return MISSING
        raise
    digest, done = hashlib.sha256(), 0
    with contextlib.closing(body):
        if body.length not in (None, size):
            return DAMAGED
        while done <= size and (piece := body.read(_PIECE)):
            digest.update(piece)
            done += len(piece)
    if body.length is not None and done < body.length:
        raise TransferError(f"truncated: {done:,} of {size:,} bytes", passing=True)
    return WHOLE if digest.hexdigest() == sha256 else DAMAGED


def put(
    source: Source, address: str, path: str, size: int, sha256: str, advanced: Callable[..., Any] | None = None
) -> None:
    """Uploads the file `path` of `size` bytes; `advanced` as for transport.put_file. Raises TransferError."""
    reading.with_retries(lambda: source.put(address, path, sha256, advanced))
    found = _length(source, address, size)
    if found not in (size, None):  # without a length from the server there is nothing to check
        raise TransferError(f"it took {size:,} bytes, then had {found:,}")


def _length(source: Source, address: str, size: int) -> int | None:
    try:
        return reading.length(source, address, size)[0]
    except TransferError as error:
        if error.status in _ABSENT:
            return 0
        raise
