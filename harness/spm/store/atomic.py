"""Writes to a temporary file, then renames: a file has its final name only when complete, and a failure leaves no
file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yields the name of a temporary file in the folder of `path`; the caller writes it, then it is renamed to
    `path`."""
    # A process id is not unique: threads share it, and containers that share a folder may have equal ones.
    name = f"{path}.{os.urandom(4).hex()}.{os.getpid()}.new"
    try:
        yield name
        os.rename(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
