"""A checkout that somebody else has built, used by a user who may not write in it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from harness.make import build, paths
from harness.make.console import MakeError

HARNESS = build.existing_harness()
NEEDS = ["all"]
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
# This process's own may lie in a folder that is closed to others.
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
JUDGED = (0, 4)
"""Exit statuses of a session: on a busy machine it may be unfit."""


def is_possible() -> bool:
    """Whether this process can be another user, who can read this checkout."""
    return (os.geteuid() == 0 and bool(shutil.which("setpriv")) and
            subprocess.run([*AS_NOBODY, PYTHON, "-c", f"open({os.path.join(paths.ROOT, 'make.py')!r})"],
                           stderr=subprocess.DEVNULL, check=False).returncode == 0)


@unittest.skipUnless(HARNESS, "needs a build")
@unittest.skipUnless(is_possible(), "needs root and setpriv, and a checkout that others may read")
class Reader(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        os.chown(self.home, NOBODY, NOBODY)
        self.work = os.path.join(self.home, ".local/share/allocation-laboratory",
                                 paths.ROOT.strip(os.sep).replace(os.sep, "-"))

    def make(self, *words: str) -> tuple[int, str, str]:
        done = subprocess.run([*AS_NOBODY, PYTHON, "make.py", *words], cwd=paths.ROOT, capture_output=True,
                              text=True, check=False, env={"PATH": os.environ["PATH"], "HOME": self.home})
        return done.returncode, done.stdout, done.stderr

    def test_results_and_reports_are_in_the_users_own_folder_and_the_checkout_stays_as_it_is(self) -> None:
        status, out, err = self.make("run", "--processes", "1", "--filter", "*/c_library/frame_scratch")
        self.assertIn(status, JUDGED, err)
        result = out.splitlines()[-1]
        self.assertTrue(result.startswith(os.path.join(self.work, "results") + os.sep), result)
        self.assertIn(f"you may not write in {paths.ROOT}: what you make is in {self.work}/results", err)
        status, out, err = self.make("report")
        self.assertIn(status, JUDGED, err)
        self.assertTrue(out.startswith(os.path.join(self.work, "reports") + os.sep), out)
        with open(result, encoding="utf-8") as file:
            found = json.load(file)
        self.assertIn(found["source"]["state"], ("clean", "dirty") if os.path.exists(os.path.join(paths.ROOT, ".git"))
                      and shutil.which("git") else ("no git",))
        self.assertIn(self.make("compare", result, result)[0], (0, 3, 4))
        self.assertEqual(self.make("list", "--json")[0], 0)
        self.assertEqual(self.make("build")[0], 0)
        # Nothing in the checkout belongs to that user.
        theirs = [os.path.join(folder, name) for folder, folders, names in os.walk(paths.ROOT)
                  for name in folders + names if os.lstat(os.path.join(folder, name)).st_uid == NOBODY]
        self.assertEqual(theirs, [])

    def test_where_the_owner_must_build_one_sentence_says_so(self) -> None:
        status, _, err = self.make("test", "--config", "debug", "base_test")
        if os.path.exists(paths.build_dir("pinned", "debug")):
            self.skipTest("needs a checkout without a debug build")
        self.assertEqual(status, 1)
        self.assertIn(f"make.py: error: '{paths.build_dir('pinned', 'debug')}' is not built, and you may not write there\n"
                      f"hint: {build.OWNER_BUILDS}", err)


class Places(unittest.TestCase):
    def test_what_cannot_be_written_in_the_checkout_goes_to_the_users_own_folder(self) -> None:
        with mock.patch.object(paths.os, "access", return_value=False):
            with mock.patch.dict(os.environ, {"LAB_WORK": "/mine"}):
                self.assertEqual(paths.place_for("results"), "/mine/results")
            with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "/data"}):
                os.environ.pop("LAB_WORK", None)
                name = paths.ROOT.strip("/").replace("/", "-")
                self.assertEqual(paths.place_for("reports"), f"/data/allocation-laboratory/{name}/reports")
        with mock.patch.object(paths.os, "access", return_value=True):
            self.assertEqual(paths.place_for("results"), os.path.join(paths.ROOT, "results"))

    def test_a_finished_build_must_have_what_is_asked_of_it(self) -> None:
        with tempfile.TemporaryDirectory() as root, mock.patch.object(paths, "BUILD", root):
            options = build.BuildOptions()
            with self.assertRaises(MakeError) as caught:
                build.FinishedBuild(options).configure()
            self.assertEqual(caught.exception.hint, build.OWNER_BUILDS)
            for name, text in (("variants.json", '[{"family": "f", "variant": "v", "target": "t", "executable": "v"}]'),
                               ("tests.json", '["tests/a_test"]'), ("CMakeCache.txt", "CMAKE_MAKE_PROGRAM:F=/none\n"),
                               ("harness", ""), ("v", "")):
                paths.write_if_changed(os.path.join(options.folder, name), text)
            ready = build.FinishedBuild(options)
            ready.configure()
            for targets in ((), ("t",), ("harness", "t"), ("all",)):
                ready.run(targets)
            for targets in (("a_test",), ("all", "lab_tests"), ("viewer",)):
                with self.subTest(targets), self.assertRaises(MakeError) as caught:
                    ready.run(targets)
                self.assertIn(f"lacks {'viewer' if targets == ('viewer',) else 'a_test'}, and", caught.exception.what)
            ninja = os.path.join(options.folder, "ninja")
            paths.write_if_changed(ninja, "#!/bin/sh\necho '[1/1] CXX v'\n", 0o755)
            paths.write_if_changed(os.path.join(options.folder, "CMakeCache.txt"), f"CMAKE_MAKE_PROGRAM:F={ninja}\n")
            with self.assertRaises(MakeError) as caught:
                build.FinishedBuild(options).run(("t",))
            self.assertIn("is older than its sources", caught.exception.what)


if __name__ == "__main__":
    unittest.main()
