import bz2
import gzip
import lzma
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile
import unittest
from unittest import mock

from harness.spm.archives import unpack
from harness.spm.store import contents, trees
from harness.spm.errors import Refused
from harness.spm.testing import ar, deb, folder, hard_link, link, member, tar

DEVICE = member("dev", kind=tarfile.CHRTYPE)
PIPE = member("pipe", kind=tarfile.FIFOTYPE)


class Rules:
    """The unpacking half of an artifact."""

    def __init__(self, strip="", keep=()):
        self.strip, self.keep = strip, list(keep)


# what the archive tries, the archive, its rules, the refusal
ATTACKS = [
    ("an absolute path", tar(member("/etc/passwd")), Rules(), "/etc/passwd is absolute"),
    ("an absolute path in a .deb", deb(member("/etc/passwd")), Rules(), "/etc/passwd is absolute"),
    ("a parent path", tar(member("../x")), Rules(), "../x leads upwards"),
    ("a parent path inside", tar(member("a/../../x")), Rules(), "a/../../x leads upwards"),
    ("a parent path that is not kept", tar(member("a"), member("../x")), Rules(keep=["a*"]), "../x leads upwards"),
    (
        "a file through a link to a folder",
        tar(folder("d"), link("l", "d"), member("l/x")),
        Rules(),
        "l is a folder here and a link before",
    ),
    (
        "a file through a link outwards",
        tar(link("l", "/tmp"), member("l/x")),
        Rules(),
        "the link l -> /tmp is absolute",
    ),
    ("a file over a link", tar(link("l", "x"), member("l", b"2")), Rules(), "l comes twice"),
    ("a link over a folder", tar(folder("d"), link("d", "x")), Rules(), "d comes twice"),
    ("a folder over a file", tar(member("a"), folder("a")), Rules(), "a is a folder here and a file before"),
    ("a link upwards", tar(link("a/l", "../../x")), Rules(), "the link a/l -> ../../x leads out of the package"),
    ("a link to what is above", tar(link("l", "..")), Rules(), "the link l -> .. leads out of the package"),
    (
        "a link out by way of a link",
        tar(folder("a"), link("d", "."), link("e", "d/a/../..")),
        Rules(),
        "the link e -> d/a/../.. leads out of the package",
    ),
    (
        "links that lead out only together",
        tar(folder("x/y"), link("d", "x/y"), link("x/y/e", "../.."), link("f", "d/e/..")),
        Rules(),
        "the link f -> d/e/.. leads out of the package",
    ),
    (
        "a link out of what is stripped",
        tar(link("usr/l", "../etc")),
        Rules("usr"),
        "the link l -> ../etc leads out of the package",
    ),
    (
        "an absolute link of a .deb out of what is stripped",
        deb(link("./usr/l", "/etc/x")),
        Rules("usr"),
        "the link usr/l -> /etc/x leads out of the package",
    ),
    ("a link to nothing", tar(link("l", "")), Rules(), "the link l has an empty or unprintable target"),
    ("a hard link out", tar(hard_link("l", "../../etc/passwd")), Rules(), "../../etc/passwd leads upwards"),
    ("a hard link to an absolute path", tar(hard_link("l", "/etc/passwd")), Rules(), "/etc/passwd is absolute"),
    (
        "a hard link through a link",
        tar(link("s", "d"), member("d/x"), hard_link("l", "s/x")),
        Rules(),
        "the hard link l -> s/x leads to no file that is kept",
    ),
    (
        "a hard link to a link",
        tar(link("s", "x"), hard_link("l", "s")),
        Rules(),
        "the hard link l -> s leads to no file that is kept",
    ),
    (
        "a hard link to what is not kept",
        tar(member("a"), hard_link("b", "a")),
        Rules(keep=["b"]),
        "the hard link b -> a leads to no file that is kept",
    ),
    ("a device", tar(DEVICE), Rules(), "dev is a device, a pipe or of a kind unknown"),
    ("a pipe", tar(PIPE), Rules(), "pipe is a device, a pipe or of a kind unknown"),
    ("a name twice", tar(member("a", b"1"), member("./a", b"1")), Rules(), "a comes twice"),
    ("a control character", tar(member("a\nb")), Rules(), "'a\\nb' has an unprintable character"),
    (
        "a tower of folders",
        tar(member("a/" * 150 + "x"), format=tarfile.PAX_FORMAT),
        Rules(),
        f"{'a/' * 30}... is more than 100 folders deep",
    ),
    ("a pattern in vain", tar(member("a")), Rules(keep=["a", "b/*"]), "keep: 'b/*' matches nothing in the archive"),
    (
        "a file outside strip",
        tar(member("usr/a"), member("etc/b")),
        Rules("usr"),
        "etc/b is kept but lies outside strip 'usr'",
    ),
    ("a file in place of strip", tar(member("usr")), Rules("usr"), "usr is kept but lies outside strip 'usr'"),
    ("no archive", b"<html>" + b"x" * 600, Rules(), "expected a tar archive: "),
    ("zstd", b"\x28\xb5\x2f\xfd" + b"x" * 600, Rules(), "expected an archive of tar, gzip, bzip2 or xz, found zstd"),
    (
        "zstd in a .deb",
        deb(member("a"), compress=lambda data: b"\x28\xb5\x2f\xfd" + data, ending="zst"),
        Rules(),
        "expected an archive of tar, gzip, bzip2 or xz, found zstd",
    ),
    (
        "half an xz",
        lzma.compress(tar(member("a", os.urandom(5000))))[:3000],
        Rules(),
        "the archive cannot be decompressed: it ends in the middle",
    ),
    (
        "half a gzip",
        gzip.compress(tar(member("a", os.urandom(5000))))[:3000],
        Rules(),
        "the archive cannot be decompressed: it ends in the middle",
    ),
    (
        "a spoilt bzip2",
        bz2.compress(tar(member("a")))[:20] + b"x" * 99,
        Rules(),
        "the archive cannot be decompressed: ",
    ),
    (
        "half a tar",
        tar(member("a", b"x" * 5000))[:2000],
        Rules(),
        "the archive ends 3,512 bytes before its last file does",
    ),
    (
        "an ar without a package",
        ar(("data.tar", tar(member("a")))),
        Rules(),
        "expected a Debian package, found an ar archive without 'debian-binary'",
    ),
    (
        "a .deb of another age",
        ar(("debian-binary", b"3.0\n"), ("data.tar", tar(member("a")))),
        Rules(),
        "expected a Debian package of format 2, found '3.0'",
    ),
    (
        "a .deb without files",
        ar(("debian-binary", b"2.0\n")),
        Rules(),
        "expected a Debian package with 'data.tar', found only debian-binary",
    ),
    ("an ar that lies", ar(("debian-binary", b"2.0\n"))[:-4], Rules(), "an ar member ends at byte 72 of 68"),
    (
        "an ar in pieces",
        ar(("debian-binary", b"2.0\n")) + b"junk",
        Rules(),
        "expected an ar header at byte 72, found something else",
    ),
    (
        "an ar with a size below zero",
        b"!<arch>\n" + f"{'debian-binary':<48}{'-9':<10}`\n".encode(),
        Rules(),
        "expected an ar header at byte 8, found something else",
    ),
]


class UnpackTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="spm-unpack-")
        self.addCleanup(trees.remove, self.folder)
        self.count = 0

    def unpack(self, *archives: bytes, rules: Rules = Rules()) -> tuple[str, dict]:
        """(the tree, its list)"""
        self.count += 1
        tree = unpack.Tree(f"{self.folder}/{self.count}")
        for owner, archive in enumerate(archives):
            path = f"{self.folder}/archive"
            with open(path, "wb") as file:
                file.write(archive)
            unpack.unpack(path, rules, tree, owner)
        return tree.root, tree.seal()

    def refusal(self, *archives: bytes, rules: Rules = Rules()) -> str:
        with self.assertRaises(Refused) as caught:
            self.unpack(*archives, rules=rules)
        return caught.exception.what

    def test_attacks_are_refused_and_touch_nothing_outside(self):
        for what, archive, rules, expected in ATTACKS:
            with self.subTest(what):
                found = self.refusal(archive, rules=rules)
                self.assertEqual(found if not expected.endswith(": ") else found[: len(expected)], expected)
                beside = sorted(os.listdir(self.folder))
                self.assertEqual(beside, sorted(["archive", *map(str, range(1, self.count + 1))]))

    def test_too_much_is_refused(self):
        with mock.patch.object(unpack, "MOST_BYTES", 10_000):
            self.assertEqual(
                self.refusal(lzma.compress(tar(member("bomb", bytes(20_000))))),
                "the archive unpacks to more than 10,000 bytes",
            )
        with mock.patch.object(unpack, "MOST_MEMBERS", 10):
            self.assertEqual(
                self.refusal(tar(*(member(f"f{n}") for n in range(11)))), "the archive has more than 10 members"
            )
        huge = tarfile.TarInfo("././@LongLink")
        huge.type, huge.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
        self.assertEqual(
            self.refusal(huge.tobuf(tarfile.GNU_FORMAT)),
            "a header of the archive claims 8,589,934,592 bytes, expected at most 1,048,576",
        )

    def test_headers_made_of_noise_are_refused_and_nothing_else(self):
        import random

        chance = random.Random(5)
        good = tar(
            member("a/b", b"x" * 700),
            link("l", "a"),
            hard_link("h", "a/b"),
            member("n" * 150, b"y"),
            format=tarfile.PAX_FORMAT,
        )
        for _ in range(500):
            archive = bytearray(good)
            for _ in range(chance.randint(1, 3)):
                at = chance.randrange(len(archive))
                archive[at] = chance.choice((0, 0x20, 0x2F, 0x2D, 0x37, 0x80, 0xFF, chance.randrange(256)))
            start = int(chance.randrange(len(archive)) // 512) * 512
            header = archive[start : start + 512]
            if len(header) == 512:  # a header whose checksum holds in spite of it
                header[148:156] = b" " * 8
                header[148:156] = b"%06o\0 " % sum(header)
                archive[start : start + 512] = header
            try:
                self.unpack(bytes(archive))
            except Refused:
                pass
            trees.remove(f"{self.folder}/{self.count}")

    def test_ordinary_archives_unpack_as_tar_does(self):
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
            member("top/A", b"another case"),
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
                tree, _ = self.unpack(data)
                self.compare_with_tar(archive, tree)

    def test_names_of_every_tar_dialect_unpack_as_tar_does(self):
        members = [member("p/" + "é" * 70 + "/" + "x" * 99, b"1", time=1_500_000_000), link("p/l", "y" * 140)]
        for format in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            archive = tar(*members, format=format)
            self.compare_with_tar(archive, self.unpack(archive)[0])

    @unittest.skipUnless(shutil.which("tar"), "needs tar")
    def test_sparse_files_unpack_as_tar_does(self):
        source = f"{self.folder}/source"
        os.mkdir(source)
        with open(f"{source}/holes", "wb") as file:
            for at in (0, 1 << 20, 3 << 20):
                file.seek(at)
                file.write(b"data" * 2000)
            file.truncate(5 << 20)
        for format in ("gnu", "posix"):
            made = subprocess.run(
                ["tar", "-C", source, "--sparse", f"--format={format}", "-cf", "-", "holes"],
                check=True,
                stdout=subprocess.PIPE,
            )
            self.assertLess(len(made.stdout), 1 << 20)
            self.compare_with_tar(made.stdout, self.unpack(made.stdout)[0])

    def compare_with_tar(self, archive: bytes, tree: str):
        if not shutil.which("tar"):
            self.skipTest("needs tar")
        other = f"{self.folder}/tar"
        os.mkdir(other)
        subprocess.run(["tar", "-C", other, "-xf", "-"], input=archive, check=True)
        difference = subprocess.run(["diff", "-r", "--no-dereference", other, tree], stdout=subprocess.PIPE, text=True)
        self.assertEqual(difference.stdout, "")
        for folder_path, _, names in os.walk(other):
            for name in names:
                path = os.path.join(folder_path, name)
                ours = os.lstat(path.replace(other, tree, 1))
                if not os.path.islink(path):
                    self.assertEqual(
                        (int(ours.st_mtime), ours.st_nlink), (int(os.stat(path).st_mtime), os.stat(path).st_nlink), path
                    )
        trees.remove(other)

    def test_a_debs_absolute_links_are_rerooted(self):
        tree, listed = self.unpack(
            deb(
                member("./usr/lib/x/a.so.1"),
                link("./usr/lib/x/a.so", "/usr/lib/x/a.so.1"),
                link("./usr/bin/a", "/usr/lib/x"),
                link("./usr/root", "/usr"),
            ),
            rules=Rules("usr"),
        )
        self.assertEqual(listed["links"], [["bin/a", "../lib/x"], ["lib/x/a.so", "a.so.1"], ["root", "."]])
        self.assertTrue(os.path.samefile(f"{tree}/bin/a/a.so", f"{tree}/lib/x/a.so.1"))

    def test_only_what_is_kept_is_unpacked_without_what_is_stripped(self):
        archive = deb(
            folder("./"),
            folder("./usr"),
            folder("./usr/lib"),
            member("./usr/lib/a.h"),
            member("./usr/lib/b.c"),
            DEVICE,
            link("./etc", "/nowhere"),
        )
        tree, listed = self.unpack(archive, rules=Rules("usr/lib", ["usr/lib/*.h"]))
        self.assertEqual(os.listdir(tree), ["a.h"])
        self.assertEqual(listed["folders"], [])

    def test_a_tree_is_read_only_and_keeps_neither_owner_nor_special_bits(self):
        tree, listed = self.unpack(tar(member("d/plain", mode=0o666), member("d/tool", mode=0o6711)))
        modes = {path: stat.S_IMODE(os.stat(f"{tree}/{path}").st_mode) for path in (".", "d", "d/plain", "d/tool")}
        self.assertEqual(modes, {".": 0o555, "d": 0o555, "d/plain": 0o444, "d/tool": 0o555})
        self.assertEqual([each[:2] for each in listed["files"]], [["d/plain", 0o444], ["d/tool", 0o555]])

    def test_modes_do_not_depend_on_the_umask(self):
        before = os.umask(0o077)
        try:
            tree, _ = self.unpack(tar(member("d/a")))
        finally:
            os.umask(before)
        self.assertEqual([stat.S_IMODE(os.stat(f"{tree}/{path}").st_mode) for path in ("d", "d/a")], [0o555, 0o444])

    def test_two_artifacts_may_share_a_file_only_with_the_same_contents(self):
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

    def test_absurd_times_are_brought_into_range(self):
        for time in ("-5", "1e30", "inf", "nan"):
            info, data = member("a", b"x")
            info.pax_headers = {"mtime": time}
            _, listed = self.unpack(tar((info, data), format=tarfile.PAX_FORMAT))
            self.assertIn(listed["files"][0][3], (0, unpack.LATEST), time)

    def test_reading_ends_when_all_that_is_kept_is_there(self):
        archive = tar(member("a", b"1"), member("b", b"2"))
        spoilt = archive[: 1024 + 512] + b"noise" * 100  # after b's header: only a reader that goes on trips over it
        tree, _ = self.unpack(spoilt, rules=Rules(keep=["a"]))
        self.assertEqual(os.listdir(tree), ["a"])

    def test_a_list_finds_every_kind_of_damage(self):
        tree, listed = self.unpack(
            tar(member("d/a", b"one"), member("d/b", b"two", mode=0o755), link("l", "d/a"), folder("e"))
        )
        self.assertEqual(contents.problems(tree, listed, deep=True), {})

        def damage(act, deep=False):
            os.chmod(f"{tree}/d", 0o755), os.chmod(tree, 0o755)
            act()
            return [f"{path}: {reason}" for path, reason in contents.problems(tree, listed, deep).items()]

        def rewrite(text, time=None):
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
