"""What lint finds in a checkout of three files, with the pinned tools where they are installed."""

import io
import os
import subprocess
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from harness.make import build, lint, paths
from harness.make.console import MakeError

LIB = {name: os.path.realpath(os.path.join(paths.LIB, folder)) for name, folder in (
    ("runtime", "runtime-12"), ("clang-format", "clang-format-14.0.6"), ("mypy", "mypy-1.15.0"),
    ("pyflakes", "pyflakes-3.2.0"))}
INSTALLED = all(map(os.path.isdir, LIB.values()))
CXX = "int main() {\n  return 0;\n}\n"
FILES = {
    ".clang-format": "BasedOnStyle: Google\n",
    ".gitignore": "ignored.py\n",
    "a.cpp": CXX.replace("  return", " return"),
    "b.py": "import os\n\n\ndef f(x):\n    return x\n",
    "good.h": "int f();\n",
    "ignored.py": "import os\n",
}
FOUND = ["a.cpp:1: 2 lines formatted otherwise than .clang-format says", "b.py:1: 'os' imported but unused",
         "b.py:4: Function is missing a type annotation  [no-untyped-def]"]


class LintTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name, text in FILES.items():
            paths.write_if_changed(os.path.join(self.root, name), text)

    def lint(self, *arguments: str) -> tuple[int, list[str]]:
        """(exit status, lines of standard output) of the verb in the checkout of three files."""
        output = io.StringIO()
        with (mock.patch.object(paths, "ROOT", self.root), mock.patch.object(build, "install", return_value=LIB),
              mock.patch.object(lint, "CACHE", os.path.join(self.root, "cache")),
              redirect_stdout(output), redirect_stderr(io.StringIO())):
            status = lint.main(list(arguments))
        return status, output.getvalue().splitlines()

    @unittest.skipUnless(INSTALLED, "needs python3 make.py spm install-group lint")
    def test_each_finding_is_a_line_and_fix_formats(self) -> None:
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        self.assertEqual(self.lint(), (1, [*FOUND, "3 files, 3 findings"]))
        self.assertEqual(self.lint("--fix"), (1, [*FOUND[1:], "3 files, 2 findings"]))
        with open(os.path.join(self.root, "a.cpp"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "int main() { return 0; }\n")

    def test_a_folder_that_is_no_checkout_is_an_error(self) -> None:
        with self.assertRaises(MakeError) as caught:
            self.lint()
        self.assertRegex(caught.exception.what, "^git ls-files: fatal: not a git repository")

    def test_a_tool_that_fails_is_an_error_and_no_clean_result(self) -> None:
        for command in (["sh", "-c", "echo crashed; exit 1"], ["sh", "-c", "echo crashed; exit 2"]):
            with self.assertRaisesRegex(MakeError, "crashed"):
                lint.clang_format(command, {}, ["a.cpp"], self.root, False)


if __name__ == "__main__":
    unittest.main()
