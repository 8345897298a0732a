"""Hints and help name a command that works where their reader stands, however spm was called."""

import os
import re
import subprocess
import sys
import unittest

from harness.spm.settings import ROOT
from harness.spm_testing.test_case import SpmTestCase

# `lab` and `a b/lab` are the checkout, bin/ is on the PATH. The folder, the call, what hints and help begin with
CALLS = [
    ("lab", "python3 make.py spm", "python3 make.py spm"),
    ("lab", "./make.py spm", "python3 ./make.py spm"),
    ("lab/harness", "../make.py spm", "python3 ../make.py spm"),
    (".", "python3 lab/make.py spm", "python3 lab/make.py spm"),
    (".", "python3 {here}/lab/make.py spm", "python3 {here}/lab/make.py spm"),
    (".", "python3 'a b/lab/make.py' spm", "python3 'a b/lab/make.py' spm"),
    (".", "{here}/bin/python3 lab/make.py spm", "python3 lab/make.py spm"),
    (".", "python4 -B lab/make.py spm", "python4 lab/make.py spm"),
    (".", "'a b/other' lab/make.py spm", "'a b/other' lab/make.py spm"),
    (".", "lab spm", "python3 {here}/bin/lab spm"),
    # by harness/start.sh, whose Python is on nobody's PATH
    ("lab", "LAB_STARTER=harness/start.sh python3 make.py spm", "sh harness/start.sh spm"),
    (".", "LAB_STARTER='a b/lab/harness/start.sh' python3 'a b/lab/make.py' spm", "sh 'a b/lab/harness/start.sh' spm"),
    ("lab", "python3 -m harness.spm.cli", "python3 -m harness.spm.cli"),
    ("lab", "python3 -m make spm", "python3 -m make spm"),
    # another program
    ("lab", "python3 -c 'import sys, make; sys.exit(make.main(sys.argv[1:]))' spm", "python3 make.py spm"),
    (
        ".",
        "PYTHONPATH=lab python3 -c 'import sys, make; sys.exit(make.main(sys.argv[1:]))' spm",
        "python3 {here}/lab/make.py spm",
    ),
]


class CalledTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.here = os.path.realpath(self.folder)
        for name in ("bin", "a b"):
            os.mkdir(f"{self.here}/{name}")
        for name in ("bin/python3", "bin/python4", "a b/other"):
            os.symlink(sys.executable, f"{self.here}/{name}")
        for name in ("lab", "a b/lab"):
            os.symlink(ROOT, f"{self.here}/{name}")
        os.symlink(f"{ROOT}/make.py", f"{self.here}/bin/lab")

    def shell(self, folder: str, line: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PATH": f"{self.here}/bin:{os.environ['PATH']}"}
        where = f"{self.here}/{folder}"
        return subprocess.run(["sh", "-c", line], cwd=where, env=environment, capture_output=True, text=True)

    def test_a_hint_works_where_it_is_read(self) -> None:
        for folder, call, expected in CALLS:
            call, expected = (each.replace("{here}", self.here) for each in (call, expected))
            with self.subTest(call):
                failed = self.shell(folder, f"{call} lst")
                (hint,) = re.findall("^hint: (.*)$", failed.stderr, re.M)
                self.assertEqual(re.sub(rf"(?<![^\s']){re.escape(ROOT)}/", f"{self.here}/lab/", hint), f"{expected} --help")
                pasted = self.shell(folder, hint)
                self.assertEqual((pasted.returncode, pasted.stderr), (0, ""))
                usage, *_, says_more = [line for line in pasted.stdout.splitlines() if "VERB" in line]
                self.assertEqual(usage, f"usage: {hint.removesuffix(' --help')} VERB ...")
                self.assertEqual(says_more, f"their meaning: {hint.removesuffix(' --help')} VERB --help")

    def test_a_hint_has_the_places_and_every_kind_of_output_has_it(self) -> None:
        self.add_simple("alpha")
        self.store, self.lib = f"{self.here}/a store", "lib"
        self.write()
        places = f"--packages {self.folder}/packages.json --lib lib --store '{self.here}/a store'"
        self.assertEqual(self.shell(".", f"python3 lab/make.py spm {places} install alpha").returncode, 0)
        (tree,) = (os.path.realpath(f"{self.here}/lib/{name}") for name in os.listdir(f"{self.here}/lib") if not name.startswith("."))
        os.chmod(tree, 0o755)  # installed folders are read-only
        os.unlink(f"{tree}/alpha")
        damaged = self.shell(".", f"python3 lab/make.py spm verify {places}")
        hint = f"python3 lab/make.py spm verify --repair {places}"
        self.assertEqual(damaged.stderr.splitlines()[1], f"hint: {hint}")
        repaired = self.shell(".", hint)
        self.assertEqual(repaired.returncode, 0, repaired.stderr)
        told = self.shell(".", f"python3 lab/make.py spm --json {places} install alpa")
        self.assertIn(f'"hint": "python3 lab/make.py spm list {places}"', told.stdout)

    def test_the_other_verbs_of_make_do_so_too(self) -> None:
        self.assertIn("\nhint: did you mean 'build'?\n", self.shell(".", "python3 lab/make.py buidl").stderr)
        self.assertIn("usage: python3 lab/make.py [--quick", self.shell(".", "python3 lab/make.py --help").stdout)
        self.assertIn("usage: python3 lab/make.py build ", self.shell(".", "python3 lab/make.py build --help").stdout)
        wrong = self.shell(".", "python3 lab/make.py build one")
        self.assertEqual(wrong.stderr.splitlines()[1], "hint: python3 lab/make.py build --help")


if __name__ == "__main__":
    unittest.main()
