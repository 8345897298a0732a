"""Builds archives for tests."""

import io
import lzma
import stat
import struct
import tarfile
import time
import warnings
import zipfile
from collections.abc import Callable
from typing import Any


def member(
    name: str,
    data: bytes = b"",
    kind: bytes = tarfile.REGTYPE,
    target: str = "",
    mode: int = 0o644,
    time: int = 1_600_000_000,
) -> tuple[tarfile.TarInfo, bytes]:
    """(TarInfo, data) of one member."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.mtime, info.size = kind, target, mode, time, len(data)
    return info, data


def folder(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, kind=tarfile.DIRTYPE, mode=0o755)


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, kind=tarfile.SYMTYPE, target=target, mode=0o777)


def hard_link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, kind=tarfile.LNKTYPE, target=target)


def tar(*members: tuple[tarfile.TarInfo, bytes], format: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


_ZIP_KINDS = {
    tarfile.DIRTYPE: stat.S_IFDIR,
    tarfile.SYMTYPE: stat.S_IFLNK,
    tarfile.CHRTYPE: stat.S_IFCHR,
    tarfile.FIFOTYPE: stat.S_IFIFO,
}


def zipped(*members: tuple[tarfile.TarInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of the same members as for `tar`, except hard links."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tests use duplicate names
        for info, data in members:
            entry = zipfile.ZipInfo(info.name + "/" * info.isdir(), time.gmtime(info.mtime)[:6])
            entry.create_system, entry.compress_type = 3, method
            entry.external_attr = (_ZIP_KINDS.get(info.type, stat.S_IFREG) | info.mode) << 16
            archive.writestr(entry, info.linkname or data)
    return out.getvalue()


def zip_followed(behind: bytes, data: bytes, local_sizes: bytes = bytes(12)) -> bytes:
    """A zip archive of one member `a`, whose checksum and sizes are to stand `behind` its contents."""
    plain = bytearray(zipped(member("a", data), method=zipfile.ZIP_STORED))
    directory = plain.index(b"PK\x01\x02")
    plain[6] = plain[directory + 8] = 8  # the flag for it
    plain[14:26] = local_sizes
    plain[-6:-2] = struct.pack("<L", directory + len(behind))
    return bytes(plain[:directory] + behind + plain[directory:])


def ar(*members: tuple[str, bytes]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, data in members:
        parts.append(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode())
        parts.append(data + b"\n" * (len(data) % 2))
    return b"".join(parts)


def deb(
    *members: tuple[tarfile.TarInfo, bytes], compress: Callable[..., Any] = lzma.compress, ending: str = "xz"
) -> bytes:
    return ar(
        ("debian-binary", b"2.0\n"),
        ("control.tar.xz", lzma.compress(tar())),
        (f"data.tar.{ending}", compress(tar(*members))),
    )
