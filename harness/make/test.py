"""`test`: runs every test and counts them in one line.

Each x_test.py, each C++ test and each variant's conformance is one process. What the tests need is built first; a test
in Python names it (`NEEDS = ["harness"]`), or needs nothing. One more runs at once than there are cores, because the
longest tests mostly wait. Tests that would disturb others run alone, after the rest or beside those that only compute.
"""

from __future__ import annotations

import ast
import collections
import concurrent.futures
import fnmatch
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from harness.make import build, paths, reader
from harness.make.arguments import Parser
from harness.make.console import MakeError, StatusLine, duration, how_ended, print_line
from harness.make.names import nearest_hint
from harness.spm.interruptible import STEP_S
from harness.spm.trees import temporary_folder

TIMEOUT_S = 7200
"""Time limit of one test executable, generous for a busy machine: a test that exceeds it hangs."""

ALONE = ("python spm_testing.power_cut_test",)
"""These flush and mount whole file systems, which would block the disk for every other test but those WITHOUT_DISK."""

WITHOUT_DISK = ("designs_test", "judge_test", "stats_test")
"""These compute and write next to nothing. They start last, so that a core has work while a test runs ALONE."""

LONGEST = ("cli_test", "python spm.transfer.faults_test", "python spm.transfer.mutants_test",
           "python spm_testing.faults_test")
"""On a machine that has not run the tests yet, these and the families' tests, which run every variant, start first, so
that none runs alone at the end."""

GRACE_S = 5.0
"""How long an interrupted test may take to clean up before it is killed."""


class TestOutcome(NamedTuple):
    """The counts of one test process, and what it printed."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    output: str = ""
    seconds: float = 0.0


class TestProcesses:
    """The processes of the running tests, each the leader of a process group. `shader_cache`: a folder in which drivers
    keep what they compiled, for all tests: hundreds of processes draw with the same shaders. Their `python3` is this
    Python itself: the one in PATH may be a script of a version manager, which takes longer to start than the rest."""

    def __init__(self, shader_cache: str | None = None) -> None:
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
        self._environment = {**os.environ, "PATH": path}
        if shader_cache is not None:
            self._environment["LAB_SHADER_CACHE"] = shader_cache
        self._running: set[subprocess.Popen[str]] = set()
        self._mutex = threading.Lock()
        self._stopped = False

    def execute(self, name: str, command: list[str]) -> tuple[int | None, str, float]:
        """(exit status, everything printed, seconds); a time-out is exit status None."""
        started = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            with self._mutex:
                if self._stopped:
                    return None, f"{name}: interrupted", 0.0
                process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, text=True,
                                           stdin=subprocess.DEVNULL, cwd=paths.ROOT, start_new_session=True,
                                           env=self._environment)
                self._running.add(process)
            try:
                status: int | None = process.wait(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                _signal(process, signal.SIGKILL)
                process.wait()
                status = None
            finally:
                with self._mutex:
                    self._running.discard(process)
            output.seek(0)
            text = output.read()
        if status is None:
            text += f"\n{name}: did not end within {TIMEOUT_S} s"
        elif status < 0:
            text += f"\n{name}: ended with {how_ended(status)}"
        return status, text, time.monotonic() - started

    def stop(self) -> None:
        """Ends all running tests with their children, and prevents new ones from starting."""
        with self._mutex:
            self._stopped = True
            left = list(self._running)
        for number in (signal.SIGINT, signal.SIGKILL):
            for process in left:
                _signal(process, number)
            until = time.monotonic() + GRACE_S
            while number != signal.SIGKILL and any(map(_lives, left)) and time.monotonic() < until:
                time.sleep(0.02)


def _signal(process: subprocess.Popen[str], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass  # the whole process group has ended


def _lives(process: subprocess.Popen[str]) -> bool:
    """Whether any process of its group is left."""
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


Run = Callable[[TestProcesses], TestOutcome]
Future = concurrent.futures.Future[TestOutcome]
Prefix = Callable[[list[str]], list[str]]


def _python_test(name: str, module: str, children: TestProcesses) -> TestOutcome:
    """Runs one x_test.py with unittest's own runner."""
    status, text, seconds = children.execute(name, [sys.executable, "-m", "unittest", "-v", module])
    count = re.search(r"^Ran (\d+) tests?", text, re.M)
    ran = int(count[1]) if count else 0
    tally = {kind: int(number) for kind, number in re.findall(r"(failures|errors|skipped)=(\d+)", text)}
    failed = tally.get("failures", 0) + tally.get("errors", 0)
    if status != 0 and failed == 0:
        failed = 1
    skipped = tally.get("skipped", 0)
    return TestOutcome(name, max(0, ran - failed - skipped), failed, skipped, text, seconds)


