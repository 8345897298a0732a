"""`make.py --version` with a harness, without one, and with one that does not answer."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

from harness.make import build, paths, version

NEEDS = ["harness"]

FIRST = f"allocation laboratory {version.version()}\n"
# what the harness does when it is asked; what is said of it
SILENT = [
    ("exit 2", "exit status 2"),
    ("exit 0", "exit status 0"),
    ("kill -SEGV $$", "signal 11 (Segmentation fault)"),
    ("#!/nowhere/at/all", "No such file or directory"),
]


class Version(unittest.TestCase):
    def told(self, harness: str | None) -> str:
        with mock.patch.object(build, "existing_harness", return_value=harness), redirect_stdout(io.StringIO()) as out:
            self.assertEqual(version.main([]), 0)
        return out.getvalue()

    def test_a_harness_says_which_formats_it_speaks(self) -> None:
        done = subprocess.run([sys.executable, os.path.join(paths.ROOT, "make.py"), "--version"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr, done.stdout[:len(FIRST)]), (0, "", FIRST))
        if build.existing_harness():
            self.assertRegex(done.stdout, r"\nresult schema \d+, protocol \d+\n")

    def test_without_a_harness_what_is_missing(self) -> None:
        self.assertEqual(self.told(None), FIRST + "not built yet: python3 make.py build\n")

    def test_a_harness_that_does_not_answer_is_not_called_missing(self) -> None:
        for script, reason in SILENT:
            with self.subTest(script), tempfile.TemporaryDirectory() as folder:
                harness = os.path.join(folder, "harness")
                paths.write_if_changed(harness, script if script[0] == "#" else f"#!/bin/sh\n{script}\n", 0o755)
                place = os.path.relpath(folder, paths.ROOT)
                self.assertEqual(self.told(harness), f"{FIRST}{place}/harness does not answer ({reason})\n"
                                 f"python3 make.py build; where that changes nothing, remove {place} first\n")


if __name__ == "__main__":
    unittest.main()
