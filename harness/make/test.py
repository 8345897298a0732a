"""`test`: every test there is, counted in one line.

Python's tests run in this process's interpreter, C++ tests as executables, each variant's conformance as one test.
"""

import concurrent.futures
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from harness.make import build, paths
from harness.make.arguments import Parser
from harness.make.console import MakeError, Progress, duration, say
from harness.make.names import nearest_hint

TIMEOUT_S = 7200
"""No single test executable may take longer, however busy the machine: what takes longer hangs."""


class Outcome:
    """Counts, and what the failures printed."""

    def __init__(self, name, passed=0, failed=0, skipped=0, words="", seconds=0.0):
        self.name = name
        self.passed = passed
        self.failed = failed
        self.skipped = skipped
        self.words = words
        self.seconds = seconds


def _execute(name, command, environment=None):
    """(exit status, everything printed, seconds); a time-out is exit status None."""
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   cwd=paths.ROOT, env=environment)
        try:
            status = process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        output.seek(0)
        words = output.read()
    if status is None:
        words += f"\n{name}: no end within {TIMEOUT_S} s"
    elif status < 0:
        words += f"\n{name}: ended by signal {-status}"
    return status, words, time.monotonic() - started


def _python_tests():
    """All x_test.py files, through unittest's own runner."""
    command = [sys.executable, "-m", "unittest", "discover", "-s", "harness", "-p", "*_test.py", "-t", "."]
    status, words, seconds = _execute("python", command)
    count = re.search(r"^Ran (\d+) tests?", words, re.M)
    ran = int(count[1]) if count else 0
    tally = {kind: int(number) for kind, number in re.findall(r"(failures|errors|skipped)=(\d+)", words)}
    failed = tally.get("failures", 0) + tally.get("errors", 0)
    if status != 0 and failed == 0:
        failed = 1
    skipped = tally.get("skipped", 0)
    return Outcome("python", max(0, ran - failed - skipped), failed, skipped, words, seconds)


def _google_test(executable, prefix):
    name = os.path.basename(executable)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        status, words, seconds = _execute(name, prefix([executable, f"--gtest_output=json:{report}",
                                                        "--gtest_color=no", "--gtest_brief=1"]))
        try:
            with open(report, encoding="utf-8") as file:
                suites = json.load(file)["testsuites"]
        except (OSError, ValueError, KeyError):
            return Outcome(name, 0, 1, 0, words, seconds)
    cases = [case for suite in suites for case in suite["testsuite"]]
    failed = sum("failures" in case for case in cases)
    skipped = sum(case["result"] == "SKIPPED" for case in cases)
    if status != 0 and failed == 0:
        failed = 1
    return Outcome(name, len(cases) - failed - skipped, failed, skipped, words, seconds)


def _conformance(executable, name, prefix):
    status, words, seconds = _execute(name, prefix([executable, "--conformance"]))
    return Outcome(f"conformance {name}", int(status == 0), int(status != 0), 0, words, seconds)


def _without_aslr(command):
    """The thread sanitizer of GCC 12 cannot place its shadow where kernels since 6.6 randomise more bits."""
    setarch = shutil.which("setarch")
    return [setarch, "-R", *command] if setarch else command


class _Test:
    """`targets` are what must be built for it; `run()` gives its Outcome."""

    def __init__(self, name, targets, run):
        self.name = name
        self.targets = targets
        self.run = run


def plan(ready):
    """Every test of a build folder, in the order in which they start."""
    prefix = _without_aslr if ready.options.config == "tsan" else lambda command: command
    tests = [_Test("python", ["all"], _python_tests)] if ready.options.config == "release" else []
    with open(os.path.join(ready.folder, "tests.json"), encoding="utf-8") as file:
        executables = [os.path.join(ready.folder, path) for path in json.load(file)]
    for executable in executables:
        name = os.path.basename(executable)
        tests.append(_Test(name, [name], lambda e=executable: _google_test(e, prefix)))
    for variant in ready.variants():
        name = f"conformance {variant['family']}/{variant['variant']}"
        executable = os.path.join(ready.folder, variant["executable"])
        tests.append(_Test(name, [variant["target"]],
                           lambda e=executable, n=name: _conformance(e, n.split(" ", 1)[1], prefix)))
    return tests


def chosen(tests, patterns):
    """Those whose names match a glob, all without one; each glob must match one."""
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(test.name, pattern) for test in tests):
            hint = nearest_hint(pattern, [test.name for test in tests])
            raise MakeError(f"no test matches '{pattern}'", hint, 2)
    return [test for test in tests if not patterns or any(fnmatch.fnmatchcase(test.name, each) for each in patterns)]


def main(argv):
    """python3 make.py test"""
    parser = Parser(prog="make.py test", description="Every test; the last line counts them.")
    build.add_arguments(parser)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="only tests that match, as measure_test, python or 'conformance allocator/*'")
    arguments = parser.parse_args(argv)
    options = build.options_from(arguments)

    def targets(ready):
        if not arguments.names:
            return ["all", "lab_tests"]
        ready.list_anew()
        return sorted({target for test in chosen(plan(ready), arguments.names) for target in test.targets})

    ready = build.build(options, targets)
    tests = chosen(plan(ready), arguments.names)
    outcomes = []
    progress = Progress()
    with concurrent.futures.ThreadPoolExecutor(max(1, min(2, os.cpu_count() or 1))) as pool:
        for future in concurrent.futures.as_completed([pool.submit(test.run) for test in tests]):
            outcome = future.result()
            outcomes.append(outcome)
            progress.update(f"test {len(outcomes)}/{len(tests)}: {outcome.name}")
            if outcome.failed:
                progress.close()
                say(f"--- {outcome.name} failed\n{outcome.words.rstrip()}")
    progress.close()
    for outcome in sorted(outcomes, key=lambda outcome: outcome.name):
        say(f"{outcome.name:<52} {outcome.passed:>5} passed {outcome.failed:>3} failed {outcome.skipped:>3} skipped"
            f"  {duration(outcome.seconds)}")
    passed, failed, skipped = (sum(getattr(o, kind) for o in outcomes) for kind in ("passed", "failed", "skipped"))
    sys.stderr.flush()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0