def _google_test(executable: str, prefix: Prefix, children: TestProcesses) -> TestOutcome:
    name = os.path.basename(executable)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        status, text, seconds = children.execute(name, prefix([executable, f"--gtest_output=json:{report}",
                                                               "--gtest_color=no", "--gtest_brief=1"]))
        try:
            with open(report, encoding="utf-8") as file:
                suites = json.load(file)["testsuites"]
        except (OSError, ValueError, KeyError):
            return TestOutcome(name, 0, 1, 0, text, seconds)
    cases = [case for suite in suites for case in suite["testsuite"]]
    failed = sum("failures" in case for case in cases)
    skipped = sum(case["result"] == "SKIPPED" for case in cases)
    if status != 0 and failed == 0:
        failed = 1
    return TestOutcome(name, len(cases) - failed - skipped, failed, skipped, text, seconds)


def _conformance(executable: str, name: str, prefix: Prefix, children: TestProcesses) -> TestOutcome:
    """Passes if the executable checked something and found nothing wrong."""
    status, text, seconds = children.execute(name, prefix([executable, "--conformance"]))
    passes = status == 0 and '"checks":[{' in text
    return TestOutcome(name, int(passes), int(not passes), 0, text, seconds)


def without_aslr(command: list[str]) -> list[str]:
    """`command` without address space randomisation: the sanitizers of GCC 12 and clang 14 cannot map their shadow memory
    with the larger entropy of kernels since 6.6."""
    setarch = shutil.which("setarch")
    return [setarch, "-R", *command] if setarch else command


class Test(NamedTuple):
    """A test: `targets` must be built for it; `run(children)` returns its TestOutcome; `long` is what is expected of it
    before it ever ran."""

    name: str
    targets: list[str]
    run: Run
    long: bool = False

    def matches(self, pattern: str) -> bool:
        """Whether a glob matches its name, or the kind before the first space of its name."""
        return fnmatch.fnmatchcase(self.name, pattern) or fnmatch.fnmatchcase(self.name.split(" ")[0], pattern)


def python_modules() -> list[str]:
    """The module names of every x_test.py below harness, sorted."""
    found = [os.path.relpath(os.path.join(folder, name), paths.ROOT)
             for folder, _, names in os.walk(os.path.join(paths.ROOT, "harness"))
             for name in names if name.endswith("_test.py")]
    return sorted(path.removesuffix(".py").replace(os.sep, ".") for path in found)


def skip_reasons(outcomes: Iterable[TestOutcome]) -> collections.Counter[str]:
    """How many tests were skipped for each reason, as unittest and GoogleTest print it."""
    found: collections.Counter[str] = collections.Counter()
    for outcome in outcomes:
        reasons = re.findall(r"(?:^|\.\.\. )skipped ['\"](.*)['\"]$|^\S*: Skipped\n(.*)$", outcome.output, re.M)
        found.update(python or google or "no reason given" for python, google in reasons)
    return found


def needs_of(module: str) -> list[str]:
    """The targets that a Python test needs, as its line `NEEDS = [...]` says; without the line, none."""
    with open(os.path.join(paths.ROOT, *module.split(".")) + ".py", encoding="utf-8") as file:
        found = re.search(r"^NEEDS = (\[.*\])$", file.read(), re.M)
    return list(ast.literal_eval(found[1])) if found else []


def python_tests() -> list[Test]:
    """Every test in Python."""
    tests = []
    for module in python_modules():
        name = "python " + module.removeprefix("harness.")
        tests.append(Test(name, needs_of(module), functools.partial(_python_test, name, module), name in LONGEST))
    return tests


def plan(ready: build.Build) -> list[Test]:
    """Every test of a build folder."""
    prefix: Prefix = without_aslr if ready.options.config == "tsan" else lambda command: command
    tests = python_tests() if ready.options.config == "release" else []
    with open(os.path.join(ready.folder, "tests.json"), encoding="utf-8") as file:
        executables = [os.path.join(ready.folder, path) for path in json.load(file)]
    of_families = {f"{variant['family']}_test" for variant in ready.variants()}
    for executable in executables:
        name = os.path.basename(executable)
        tests.append(Test(name, [name], functools.partial(_google_test, executable, prefix),
                          name in LONGEST or name in of_families))
    for variant in ready.variants():
        name = f"conformance {variant['family']}/{variant['variant']}"
        executable = os.path.join(ready.folder, variant["executable"])
        tests.append(Test(name, [variant["target"]],
                          functools.partial(_conformance, executable, name, prefix)))
    return tests


def chosen(tests: list[Test], patterns: list[str]) -> list[Test]:
    """The tests that match a glob, or all if there is no glob; each glob must match at least one."""
    for pattern in patterns:
        if not any(test.matches(pattern) for test in tests):
            hint = nearest_hint(pattern, [test.name for test in tests])
            raise MakeError(f"no test matches '{pattern}'", hint, 2)
    return [test for test in tests if not patterns or any(test.matches(each) for each in patterns)]


