"""The hash of an open file (hashlib.file_digest, which Python 3.9 does not have)."""

from __future__ import annotations

import hashlib
from typing import BinaryIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash

_PIECE = 1 << 18


def sha256_of(file: BinaryIO) -> _Hash:
    """The SHA-256 of the bytes from the file's position on; the file is then at its end."""
    digest, piece = hashlib.sha256(), bytearray(_PIECE)
    view = memoryview(piece)
    while size := file.readinto(piece):  # type: ignore[attr-defined]
        digest.update(view[:size])
    return digest
