"""Writes to a temporary file, then renames: a file has its final name only when complete, and a failure leaves no
file."""

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator

_LEFT = re.compile(r"\.[0-9a-f]{8}\.([0-9]+)\.new").fullmatch
LEFT_S = 60.0  # of another container the processes cannot be seen: what is younger may be in use


@contextlib.contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yields the name of a temporary file in the folder of `path`; the caller writes it, then it is renamed to
    `path`. Follows a link at `path`. Raises OSError if something other than a file is there: a rename would replace it."""
    path = _target(path)
    _remove_left(path)
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


def replace(path: str, data: bytes, mode: int) -> None:
    """Writes a whole file that is on the disk before it has its name. While it is written it has none at all, so that a
    kill leaves nothing, where the file system can do that."""
    with atomic_file(path) as name:
        nameless = _open_nameless(os.path.dirname(name) or ".")
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600) if nameless < 0 else nameless
        try:
            with contextlib.suppress(PermissionError):  # some file systems have no modes
                os.fchmod(file, mode)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(file, rest) :]
            os.fsync(file)
            if nameless >= 0:
                # With a folder, even an unused one, Python calls linkat, which follows the link of /proc.
                os.link(f"/proc/self/fd/{file}", name, src_dir_fd=file, follow_symlinks=True)
        finally:
            os.close(file)


def _open_nameless(folder: str) -> int:
    """A file without a name in `folder`; -1 where there is none, or no way to give it one later."""
    try:
        file = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:
        return -1
    if os.path.exists(f"/proc/self/fd/{file}"):
        return file
    os.close(file)
    return -1


def _remove_left(path: str) -> None:
    """Removes what killed runs left of this file."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError):
        for left in os.listdir(folder or "."):
            match = _LEFT(left.removeprefix(name)) if left.startswith(name) else None
            if match and not os.path.exists(f"/proc/{match[1]}"):
                old = os.path.join(folder, left)
                if time.time() - os.stat(old).st_mtime > LEFT_S:
                    os.unlink(old)


def _target(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        raise OSError(errno.EINVAL, f"expected a file, found {kinds.get(stat.S_IFMT(mode), 'a device')}", path)
    return os.path.realpath(path) if os.path.islink(path) else path
