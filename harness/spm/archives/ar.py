"""The `ar` container of a .deb: finds the position of each member in the file."""

import os

from harness.spm.errors import Refused
from collections.abc import Iterator

MAGIC = b"!<arch>\n"
_HEADER = 60


def members(file: int) -> Iterator[tuple[str, int, int]]:
    """(name, offset, length) of each member of an open file."""
    size = os.fstat(file).st_size
    offset = len(MAGIC)
    while offset < size:
        header = os.pread(file, _HEADER, offset)
        length = header[48:58].decode("ascii", "replace").strip()
        if len(header) != _HEADER or header[58:] != b"`\n" or not (length.isascii() and length.isdigit()):
            raise Refused(f"expected an ar header at byte {offset}, found something else")
        offset += _HEADER
        if offset + int(length) > size:
            raise Refused(f"an ar member ends at byte {offset + int(length):,} of {size:,}")
        yield header[:16].decode("ascii", "replace").strip().rstrip("/"), offset, int(length)
        offset += int(length) + int(length) % 2


def data_of_deb(file: int) -> tuple[int, int]:
    """(offset, length) of the data.tar archive of a .deb."""
    found: dict[str, tuple[int, int]] = {}
    for name, offset, length in members(file):
        if found.setdefault(name.partition(".tar")[0], (offset, length)) != (offset, length):
            raise Refused(f"expected each member of a Debian package once, found '{name}' after another of its kind")
    if "debian-binary" not in found:
        raise Refused("expected a Debian package, found an ar archive without 'debian-binary'")
    offset, length = found["debian-binary"]
    version = os.pread(file, min(length, 16), offset).decode("ascii", "replace").strip()
    if not version.startswith("2."):
        raise Refused(f"expected a Debian package of format 2, found '{version}'")
    if "data" not in found:
        raise Refused(f"expected a Debian package with 'data.tar', found only {', '.join(sorted(found))}")
    return found["data"]
