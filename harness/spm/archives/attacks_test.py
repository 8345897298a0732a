"""What an archive may try: each attempt goes through unpack itself, through `spm unpack` and through `spm install`, and
ends in one sentence, with nothing outside touched and nothing left."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import unittest
import zipfile
import zlib
from typing import Any
from unittest import mock

from harness.spm import trees
from harness.spm.archives import rules, zip
from harness.spm.archives.rules import UnpackRules
from harness.spm.archives.tree import DryRunTree, Tree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused
from harness.spm_testing.archives import ar, deb, folder, hard_link, link, member, tar, zip_followed, zipped
from harness.spm_testing.test_case import SpmTestCase
from collections.abc import Iterator

TAR, DEB, ZIP = ("tar", tar), ("deb", deb), ("zip", zipped)
ALL, TARS, NOT_DEB = (TAR, DEB, ZIP), (TAR, DEB), (TAR, ZIP)
DEVICE = member("dev", kind=tarfile.CHRTYPE)
HARMLESS_BYTES = 3_000_000  # for the tests: making a real bomb takes longer than all of them
BOMB = bytes(2 * HARMLESS_BYTES)
PIPE = member("pipe", kind=tarfile.FIFOTYPE)

HALF = tar(member("a"), member("b", b"x" * 5000))[:4000]

# what the members try, the containers that can hold them, the members, the refusal, rules
MEMBERS: list[Any] = [
    ("an absolute path", ALL, [member("/etc/passwd")], "/etc/passwd is absolute"),
    ("a parent path", ALL, [member("../x")], "../x leads upwards"),
    ("a parent path inside", ALL, [member("a/../../x")], "a/../../x leads upwards"),
    ("a parent path that is not kept", ALL, [member("a"), member("../x")], "../x leads upwards", UnpackRules(keep=["a*"])),
    ("a file in place of the root", ALL, [link(".", "a")], "the archive's root is not a folder"),
    (
        "a file through a link to a folder",
        ALL,
        [folder("d"), link("l", "d"), member("l/x")],
        "l is a folder here and a link before",
    ),
    ("a folder over a link", ALL, [folder("d"), link("l", "d"), folder("l")], "l is a folder here and a link before"),
    ("an absolute link", NOT_DEB, [link("l", "/tmp"), member("l/x")], "the link l -> /tmp is absolute"),
    (
        "an absolute link, re-rooted, as a way",
        (DEB,),
        [link("l", "/tmp"), member("l/x")],
        "l is a folder here and a link before",
    ),
    ("a file over a link", ALL, [link("l", "x"), member("l", b"2")], "l comes twice"),
    ("a link over a folder", ALL, [folder("d"), link("d", "x")], "d comes twice"),
    ("a link over a file", ALL, [member("f"), link("f", "..")], "f comes twice"),
    ("a folder over a file", ALL, [member("a"), folder("a")], "a is a folder here and a file before"),
    ("a link upwards", ALL, [link("a/l", "../../x")], "the link a/l -> ../../x leads out of the package"),
    ("a link to what is above", ALL, [link("l", "..")], "the link l -> .. leads out of the package"),
    (
        "a link out by way of a link",
        ALL,
        [folder("a"), link("d", "."), link("e", "d/a/../..")],
        "the link e -> d/a/../.. leads out of the package",
    ),
    (
        "links that lead out only together",
        ALL,
        [folder("x/y"), link("d", "x/y"), link("x/y/e", "../.."), link("f", "d/e/..")],
        "the link f -> d/e/.. leads out of the package",
    ),
    (
        "a link that a later one turns outwards",
        ALL,
        [link("f", "d/../.."), member("x/y/z"), link("d", "x")],
        "the link f -> d/../.. leads out of the package",
    ),
    (
        "a link out by way of more links than a kernel follows",
        ALL,
        [folder("d"), *(link(f"l{n}", f"l{n + 1}") for n in range(60)), link("l60", "d/up/.."), link("d/up", "..")],
        "the link l0 -> l1 leads out of the package",
    ),
    (
        "a link out in other letters than the link that it leads by",
        ALL,
        [link("x/y/e", "D/.."), link("x/y/d", "../..")],
        "the link x/y/e -> D/.. leads out of the package",
    ),
    (
        "a link out of what is stripped",
        ALL,
        [link("usr/l", "../etc")],
        "the link l -> ../etc leads out of the package",
        UnpackRules("usr"),
    ),
    (
        "an absolute link of a .deb out of what is stripped",
        (DEB,),
        [link("./usr/l", "/etc/x")],
        "the link usr/l -> /etc/x leads out of the package",
        UnpackRules("usr"),
    ),
    ("a link to nothing", TARS, [link("l", "")], "the link l has an empty or unprintable target"),
    ("a link with a line break", ALL, [link("l", "a\nb")], "the link l has an empty or unprintable target"),
    (
        "a link longer than a disk takes",
        ALL,
        [link("l", "x" * 300)],
        f"{'x' * 60}... is longer than 2,048 bytes, or than 255 between two slashes",
    ),
    ("a hard link out", TARS, [hard_link("l", "../../etc/passwd")], "../../etc/passwd leads upwards"),
    ("a hard link to an absolute path", TARS, [hard_link("l", "/etc/passwd")], "/etc/passwd is absolute"),
    (
        "a hard link through a link",
        TARS,
        [link("s", "d"), member("d/x"), hard_link("l", "s/x")],
        "the hard link l -> s/x leads to no file that is kept",
    ),
    (
        "a hard link to a link",
        TARS,
        [link("s", "x"), hard_link("l", "s")],
        "the hard link l -> s leads to no file that is kept",
    ),
    (
        "a hard link to what is not kept",
        TARS,
        [member("a"), hard_link("b", "a")],
        "the hard link b -> a leads to no file that is kept",
        UnpackRules(keep=["b"]),
    ),
    ("a device", ALL, [DEVICE], "dev is a device, a pipe or of an unknown kind"),
    ("a pipe", ALL, [PIPE], "pipe is a device, a pipe or of an unknown kind"),
    ("a name twice", ALL, [member("a", b"1"), member("./a", b"1")], "a comes twice"),
    (
        "names that differ in case",
        ALL,
        [member("lib/Makefile"), member("lib/makefile")],
        "lib/Makefile and lib/makefile differ only in case or Unicode form",
    ),
    (
        "folders that differ in case",
        ALL,
        [member("a/x"), member("A/y")],
        "A and a differ only in case or Unicode form",
    ),
    (
        "a file through a link that differs in case",
        ALL,
        [folder("d"), link("Link", "d"), member("link/x")],
        "Link and link differ only in case or Unicode form",
    ),
    (
        "composed and decomposed",
        ALL,
        [member("caf\u00e9"), member("cafe\u0301")],
        "cafe\u0301 and caf\u00e9 differ only in case or Unicode form",
    ),
    (
        "case beyond ASCII",
        ALL,
        [member("stra\u00dfe"), member("STRASSE")],
        "STRASSE and stra\u00dfe differ only in case or Unicode form",
    ),
    ("a control character", ALL, [member("a\nb")], "'a\\nb' has an unprintable character"),
    ("a file by a folder's name", TARS, [member("a/", b"x")], "a has a folder's name but is no folder"),
    ("a link by a folder's name", ALL, [link("a/", "x")], "a has a folder's name but is no folder"),
    ("a hard link by a folder's name", TARS, [member("x"), hard_link("a/.", "x")], "a has a folder's name but is no folder"),
    ("a tower of folders", ALL, [member("a/" * 150 + "x")], f"{'a/' * 30}... is more than 100 folders deep"),
    (
        "a name longer than a disk takes",
        ALL,
        [member("\u00e9" * 130)],
        f"{chr(0xe9) * 60}... is longer than 2,048 bytes, or than 255 between two slashes",
    ),
    ("a pattern in vain", ALL, [member("a")], "keep: 'b/*' matches nothing in the archive", UnpackRules(keep=["a", "b/*"])),
    (
        "a file outside strip",
        ALL,
        [member("usr/a"), member("etc/b")],
        "etc/b is kept but lies outside strip 'usr'",
        UnpackRules("usr"),
    ),
    ("a file in place of strip", ALL, [member("usr")], "usr is kept but lies outside strip 'usr'", UnpackRules("usr")),
]


UNICODE = {f"composed and decomposed in {name}" for name, _ in ALL}


def patched(data: bytes, *changes: tuple[int, bytes]) -> bytes:
    """`data` with other bytes at some offsets; negative ones count from the end."""
    data = bytearray(data)
    for at, new in changes:
        data[at % len(data) : at % len(data) + len(new)] = new
    return bytes(data)


def renamed(data: bytes, old: bytes, new: bytes) -> bytes:
    """A zip archive whose directory calls a member otherwise than the member itself."""
    at = data.rindex(old)
    return data[:at] + new + data[at + len(old) :]


def many_headers(count: int) -> bytes:
    """A tar archive of headers about the next header."""
    return tarfile.TarInfo.create_pax_global_header({"comment": "x"}) * count + tar(member("a"))


def named_by(*kinds: str) -> bytes:
    """A member with headers about it."""
    pax, _ = member("a")
    pax.pax_headers = {"comment": "x"}
    headers = {"x": pax.tobuf(tarfile.PAX_FORMAT)[:1024], "L": long_name(b"b"), "K": long_name(b"b", kind=b"K")}
    return b"".join(headers[kind] for kind in kinds) + tar(member("a"))


def long_name(name: bytes, size: int | None = None, kind: bytes = tarfile.GNUTYPE_LONGNAME) -> bytes:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, len(name) if size is None else size
    return info.tobuf(tarfile.GNU_FORMAT) + name + bytes(-len(name) % 512)


def sparse(map_text: str, size: int) -> bytes:
    """A sparse file of pax 0.1, with four bytes of data."""
    info, data = member("holes", b"data")
    info.pax_headers = {"GNU.sparse.map": map_text, "GNU.sparse.size": str(size)}
    return tar((info, data), format=tarfile.PAX_FORMAT)


def overlapping() -> bytes:
    """A zip archive with a thousand names for one member's bytes."""
    one = zipped(member("a", bytes(1000)))
    start = one.index(b"PK\x01\x02")
    entry, end = one[start : one.rindex(b"PK\x05\x06")], one[one.rindex(b"PK\x05\x06") :]
    counts = struct.pack("<2HL", 1000, 1000, 1000 * len(entry))
    return one[:start] + entry * 1000 + patched(end, (8, counts))


