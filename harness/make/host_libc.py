"""The C library of this machine, by the loader that its programs name. The Python that asks may have another one: that of
harness/start.sh brings its own."""

import mmap
import os
import re
from typing import NamedTuple

LOADER = "lib64/ld-linux-x86-64.so.2"
"""Below the root; the interpreter of every x86-64 program that was built for the GNU C library."""

_BANNER = re.compile(rb"GNU C Library [^\n\0]*release version (\d+\.\d+)").search


class HostLibc(NamedTuple):
    """`name` is glibc, musl or "" for neither; `version` is (0, 0) if it is unknown."""

    name: str
    version: tuple[int, ...] = (0, 0)

    def __str__(self) -> str:
        if self.name != "glibc":
            return self.name or "none"
        return f"glibc {'.'.join(map(str, self.version))}" if any(self.version) else "a glibc of unknown version"


def host_libc(root: str = "/") -> HostLibc:
    """The C library with which the machine whose file system is `root` would start a pinned program."""
    loader = _followed(os.path.join(root, LOADER), root)
    if not os.path.exists(loader):
        return HostLibc("musl" if os.path.exists(os.path.join(root, "lib/ld-musl-x86_64.so.1")) else "")
    # Every distribution has the two in one folder, because they come from one package.
    try:
        with open(os.path.join(os.path.dirname(loader), "libc.so.6"), "rb") as file, \
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found = _BANNER(content)
            version = tuple(map(int, found[1].split(b"."))) if found else (0, 0)
    except (OSError, ValueError):
        version = (0, 0)
    return HostLibc("glibc", version)


def _followed(path: str, root: str) -> str:
    """What a path leads to, with absolute links as programs below `root` see them."""
    for _ in range(8):
        if not os.path.islink(path):
            break
        target = os.readlink(path)
        path = os.path.join(root, target.lstrip("/")) if os.path.isabs(target) else os.path.join(os.path.dirname(path), target)
    return path
