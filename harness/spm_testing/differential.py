"""Differential test of our tar reader against tarfile: an accepted archive must give the tree of tarfile's members.

    python3 -m harness.spm_testing.differential --seconds 600 --seed 1

makes archives of every dialect and damages some. It prints how many were accepted, refused and read differently, keeps
each of the latter as a file, and ends with 1 where there is one. The rules are written here once more, in plain steps:
the two must agree."""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import io
import os
import random
import re
import sys
import tarfile
import tempfile
import time
import unicodedata

from harness.spm.archives import rules, tar
from harness.spm.archives.tree import DryRunTree
from harness.spm.errors import Refused
from typing import BinaryIO

MOST_BYTES = 1_000_000  # of contents: a damaged size must not cost the time of a thousand archives
ACCEPTED, REFUSED, DIFFERENT = "accepted", "refused", "different"
_MOST_LINKS = 10_000
_USTAR, _GNU, _V7 = b"ustar\x0000", b"ustar  \0", bytes(8)
_MODES = (0o644, 0o755, 0o600, 0o4755, 0o100644, 0o100755, 0, 0o001, 0o010, 0o7777)
_TIMES = (0, 1, 1_500_000_000, (1 << 31) - 1, 1 << 31, 1 << 33, -1, -5_000_000, 1 << 60)
_PAX_TIMES = ("1500000000.75", "-3.5", "0", "1e3", "inf", "nan", "99999999999", "1_0", "x", "")
_PLACES = (0, 99, 100, 107, 124, 135, 136, 148, 155, 156, 157, 257, 345, 482)  # in a header
_BYTES = (0, 0x0A, 0x20, 0x2D, 0x2E, 0x2F, 0x30, 0x31, 0x35, 0x37, 0x39, 0x4C, 0x53, 0x78, 0x80, 0xFF)


def ours(file: BinaryIO) -> dict:
    """{path: (kind, facts)} of an open archive as our reader reads it; Refused if it refuses."""
    tree, size = DryRunTree(), os.fstat(file.fileno()).st_size
    unpacker = rules.MemberUnpacker(tree, 0, rules.UnpackRules(), False, MOST_BYTES)
    with contextlib.closing(tar.members(file.fileno(), 0, size, MOST_BYTES)) as members:
        for member in members:
            unpacker.add(member)
    tree.seal()
    facts = {"file": ("mode", "size", "time", "content"), "link": ("content",), "folder": ()}
    return {path: (node.kind, *(getattr(node, name) for name in facts[node.kind])) for path, node in tree.nodes.items()}


def theirs(data: bytes) -> dict:
    """The same for tarfile's members, with the rules of rules.py; Refused names the broken rule."""
    tree: dict[str, tuple] = {}
    folded: dict[str, str] = {}
    seen: set[str] = set()

    def put(path: str, what: tuple) -> None:
        _expect(folded.setdefault(_fold(path), path) == path, "case")
        _expect(tree.setdefault(path, what)[0] == what[0], "kind")
        above = path.rpartition("/")[0]
        if above:
            put(above, ("folder",))

    with tarfile.TarFile(fileobj=io.BytesIO(data), encoding="utf-8", errors="surrogateescape") as archive:
        for each in archive:
            path = _path(each.name)
            _expect(each.isdir() or path not in seen, "twice")
            _expect(each.isdir() or bool(path) and not each.name.endswith("/"), "a folder's name")
            seen.add(path)
            if each.isdir():
                if path:
                    put(path, ("folder",))
                continue
            _expect(path not in tree, "kind")
            if each.issym():
                target = each.linkname
                _expect(bool(target) and not re.search("^/|[\0-\x1f\x7f]", target), "target")
                put(path, ("link", target))
            elif each.islnk():
                origin = tree.get(_path(each.linkname), ("",))
                _expect(origin[0] == "file", "hard link")
                put(path, origin)
            else:
                _expect(each.isreg(), "odd")
                file = archive.extractfile(each)
                assert file
                contents = file.read()
                _expect(len(contents) == each.size, "end")
                mode = 0o555 if each.mode & 0o111 else 0o444
                when = int(min(max(0, each.mtime), (1 << 31) - 1))
                put(path, ("file", mode, each.size, when, hashlib.sha256(contents).hexdigest()))
    for path, what in tree.items():
        _expect(what[0] != "link" or not _leads_out(tree, path), "out")
    return tree


