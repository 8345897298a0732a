"""unpack: unpacks any archive into a folder, by the same rules as packages.

The folder is made under a temporary name and renamed last: a refused archive, a full disk or Ctrl-C leaves nothing."""

from __future__ import annotations

import os
import shlex
import stat

from harness.spm import formatting, trees
from harness.spm.archives.rules import UnpackRules
from harness.spm.archives.tree import DifferInCase, DryRunTree, OWNER_WRITES, Tree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused, SpmError, USAGE
from harness.spm.options import Command
from harness.spm.settings import Settings
from harness.spm.verbs import table

_USAGE_HINT = "python3 make.py spm unpack --help"


def run(command: Command, settings: Settings) -> int:
    if len(command.names) != 2:
        found = formatting.plural(len(command.names), "name")
        raise SpmError(f"unpack: expected ARCHIVE DIR, found {found}", _USAGE_HINT, USAGE)
    archive, folder = command.names
    _check_archive(archive)
    _check_folder(folder)
    case_sensitive = "--case-sensitive" in command.options
    try:
        if settings.dry_run:
            _print_list(_unpack_into(archive, DryRunTree(case_sensitive)), settings)
        else:
            _print_summary(_make(archive, os.path.realpath(folder), case_sensitive), archive, folder, settings)
    except DifferInCase as refused:
        hint = f"{_again(archive, folder)} --case-sensitive, if the folder's file system distinguishes such names"
        if refused.on_disk:
            hint = f"{_again(archive, 'DIR')}, with a DIR on a case-sensitive file system"
        raise SpmError(f"{archive}: {refused.what}", hint, USAGE) from None
    except Refused as refused:
        hint = "compare the archive with its publisher's; it is not safe to unpack"
        raise SpmError(f"{archive}: {refused.what}", hint, USAGE) from None
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        hint = f"{_again(archive, 'DIR')}, with a writable DIR on a disk with free space"
        raise SpmError(f"unpacking {archive}: {error.strerror or error}{where}", hint) from None
    return 0


def _again(archive: str, folder: str) -> str:
    return f"python3 make.py spm unpack {shlex.quote(archive)} {shlex.quote(folder)}"


def _check_archive(path: str) -> None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # does not block on a named pipe
        facts = os.fstat(file)
        os.close(file)
    except OSError as error:
        raise SpmError(f"{path}: expected an archive: {error.strerror}", _USAGE_HINT, USAGE) from None
    if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
        found = "an empty file" if stat.S_ISREG(facts.st_mode) else "a folder" if stat.S_ISDIR(facts.st_mode) else "no file"
        raise SpmError(f"{path}: expected an archive, found {found}", _USAGE_HINT, USAGE)


def _check_folder(path: str) -> None:
    parent = os.path.dirname(os.path.realpath(path))
    found: str | None = ""
    try:
        if names := os.listdir(path):
            found = "1 entry" if len(names) == 1 else f"{len(names):,} entries"
    except FileNotFoundError:
        if not os.path.isdir(parent):
            what = f"{path}: expected an existing parent folder, found no {parent}"
            raise SpmError(what, _USAGE_HINT, USAGE) from None
    except OSError as error:
        found = "a file" if isinstance(error, NotADirectoryError) else error.strerror
    if found:
        raise SpmError(f"{path}: expected no folder or an empty one, found {found}", _USAGE_HINT, USAGE)


def _unpack_into(archive: str, tree: Tree) -> dict:
    """Unpacks into `tree` and returns its list."""
    unpack(archive, UnpackRules(), tree, owner=0)
    return tree.seal()


def _make(archive: str, folder: str, case_sensitive: bool) -> dict:
    # An existing folder is not replaced: it may be a mount point or a process's current folder.
    inside = os.path.isdir(folder)
    # Random, too: in a container the next process has the number of the one that was killed.
    name = f"{os.urandom(4).hex()}.{os.getpid()}.new"
    staging = f"{folder}/.{name}" if inside else f"{folder}.{name}"
    try:
        listed = _unpack_into(archive, Tree(staging, writable=True, case_sensitive=case_sensitive))
        if inside:
            for name in os.listdir(staging):
                os.rename(f"{staging}/{name}", f"{folder}/{name}")
            os.rmdir(staging)
        else:
            os.rename(staging, folder)
    except BaseException:
        trees.remove(staging)
        raise
    return listed


def _print_summary(listed: dict, archive: str, folder: str, settings: Settings) -> None:
    counts = {kind: len(listed[kind]) for kind in ("files", "links", "folders")}
    size = sum(each[2] for each in listed["files"])
    if settings.json:
        table.show([{"archive": archive, "path": folder, **counts, "bytes": size}], (), settings)
    elif not settings.quiet:
        parts = ", ".join(formatting.plural(count, kind[:-1]) for kind, count in counts.items())
        table.print_note(f"{parts}, {formatting.size(size)} in {folder}")


def _print_list(listed: dict, settings: Settings) -> None:
    files = [(path, "file", mode | OWNER_WRITES, size, "") for path, mode, size, *_ in listed["files"]]
    links = [(path, "link", None, len(os.fsencode(target)), target) for path, target in listed["links"]]
    folders = [(path, "folder", 0o755, 0, "") for path in listed["folders"]]
    fields = ("path", "kind", "mode", "bytes", "target")
    rows = [dict(zip(fields, each)) for each in sorted(files + links + folders)]
    texts = {"mode": lambda mode: f"{mode:o}" if mode else "", "bytes": formatting.size}
    table.show(rows, ("mode", "kind", "bytes", "path", "target"), settings, texts)
