"""Starting threads where the system may allow no more."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from harness.spm.errors import NO_ROOM, SpmError


class ThreadLimit(SpmError):
    """The system starts no more threads."""

    def __init__(self) -> None:
        super().__init__("expected room for one more thread, found the system's limit", NO_ROOM)


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Raises ThreadLimit where Python, for want of an error of its own, raises RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if "thread" not in str(error):
            raise
        raise ThreadLimit() from None