def unbuilt(options: build.BuildOptions, patterns: list[str]) -> list[Test]:
    """The tests that match, if they are tests in Python that need nothing built; else []."""
    if options.config != "release" or not patterns or not all(each.startswith("python") for each in patterns):
        return []
    found = chosen(python_tests(), patterns)
    return [] if any(test.targets for test in found) else found


def built(options: build.BuildOptions, patterns: list[str]) -> list[Test]:
    """Builds what the tests that match need, or everything without patterns; returns the tests."""
    def targets(ready: build.Build) -> list[str]:
        if not patterns:
            return ["all", "lab_tests"]
        ready.reload_variants()
        return sorted({target for test in chosen(plan(ready), patterns) for target in test.targets})

    return chosen(plan(build.build(options, targets)), patterns)


class TestTimes:
    """Each test's duration in its last run on this machine. The longest start first."""

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            with open(path, encoding="utf-8") as file:
                self._seconds: dict[str, float] = json.load(file)
        except (OSError, ValueError):
            self._seconds = {}

    def in_order(self, tests: list[Test]) -> list[Test]:
        """Tests that have never run first, then the longest first."""
        return sorted(tests, key=lambda test: (-self._seconds.get(test.name, float("inf")), not test.long))

    def keep(self, outcomes: list[TestOutcome]) -> None:
        """Stores these durations."""
        self._seconds.update((outcome.name, round(outcome.seconds, 2)) for outcome in outcomes)
        paths.write_if_changed(self._path, json.dumps(self._seconds, indent=1, sort_keys=True) + "\n")


def run_all(tests: list[Test], workers: int, done: Callable[[TestOutcome], None]) -> list[TestOutcome]:
    """Runs `workers` tests at a time in their order, but those WITHOUT_DISK last; once only these are left, also those that
    must run alone, one by one. Calls `done` in this thread as each ends. Any exception, an interrupt too, ends all running
    tests."""
    with temporary_folder("lab-shaders-") as shader_cache:
        return _run_in_order(tests, workers, done, TestProcesses(shader_cache))


def _run_in_order(tests: list[Test], workers: int, done: Callable[[TestOutcome], None],
                  children: TestProcesses) -> list[TestOutcome]:
    outcomes = []
    pools = concurrent.futures.ThreadPoolExecutor(max(1, workers)), concurrent.futures.ThreadPoolExecutor(1)

    def start(pool: concurrent.futures.ThreadPoolExecutor, names: Callable[[str], bool]) -> set[Future]:
        return {pool.submit(test.run, children) for test in tests if names(test.name)}

    try:
        others = start(pools[0], lambda name: name not in ALONE + WITHOUT_DISK)
        left = others | start(pools[0], lambda name: name in WITHOUT_DISK)
        waiting = True
        while left or waiting:
            if waiting and not others & left:
                waiting = False
                left |= start(pools[1], lambda name: name in ALONE)
            # Short waits: a signal that the kernel delivers to another thread does not wake this one.
            ended, left = concurrent.futures.wait(left, STEP_S, concurrent.futures.FIRST_COMPLETED)
            for future in ended:
                outcomes.append(future.result())
                done(outcomes[-1])
    except BaseException:
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        children.stop()
        raise
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)
    return outcomes


def main(argv: list[str]) -> int:
    """python3 make.py test"""
    parser = Parser(prog="make.py test", description="Run every test; the last line counts them.")
    build.add_arguments(parser)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="run only matching tests: measure_test, python or 'conformance FAMILY/*'")
    arguments = parser.parse_args(argv)
    options = build.options_from(arguments)

    reader.tell(False)
    tests = unbuilt(options, arguments.names) or built(options, arguments.names)
    folder = os.path.relpath(options.folder, paths.ROOT)
    times = TestTimes(os.path.join(paths.place_for(folder), "test-times.json"))
    tests = times.in_order(tests)
    progress = StatusLine()
    ended: list[TestOutcome] = []

    def show(outcome: TestOutcome) -> None:
        ended.append(outcome)
        progress.update(f"test {len(ended)}/{len(tests)}: {outcome.name}")
        if outcome.failed:
            progress.close()
            print_line(f"--- {outcome.name} failed\n{outcome.output.rstrip()}")

    try:
        outcomes = run_all(tests, len(os.sched_getaffinity(0)) + 1, show)
    finally:
        progress.close()
    times.keep(outcomes)
    for outcome in sorted(outcomes, key=lambda outcome: outcome.name):
        counts = f"{outcome.passed:>5} passed {outcome.failed:>3} failed {outcome.skipped:>3} skipped"
        print_line(f"{outcome.name:<52} {counts}  {duration(outcome.seconds)}")
    for reason, count in skip_reasons(outcomes).most_common():
        print_line(f"{count:>5} skipped: {reason}")
    passed, failed, skipped = (sum(getattr(o, kind) for o in outcomes) for kind in ("passed", "failed", "skipped"))
    sys.stderr.flush()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0