def _expect(fact: bool, rule: str) -> None:
    if not fact:
        raise Refused(rule)


def _path(name: str) -> str:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    sound = not name.startswith("/") and ".." not in parts and not re.search("[\0-\x1f\x7f]", name)
    _expect(sound and len(parts) <= 100 and all(len(os.fsencode(part)) <= 255 for part in parts), "name")
    return "/".join(parts)


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def _leads_out(tree: dict, path: str) -> bool:
    at, ahead, links = path.split("/")[:-1], tree[path][1].split("/")[::-1], 0
    while ahead:
        part = ahead.pop()
        if part == "..":
            if not at:
                return True
            at.pop()
        elif part not in ("", "."):
            at.append(part)
            what = tree.get("/".join(at), ("",))
            if what[0] == "link":
                links += 1
                if links > _MOST_LINKS:
                    return False
                at.pop()
                ahead += what[1].split("/")[::-1]
    return False


class ArchiveGenerator:
    """Random archives: mostly valid, each a little unusual."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def archive(self) -> bytes:
        self._count = 0
        self._files: list[bytes] = []
        self._folders: list[bytes] = []
        data = b"".join(self._member() for _ in range(self._chance.randint(1, 7)))
        data += bytes(self._chance.choice((0, 512, 1024, 1024, 1024, 10240)))
        if self._one_in(12):
            data += self._chance.choice((b"noise" * 300, bytes(700), data))
        if self._one_in(3):
            data = self._damaged(data)
        return data

    def _one_in(self, count: int) -> bool:
        return not self._chance.randrange(count)

    def _member(self) -> bytes:
        makes = {self._file: 50, self._folder: 16, self._link: 12, self._hard_link: 8}
        makes |= {self._sparse: 6, self._pax_sparse: 8, self._global: 4, self._odd: 1}
        return self._chance.choices(list(makes), list(makes.values()))[0]()

    # The kinds.

    def _file(self) -> bytes:
        name, contents = self._new_name(), self._contents()
        self._files.append(name)
        kind = self._chance.choices((b"0", b"\0", b"7"), (12, 3, 1))[0]
        if self._one_in(60):
            name += b"/"
        return self._headed(kind, name, contents)

    def _folder(self) -> bytes:
        name = self._new_name() + b"/" * self._chance.choice((0, 1, 1, 1, 2))
        self._folders.append(name.rstrip(b"/"))
        if self._one_in(10):
            name = b"./" if self._one_in(4) else self._chance.choice(self._folders)
        if name.endswith(b"/") and self._one_in(6):
            return self._headed(b"\0", name)
        return self._headed(b"5", name, size=self._chance.randrange(5000) if self._one_in(10) else 0)

    def _link(self) -> bytes:
        target = self._chance.choice((b"x", b"a/../b", b"./y", *self._files, *self._folders))
        if self._one_in(15):
            target = self._chance.choice((b"", b"..", b"/x", b"../x", b"t" * 120, b"a\nb", target + b"\0junk"))
        return self._headed(b"2", self._new_name(), target=target, size=9 if self._one_in(20) else 0)

    def _hard_link(self) -> bytes:
        if not self._files:
            return self._file()
        target = b"nowhere" if self._one_in(30) else self._chance.choice(self._files)
        return self._headed(b"1", self._new_name(), target=target, size=700 if self._one_in(20) else 0)

    def _odd(self) -> bytes:
        return self._headed(self._chance.choice((b"3", b"4", b"6", b"D", b"V", b"Z", b"M")), self._new_name())

    def _global(self) -> bytes:
        records = [self._chance.choice((b"comment=\xff\x00", b"mtime=1234567890.5", b"uid=7"))]
        if self._one_in(12):
            records = [self._chance.choice((b"size=3", b"path=all", b"linkpath=x"))]
        return self._pax(records if self._one_in(2) else [b"comment=" + b"c" * 600], b"g")

    def _map(self) -> tuple[list[tuple[int, int]], int]:
        """(ranges of data, size) of a file with holes."""
        ranges, at = [], 0
        for _ in range(self._chance.choice((0, 1, 2, 4, 5, 30))):
            at += self._chance.choice((0, 1, 512, 700))
            length = self._chance.choice((0, 512, 512, 1024))
            ranges.append((at, length))
            at += length
        if ranges and self._one_in(2):
            ranges[-1] = (ranges[-1][0], self._chance.randrange(1100))
            at = sum(ranges[-1])
        if ranges and self._one_in(15):
            ranges[0] = (ranges[0][0], min(ranges[0][1], 100))
        size = at + self._chance.choice((0, 0, 5, 1000))
        if self._one_in(3):
            ranges.append((size, 0))  # as GNU's tar marks a hole at the end
        if self._one_in(15):
            self._chance.shuffle(ranges)
        return ranges, size

    def _sparse(self) -> bytes:
        """GNU's old form: ranges in the header, and in blocks after it."""
        ranges, size = self._map()
        contents = self._random(sum(length for _, length in ranges))
        fields = [self._number(at, 12) + self._number(length, 12) for at, length in ranges]
        first, rest = fields[:4], fields[4:]
        tail = b"".join(first).ljust(96, b"\0") + (b"\1" if rest else b"\0") + self._number(size, 12)
        blocks = b""
        while rest:
            some, rest = rest[:21], rest[21:]
            blocks += (b"".join(some).ljust(504, b"\0") + (b"\1" if rest else b"\0")).ljust(512, b"\0")
        name = self._new_name()
        self._files.append(name)
        head = self._header(b"S", name[:100], len(contents), magic=_GNU, tail=bytes(41) + tail)
        return head + blocks + self._padded(contents)

    def _pax_sparse(self) -> bytes:
        ranges, size = self._map()
        contents = self._random(sum(length for _, length in ranges))
        name, numbers = self._new_name(), [b"%d" % number for each in ranges for number in each]
        self._files.append(name)
        version = self._chance.randrange(3)
        if version == 0:
            records = [b"GNU.sparse.size=%d" % size, b"GNU.sparse.numblocks=%d" % len(ranges)]
            for at, length in ranges:
                records += [b"GNU.sparse.offset=%d" % at, b"GNU.sparse.numbytes=%d" % length]
        elif version == 1:
            records = [b"GNU.sparse.map=" + b",".join(numbers), b"GNU.sparse.size=%d" % size]
            records += [b"GNU.sparse.numblocks=%d" % len(ranges)]
        else:
            records = [b"GNU.sparse.major=1", b"GNU.sparse.minor=0", b"GNU.sparse.realsize=%d" % size]
            listed = b"".join(number + b"\n" for number in (b"%d" % len(ranges), *numbers))
            contents = self._padded(listed) + contents
        if version or self._one_in(2):
            records.append(b"GNU.sparse.name=" + name)
        return self._pax(records) + self._header(b"0", name[-100:], len(contents)) + self._padded(contents)

    # Their parts.

    def _new_name(self) -> bytes:
        self._count += 1
        name = b"%c%d" % (self._chance.choice(b"abcdefgh"), self._count)
        if self._folders and self._one_in(3):
            name = self._chance.choice(self._folders) + b"/" + name
        way = self._chance.randrange(40)
        if way in (0, 1):
            name = b"./" + name
        elif way == 2:
            name = b"p//q/./" + name
        elif way in (3, 4, 5):
            name = b"long" * self._chance.choice((20, 24, 30)) + b"/" + name
        elif way == 6:
            name += b"n" * self._chance.choice((97, 98, 99, 150))
        elif way == 7:
            name += "\u00e9\u2603".encode()
        elif way == 8:
            name += b"\xff\xe9"
        elif way == 9:
            name += b" "
        elif way == 10 and self._one_in(4):
            name = self._chance.choice((b"../", b"/", b"a\n", b"", b"..")) + name
        elif way == 11 and self._one_in(3) and self._files:
            name = self._chance.choice((self._files[0], self._files[0].upper(), self._files[0] + b"/below"))
        return name

    def _contents(self) -> bytes:
        return self._random(self._chance.choice((0, 0, 1, 100, 511, 512, 513, 1024, 3000)))

    def _random(self, size: int) -> bytes:
        return self._chance.randbytes(size)

    @staticmethod
    def _padded(data: bytes) -> bytes:
        return data + bytes(-len(data) % 512)

    def _headed(
        self, kind: bytes, name: bytes, contents: bytes = b"", target: bytes = b"", size: int | None = None
    ) -> bytes:
        """A member with what must come before its header, and sometimes with what need not."""
        before, size, magic, prefix = b"", len(contents) if size is None else size, _USTAR, b""
        dialect = self._chance.choice(("v7", "ustar", "gnu", "pax"))
        records = []
        if dialect == "pax":
            records = self._records(name, target, size)
            if self._one_in(12):
                name = b"replaced"
                size += self._chance.choice((0, 0, 512)) if any(each.startswith(b"size=") for each in records) else 0
        elif len(target) > 100 or dialect == "gnu" and target and self._one_in(8):
            before += self._long(b"K", target)
        if len(name) > 100 and dialect == "ustar" and 0 < (cut := name.rfind(b"/", 0, 155)) and len(name) - cut <= 101:
            prefix, name = name[:cut], name[cut + 1 :]
        elif dialect != "pax" and (len(name) > 100 or dialect == "gnu" and self._one_in(8)):
            before += self._long(b"L", name)
        if records:
            before += self._pax(records)
            if self._one_in(10):
                before += self._long(b"L", b"by-gnu%d" % self._count)
            if self._one_in(100):
                before += self._chance.choice((before, self._pax([b"path=by-pax"])))
        elif self._one_in(300):
            prefix = b"prefix"
        if dialect in ("v7", "gnu"):
            magic = _V7 if dialect == "v7" else _GNU
        return before + self._header(kind, name[:100], size, target[:100], magic, prefix) + self._padded(contents)

    def _records(self, name: bytes, target: bytes, size: int) -> list[bytes]:
        records = [b"path=" + name]
        if target:
            records.append(b"linkpath=" + target)
        if self._one_in(4):
            records.append(b"size=%d" % size)
        if self._one_in(3):
            records.append(b"mtime=" + self._chance.choice(_PAX_TIMES).encode())
        if self._one_in(8):
            binary = (b"hdrcharset=BINARY", b"SCHILY.xattr.a=\0\xff\n7 a=b\n")
            records.append(self._chance.choice((*binary, b"uid=1", b"path=", b"odd")))
        self._chance.shuffle(records)
        return records

    def _pax(self, records: list[bytes], kind: bytes = b"x") -> bytes:
        text = b""
        for record in records:
            length = len(record) + 2
            while len(b"%d" % length) + len(record) + 2 != length:
                length = len(b"%d" % length) + len(record) + 2
            text += b"%d %s\n" % (length, record)
        if kind == b"x" and self._one_in(20):
            kind = b"X"
        return self._header(kind, b"pax", len(text)) + self._padded(text)

    def _long(self, kind: bytes, text: bytes) -> bytes:
        text += b"\0" * self._chance.choice((1, 1, 1, 0, 3))
        return self._header(kind, b"././@LongLink", len(text), magic=_GNU) + self._padded(text)

    def _header(
        self,
        kind: bytes,
        name: bytes,
        size: int,
        target: bytes = b"",
        magic: bytes = _USTAR,
        prefix: bytes = b"",
        tail: bytes | None = None,
    ) -> bytes:
        if len(name) < 95 and self._one_in(20):
            name += b"\0junk"
        when = self._chance.choice(_TIMES) if self._one_in(3) else 1_600_000_000 + self._count
        fields = [
            (name.ljust(100, b"\0"), self._number(self._chance.choice(_MODES), 8), self._number(0, 8)),
            (self._number(1000, 8), self._number(size, 12), self._number(when, 12), b" " * 8),
            (kind, target.ljust(100, b"\0"), magic, b"root".ljust(32, b"\0"), bytes(32), bytes(16)),
        ]
        block = b"".join(part for each in fields for part in each)
        block = (block + (prefix.ljust(155, b"\0") if tail is None else tail)).ljust(512, b"\0")[:512]
        return self._summed(block)

    def _summed(self, block: bytes) -> bytes:
        total = sum(block[:148]) + sum(block[156:]) + 256
        if self._one_in(20):  # as some writers did before the format was specified
            total -= 256 * sum(byte > 127 for byte in block[:148] + block[156:])
        forms = (b"%06o\0 ", b"%06o\0 ", b"%06o\0 ", b"%07o\0", b"%06o \0", b" %05o \0", b"%08o")
        return block[:148] + (self._chance.choice(forms) % total)[:8] + block[156:]

    def _number(self, value: int, width: int) -> bytes:
        """A number in one of the forms that writers use, rarely an invalid one."""
        most = 8 ** (width - 1)
        if not 0 <= value < most or self._one_in(25):
            digits = (value % 256 ** (width - 1)).to_bytes(width - 1, "big")
            return (b"\xff" if value < 0 else b"\x80") + digits
        text = b"%o" % value
        forms: tuple[bytes, ...] = (
            text.rjust(width - 1, b"0") + b"\0",
            text.rjust(width - 1, b"0") + b" ",
            text.rjust(width - 1) + b"\0",
            text.rjust(width, b"0"),
            (text + b"\0").ljust(width, b"\0"),
            (text + b" \0").ljust(width, b"\0")[:width],
            bytes(width) if not value else text.rjust(width - 1, b"0") + b"\0",
        )
        if self._one_in(400):
            forms = (text + b"\0x", b"8", *(odd + text for odd in (b"-", b"+", b"0o", b"1_", b"\t", b"\x1f")))
            return self._chance.choice(forms)[:width].ljust(width, b"\0")
        return self._chance.choices(forms, (12, 3, 3, 2, 2, 2, 2))[0]

    def _damaged(self, data: bytes) -> bytes:
        data = bytearray(data)
        for _ in range(self._chance.randint(1, 2)):
            if not data:
                break
            at = self._chance.randrange(len(data))
            if self._one_in(2):
                at = min(at // 512 * 512 + self._chance.choice(_PLACES), len(data) - 1)
            way = self._chance.randrange(8)
            if way in (0, 1):
                data[at] ^= 1 << self._chance.randrange(8)
            elif way in (2, 3, 4):
                data[at] = self._chance.choice(_BYTES)
            elif way == 5:
                start, other = at // 512 * 512, self._chance.randrange(len(data)) // 512 * 512
                data[start:start] = data[other : other + 512]
            elif way == 6:
                del data[at // 512 * 512 :][:512]
            else:
                del data[self._chance.choice((at, at // 512 * 512)) :]
            start = at // 512 * 512
            block = bytes(data[start : start + 512])
            if len(block) == 512 and block[148:156].strip(b"\0 ").isdigit():
                data[start : start + 512] = self._summed(block)
        return bytes(data)


def compare(data: bytes) -> tuple[str, str]:
    """(outcome for an archive, the reason if it was refused or read differently)."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            found = ours(file)
        except Refused as refused:
            return REFUSED, refused.what
        except Exception as error:  # every archive must end with a Refused, not with another exception
            return DIFFERENT, f"{type(error).__name__}: {error}"
    try:
        expected = theirs(data)
    except Refused as refused:
        return DIFFERENT, f"accepted against the rule: {refused.what}"
    except (tarfile.TarError, ValueError, IndexError) as error:
        return DIFFERENT, f"accepted, though tarfile fails: {error}"
    if found != expected:
        paths = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
        return DIFFERENT, f"{paths[0]!r}: {found.get(paths[0])}, expected {expected.get(paths[0])}"
    return ACCEPTED, ""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="differential", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", default=tempfile.gettempdir(), help="the folder for what is read differently")
    options = parser.parse_args(arguments)
    generator = ArchiveGenerator(random.Random(options.seed))
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        data = generator.archive()
        outcome, reason = compare(data)
        counts[outcome] += 1
        if outcome == REFUSED:
            reasons[re.sub(r"[0-9,]+|'.*'|.* (?=is |has |comes |leads |and )", "N", reason)[:60]] += 1
        elif outcome == DIFFERENT:
            path = f"{options.to}/differential-{options.seed}-{sum(counts.values())}.tar"
            with open(path, "wb") as file:
                file.write(data)
            print(f"{path}: {reason}", file=sys.stderr)
    total = max(1, sum(counts.values()))
    print(", ".join(f"{counts[each]:,} {each} ({counts[each] / total:.1%})" for each in (ACCEPTED, REFUSED, DIFFERENT)))
    for reason, count in reasons.most_common(12):
        print(f"{count:8,} refused: {reason}")
    return 1 if counts[DIFFERENT] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
