"""Uploads to a source that accepts them: checks whether a file exists, retries temporary errors, checks the result."""

from collections.abc import Callable
from typing import Any

from harness.spm.sources import reading, Source
from harness.spm.sources.transport import TransferError

# Statuses of a missing file. Some servers answer 403 to users who may not list the folder.
_ABSENT = (403, 404, 410)


def holds(source: Source, addresses: list[str], size: int) -> bool:
    """Whether a file of `size` bytes is at one of `addresses`; raises TransferError where that cannot be found out."""
    return any(_length(source, address, size) == size for address in addresses)


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
