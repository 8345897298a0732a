"""How tests are chosen, run beside each other or alone, and ended."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

from harness.make import paths, test
from harness.make.console import MakeError
from harness.make.test import TestProcesses, TestOutcome, Test, TestTimes, run_all
from harness.spm_testing.interrupt import PATIENCE_S


def named(name: str, run: test.Run = lambda children: TestOutcome("")) -> Test:
    return Test(name, [name], run)


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for its new parent to notice."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class ChosenTest(unittest.TestCase):
    def test_globs_choose_and_a_glob_without_a_match_is_refused(self) -> None:
        every = ["python make.a_test", "python spm.b_test", "measure_test", "conformance allocator/buddy"]
        tests = [named(name) for name in every]

        def names(*patterns: str) -> list[str]:
            return [each.name for each in test.chosen(tests, list(patterns))]

        self.assertEqual(names(), every)
        self.assertEqual(names("python"), every[:2])
        self.assertEqual(names("python spm.*"), every[1:2])
        self.assertEqual(names("conformance *", "measure_test"), every[2:])
        with self.assertRaises(MakeError) as caught:
            names("measure_tes")
        self.assertEqual((caught.exception.status, caught.exception.hint), (2, "did you mean 'measure_test'?"))

    def test_every_python_test_has_a_name_and_those_that_run_alone_are_there(self) -> None:
        modules = test.python_modules()
        self.assertIn("harness.make.test_test", modules)
        names = {"python " + module.removeprefix("harness.") for module in modules}
        self.assertEqual(set(test.ALONE) - names, set())
        folders = {name for top in ("harness", "variants") for name in os.listdir(os.path.join(paths.ROOT, top))}
        self.assertEqual({name.removesuffix("_test") for name in test.WITHOUT_DISK} - folders, set())

    def test_a_test_in_python_builds_what_it_needs_and_the_others_nothing(self) -> None:
        options = test.build.BuildOptions()
        self.assertEqual([each.name for each in test.unbuilt(options, ["python make.test_test"])],
                         ["python make.test_test"])
        for patterns in ([], ["python"], ["python make.verbs_test"], ["python make.test_test", "base_test"]):
            self.assertEqual(test.unbuilt(options, patterns), [], patterns)
        self.assertEqual(test.unbuilt(options._replace(config="asan"), ["python make.test_test"]), [])
        using = [module for module in test.python_modules()
                 if any(word in pathlib.Path(paths.ROOT, *module.split(".")).with_suffix(".py").read_text("utf-8")
                        for word in ("existing_" + "harness", "build_" + "dir"))]
        self.assertEqual([module for module in using if not test.needs_of(module)], [])

    def test_the_longest_starts_first_and_before_it_what_is_new(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "times.json")
            TestTimes(path).keep([TestOutcome("short", seconds=1), TestOutcome("long", seconds=9)])
            TestTimes(path).keep([TestOutcome("middle", seconds=5)])
            tests = [named(name) for name in ("short", "middle", "new", "long")]
            tests.append(named("new and long")._replace(long=True))
            order = TestTimes(path).in_order(tests)
        self.assertEqual([each.name for each in order], ["new and long", "new", "long", "middle", "short"])


class RunTest(unittest.TestCase):
    def test_so_many_run_at_once_and_then_one_alone(self) -> None:
        both, running, most = threading.Barrier(2), [0], {}

        def beside(children: TestProcesses) -> TestOutcome:
            both.wait(PATIENCE_S)  # breaks unless two are here
            running[0] += 1
            both.wait(PATIENCE_S)
            running[0] -= 1
            return TestOutcome("beside", passed=1)

        def alone(children: TestProcesses) -> TestOutcome:
            most["alone"] = running[0]
            return TestOutcome("alone", passed=1)

        shown: list[str] = []
        outcomes = run_all([named(test.ALONE[0], alone), named("a", beside), named("b", beside)], 2,
                           lambda outcome: shown.append(outcome.name))
        self.assertEqual(([each.name for each in outcomes], shown, most),
                         (["beside", "beside", "alone"], ["beside", "beside", "alone"], {"alone": 0}))

    def test_one_without_disk_runs_beside_one_alone_and_after_the_others(self) -> None:
        both, started = threading.Barrier(2), []

        def other(children: TestProcesses) -> TestOutcome:
            started.append("other")
            return TestOutcome("other", passed=1)

        def meet(children: TestProcesses) -> TestOutcome:
            started.append("meet")
            both.wait(PATIENCE_S)  # breaks unless two are here
            return TestOutcome("meet", passed=1)

        tests = [named(test.WITHOUT_DISK[0], meet), named(test.ALONE[0], meet), named("a", other), named("b", other)]
        run_all(tests, 1, lambda outcome: None)
        self.assertEqual(started, ["other", "other", "meet", "meet"])

    def test_output_is_whole_and_the_end_by_a_signal_is_said(self) -> None:
        status, text, _ = TestProcesses().execute("x_test", ["sh", "-c", "echo out; echo err >&2; kill -9 $$"])
        self.assertEqual((status, text), (-9, "out\nerr\n\nx_test: ended with signal 9 (Killed)"))

    def test_a_skip_names_what_it_waits_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "skipping_test.py"), "w", encoding="utf-8") as file:
                file.write("import unittest\n\n\nclass All(unittest.TestCase):\n"
                           "    @unittest.skip('needs tar')\n    def test_one(self) -> None: pass\n"
                           "    def test_two(self) -> None: self.skipTest(\"needs the owner's git\")\n"
                           "    def test_three(self) -> None: pass\n")
            done = subprocess.run([sys.executable, "-m", "unittest", "-v", "skipping_test"], cwd=folder, text=True,
                                  capture_output=True, check=True)
        google = "/lab/x_test.cpp:7: Skipped\nneeds git\n\n/lab/x_test.cpp:9: Skipped\nneeds git\n\n" \
                 "/lab/x_test.cpp:8: Skipped\n\n\n"
        self.assertEqual(test.skip_reasons([TestOutcome("python", output=done.stderr), TestOutcome("c", output=google)]),
                         {"needs git": 2, "needs tar": 1, "needs the owner's git": 1, "no reason given": 1})

    def test_an_interrupt_ends_the_children_with_what_they_started(self) -> None:
        # The second takes no notice of an interrupt; each starts a process of its own that does not, either.
        for script in ("sleep 1000 & echo $! > {}; wait", "trap '' INT; sleep 1000 & echo $! > {}; wait"):
            with self.subTest(script), tempfile.TemporaryDirectory() as folder:
                begun, started = os.path.join(folder, "begun"), []

                def run(children: TestProcesses) -> TestOutcome:
                    return TestOutcome("", output=children.execute("", ["sh", "-c", script.format(begun)])[1])

                def interrupt() -> None:
                    until = time.monotonic() + PATIENCE_S
                    while not (os.path.exists(begun) and os.path.getsize(begun)) and time.monotonic() < until:
                        time.sleep(0.01)
                    with open(begun, encoding="utf-8") as file:
                        started.append(int(file.read()))
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

                thread = threading.Thread(target=interrupt)
                former = signal.signal(signal.SIGINT, signal.default_int_handler)
                never: list[str] = []
                try:
                    thread.start()
                    with mock.patch.object(test, "GRACE_S", 0.2), self.assertRaises(KeyboardInterrupt):
                        run_all([named("a", run), named("b", lambda children: TestOutcome(never.append("b") or "b"))], 1,
                                lambda outcome: None)
                finally:
                    thread.join()
                    signal.signal(signal.SIGINT, former)
                self.assertEqual(never, [])
                self.assert_ends(started[0])

    def assert_ends(self, pid: int) -> None:
        until = time.monotonic() + PATIENCE_S
        while lives(pid):  # what is killed ends soon, not at once
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
