import contextlib
import errno
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from harness.make import build, nightly, paths
from harness.make.console import MakeError

# Stands for the harness: writes what it was started with, and ends with the status that it is told.
FAKE = """#!/usr/bin/env python3
import json, os, sys, time
held = os.path.realpath(f"/proc/self/fd/{os.environ['LAB_NIGHT_LOCK']}")
print(json.dumps([sys.argv[1:], held, float(os.environ["LAB_NIGHT_SPENT"])]))
sys.stdout.flush()
time.sleep(float(os.environ.get("SLEEP", 0)))
os.ftruncate(int(os.environ["LAB_NIGHT_LOCK"]), 0)
sys.exit(int(os.environ["STATUS"]))
"""

# Calls make.py's verb in a process that the harness may replace, with a build that only says where the harness is.
CALL = """
import sys, time, types
sys.path.insert(0, {root!r})
import make
from harness.make import build
def fake_build(options):
    time.sleep(0.05)
    return types.SimpleNamespace(folder={folder!r})
build.build = fake_build
sys.exit(make.main(["nightly", *sys.argv[1:]]))
"""


class Nightly(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.results = os.path.join(self.root, "kept")
        paths.write_if_changed(os.path.join(self.root, "harness"), FAKE, 0o755)

    def call(self, arguments: list[str], status: int = 0) -> tuple[int, list]:
        done = subprocess.run([sys.executable, "-c", CALL.format(root=paths.ROOT, folder=self.root), *arguments],
                              stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "STATUS": str(status), "LAB_RESULTS": self.results})
        return done.returncode, json.loads(done.stdout)

    def fail_with(self, arguments: list[str]) -> tuple[int, str, str]:
        """(status, standard output, standard error) of a nightly run that does not reach the harness."""
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = nightly.main(arguments)
        return status, out.getvalue(), err.getvalue()

    def test_the_harness_gets_the_arguments_untouched_the_lock_and_the_time_that_building_took(self) -> None:
        for arguments in ([], ["--budget", "600", "--keep", "x", "--new-option"], ["--results", self.results, "--backfill=3"],
                          ["--results"], ["--results="]):
            with self.subTest(arguments):
                status, (words, lock, spent) = self.call(arguments)
                self.assertEqual((status, words, lock),
                                 (0, ["nightly", *arguments], os.path.join(self.results, "nightly", f"{nightly.node_name()}.lock")))
                self.assertGreaterEqual(spent, 0.05)

    def test_the_exit_status_is_the_harness_s(self) -> None:
        for status in (0, 1, 3, 4, 130):
            self.assertEqual(self.call([], status)[0], status)

    def test_a_night_that_cannot_build_has_failed_and_says_so_in_its_line(self) -> None:
        for error, line in ((MakeError("no compiler", "get one"), "no compiler"),
                            (OSError(28, "No space left on device", "build.ninja"), "build.ninja: No space left on device")):
            with unittest.mock.patch.object(build, "build", side_effect=error), \
                    contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
                status = nightly.main(["--results", self.results])
            self.assertEqual((status, out.getvalue()), (1, f"nightly: failed: {line}; under a second\n"))

    def test_a_night_that_cannot_build_is_an_object_for_scripts(self) -> None:
        with unittest.mock.patch.object(build, "build", side_effect=MakeError("no \"compiler\"", "get one")), \
                contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = nightly.main(["--results", self.results, "--json"])
        found = json.loads(out.getvalue())
        self.assertLess(found.pop("seconds"), 60)
        self.assertEqual((status, found), (1, {
            "verdict": "failed", "status": 1, "line": "nightly: failed: no \"compiler\"; under a second", "machine": None,
            "regressions": [], "recoveries": [], "unfit": [], "sessions": [], "report": None, "history": None, "junit": None}))
        self.assertIn("hint: get one", err.getvalue())
        with open(os.path.join(paths.ROOT, "harness", "docs", "formats.md"), encoding="utf-8") as file:
            sample = file.read().split("\n## nightly --json\n")[1].split("```")[1]
        self.assertEqual(re.findall(r"(\w+):", re.sub(r"\[[^]]*\]|\"[^\"]*\"", "", sample)), list(nightly.failed_night(1, "", 0)))

    def test_a_second_night_at_once_is_refused_before_it_builds_with_who_is_at_work(self) -> None:
        lock = nightly.night_lock(os.path.join(self.results, "nightly"))
        self.addCleanup(os.close, lock)
        with unittest.mock.patch.object(build, "build") as built:
            status, out, err = self.fail_with(["--results", self.results])
        what = f"another nightly run uses '{self.results}/nightly': process {os.getpid()} on "
        self.assertEqual((status, out[: len(what) + 17]), (1, f"nightly: failed: {what}"))
        self.assertIn(f"make.py: error: {what}", err)
        built.assert_not_called()

    def test_hosts_that_share_a_folder_have_nights_at_the_same_time(self) -> None:
        folder = os.path.join(self.results, "nightly")
        for names in ({"LAB_MACHINE": "farm-1"}, {"LAB_MACHINE": "the/farm"}, {"SLURMD_NODENAME": "node2"}, {}):
            with unittest.mock.patch.dict(os.environ, names):
                self.addCleanup(os.close, nightly.night_lock(folder))
                self.assertRaises(MakeError, nightly.night_lock, folder)
        self.assertEqual(sorted(os.listdir(folder)),
                         sorted(["farm-1.lock", "the_farm.lock", "node2.lock", f"{os.uname().nodename}.lock"]))

    def test_a_lock_that_a_child_keeps_open_is_held_when_the_night_has_gone(self) -> None:
        folder = os.path.join(self.results, "nightly")
        lock = nightly.night_lock(folder)
        reader, writer = os.pipe()
        child = subprocess.Popen(["cat"], stdin=reader, stdout=subprocess.DEVNULL, pass_fds=[lock])
        os.close(reader)
        os.close(lock)
        with self.assertRaises(MakeError):
            nightly.night_lock(folder)
        os.close(writer)
        child.wait()
        os.close(nightly.night_lock(folder))

    def test_after_a_kill_the_next_night_names_the_dead_process_and_goes_on(self) -> None:
        folder = os.path.join(self.results, "nightly")
        killed = subprocess.Popen([sys.executable, "-c", CALL.format(root=paths.ROOT, folder=self.root)],
                                  stdout=subprocess.PIPE, text=True, env={**os.environ, "STATUS": "0", "SLEEP": "60",
                                                                          "LAB_RESULTS": self.results})
        assert killed.stdout is not None
        killed.stdout.readline()  # it holds the lock now
        killed.kill()
        killed.wait()
        killed.stdout.close()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            lock = nightly.night_lock(folder)
        self.assertRegex(said.getvalue(), f"^nightly: the last run was killed: process {killed.pid} on .*, since .*Z; "
                                          "what it measured is kept\n$")
        os.ftruncate(lock, 0)  # as the harness does at its end
        os.close(lock)
        for before in ("", "process 1 on here, since 2026-01-01T00:00:00Z"):  # the second by an earlier version
            paths.write_if_changed(os.path.join(folder, f"{nightly.node_name()}.lock"), before)
            with contextlib.redirect_stderr(io.StringIO()) as said:
                os.close(nightly.night_lock(folder))
            self.assertEqual(said.getvalue(), "")

    def test_what_a_killed_night_left_running_is_named_as_that(self) -> None:
        folder = os.path.join(self.results, "nightly")
        lock = nightly.night_lock(folder)
        self.addCleanup(os.close, lock)
        ended = subprocess.Popen(["true"])
        ended.wait()
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"process {ended.pid} on {os.uname().nodename}, since 2026-01-01T00:00:00Z\n".encode(), 0)
        with self.assertRaises(MakeError) as caught:
            nightly.night_lock(folder)
        self.assertEqual(caught.exception.what,
                         f"what was started by a killed run, process {ended.pid} on {os.uname().nodename}, since "
                         f"2026-01-01T00:00:00Z, still uses '{folder}'")

    def test_a_file_system_without_locks_is_named(self) -> None:
        with unittest.mock.patch("fcntl.flock", side_effect=OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))):
            status, out, err = self.fail_with(["--results", self.results])
        what = (f"--results: expected a file system with locks, found one without: '{self.results}/nightly' "
                "(No locks available)")
        self.assertEqual((status, out[: out.index("; ")]), (2, f"nightly: failed: {what}"))
        self.assertIn("hint: --results DIR, or LAB_RESULTS, on a local disk", err)

    def test_help_takes_no_lock_and_builds_nothing_where_there_is_a_harness(self) -> None:
        for word in ("--help", "-h"):
            with unittest.mock.patch.object(nightly, "run_verb", side_effect=SystemExit) as run:
                with self.assertRaises(SystemExit):
                    nightly.main(["--results", self.results, word])
            run.assert_called_once_with("nightly", ["--help"])
        self.assertFalse(os.path.exists(self.results))

    def test_results_that_are_no_folder_are_refused_with_status_2(self) -> None:
        for name in ("file", "taken/nightly"):
            paths.write_if_changed(os.path.join(self.root, name), "")
        lock = f"{nightly.node_name()}.lock"
        os.makedirs(os.path.join(self.root, "locked", "nightly", lock))
        table = [("file", "file/nightly", "Not a directory"), ("file/below", "file/below", "Not a directory"),
                 ("taken", "taken/nightly", "File exists"), ("locked", f"locked/nightly/{lock}", "Is a directory")]
        for name, found, why in table:
            what = f"--results: expected a folder that can be written, found '{os.path.join(self.root, found)}': {why}"
            self.assertEqual(
                self.fail_with(["--results", os.path.join(self.root, name)]),
                (2, f"nightly: failed: {what}; under a second\n",
                 f"make.py: error: {what}\nhint: --results DIR, or LAB_RESULTS\n"))


if __name__ == "__main__":
    unittest.main()
