from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import stat
import struct
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
import zlib

from harness.spm import trees
from harness.spm.archives import contents
from harness.spm.archives.rules import LATEST, UnpackRules
from harness.spm.archives.tree import Tree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused
from harness.spm_testing.archives import deb, folder, hard_link, link, member, tar, zip_followed, zipped
from collections.abc import Callable
from typing import Any, BinaryIO

LIKE_THE_MARK = b"\xac\nz\xd5"  # its checksum is what may stand before one


class Unseekable(io.RawIOBase):
    """A file that is written like a pipe."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._out.write(data)


class UnpackTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="spm-unpack-")
        self.addCleanup(trees.remove, self.folder)
        self.count = 0

    def unpack(self, *archives: bytes, rules: UnpackRules = UnpackRules()) -> tuple[str, dict]:
        """(the tree, its list)"""
        self.count += 1
        tree = Tree(f"{self.folder}/{self.count}")
        for owner, archive in enumerate(archives):
            path = f"{self.folder}/archive"
            with open(path, "wb") as file:
                file.write(archive)
            unpack(path, rules, tree, owner)
        return tree.root, tree.seal()

    def refusal(self, *archives: bytes, rules: UnpackRules = UnpackRules()) -> str:
        with self.assertRaises(Refused) as caught:
            self.unpack(*archives, rules=rules)
        return caught.exception.what

    def test_ordinary_archives_unpack_as_tar_does(self) -> None:
        archive = tar(
            folder("top"),
            folder("top/empty"),
            member("top/a", b"one"),
            member("top/run", b"two", mode=0o4755),
            member("top/" + "n" * 120 + "/" + "m" * 90, b"long"),
            link("top/l", "a"),
            link("top/sub/up", "../a"),
            link("top/dangling", "nowhere"),
            hard_link("top/hard", "top/a"),
            member("top/Ünïcode ☃", b"snow"),
            member("top/big", os.urandom(3_000_000)),
        )
        for what, data in (
            ("plain", archive),
            ("gz", gzip.compress(archive)),
            ("bz2", bz2.compress(archive)),
            ("xz", lzma.compress(archive)),
            (
                "two xz streams and padding",
                lzma.compress(archive[:70_000]) + bytes(8) + lzma.compress(archive[70_000:]) + bytes(4),
            ),
            ("two gzip members", gzip.compress(archive[:70_000]) + gzip.compress(archive[70_000:])),
        ):
            with self.subTest(what):
                self.compare_with_tar(archive, data)

    @unittest.skipUnless(shutil.which("tar"), "needs tar")
    def test_every_dialect_of_tar_unpacks_as_tar_does(self) -> None:
        source = self.source()
        for dialect in ("v7", "oldgnu", "gnu", "ustar", "posix"):
            names = ["short"] if dialect == "v7" else ["short", "long-" + "n" * 90]
            if dialect in ("oldgnu", "gnu", "posix"):
                names.append("longer-" + "n" * 200)
            with self.subTest(dialect):
                self.compare_with_tar(self.packed(source, f"--format={dialect}", *names))

    @unittest.skipUnless(shutil.which("tar"), "needs tar")
    def test_sparse_files_unpack_as_tar_does(self) -> None:
        source = f"{self.folder}/source"
        os.mkdir(source)
        # The data's places and the size; GNU's old format has room for 4 of them in its header and 21 in each more.
        for name, places, size in (
            ("few", (0, 1 << 20, 3 << 20), 5 << 20),
            ("late", (1 << 20,), (1 << 20) + 8000),
            ("many", range(1 << 16, 40 << 16, 1 << 16), 40 << 16),
            ("nothing", (), 1 << 20),
        ):
            with open(f"{source}/{name}", "wb") as file:
                for at in places:
                    file.seek(at)
                    file.write(b"data" * 2000)
                file.truncate(size)
        for options in (
            ["--format=gnu"],
            ["--format=posix", "--sparse-version=0.0"],
            ["--format=posix", "--sparse-version=0.1"],
            ["--format=posix", "--sparse-version=1.0"],
        ):
            with self.subTest(options):
                archive = self.packed(source, "--sparse", *options, *sorted(os.listdir(source)))
                self.assertLess(len(archive), 1 << 20)
                self.compare_with_tar(archive)

    def test_headers_out_of_the_ordinary_unpack_as_tar_does(self) -> None:
        far = member("old", b"x", time=-5_000_000)  # a number below zero is not written in octal
        pax, data = member("replaced", b"0123456789")
        pax.pax_headers = {"path": "by/p\u00e4x", "mtime": "1500000000.25", "comment": "\u2603"}
        old, _ = member("v7/", mode=0o755)
        old.type = tarfile.AREGTYPE
        signed = bytearray(tar(member("sign\u00e9d", b"1", time=7)))
        signed[148:156] = b" " * 8
        signed[148:156] = b"%06o\0 " % sum(byte - 256 * (byte > 127) for byte in signed[:512])
        for what, archive in (
            ("a time below zero", tar(far, member("new", b"x"))),
            ("pax records", tar((pax, data), member("next", b"n"), format=tarfile.PAX_FORMAT)),
            ("pax for all", tarfile.TarInfo.create_pax_global_header({"comment": "x"}) + tar(member("a", b"1"))),
            ("a folder as V7 had them", tar((old, b""), member("v7/a", b"1"))),
            ("a checksum of signed bytes", bytes(signed)),
            ("no end", tar(member("a", b"x" * 100))[:1024]),
            ("a prefix", tar(member("p" * 90 + "/" + "n" * 90, b"1"), format=tarfile.USTAR_FORMAT)),
            ("long names and targets", tar(member("e\u0301" * 60 + "/" + "x" * 99, b"1"), link("l", "y" * 140))),
        ):
            with self.subTest(what):
                self.compare_with_tar(archive)

    def test_a_zip_unpacks_as_the_same_tar_does(self) -> None:
        members = [
            folder("top/empty"),
            member("top/a", b"one"),
            member("top/run", b"two" * 40_000, mode=0o4755),
            member("top/nothing"),
            link("top/l", "a"),
            link("top/sub/up", "../a"),
            member("top/\u00dcn\u00efcode \u2603", b"snow"),
            member("top/big", os.urandom(2_500_000)),
        ]
        _, expected = self.unpack(tar(*members))
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
            tree, listed = self.unpack(zipped(*members, method=method))
            self.assertEqual(listed, expected)
            self.assertEqual(contents.problems(tree, listed, deep=True), {})

    def test_zips_of_every_kind_unpack(self) -> None:
        followed, large, dated = io.BytesIO(), io.BytesIO(), io.BytesIO()
        with zipfile.ZipFile(Unseekable(followed), "w", zipfile.ZIP_DEFLATED) as archive:  # sizes follow the contents
            archive.writestr("followed", b"x" * 999)
        with zipfile.ZipFile(large, "w") as archive, archive.open("large", "w", force_zip64=True) as file:
            file.write(b"x" * 999)
        timed = zipfile.ZipInfo("timed", (1999, 12, 31, 12, 0, 0))
        timed.extra = struct.pack("<2HBl", 0x5455, 5, 1, 1_500_000_000)
        with zipfile.ZipFile(dated, "w") as archive:
            archive.writestr(timed, b"x" * 999)
        for made, name, expected in (
            (followed, "followed", None),
            (large, "large", None),
            (dated, "timed", 1_500_000_000),
        ):
            ((path, mode, size, time, _),) = self.unpack(made.getvalue())[1]["files"]
            self.assertEqual((path, mode, size, expected or time), (name, 0o444, 999, time))
        empty: dict[str, list] = {"files": [], "owners": [], "links": [], "folders": []}
        self.assertEqual(self.unpack(zipped())[1], empty)

    def test_a_zip_may_say_its_sizes_behind_the_contents_in_every_form(self) -> None:
        mark = b"PK\x07\x08"
        for data in (b"one", b"", LIKE_THE_MARK):
            crc, size = zlib.crc32(data), len(data)
            for behind in (
                struct.pack("<3L", crc, size, size),
                struct.pack("<4s 3L", mark, crc, size, size),
                struct.pack("<L 2Q", crc, size, size),
                struct.pack("<4s L 2Q", mark, crc, size, size),
            ):
                for before in (bytes(12), struct.pack("<3L", crc, size, size), b"\xff" * 12):
                    root, _ = self.unpack(zip_followed(behind, data, before))
                    with open(f"{root}/a", "rb") as file:
                        self.assertEqual(file.read(), data)

    def test_a_zip_of_unix_has_names_in_utf_8_said_or_not(self) -> None:
        entry = zipfile.ZipInfo("caf\u00e9 \u2603")
        for system, flags, expected in ((3, 0x800, entry.filename), (0, 0x800, entry.filename), (3, 0, entry.filename)):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                entry.create_system = system
                archive.writestr(entry, b"x")
            data = out.getvalue()
            if not flags:
                data = data.replace(b"\x00\x08\x00\x00", b"\x00\x00\x00\x00")  # of the name's encoding
            with self.subTest(system=system, flags=flags):
                ((path, *_),) = self.unpack(data)[1]["files"]
                self.assertEqual(path, expected)

    def test_what_a_pipe_gave_to_zip_is_a_file(self) -> None:
        ((path, _, size, *_),) = self.unpack(zipped(member("-", b"read", kind=tarfile.FIFOTYPE)))[1]["files"]
        self.assertEqual((path, size), ("-", 4))

    def test_zips_of_every_writer_unpack_as_what_was_packed(self) -> None:
        source, packed = f"{self.folder}/source", f"{self.folder}/packed.zip"
        os.makedirs(f"{source}/d/empty")
        for name, data in (("a", b"one"), ("\u00e9\u2603", b"x"), ("rep", b"two" * 90_000), ("nothing", b"")):
            with open(f"{source}/d/{name}", "wb") as file:
                file.write(data)
        os.utime(f"{source}/d/a", (1_500_000_000, 1_500_000_000))
        tried = 0
        for command in (
            "zip -qr {} d",
            "zip -qr -fd {} d",
            "zip -qr - d > {}",
            "zip -qr - d | cat > {}",
            "zip -qr -0 - d | cat > {}",
            "zip -qr -Z bzip2 - d | cat > {}",
            "LC_ALL=C.UTF-8 zip -qr -UN=UTF8 {} d",
            "zip -qr {0} d/rep && zip -qr -g {0} d",
            "zip -qr {0} d && printf comment | zip -qz {0}",
            "bsdtar --format zip -cf {} d",
            "bsdtar --format zip -cf - d | cat > {}",
            "bsdtar --format zip --options zip:compression=store -cf - d | cat > {}",
            "bsdtar --format zip --options zip:zip64 -cf - d | cat > {}",
            "LC_ALL=C.UTF-8 jar cMf {} d",
            "LC_ALL=C.UTF-8 jar cM0f {} d",
            "LC_ALL=C.UTF-8 jar cM d | cat > {}",
        ):
            program = next(word for word in command.split() if "=" not in word)
            if not shutil.which(program):
                continue
            with self.subTest(command):
                environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}
                subprocess.run(["sh", "-c", command.format(packed)], check=True, cwd=source, env=environment)
                with open(packed, "rb") as file:
                    root, _ = self.unpack(file.read())
                os.unlink(packed)
                said = subprocess.run(["diff", "-r", source, root], stdout=subprocess.PIPE, text=True).stdout
                self.assertEqual(said, "")
                tried += 1
        if not tried:
            self.skipTest("needs zip, bsdtar or jar")

    def source(self) -> str:
        """A folder of what tar can hold."""
        source = f"{self.folder}/source"
        for name in ("short", "long-" + "n" * 90, "longer-" + "n" * 200):
            folder = f"{source}/{name}"
            os.makedirs(f"{folder}/empty")
            for file, data, mode in (("a", b"one", 0o644), ("tool", b"two" * 30_000, 0o755), ("nothing", b"", 0o600)):
                with open(f"{folder}/{file}", "wb") as out:
                    out.write(data)
                os.chmod(f"{folder}/{file}", mode)
                os.utime(f"{folder}/{file}", (1_500_000_000.7, 1_500_000_000.7))
            os.symlink("t" * 150 if "longer" in name else "a", f"{folder}/link")
            os.link(f"{folder}/a", f"{folder}/hard")
        return source

    @staticmethod
    def packed(source: str, *arguments: str) -> bytes:
        command = ["tar", "-C", source, "-cf", "-", "--sort=name", *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout

    def compare_with_tar(self, archive: bytes, packed: bytes = b"") -> None:
        """Unpacks `archive`, or `packed`, which is the same compressed, and holds it against what tar makes of it."""
        if not shutil.which("tar"):
            self.skipTest("needs tar")
        tree, _ = self.unpack(packed or archive)
        other = f"{self.folder}/tar"
        os.mkdir(other)
        subprocess.run(["tar", "-C", other, "-xf", "-"], input=archive, check=True, stderr=subprocess.DEVNULL)
        difference = subprocess.run(["diff", "-r", "--no-dereference", other, tree], stdout=subprocess.PIPE, text=True)
        self.assertEqual(difference.stdout, "")
        for folder_path, _, names in os.walk(other):
            for name in names:
                path = os.path.join(folder_path, name)
                ours = os.lstat(path.replace(other, tree, 1))
                if not os.path.islink(path):
                    theirs = os.stat(path)
                    self.assertEqual(
                        (int(ours.st_mtime), ours.st_nlink, ours.st_mode & 0o111 != 0),
                        (max(0, int(theirs.st_mtime)), theirs.st_nlink, theirs.st_mode & 0o111 != 0),
                        path,
                    )
        trees.remove(other)

    def test_a_debs_absolute_links_are_rerooted(self) -> None:
        tree, listed = self.unpack(
            deb(
                member("./usr/lib/x/a.so.1"),
                link("./usr/lib/x/a.so", "/usr/lib/x/a.so.1"),
                link("./usr/bin/a", "/usr/lib/x"),
                link("./usr/root", "/usr"),
            ),
            rules=UnpackRules("usr"),
        )
        self.assertEqual(listed["links"], [["bin/a", "../lib/x"], ["lib/x/a.so", "a.so.1"], ["root", "."]])
        self.assertTrue(os.path.samefile(f"{tree}/bin/a/a.so", f"{tree}/lib/x/a.so.1"))

    def test_only_what_is_kept_is_unpacked_without_what_is_stripped(self) -> None:
        archive = deb(
            folder("./"),
            folder("./usr"),
            folder("./usr/lib"),
            member("./usr/lib/a.h"),
            member("./usr/lib/b.c"),
            member("dev", kind=tarfile.CHRTYPE),
            link("./etc", "/nowhere"),
        )
        tree, listed = self.unpack(archive, rules=UnpackRules("usr/lib", ["usr/lib/*.h"]))
        self.assertEqual(os.listdir(tree), ["a.h"])
        self.assertEqual(listed["folders"], [])

    def test_a_tree_is_read_only_and_keeps_neither_owner_nor_special_bits(self) -> None:
        tree, listed = self.unpack(tar(member("d/plain", mode=0o666), member("d/tool", mode=0o6711)))
        modes = {path: stat.S_IMODE(os.stat(f"{tree}/{path}").st_mode) for path in (".", "d", "d/plain", "d/tool")}
        self.assertEqual(modes, {".": 0o555, "d": 0o555, "d/plain": 0o444, "d/tool": 0o555})
        self.assertEqual([each[:2] for each in listed["files"]], [["d/plain", 0o444], ["d/tool", 0o555]])

    def test_modes_do_not_depend_on_the_umask(self) -> None:
        before = os.umask(0o077)
        try:
            tree, _ = self.unpack(tar(member("d/a")))
        finally:
            os.umask(before)
        self.assertEqual([stat.S_IMODE(os.stat(f"{tree}/{path}").st_mode) for path in ("d", "d/a")], [0o555, 0o444])

    def test_two_artifacts_may_share_a_file_only_with_the_same_contents(self) -> None:
        old, new, other = (
            tar(member("d/a", b"same", time=5)),
            tar(member("d/a", b"same", time=9)),
            tar(member("d/a", b"not!")),
        )
        for archives in ((old, new), (new, old)):
            _, listed = self.unpack(*archives)
            self.assertEqual(listed["files"][0][3], 9)
        self.assertEqual(self.refusal(old, other), "two artifacts bring different contents of d/a")
        self.assertEqual(
            self.refusal(old, tar(member("d/a", b"same", mode=0o755))), "two artifacts bring different contents of d/a"
        )
        self.assertEqual(
            self.refusal(old, tar(link("d/a", "b"))), "d/a is a file of one artifact and a link of another"
        )
        self.assertEqual(self.refusal(tar(link("d", "e")), old), "d is a folder here and a link before")

    def test_absurd_times_are_brought_into_range(self) -> None:
        for time in ("-5", "1e30", "inf", "nan"):
            info, data = member("a", b"x")
            info.pax_headers = {"mtime": time}
            _, listed = self.unpack(tar((info, data), format=tarfile.PAX_FORMAT))
            self.assertIn(listed["files"][0][3], (0, LATEST), time)

    def test_reading_ends_when_all_that_is_kept_is_there(self) -> None:
        archive = tar(member("a", b"1"), member("b", b"2"))
        spoilt = archive[: 1024 + 512] + b"noise" * 100  # after b's header: only a reader that goes on trips over it
        tree, _ = self.unpack(spoilt, rules=UnpackRules(keep=["a"]))
        self.assertEqual(os.listdir(tree), ["a"])

    def test_a_list_finds_every_kind_of_damage(self) -> None:
        tree, listed = self.unpack(
            tar(member("d/a", b"one"), member("d/b", b"two", mode=0o755), link("l", "d/a"), folder("e"))
        )
        self.assertEqual(contents.problems(tree, listed, deep=True), {})

        def damage(act: Callable[..., Any], deep: bool = False) -> list[str]:
            os.chmod(f"{tree}/d", 0o755), os.chmod(tree, 0o755)
            act()
            return [f"{path}: {reason}" for path, reason in contents.problems(tree, listed, deep).items()]

        def rewrite(text: str, time: int | None = None) -> None:
            os.chmod(f"{tree}/d/a", 0o644)
            with open(f"{tree}/d/a", "w") as file:
                file.write(text)
            os.chmod(f"{tree}/d/a", 0o444)
            if time:
                os.utime(f"{tree}/d/a", (time, time))

        time = listed["files"][0][3]
        self.assertEqual(damage(lambda: rewrite("ONE", time)), [])
        self.assertRegex(
            damage(lambda: None, deep=True)[0], "^d/a: expected sha256 7692c3ad3540.*, found [0-9a-f]{64}$"
        )
        self.assertEqual(damage(lambda: rewrite("ONE")), ["d/a: was changed after it was unpacked"])
        self.assertEqual(damage(lambda: rewrite("longer", time)), ["d/a: expected 3 bytes, found 6"])
        self.assertEqual(
            damage(lambda: (rewrite("one", time), os.chmod(f"{tree}/d/b", 0o644))),
            ["d/b: expected mode 555, found 644"],
        )
        self.assertEqual(damage(lambda: os.unlink(f"{tree}/d/b")), ["d/b: is missing"])
        self.assertEqual(damage(lambda: os.symlink("a", f"{tree}/d/b")), ["d/b: expected a file, found something else"])
        self.assertEqual(
            damage(lambda: os.unlink(f"{tree}/d/b") or os.unlink(f"{tree}/l") or os.symlink("/etc", f"{tree}/l")),
            ["d/b: is missing", "l: expected a link to d/a, found one to /etc"],
        )
        self.assertEqual(
            damage(lambda: os.rmdir(f"{tree}/e") or open(f"{tree}/new", "w").close()),
            [
                "d/b: is missing",
                "e: is missing",
                "l: expected a link to d/a, found one to /etc",
                "new: expected nothing here",
            ],
        )


if __name__ == "__main__":
    unittest.main()
