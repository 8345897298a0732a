"""How lint reports the findings of its tools. The tools are fakes that print what the real ones print."""

import io
import os
import subprocess
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from harness.make import lint, paths, pinned
from harness.make.console import MakeError

CLANG_FORMAT = """#!/bin/sh
[ "$1" = -i ] && exec touch formatted
[ -e formatted ] && exit 0
echo "a.cpp:3:1: warning: code should be clang-formatted [-Wclang-format-violations]" >&2
echo "int  f();" >&2
echo "a.cpp:7:2: warning: code should be clang-formatted [-Wclang-format-violations]" >&2
"""
PYFLAKES = """
import sys
print("b.py:1:1: 'os' imported but unused" if sys.argv[1:] == ["b.py", "b_test.py"] else sys.argv)
sys.exit(1)
"""
MYPY = """
import sys
print("b.py:4: error: Function is missing a type annotation  [no-untyped-def]")
print('b.py:4: note: Use "-> None" if function does not return a value')
print("b_test.py:2: error: Function is missing a type annotation  [no-untyped-def]")
sys.exit(1)
"""
TOOLS = {"clang-format/clang-format": CLANG_FORMAT, "pyflakes/pyflakes/__main__.py": PYFLAKES,
         "mypy/mypy/__main__.py": MYPY}
FILES = {".gitignore": "ignored.py\n", "a.cpp": "", "b.py": "", "b_test.py": "", "c.h": "", "ignored.py": "",
         "notes.md": "", "variants/f/rivals/d.h": ""}
FOUND = ["a.cpp:3: 2 lines not formatted as .clang-format says", "b.py:1: 'os' imported but unused",
         "b.py:4: Function is missing a type annotation  [no-untyped-def]"]


class LintTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, tools = os.path.join(folder.name, "root"), os.path.join(folder.name, "tools")
        for place, files in ((self.root, FILES), (tools, TOOLS)):
            for name, text in files.items():
                paths.write_if_changed(os.path.join(place, name), text, 0o755)
        self.packages = {name: os.path.join(tools, name) for name in ("clang-format", "mypy", "pyflakes", "runtime")}

    def lint(self, *arguments: str) -> tuple[int, list[str]]:
        """(exit status, lines of standard output) of the verb in the checkout of these files."""
        output = io.StringIO()
        with (mock.patch.object(paths, "ROOT", self.root), mock.patch("os.cpu_count", return_value=1),
              mock.patch.object(pinned, "install", return_value=self.packages),
              mock.patch.object(lint, "CACHE", os.path.join(self.root, "cache")),
              redirect_stdout(output), redirect_stderr(io.StringIO())):
            status = lint.main(list(arguments))
        return status, output.getvalue().splitlines()

    def test_each_finding_is_a_line_and_fix_formats(self) -> None:
        try:
            subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
            tracked = mock.DEFAULT
        except FileNotFoundError:  # a new machine may have no git
            tracked = [name for name in FILES if name not in ("ignored.py", "variants/f/rivals/d.h")]
        with mock.patch.object(lint, "tracked", return_value=tracked, wraps=lint.tracked):
            self.assertEqual(self.lint(), (1, [*FOUND, "4 files, 3 findings"]))
            self.assertEqual(self.lint("--fix"), (1, [*FOUND[1:], "4 files, 2 findings"]))
            self.assertTrue(os.path.exists(os.path.join(self.root, "formatted")))

    def test_a_folder_that_is_no_checkout_is_an_error(self) -> None:
        with self.assertRaises(MakeError) as caught:
            self.lint()
        self.assertRegex(caught.exception.what, "^git ls-files: fatal: not a git repository|^starting git: ")

    def test_a_tool_that_fails_is_an_error_not_a_clean_result(self) -> None:
        for command in (["sh", "-c", "echo crashed; exit 1"], ["sh", "-c", "echo crashed; exit 2"]):
            with self.assertRaisesRegex(MakeError, "crashed"):
                lint.clang_format(command, {}, ["a.cpp"], self.root, False)


if __name__ == "__main__":
    unittest.main()
