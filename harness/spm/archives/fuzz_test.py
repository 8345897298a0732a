"""Thousands of damaged archives: each becomes a tree that stays inside, or is refused; nothing else ever happens."""

import gzip
import lzma
import os
import random
import struct
import tarfile
import tempfile
import unittest
from unittest import mock

from harness.spm import trees
from harness.spm.archives import contents, rules
from harness.spm.archives.rules import UnpackRules
from harness.spm.archives.tree import DryRunTree, Tree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused
from harness.spm_testing.archives import ar, deb, folder, hard_link, link, member, tar, zipped

ROUNDS = 400  # of each archive
MADE = 40  # of them really made, on the disk; a disk makes no difference to what is refused
SEED = 5
MOST_BYTES = 1_000_000  # of contents: a size that became a huge one must not cost the test's time
_NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_BYTES = (0, 0x0A, 0x20, 0x2D, 0x2E, 0x2F, 0x30, 0x37, 0x39, 0x80, 0xFF)

LONG = member("p" * 90 + "/" + "n" * 60, b"y")
MEMBERS = [folder("d"), member("d/b", b"x" * 700), link("l", "d/b"), LONG, member("e")]
TREE = [*MEMBERS, hard_link("h", "d/b")]
SPARSE = member("holes", b"data" * 257)
SPARSE[0].pax_headers = {"GNU.sparse.map": "0,512,700,512,2000,4", "GNU.sparse.size": "2100"}

# the archive, and whether headers of tar stand in it as they are
ARCHIVES = {
    "gnu": (tar(*TREE), True),
    "pax": (tar(*TREE, SPARSE, format=tarfile.PAX_FORMAT), True),
    "ustar": (tar(*TREE, format=tarfile.USTAR_FORMAT), True),
    "gz": (gzip.compress(tar(*TREE)), False),
    "xz": (lzma.compress(tar(*TREE)), False),
    "deb": (deb(*TREE), False),
    "plain deb": (ar(("debian-binary", b"2.0\n"), ("data.tar", tar(*TREE))), False),
    "zip": (zipped(*MEMBERS), False),
    "stored zip": (zipped(*MEMBERS, method=0), False),
}


def damaged(data: bytes, tar_headers: bool, chance: random.Random) -> bytes:
    """`data` with a few bytes, a number or the end changed; with `tar_headers` some header's checksum made good."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data))
        way = chance.randrange(6)
        if way == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif way in (1, 2):
            data[at] = chance.choice(_BYTES)
        elif way == 3:
            number = chance.choice(_NUMBERS)
            data[at : at + 4] = struct.pack("<L", number)[: len(data) - at]
        elif way == 4:
            other = chance.randrange(len(data))
            data[at : at + 8] = data[other : other + 8]
        else:
            del data[at : at + chance.choice((1, 512, len(data)))]
        if not data:
            return b""
    if tar_headers:
        start = chance.randrange(len(data)) // 512 * 512
        header = data[start : start + 512]
        if len(header) == 512:
            header[148:156] = b" " * 8
            header[148:156] = b"%06o\0 " % sum(header)
            data[start : start + 512] = header
    return bytes(data)


class FuzzTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="spm-fuzz-")
        self.addCleanup(trees.remove, self.folder)
        patch = mock.patch.object(rules, "MOST_BYTES", MOST_BYTES)
        patch.start()
        self.addCleanup(patch.stop)

    def test_damaged_archives_stay_inside_or_are_refused(self) -> None:
        for name, (data, tar_headers) in ARCHIVES.items():
            chance = random.Random(f"{SEED} {name}")
            outcomes = set()
            for number in range(ROUNDS):
                with self.subTest(name, number=number):
                    with open(f"{self.folder}/archive", "wb") as file:
                        file.write(damaged(data, tar_headers, chance))
                    outcomes.add(self.attempt(Tree(f"{self.folder}/tree") if number < MADE else DryRunTree()))
            self.assertEqual(outcomes, {"unpacked", "refused"}, name)

    def attempt(self, tree: Tree) -> str:
        """Unpacks the archive into `tree`, and looks for what it may have left elsewhere."""
        try:
            unpack(f"{self.folder}/archive", UnpackRules(), tree, 0)
            listed = tree.seal()
            outcome = "unpacked"
            if tree.root:
                self.assertEqual(contents.problems(tree.root, listed, deep=True), {})
                for path, _ in listed["links"]:
                    self.assertTrue(os.path.realpath(f"{tree.root}/{path}").startswith(tree.root))
        except Refused:
            outcome = "refused"
        self.assertEqual(sorted(os.listdir(self.folder)), ["archive", "tree"] if tree.root else ["archive"])
        trees.remove(f"{self.folder}/tree")
        return outcome


if __name__ == "__main__":
    unittest.main()
