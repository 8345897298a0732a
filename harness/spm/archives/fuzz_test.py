"""Thousands of damaged archives: each becomes a tree that stays inside, or is refused; nothing else ever happens."""

import gzip
import lzma
import os
import random
import struct
import tempfile
import tracemalloc
import unittest
from unittest import mock

from harness.spm.archives import inflate, rules
from harness.spm.archives.tree import Listing
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused
from harness.spm.testing import Rules, ar, deb, folder, hard_link, link, member, tar, zipped
import tarfile

ROUNDS = 250  # of each archive
SEED = 5
_NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_BYTES = (0, 0x0A, 0x20, 0x2D, 0x2E, 0x2F, 0x30, 0x37, 0x39, 0x80, 0xFF)

MEMBERS = [folder("d"), member("d/b", b"x" * 700), link("l", "d/b"), member("n" * 150, b"y"), member("e")]
TREE = [*MEMBERS, hard_link("h", "d/b")]
SPARSE = member("holes", b"data" * 3)
SPARSE[0].pax_headers = {"GNU.sparse.map": "0,4,100,4,200,4", "GNU.sparse.size": "300"}

# the archive, the size of its header blocks where a checksum is to be made good
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
