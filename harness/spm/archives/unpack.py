"""Unpacks an archive into a tree. The magic number selects the container; rules.py has the rules."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterator
from typing import Any

from harness.spm.archives import ar, rules, tar, zip
from harness.spm.archives.licence_files import Collector, LicenceFiles, MOST_BYTES, MOST_FILES, MOST_OF_ALL
from harness.spm.archives.tree import Tree
from harness.spm.errors import Refused

TAR, DEB, ZIP = "tar", "deb", "zip"
_READ_ON_BYTES = 8 << 20  # of a compressed archive: 0.2 s


def unpack(archive: str, artifact: Any, tree: Tree, owner: int) -> LicenceFiles | None:
    """Unpacks what `artifact` keeps of the file `archive`; `owner` is the artifact's number in its package. Returns the
    licence files that were seen on the way, None if these may not be all."""
    with opened(archive) as (members, kind, most):
        # Nothing of a zip is read that is not kept: each member has a checksum, and only what is kept must fit its own.
        licences = None if kind == ZIP else Collector()
        unpacker = rules.MemberUnpacker(tree, owner, artifact, kind == DEB, most, licences)
        for member in members:
            unpacker.add(member)
            # Stops early: an archive of 18 MB may be pinned for one of its files.
            if unpacker.satisfied():
                if licences:
                    licences.whole &= kind == DEB or os.path.getsize(archive) <= _READ_ON_BYTES
                    _read_on(members, licences)
                break
        unpacker.finish()
        return licences.result(tree.root) if licences else None


def _read_on(members: Iterator[rules.Member], licences: Collector) -> None:
    """Reads on to the copyright file of a Debian package, which is behind its programs and libraries, or to the end. All
    that is kept is there already, so damage in the rest refuses nothing."""
    try:
        while licences.whole and not licences.has_any_copyright() and (member := next(members, None)):
            licences.passed(_name(member), member)
    except Refused:
        licences.whole = False


def _name(member: rules.Member) -> str:
    return member.name.removeprefix("./").rstrip("/")


def licences_of(archive: str, package: str = "") -> LicenceFiles:
    """The licence files of the file `archive`. `package` is the name of a Debian package, whose one copyright file is
    enough, so that the rest of it is not decompressed. Raises Refused for what is no archive."""
    licences = Collector()
    with opened(archive) as (members, kind, _):
        for member in members:
            licences.passed(_name(member), member)
            if kind == DEB and licences.has_copyright(package):
                break
    found = licences.result()
    if found is None:
        limits = f"{MOST_FILES} licence files of {MOST_BYTES:,} bytes, {MOST_OF_ALL:,} in all,"
        raise Refused(f"expected at most {limits} in an archive, found more")
    return found


@contextlib.contextmanager
def opened(archive: str) -> Iterator[tuple[Generator[rules.Member, None, None], str, int]]:
    """(members, TAR, DEB or ZIP, the most bytes that it may expand to) of the file `archive`."""
    file = os.open(archive, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        most = rules.most_bytes(size)
        first = os.pread(file, len(ar.MAGIC), 0)
        kind = DEB if first == ar.MAGIC else ZIP if first.startswith(zip.MAGICS) else TAR
        if kind == ZIP:
            members = zip.members(file, most)
        else:
            members = tar.members(file, *(ar.data_of_deb(file) if kind == DEB else (0, size)), most)
        with contextlib.closing(members):
            yield members, kind, most
    finally:
        os.close(file)
