"""Writes to a temporary file, then renames: a file has its final name only when complete, and a failure leaves no
file."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yields the name of a temporary file in the folder of `path`; the caller writes it, then it is renamed to
    `path`. Follows a link at `path`. Raises OSError if something other than a file is there: a rename would replace it."""
    path = _target(path)
    # A process id is not unique: threads share it, and containers that share a folder may have equal ones.
    name = f"{path}.{os.urandom(4).hex()}.{os.getpid()}.new"
    try:
        yield name
        os.rename(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def write_file(path: str, text: str) -> None:
    """Writes a whole file of text."""
    with atomic_file(path) as name, open(name, "w", encoding="utf-8") as file:
        file.write(text)


def _target(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        raise OSError(errno.EINVAL, f"expected a file, found {kinds.get(stat.S_IFMT(mode), 'a device')}", path)
    return os.path.realpath(path) if os.path.islink(path) else path
