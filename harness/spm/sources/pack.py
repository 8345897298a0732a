"""Reproducible archives: the same files give the same bytes for any user, time and machine.

Members are sorted by name, have no owner and one time stamp, and their modes are 644 or 755. One thread compresses with
fixed settings; another version of liblzma may encode the same tar differently."""

import functools
import io
import lzma
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from harness.spm.errors import SpmError, USAGE

_PRESET = 6
FILE, LINK, FOLDER = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE


class PackMember(NamedTuple):
    """One path of an archive. `stream()` gives a file's `size` bytes; `target` is a link's."""

    path: str
    kind: bytes
    executable: bool = False
    size: int = 0
    stream: Callable[[], Any] = io.BytesIO
    target: str = ""


def write_tar(out: Any, members: Iterable[PackMember], time: int) -> None:
    """Writes the archive of `members` to the stream `out`, in their order; `time` in seconds since the epoch."""
    with tarfile.TarFile(
        fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape"
    ) as tar:
        for each in members:
            info = tarfile.TarInfo(each.path)
            info.type, info.linkname, info.size, info.mtime = each.kind, each.target, each.size, time
            info.mode = 0o755 if each.executable or each.kind != FILE else 0o644
            with each.stream() as stream:
                tar.addfile(info, stream)
            tar.members.clear()  # type: ignore[attr-defined]  # tarfile would keep them all


def write_tar_xz(path: str, members: list[PackMember], time: int) -> None:
    with lzma.open(path, "wb", preset=_PRESET, check=lzma.CHECK_CRC64) as out:
        write_tar(out, members, time)


def members_of(folder: str, prefix: str = "") -> Iterator[PackMember]:
    """Everything below a folder; an SpmError names what is neither file, folder nor link."""
    with os.scandir(folder) as entries:
        below = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    for entry in below:
        path = prefix + entry.name
        if entry.is_symlink():
            yield PackMember(path, LINK, target=os.readlink(entry.path))
        elif entry.is_dir():
            yield PackMember(path, FOLDER)
            yield from members_of(entry.path, path + "/")
        elif entry.is_file():
            facts = entry.stat()
            # Only the owner's execute bit counts: the other bits depend on the umask.
            stream = functools.partial(open, entry.path, "rb")
            yield PackMember(path, FILE, bool(facts.st_mode & 0o100), facts.st_size, stream)
        else:
            raise SpmError(f"{entry.path} is a device, a pipe or a socket", "take it out of the folder", USAGE)