def deflate_lies(size: int) -> bytes:
    """A zip archive whose header and directory agree on a size that is not the contents'."""
    data = zipped(member("a", b"x" * 1000))
    start = data.index(b"PK\x01\x02")
    return patched(data, (22, struct.pack("<L", size)), (start + 24, struct.pack("<L", size)))


def headed(*changes: tuple[int, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    """A header of GNU's tar with other bytes at some offsets."""
    info, _ = member("a", kind=kind)
    header = patched(info.tobuf(tarfile.GNU_FORMAT), *changes, (148, b" " * 8))
    return patched(header, (148, b"%06o\0 " % sum(header)))


def half_a_map() -> bytes:
    """A sparse file of GNU's old form, whose map is to go on in a block that is not there."""
    return headed((482, b"\1"), kind=tarfile.GNUTYPE_SPARSE)


def described(kind: bytes, records: dict) -> bytes:
    """A member with records of pax."""
    info, _ = member("a", kind=kind, target="x")
    info.pax_headers = records
    return tar((info, b""), format=tarfile.PAX_FORMAT)


def for_all(**records: str) -> bytes:
    return tarfile.TarInfo.create_pax_global_header(records) + tar(member("a"))


def parted(between: bytes, at_end: bytes) -> bytes:
    """A zip archive with other bytes between its members, and between them and the directory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, junk in (("a", between), ("b", at_end)):
            archive.writestr(name, name)
            assert archive.fp
            archive.fp.seek(archive.start_dir)
            archive.start_dir += archive.fp.write(junk)
    return out.getvalue()


def large() -> bytes:
    """A zip archive whose one member has its sizes in the field for large ones."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("a", "w", force_zip64=True) as file:
        file.write(b"one")
    return patched(out.getvalue(), (18, b"\xff" * 8))  # as not every Python writes it


def in_unicode(name: str, told: str) -> bytes:
    """A zip archive of a member whose extra field has another name for it."""
    entry = zipfile.ZipInfo(name)
    field = b"\1" + struct.pack("<L", zlib.crc32(name.encode())) + told.encode()
    entry.extra = struct.pack("<2H", 0x7075, len(field)) + field
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(entry, b"one")
    return out.getvalue()


PLAIN_ZIP = zipped(member("a", b"one"), method=zipfile.ZIP_STORED)
DIRECTORY = PLAIN_ZIP.index(b"PK\x01\x02")
ONE_BEHIND = struct.pack("<3L", zlib.crc32(b"one"), 3, 3)
BEHIND = "a has another size or checksum after its contents"
LARGE_ZIP = large()
UNICODE_ZIP = in_unicode("a", "b")

ONE_HEADER = "expected one header of a kind about a member, x first"
TOO_MUCH = f"the archive unpacks to more than {HARMLESS_BYTES:,} bytes"

# what the bytes try, the bytes, the refusal (one that ends in a blank is a beginning)
BYTES = [
    ("no archive", b"noise" * 200, "expected a tar archive: "),
    ("a short file", b"x", "expected a tar archive: "),
    ("zstd", b"\x28\xb5\x2f\xfd" + b"x" * 600, "expected an archive of tar, gzip, bzip2 or xz, found zstd"),
    (
        "zstd in a .deb",
        deb(member("a"), compress=lambda data: b"\x28\xb5\x2f\xfd" + data, ending="zst"),
        "expected an archive of tar, gzip, bzip2 or xz, found zstd",
    ),
    (
        "half an xz",
        lzma.compress(tar(member("a", os.urandom(5000))))[:3000],
        "the archive cannot be decompressed: it ends in the middle",
    ),
    (
        "half a gzip",
        gzip.compress(tar(member("a", os.urandom(5000))))[:3000],
        "the archive cannot be decompressed: it ends in the middle",
    ),
    ("a spoilt bzip2", bz2.compress(tar(member("a")))[:20] + b"x" * 99, "the archive cannot be decompressed: "),
    (
        "a gzip with another checksum",
        patched(gzip.compress(tar(member("a", b"x" * 999))), (-8, b"spoilt")),
        "the archive cannot be decompressed: ",
    ),
    ("half a tar", tar(member("a", b"x" * 5000))[:2000], "a: expected 5,000 bytes, found 1,488"),
    (
        "a damaged header in the middle",
        patched(tar(member("a"), member("b")), (512, b"c")),
        "expected a tar header at byte 512, found something else: bad checksum",
    ),
    (
        "half a header",
        tar(member("a"), member("b"))[:700],
        "expected a tar header at byte 512, found something else: truncated header",
    ),
    ("headers about headers", many_headers(5000), "expected a tar archive: "),
    (
        "a header larger than any",
        long_name(b"", 1 << 33),
        "a header of the archive claims 8,589,934,592 bytes, expected at most 1,048,576",
    ),
    (
        "headers too large together",
        long_name(b"x" * 900_000) + long_name(b"x" * 900_000, kind=b"K") + tar(member("a")),
        "a header of the archive ",
    ),
    ("two headers of pax", named_by("x", "x"), f"{ONE_HEADER}, found x, x"),
    ("two long names", named_by("L", "L"), f"{ONE_HEADER}, found L, L"),
    ("two long targets", named_by("x", "K", "L", "K"), f"{ONE_HEADER}, found x, K, L, K"),
    ("pax after GNU", tar(member("b"))[:512] + named_by("L", "x"), f"{ONE_HEADER}, found L, x"),
    ("holes that overlap", sparse("0,3,2,1", 9), "holes: its holes overlap, or lie beyond its 9 bytes"),
    ("holes beyond the end", sparse("0,3,20,1", 9), "holes: its holes overlap, or lie beyond its 9 bytes"),
    ("holes without end", sparse("0,4", 1 << 50), TOO_MUCH),
    ("holes out of order", sparse("0,3,9,0,2,1", 9), "holes: its holes overlap, or lie beyond its 9 bytes"),
    ("data that ends in a block", sparse("0,3,5,1", 9), "holes: its data ends within a block and goes on in another"),
    ("holes without a map", sparse("", 9), "expected a tar archive: "),
    ("only holes", described(b"0", {"GNU.sparse.size": "9"}), "a: expected a map of its holes, found none"),
    ("a path for all", for_all(path="a"), "a header for all members has their 'path'"),
    ("a target for all", for_all(linkpath="a"), "a header for all members has their 'linkpath'"),
    ("a size for all", for_all(size="3"), "a header for all members has their 'size'"),
    ("a size that is none", described(b"0", {"size": "+3"}), "a: expected a size, found '+3'"),
    ("a link with contents", described(b"2", {"size": "3"}), "a is no file, and has 3 bytes"),
    ("a folder's name for a file", described(b"0", {"path": "a/"}), "a has a folder's name but is no folder"),
    ("a folder without a name", described(b"5", {"path": ""}), "a folder has no name"),
    ("a prefix of no format", headed((345, b"up")), "up/a has a prefix, and is not of the format that has them"),
    ("a prefix of no format, later", tar(member("x"))[:512] + headed((345, b"up")), "up/a has a prefix, and is not "),
    ("a signed number", headed((100, b"-000644")), "expected a tar archive: invalid number"),
    ("a number for programmers", headed((124, b"0o000000000")), "expected a tar archive: invalid number"),
    (
        "a number in groups, later",
        tar(member("x"))[:512] + headed((124, b"0_00")),
        "expected a tar header at byte 512, found something else: invalid number",
    ),
    ("half a map of holes", half_a_map(), "expected a tar archive: "),
    ("holes that are no number", sparse("0,4,x,y", 9), "expected a tar archive: "),
    (
        "an ar without a package",
        ar(("data.tar", tar(member("a")))),
        "expected a Debian package, found an ar archive without 'debian-binary'",
    ),
    (
        "a .deb of another age",
        ar(("debian-binary", b"3.0\n"), ("data.tar", tar(member("a")))),
        "expected a Debian package of format 2, found '3.0'",
    ),
    (
        "a .deb without files",
        ar(("debian-binary", b"2.0\n")),
        "expected a Debian package with 'data.tar', found only debian-binary",
    ),
    (
        "a .deb with files twice",
        ar(("debian-binary", b"2.0\n"), ("data.tar", tar()), ("data.tar.xz", lzma.compress(tar(member("a"))))),
        "expected each member of a Debian package once, found 'data.tar.xz' after another of its kind",
    ),
    (
        "an ar in an ar",
        ar(("debian-binary", b"2.0\n"), ("data.tar", deb(member("a")))),
        "expected a tar archive: ",
    ),
    ("an ar that lies", ar(("debian-binary", b"2.0\n"))[:-4], "an ar member ends at byte 72 of 68"),
    (
        "an ar in pieces",
        ar(("debian-binary", b"2.0\n")) + b"junk",
        "expected an ar header at byte 72, found something else",
    ),
    (
        "an ar with a size below zero",
        b"!<arch>\n" + f"{'debian-binary':<48}{'-9':<10}`\n".encode(),
        "expected an ar header at byte 8, found something else",
    ),
    ("half a zip", PLAIN_ZIP[:40], "expected a zip archive: File is not a zip file"),
    ("a backslash", zipped(member("..\\x")), "..\\x has a backslash or a drive"),
    ("a drive", zipped(member("C:/x")), "C:/x has a backslash or a drive"),
    ("a zip that calls a member otherwise", renamed(PLAIN_ZIP, b"a", b"b"), "b is called a in its own header"),
    (
        "a zip whose names end early",
        renamed(zipped(member("a/b")), b"a/b", b"a\0b"),
        "a\0b is called a/b in its own header",
    ),
    ("an encrypted member", patched(PLAIN_ZIP, (6, b"\x01")), "a is encrypted"),
    ("a member encrypted in secret", patched(PLAIN_ZIP, (DIRECTORY + 8, b"\x01")), "a is encrypted"),
    (
        "an unknown compression",
        patched(PLAIN_ZIP, (8, b"\x5f"), (DIRECTORY + 10, b"\x5f")),
        "a is compressed by method 95, expected none, deflate or bzip2",
    ),
    (
        "two words on the compression",
        patched(PLAIN_ZIP, (8, b"\x08")),
        "a is compressed by method 0, but in its own header by 8",
    ),
    ("two words on the size", patched(PLAIN_ZIP, (22, b"\x02")), "a has another size or checksum in its own header"),
    ("two words on the size behind it", zip_followed(ONE_BEHIND[:-1] + b"\1", b"one"), BEHIND),
    ("two words on the checksum behind it", zip_followed(b"1234" + ONE_BEHIND[4:], b"one"), BEHIND),
    ("a mark that is none", zip_followed(b"PK\x07\x07" + ONE_BEHIND, b"one"), BEHIND),
    ("sizes of 64 bits that lie", zip_followed(ONE_BEHIND + bytes(8), b"one"), BEHIND),
    (
        "sizes that do not follow",
        zip_followed(b"", b"one"),
        "a: expected its sizes after its contents, in 12, 16, 20 or 24 bytes, found 0",
    ),
    (
        "sizes that are followed by more",
        zip_followed(ONE_BEHIND + b"x", b"one"),
        "a: expected its sizes after its contents, in 12, 16, 20 or 24 bytes, found 13",
    ),
    (
        "another size before it and behind it",
        zip_followed(ONE_BEHIND, b"one", patched(ONE_BEHIND, (8, b"\2"))),
        "a has another size or checksum in its own header",
    ),
    (
        "another size in the field for large ones",
        patched(LARGE_ZIP, (LARGE_ZIP.index(struct.pack("<2H2Q", 1, 16, 3, 3)) + 4, b"\2")),
        "a has another size or checksum in its own header",
    ),
    ("bytes between members", parted(b"PK", b""), "2 bytes between a and b, of no member"),
    ("a member between members", parted(PLAIN_ZIP[:DIRECTORY], b""), "34 bytes between a and b, of no member"),
    ("bytes before the directory", parted(b"", b"x"), "1 byte between b and the directory, of no member"),
    (
        "a directory that begins in the last member",
        patched(PLAIN_ZIP, (18, b"\4" + bytes(3) + b"\4"), (DIRECTORY + 20, b"\4" + bytes(3) + b"\4")),
        "the directory shares bytes with the member before it",
    ),
    (
        "a directory that reckons with what is not there",
        patched(PLAIN_ZIP, (-6, b"\xff\xff\xff\xff")),
        "the archive lacks 4,294,967,261 bytes that its directory expects",
    ),
    (
        "a zip of nothing behind something",
        PLAIN_ZIP[:DIRECTORY] + zipped(),
        "the archive begins with something that its directory does not list",
    ),
    (
        "a name in Unicode in one place only",
        patched(UNICODE_ZIP, (UNICODE_ZIP.rindex(b"b"), b"c")),
        "c is called b in its own header",
    ),
    ("a name in Unicode that leads upwards", in_unicode("a", "../a"), "../a leads upwards"),
    ("a name in Unicode with a backslash", in_unicode("a", "..\\a"), "..\\a has a backslash or a drive"),
    ("a size too small", deflate_lies(10), "a: expected 10 bytes, found more"),
    ("a size of nothing", deflate_lies(0), "a: expected 0 bytes, found more"),
    ("a size too large", deflate_lies(1001), "a: expected 1,001 bytes, found 1,000"),
    (
        "a wrong checksum",
        patched(PLAIN_ZIP, (14, b"spoi"), (DIRECTORY + 16, b"spoi")),
        "a: expected checksum 696f7073, found ",
    ),
    ("names that share bytes", overlapping(), "a shares bytes with the member before it"),
    (
        "a zip behind a zip",
        PLAIN_ZIP + zipped(member("b")),
        "the archive begins with something that its directory does not list",
    ),
    ("a folder with contents", zipped(member("a/", b"x")), "a/ is a folder with contents"),
    ("a link of a megabyte", zipped(link("l", "x" * (1 << 20))), "l is a link with a target of 1,048,576 bytes"),
    ("a bomb of xz", lzma.compress(tar(member("a", BOMB))), TOO_MUCH),
    ("a bomb of zip", zipped(member("a", BOMB)), TOO_MUCH),
]


def attacks() -> Iterator[tuple[str, bytes, UnpackRules, str]]:
    """(what, archive, rules, the refusal) of both tables."""
    for what, containers, members, refusal, *chosen in MEMBERS:
        for name, make in containers:
            yield f"{what} in {name}", make(*members), chosen[0] if chosen else UnpackRules(), refusal
    for what, data, refusal in BYTES:
        yield what, data, UnpackRules(), refusal


class AttacksTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch.object(rules, "HARMLESS_BYTES", HARMLESS_BYTES)
        patch.start()
        self.addCleanup(patch.stop)
        self.archive = f"{self.folder}/archive"

    def save(self, data: bytes) -> None:
        with open(self.archive, "wb") as file:
            file.write(data)

    def compare(self, found: str, expected: str) -> None:
        self.assertEqual(found[: len(expected)] if expected.endswith(" ") else found, expected)

    def test_unpack_refuses_each_in_one_sentence_and_writes_nothing_outside(self) -> None:
        for number, (what, data, chosen, refusal) in enumerate(attacks()):
            with self.subTest(what):
                self.save(data)
                tree = Tree(f"{self.folder}/{number}")
                with self.assertRaises(Refused) as caught:
                    unpack(self.archive, chosen, tree, 0)
                    tree.seal()
                beside = sorted(os.listdir(self.folder))
                trees.remove(tree.root)
                self.compare(caught.exception.what, refusal)
                self.assertEqual(beside, sorted((str(number), "archive")))

    def test_spm_unpack_says_why_and_leaves_nothing(self) -> None:
        for what, data, chosen, refusal in attacks():
            if chosen.strip or chosen.keep:
                continue  # it unpacks everything as it is
            with self.subTest(what):
                self.save(data)
                result = self.spm("unpack", self.archive, f"{self.folder}/made", write=False)
                said, hint = result.err.splitlines()
                self.compare(said, "spm: error: FOLDER/archive: " + refusal.replace("\0", "\\x00"))
                expected = "hint: compare the archive with its publisher's; "
                if said.endswith("differ only in case or Unicode form") and what not in UNICODE:
                    expected = "hint: python3 make.py spm unpack FOLDER/archive FOLDER/made --case-sensitive "
                self.compare(hint, expected)
                self.assertEqual((result.status, result.out), (2, ""))
                self.assertEqual(os.listdir(self.folder), ["archive"])

    def test_spm_install_says_why_and_leaves_neither_package_nor_link(self) -> None:
        for number, (what, data, chosen, refusal) in enumerate(attacks()):
            with self.subTest(what):
                fields: dict[str, Any] = {"strip": chosen.strip} if chosen.strip else {}
                fields |= {"keep": chosen.keep} if chosen.keep else {}
                self.packages.clear()
                self.add("bad", self.serve(f"{number}", data, **fields))
                result = self.spm("install", "bad")
                said, _ = result.err.splitlines()
                self.compare(said, f"spm: error: bad: {number}: " + refusal.replace("\0", "\\x00"))
                self.assertEqual((result.status, result.out), (2, ""))
                self.assertEqual((self.left_in_store(), os.path.exists(self.lib)), ([], False))
                self.assertEqual(sorted(os.listdir(self.folder)), ["packages.json", "store"])
                self.assertEqual(os.listdir(f"{self.store}/packages"), [])

    def test_a_bomb_that_is_not_kept_goes_off_no_better(self) -> None:
        self.save(lzma.compress(tar(member("bomb", BOMB), member("a"))))
        with self.assertRaises(Refused) as caught:
            unpack(self.archive, UnpackRules(keep=["a"]), DryRunTree(), 0)
        self.assertEqual(caught.exception.what, f"the archive unpacks to more than {HARMLESS_BYTES:,} bytes")

    def test_an_archive_that_ends_in_what_is_not_kept_is_refused(self) -> None:
        for what, data in (("ordinary", HALF), ("the first", tar(member("b", b"x" * 5000))[:4000])):
            self.save(data)
            with self.assertRaises(Refused) as caught:
                unpack(self.archive, UnpackRules(keep=["a*"]), DryRunTree(), 0)
            self.assertEqual(caught.exception.what, "the archive ends in the middle of b", what)

    def test_too_many_members_are_refused(self) -> None:
        for name, make in ALL:
            self.save(make(*(member(f"f{n}") for n in range(11))))
            with mock.patch.object(rules, "MOST_MEMBERS", 10), self.assertRaises(Refused) as caught:
                unpack(self.archive, UnpackRules(), DryRunTree(), 0)
            self.assertEqual(caught.exception.what, "the archive has more than 10 members", name)

    def test_a_directory_that_would_fill_the_memory_is_refused(self) -> None:
        self.save(zipped(*(member(f"f{n}") for n in range(20))))
        with mock.patch.object(zip, "_LARGEST_DIRECTORY", 900), self.assertRaises(Refused) as caught:
            unpack(self.archive, UnpackRules(), DryRunTree(), 0)
        self.assertEqual(caught.exception.what, "the archive's directory has 970 bytes, expected at most 900")

    def test_what_an_archive_may_become_grows_with_it_up_to_a_limit(self) -> None:
        for size, most in ((0, HARMLESS_BYTES), (HARMLESS_BYTES, 200 * HARMLESS_BYTES), (1 << 40, 32 << 30)):
            self.assertEqual(rules.most_bytes(size), most)


if __name__ == "__main__":
    unittest.main()
