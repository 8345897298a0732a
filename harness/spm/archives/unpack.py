"""Unpacks an archive into a tree. The magic number selects the container; rules.py has the rules."""

import contextlib
import os
from typing import Any

from harness.spm.archives import ar, rules, tar, zip
from harness.spm.archives.tree import Tree


def unpack(archive: str, artifact: Any, tree: Tree, owner: int) -> None:
    """Unpacks what `artifact` keeps of the file `archive`; `owner` is the artifact's number in its package."""
    file = os.open(archive, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        most = rules.most_bytes(size)
        first = os.pread(file, len(ar.MAGIC), 0)
        is_deb = first == ar.MAGIC
        if first.startswith(zip.MAGICS):
            members = zip.members(file, most)
        else:
            members = tar.members(file, *(ar.data_of_deb(file) if is_deb else (0, size)), most)
        unpacker = rules.MemberUnpacker(tree, owner, artifact, is_deb, most)
        with contextlib.closing(members):
            for member in members:
                unpacker.add(member)
                # Stops early: an archive of 18 MB may be pinned for one of its files.
                if unpacker.satisfied():
                    break
        unpacker.finish()
    finally:
        os.close(file)
