"""Kernel locks on small files. The kernel releases them however the holding process ends.

A lock's file names the process that took it last, so that a waiting process can report the holder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sys
import time
from collections.abc import Callable

from harness.spm.errors import SpmError

_STEP_S = 0.05  # polled: an interrupt must end the wait


def try_lock(file: int, kind: int) -> bool:
    """Tries to take the lock (LOCK_SH or LOCK_EX) on an open file or descriptor; returns whether it succeeded."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for(file: int, kind: int) -> None:
    """Takes the lock as soon as it is free."""
    while not try_lock(file, kind):
        time.sleep(_STEP_S)


class Lock(contextlib.AbstractContextManager["Lock"]):
    """One lock; use it as a context manager after `take` has returned True."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.file = -1  # the open file that holds it

    def take(self, shared: bool = False, wait: bool = True, waiting: Callable[[str], object] | None = None) -> bool:
        """Takes the lock. If another process holds it: returns False without `wait`, else calls `waiting(holder)` once
        and waits."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                if not self._try(file, kind):
                    if not wait:
                        return False
                    if waiting:
                        waiting(_holder(file))
                        waiting = None
                    wait_for(file, kind)
                if self._is_current(file):  # else the file was removed and replaced while we waited
                    self.file = file
                    self._sign()
                    return True
            finally:
                if self.file != file:
                    os.close(file)

    def _try(self, file: int, kind: int) -> bool:
        try:
            return try_lock(file, kind)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                raise
            what = f"expected a file system with locks, found one without: {self._path} ({error.strerror})"
            raise SpmError(what, "name a folder on another disk with --store DIR or SPM_STORE") from None

    def release(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def __exit__(self, *_: object) -> None:
        self.release()

    def _is_current(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _sign(self) -> None:
        command = " ".join(os.path.basename(sys.argv[0] or "python3").split() + sys.argv[1:])
        with contextlib.suppress(OSError):  # the name is optional: a full disk must not prevent the lock
            os.ftruncate(self.file, 0)
            os.pwrite(self.file, f"{os.getpid()} {command[:100]}\n".encode("utf-8", "replace"), 0)


def _holder(file: int) -> str:
    pid, _, command = os.pread(file, 200, 0).decode("utf-8", "replace").strip().partition(" ")
    if pid.isdigit() and os.path.exists(f"/proc/{pid}"):
        return f"process {pid} ({command})"
    return "another process"
