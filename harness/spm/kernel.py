"""System calls that Python's os module lacks. Without ctypes they are skipped."""

import os
import signal

try:
    import ctypes
except ImportError:
    ctypes = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes and ctypes.CDLL(None, use_errno=True)


def syncfs(file: int) -> None:
    """Flushes the whole file system of an open file to its disk; raises OSError."""
    if not hasattr(_LIBC, "syncfs"):
        os.sync()
    elif _LIBC.syncfs(file):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def end_with_parent() -> None:
    """Makes the kernel kill this process when the thread that forked it ends."""
    if _LIBC:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
