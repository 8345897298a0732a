"""System calls that Python's os lacks. A Python built without ctypes does without them."""

from __future__ import annotations

import os
import signal

try:
    import ctypes
except ImportError:
    ctypes = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes and ctypes.CDLL(None, use_errno=True)


def syncfs(file: int) -> None:
    """Returns once all of the open file's file system is on its disk; raises OSError."""
    if not hasattr(_LIBC, "syncfs"):
        os.sync()
    elif _LIBC.syncfs(file):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def end_with_parent() -> None:
    """Has this process killed when the thread that forked it ends."""
    if _LIBC:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
