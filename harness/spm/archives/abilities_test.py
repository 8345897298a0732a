"""File systems without modes, times or hard links, and Pythons without some of their modules."""

import errno
import os
import subprocess
import unittest
from unittest import mock

from harness.spm import lock
from harness.spm.settings import ROOT
from harness.spm_testing.archives import deb, hard_link, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.test_case import PYTHON, SpmTestCase


def refusing(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


class AbilitiesTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        archive = deb(member("./usr/a", b"text", mode=0o755), hard_link("./usr/b", "./usr/a"))
        self.add("a", self.serve("a.deb", archive, strip="usr"))

    def test_a_file_system_without_one_of_them_serves(self) -> None:
        for name in ("chmod", "fchmod", "utime", "link"):
            with self.subTest(name), mock.patch.object(os, name, refusing):
                self.store, self.lib = f"{self.folder}/{name}", f"{self.folder}/lib-{name}"
                result = self.spm("install", "a")
                self.assertEqual(result.status, 0, result.err)
                self.assertEqual((self.read("a-1/a"), self.read("a-1/b")), ("text", "text"))
            verified = self.spm("verify", "--deep")
            self.assertEqual(verified.status, 0, verified.out + verified.err)
            self.assertTrue(os.access(f"{self.lib}/a-1/b", os.X_OK))

    def test_any_other_error_is_one(self) -> None:
        def failing(*_: object, **__: object) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        with mock.patch.object(os, "link", failing):
            result = self.spm("install", "a")
        self.assertEqual(result.status, 1)
        self.assertIn("Input/output error", result.err)

    def test_a_file_system_without_locks_is_named(self) -> None:
        def failing(*_: object) -> None:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        with mock.patch.object(lock.fcntl, "flock", failing):
            result = self.spm("install", "a")
        self.assertEqual(
            (result.status, result.err),
            (
                1,
                "spm: error: expected a file system with locks, found one without: FOLDER/store/locks/store "
                "(No locks available)\nhint: name a folder on another disk with --store DIR or SPM_STORE\n",
            ),
        )

    def test_text_that_is_none_beside_a_part_does_not_matter(self) -> None:
        part = f"{self.store}/archives/{self.packages['a']['artifacts'][0]['sha256']}.part"
        os.makedirs(os.path.dirname(part))
        for path in (part, f"{part}.from"):
            with open(path, "wb") as file:
                file.write(b"\xff\xfe\n")
        self.assertEqual(self.spm("install", "a").status, 0)


class ModulesTest(SpmTestCase):
    def test_a_python_without_a_module_is_one_sentence(self) -> None:
        self.add_simple("a")
        self.write()
        for module in ("ssl", "lzma", "bz2", "zlib"):
            code = (
                f"import sys; sys.modules['_{module}'] = sys.modules['{module}'] = None\n"
                f"sys.path.insert(0, {ROOT!r}); sys.argv[0] = 'make.py'\n"
                "from harness.spm import cli; sys.exit(cli.main(sys.argv[1:]))"
            )
            done = subprocess.run(
                [*PYTHON, "-c", code, *self.arguments("install", "a")],
                capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            )
            with self.subTest(module):
                self.assertRegex(
                    done.stderr,
                    rf"\Aspm: error: expected a Python with its module {module}, found one that was built without it: .*\n"
                    r"hint: use the python3 of this system's packages, .*\n\Z",
                )
                self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
