"""Writing to a temporary file, then renaming: no file bears its final name before it is whole, and a failure leaves
nothing behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yields the name of a file to make in the folder of `path`, which then becomes `path`."""
    # A process id alone is not enough: threads share it, and containers that share a folder count theirs anew.
    name = f"{path}.{os.urandom(4).hex()}.{os.getpid()}.new"
    try:
        yield name
        os.rename(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
