"""Which viewer `view` starts, and with what; nothing is built."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from harness.make import build, paths, view
from harness.make.console import MakeError
from harness.make.view import Viewer


class ViewTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("variants/shelf/family.json", '{"reference": "oak"}')
        self.write("variants/designs/growth.h", "")

    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def add_viewer(self, family: str) -> None:
        self.write(f"variants/{family}/family.json", f'{{"reference": "a", "viewer": "{family}_view"}}')

    def error_of(self, argv: list[str]) -> MakeError:
        """The error of the verb, which must not have built anything."""
        with mock.patch.object(paths, "ROOT", self.root), self.assertRaises(MakeError) as caught, \
                mock.patch.object(build, "build", side_effect=AssertionError("it built")):
            view.main(argv)
        return caught.exception

    def test_finds_the_families_that_name_a_viewer(self) -> None:
        self.assertEqual(view.viewers(self.root), [])
        self.add_viewer("window")
        self.add_viewer("door")
        self.assertEqual(view.viewers(self.root), [Viewer("door", "door_view"), Viewer("window", "window_view")])

    def test_a_viewer_shows_the_files_of_its_family_and_the_first_one_all_others(self) -> None:
        known = [Viewer("door", "door_view"), Viewer("window", "window_view")]
        file = self.write("variants/window/configurations/large.json", "{}")
        elsewhere = self.write("large.json", "{}")
        chosen = lambda *argv: view.viewer_for(list(argv), known, self.root).family
        self.assertEqual(chosen(file), "window")
        self.assertEqual(chosen("--size", "800x600", os.path.relpath(file)), "window")
        self.assertEqual(chosen(elsewhere), "door")
        self.assertEqual(chosen("--out", "variants/window"), "door")  # relative to this folder, not to the checkout

    def test_becomes_the_viewer_with_the_same_arguments_in_the_same_folder(self) -> None:
        self.add_viewer("window")
        self.write("build/window_view", "#!/bin/sh\npwd\nprintf '%s\\n' \"$@\"\nkill -USR1 $$\n")
        os.chmod(os.path.join(self.root, "build/window_view"), 0o755)
        here = os.path.dirname(self.write("here/a b.json", "{}"))
        code = ("import sys; from unittest import mock; from harness.make import build, paths, view\n"
                f"paths.ROOT = {self.root!r}\n"
                f"ready = mock.Mock(folder={self.root + '/build'!r})\n"
                "with mock.patch.object(build, 'build', return_value=ready) as built:\n"
                "    view.main(sys.argv[1:])")
        done = subprocess.run([sys.executable, "-c", code, "a b.json", "--sizee", "1x1"], cwd=here,
                              env={**os.environ, "PYTHONPATH": paths.ROOT}, capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr), (f"{os.path.realpath(here)}\na b.json\n--sizee\n1x1\n", ""))
        self.assertEqual(done.returncode, -10)  # SIGUSR1: the signal is the viewer's

    def test_builds_the_viewer_alone_as_the_existing_build_is_built(self) -> None:
        options = build.BuildOptions("release", "system", "v3")
        with mock.patch.object(build, "existing_options", return_value=options), \
                mock.patch.object(build, "build", return_value=mock.Mock(folder="/built")) as built, \
                mock.patch.object(os, "execv", side_effect=SystemExit) as become, self.assertRaises(SystemExit):
            view.become(Viewer("window", "window_view"), ["a.json"])
        self.assertEqual(built.call_args, mock.call(options, ["window_view"], quiet=True))
        self.assertEqual(become.call_args, mock.call("/built/window_view", ["/built/window_view", "a.json"]))

    def test_a_wrong_path_is_refused_before_a_build(self) -> None:
        self.add_viewer("window")
        for argv, found in (([], "none"), (["no.json", "--frames"], "no file in 'no.json --frames'"),
                            ([self.root], f"no file in '{self.root}'")):
            error = self.error_of(argv)
            self.assertEqual((error.what, error.hint, error.status),
                             (f"view: expected the path of a configuration, found {found}",
                              "python3 make.py view --help", 2))

    def test_a_checkout_without_a_viewer_says_how_a_family_names_one(self) -> None:
        error = self.error_of([self.write("a.json", "{}")])
        self.assertEqual((error.what, error.hint, error.status), (
            "no family of this checkout has a viewer", 'a family.json names one: "viewer": "<target>"', 1))

    def test_a_family_that_cannot_be_read_is_one_sentence(self) -> None:
        file = self.write("a.json", "{}")
        for text, expected in (("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
                               ("[]", "viewer: expected the name of a target"),
                               ('{"viewer": 1}', "viewer: expected the name of a target")):
            self.write("variants/window/family.json", text)
            self.assertEqual(self.error_of([file]).what, f"reading 'variants/window/family.json': {expected}")

    def test_help_needs_no_build_and_no_viewer(self) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(view.main(["x.json", "--help"]), 0)
        self.assertRegex(printed.getvalue(), r"^usage: python3 \S*make.py view CONFIG \[OPTIONS\]\n")


if __name__ == "__main__":
    unittest.main()
