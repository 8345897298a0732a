"""Small requests to a source: a file without a pin, or only a file's length."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from harness.spm import interruptible
from harness.spm.sources import Source
from harness.spm.sources.transport import LONGEST_WAIT_S, TransferError

TRIES = 3
FIRST_PAUSE_S = 0.5  # before the second try; doubled for each further one
_PIECE = 1 << 18


def read(
    source: Source, address: str, most: int, tries: int = TRIES, advanced: Callable[[int], Any] = lambda size: None
) -> bytes:
    """The whole file at `address`, of at most `most` bytes; raises TransferError. `advanced` is called with the size of
    each piece that has come, and may raise."""
    return with_retries(lambda: _read(source, address, most, advanced), tries)


def length(source: Source, address: str, expected: int) -> tuple[int | None, str]:
    """(length, content type) of the file at `address`, None if the server does not give it; raises TransferError.

    Requests only the last byte, which proves that the file is readable and costs almost nothing."""
    return with_retries(lambda: _length(source, address, expected))


def with_retries(ask: Callable[..., Any], tries: int = TRIES) -> Any:
    """Returns `ask()`. Retries temporary errors after a pause or at the server's time. Raises TransferError."""
    pause = FIRST_PAUSE_S
    for left in reversed(range(tries)):
        try:
            return ask()
        except TransferError as error:
            if not error.passing or not left:
                raise
            wait_s = max(pause, min(error.wait_s, LONGEST_WAIT_S))
        interruptible.sleep(wait_s)
        pause *= 2
    raise AssertionError


def _read(source: Source, address: str, most: int, advanced: Callable[[int], Any]) -> bytes:
    with contextlib.closing(source.open(address)) as body:
        pieces, done = [], 0
        while piece := body.read(_PIECE):
            pieces.append(piece)
            done += len(piece)
            advanced(len(piece))
            if done > most:
                raise TransferError(f"expected at most {most:,} bytes, more came")
    if body.length not in (None, done):
        raise TransferError(f"truncated: {done:,} of {body.length:,} bytes", passing=True)
    return b"".join(pieces)


def _length(source: Source, address: str, expected: int) -> tuple[int | None, str]:
    try:
        body = source.open(address, expected - 1)
    except TransferError as error:
        if not error.may_concern_range:
            raise
        body = source.open(address)  # as its download would; of a shorter file this gives the length
    body.close()
    return body.length, body.kind
