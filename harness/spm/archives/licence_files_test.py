from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Iterable

from harness.spm import trees
from harness.spm.archives import licence_files, unpack
from harness.spm.archives.licence_files import decoded, LicenceFiles
from harness.spm.archives.rules import UnpackRules
from harness.spm.archives.tree import Tree
from harness.spm.errors import Refused
from harness.spm_testing.archives import deb, folder, link, member, tar, zipped

LICENCES = """
LICENSE a/LICENSE a/LICENSE.txt a/LICENSE.rst a/LICENSE-MIT a/LICENSE_1_0.txt a/license.md a/Licence a/COPYING a/COPYING.LIB
a/COPYING.LESSER a/COPYRIGHT a/UNLICENSE a/NOTICE a/LICENSES/MIT.txt LICENSES/GPL-2.0-only a/licenses/MIT
usr/share/doc/libstdc++6/copyright share/doc/a/copyright usr/share/licenses/a/LICENSE
""".split()
OTHERS = """
a a/README a/license.py a/copyright.h a/LICENSE.html a/licensing.txt a/src/LICENSE a/b/c/COPYING usr/share/doc/a/changelog.gz
usr/share/doc/copyright a/licenses/x/y copying.cpp a/relicense xcopyright
""".split()


class LicenceFilesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="spm-test-")
        self.addCleanup(trees.remove, self.folder)

    def archive(self, data: bytes) -> str:
        path = f"{self.folder}/archive"
        with open(path, "wb") as file:
            file.write(data)
        return path

    def seen(self, data: bytes, keep: Iterable[str] = ()) -> LicenceFiles | None:
        """What unpacking notes of it."""
        tree = Tree(f"{self.folder}/tree")
        found = unpack.unpack(self.archive(data), UnpackRules("", keep), tree, 0)
        trees.remove(f"{self.folder}/tree")
        return found

    def test_names(self) -> None:
        self.assertEqual([name for name in LICENCES if not licence_files.is_licence_file(name)], [])
        self.assertEqual([name for name in OTHERS if licence_files.is_licence_file(name)], [])

    def test_an_archive_is_read_without_unpacking(self) -> None:
        members = (folder("a"), member("a/main.c", b"code"), member("a/LICENSE", b"Do it.\n"), member("a/COPYING", b"Do.\n"))
        for data in (tar(*members), zipped(*members)):
            found = unpack.licences_of(self.archive(data))
            self.assertEqual((found.texts, found.links), ({"a/COPYING": "Do.\n", "a/LICENSE": "Do it.\n"}, {}))

    def test_a_debian_package_is_read_to_its_copyright_file(self) -> None:
        data = deb(
            link("./usr/share/doc/a-extra", "a"), member("./usr/share/doc/a/copyright", b"Do."), member("./usr/x/LICENSE", b"No.")
        )
        found = unpack.licences_of(self.archive(data), "a")
        self.assertEqual((found.texts, found.links), ({"usr/share/doc/a/copyright": "Do."}, {"usr/share/doc/a-extra": "a"}))
        found = unpack.licences_of(self.archive(deb(link("./usr/share/doc/a", "a-base"))), "a")
        self.assertEqual((found.texts, found.links), ({}, {"usr/share/doc/a": "a-base"}))

    def test_unpacking_notes_what_it_passes(self) -> None:
        members = (member("./usr/bin/a", b"a"), member("./usr/share/doc/a/copyright", b"Do."), member("./usr/zoo", b"z"))
        for keep in ([], ["usr/bin/*"], ["usr/bin/a"], ["usr/zoo"], ["usr/share/doc/a/copyright"]):
            with self.subTest(keep):
                found = self.seen(deb(*members), keep)
                assert found
                self.assertEqual((found.texts, found.links), ({"usr/share/doc/a/copyright": "Do."}, {}))

    def test_a_large_archive_that_was_not_read_to_its_end_is_not_noted(self) -> None:
        noise = os.urandom(unpack._READ_ON_BYTES)
        members = [member("a/a.c", b"code"), member("a/noise", noise), member("a/LICENSE", b"Do.")]
        self.assertIsNone(self.seen(tar(*members), ["a/a.c"]))
        found = self.seen(tar(*members), ["a/*.c"])
        assert found
        self.assertEqual(found.texts, {"a/LICENSE": "Do."})

    def test_what_is_too_large_is_refused_or_not_noted(self) -> None:
        large = b"x" * (licence_files.MOST_BYTES + 1)
        self.assertIsNone(self.seen(tar(member("a/LICENSE", large))))
        self.assertIsNone(self.seen(tar(member("a/LICENSE", large), member("a/b", b"b")), ["a/b"]))
        some = [member(f"a/LICENSES/{number}", large[:-1]) for number in range(licence_files.MOST_OF_ALL // len(large) + 2)]
        many = [member(f"a/LICENSES/{number}", b"x") for number in range(licence_files.MOST_FILES + 1)]
        for data in (tar(member("a/LICENSE", large)), tar(*many), tar(*some)):
            with self.assertRaises(Refused) as caught:
                unpack.licences_of(self.archive(data))
            self.assertEqual(caught.exception.what, "expected at most 500 licence files of 4,194,304 bytes, 16,777,216 in all, in an archive, found more")

    def test_texts_of_any_encoding(self) -> None:
        for data, text in {
            "Jos\u00e9".encode(): "Jos\u00e9",
            "Jos\u00e9".encode("latin-1"): "Jos\u00e9",
            b"\xef\xbb\xbfa": "a",
            b"a\r\nb\rc\x0c\n\0\x1b[m\td": "a\nb\nc\n[m\td",
            b"\xff\xfe\x80": "\u00ff\u00fe",
        }.items():
            self.assertEqual(decoded(data), text)


if __name__ == "__main__":
    unittest.main()
