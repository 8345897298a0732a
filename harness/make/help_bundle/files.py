"""Reads files that anything may be in: a bounded part, whatever the bytes, and never a pipe or device; of the folders that others
may write to, nothing that a link leads to."""

from __future__ import annotations

import os
import stat
import tarfile

MOST_LINES = 200
MOST_BYTES = 256 * 1024
OUT_BYTES = 99_000
"""A farm's job keeps the last 100,000 bytes of its log (harness/app/farm_job.sh)."""

LINK = "link, not read"


class Unreadable(Exception):
    """Why a file cannot be read, in words for the list of files."""


def read(path: str, most: int = MOST_BYTES, end: bool = False, within: str = "") -> tuple[str, bool]:
    """(the first or, with `end`, the last `most` bytes of a file as text, whether that is all). `within`: the folder that was
    looked through, which the file must really lie in; a link is not followed. Raises Unreadable."""
    try:
        # Opening a device may already do something.
        facts = os.lstat(path) if within else os.stat(path)
        if stat.S_ISLNK(facts.st_mode):
            raise Unreadable(LINK)
        if not stat.S_ISREG(facts.st_mode):
            raise Unreadable("no regular file")
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if within else 0))
    except OSError as error:
        raise Unreadable(error.strerror or "unknown error") from error
    try:
        with open(descriptor, "rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise Unreadable("no regular file")
            # Of the open file: a folder above it may become a link meanwhile.
            if within and not _is_below(os.path.realpath(f"/proc/self/fd/{file.fileno()}"), os.path.realpath(within)):
                raise Unreadable(LINK)
            if end and facts.st_size > most:
                file.seek(-most, os.SEEK_END)
            data = file.read(most)
    except OSError as error:
        raise Unreadable(error.strerror or "unknown error") from error
    return data.decode(errors="surrogateescape"), facts.st_size <= most


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def text_of(path: str, most: int = MOST_BYTES, within: str = "") -> str:
    """The beginning of a small file; "" if it cannot be read."""
    try:
        return read(path, most, within=within)[0]
    except Unreadable:
        return ""


def tail(path: str, within: str, lines: int = MOST_LINES) -> tuple[str, str]:
    """(the last lines of a file, how much that is, such as "200 of 4000 lines"). Raises Unreadable."""
    text, is_whole = read(path, end=True, within=within)
    if text.count("\0") > len(text) // 4:  # UTF-16, as a tool of another system writes it
        text = text.replace("\0", "")
    if is_whole and text.count("\n") <= lines and len(text) < OUT_BYTES:
        return text, "whole"
    found = whole_lines(text, 0 if not is_whole else OUT_BYTES).splitlines()
    return "\n".join(found[-lines:]) + "\n", f"the last {min(lines, len(found))} lines"


def whole_lines(text: str, cut_at: int) -> str:
    """A text that may be the end of a longer one, because it has `cut_at` bytes, without its first line: a name may be
    cut there, so that nothing would know it. Of a single line, without the first word."""
    if len(text.encode(errors="replace")) < cut_at:
        return text
    first, mark, rest = text.partition("\n")
    return rest if mark else first.partition(" ")[2]


def size_of(path: str) -> str:
    """A file's size in words; "not there" if it cannot be said."""
    try:
        facts = os.lstat(path)
        return LINK if stat.S_ISLNK(facts.st_mode) else f"{facts.st_size} bytes"
    except OSError as error:
        return f"not readable: {error.strerror}"


def bytes_of(path: str) -> int:
    """A file's size; 0 if it cannot be said."""
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def changed_at(path: str) -> float:
    """When a file was written last; 0 if that cannot be said."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def member(name: str, mtime: int, size: int) -> tarfile.TarInfo:
    """An archive's entry that does not tell whose it is."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode, info.uid, info.gid, info.uname, info.gname = size, mtime, 0o644, 0, 0, "", ""
    return info
