"""Modes, times and hard links, also on file systems that lack them: FAT, some network and user file systems."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator

_LACKING = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


@contextlib.contextmanager
def _if_able(*more: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (*_LACKING, *more):
            raise


def set_mode(file: int | str, mode: int) -> None:
    """Sets the mode of an open file or a path, if the file system has modes."""
    with _if_able():
        if isinstance(file, str):
            os.chmod(file, mode)
        else:
            os.fchmod(file, mode)


def set_time(file: int | str, time: int) -> None:
    """Sets the time of an open file or a path, if the file system lets its user."""
    with _if_able():
        os.utime(file, (time, time))


def hard_link(origin: str, path: str) -> None:
    """Gives a file another name, or a copy of it where it can have no second one."""
    with _if_able(errno.EMLINK, errno.EXDEV):
        os.link(origin, path, follow_symlinks=False)
        return
    facts = os.lstat(origin)
    with open(origin, "rb") as source, open(path, "xb") as copy:
        shutil.copyfileobj(source, copy)
        set_mode(copy.fileno(), facts.st_mode & 0o7777)
        copy.flush()
        set_time(copy.fileno(), int(facts.st_mtime))
