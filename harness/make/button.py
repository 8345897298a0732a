"""`make.py` without a verb: fetch, build, probe, run, report. Each stage is announced with its expected duration."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence

from harness.make import build, paths, reader
from harness.make.arguments import Parser
from harness.make.console import MakeError, duration, how_ended, print_line

WORK_OF_PROBING = 13.5
"""Seconds of ninja.work_of() that the drivers of a machine take which has not asked them yet."""

EXHIBITS, REPORT_S, WORK_OF_EXECUTABLE = 1.1, 7, 1.9
"""What a session takes beside its budget: a tenth for exhibits, seconds for the report, and seconds of ninja.work_of()
for linking the layouts of a new executable and checking it."""

UNFIT = 4
"""Exit status of a session whose times have no verdict. The report of it is written first."""

EARLY_BUDGET_S = 20
"""For the family that a first press measures before it builds the others."""

FEWEST_VARIANTS = 10
"""A family with fewer is measured first only if no other is left: its answer says little."""

TIMES = os.path.join(paths.place_for("build"), "stage-times.json")


class Stages:
    """Announces stages, times them, and remembers the times for the next announcement."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._number = 0
        try:
            with open(TIMES, encoding="utf-8") as file:
                self._times: dict[str, float] = json.load(file)
        except (OSError, ValueError):
            self._times = {}

    def about(self, key: str, first: float) -> float:
        """Seconds that `key` took last time, else `first`."""
        return self._times.get(key, first)

    @contextlib.contextmanager
    def stage(self, what: str, seconds: float | None, key: str | None = None) -> Iterator[None]:
        """Announces the stage in one line, with about how long it takes if that is known, then stores its measured time
        under `key`."""
        self._number += 1
        about = "" if seconds is None else f": {'about ' if seconds >= 1 else ''}{duration(seconds)}"
        print_line(f"{self._number}/{self._count} {what}{about}")
        started = time.monotonic()
        yield
        if key:
            self._times[key] = round(time.monotonic() - started, 2)
            self._write()

    def forget_if_failed(self, key: str, status: int) -> None:
        """A stage that failed says nothing of how long it takes."""
        if status == 1:
            self._times.pop(key, None)
            self._write()

    def _write(self) -> None:
        paths.write_if_changed(TIMES, json.dumps(self._times, indent=1, sort_keys=True) + "\n")


def main(argv: list[str]) -> int:
    """python3 make.py [--quick|--full]"""
    parser = Parser(prog="make.py", description="Fetch, build, probe, run, report.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", dest="mode", action="store_const", const="quick", help="the shortest session")
    mode.add_argument("--full", dest="mode", action="store_const", const="full", help="until every interval is tight")
    build.add_arguments(parser)
    arguments = parser.parse_args(argv)
    options = build.options_from(arguments)
    chosen = arguments.mode or "default"

    reader.tell(True)
    mine = paths.is_writable(options.folder)
    missing, size = build.pending(options) if mine else ([], 0)
    what = f"fetch {len(missing)} packages, {size / 1e6:.0f} MB" if missing else "fetch: nothing to do"
    # Where objects are fetched, all families are there almost as soon as one.
    is_first = mine and not options.cache.places and not os.path.exists(os.path.join(options.folder, "harness"))
    stages = Stages(6 if is_first else 4)
    # Nobody knows the connection before the first megabytes, so their lines say how long the rest takes.
    with stages.stage(what, None if missing else 0):
        ready = build.Build(options, build.fetch(options)) if mine else build.FinishedBuild(options)
    folder = os.path.join(paths.place_for("reports"), time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
    with ready.alone():
        ready.configure()
        if is_first:
            family, targets = first_family(ready)
            build_stage(stages, ready, f"the harness and {family}", targets)
            early_answer(stages, ready, family, folder)
        # The programs that users start can wait until a build or their verb wants them.
        rest = ["lab_session"] if is_first and chosen == "quick" else []
        build_stage(stages, ready, "the other families" if is_first else "", rest)
    if mine:
        build.build_simulated_devices(ready)
    harness = os.path.join(ready.folder, "harness")

    flags = [f"--{chosen}"] if chosen != "default" else []
    try:
        with stages.stage("ask every Vulkan driver", stages.about("probe", ready.seconds_of(WORK_OF_PROBING)), "probe"):
            status, _ = harness_stage(harness, "probe", ["--allocate"])
        stages.forget_if_failed("probe", status)
        seconds = session_s(ready, budget_of(harness, flags))
        with stages.stage(f"run the benchmarks ({chosen}); the report fills in at {folder}", seconds):
            measured, result = harness_stage(harness, "run", [*flags, "--report", folder])
        path, written = os.path.join(folder, "index.html"), 0
        if not is_reported(folder, result):
            # Nothing could be measured, and what the probe found has a report, too; or it says why it cannot be written.
            written, path = harness_stage(harness, "report", [result, "--out", folder] if result else ["--out", folder])
    except KeyboardInterrupt:
        path = os.path.join(folder, "index.html")
        if os.path.exists(path):
            print(path, flush=True)
        raise
    print(path, flush=True)
    return ending(status, measured, written)


def is_reported(folder: str, result: str) -> bool:
    """Whether the whole report of `result` is in `folder`; its summary comes late."""
    try:
        return os.path.getmtime(os.path.join(folder, "summary.md")) >= os.path.getmtime(result)
    except OSError:
        return False


def build_stage(stages: Stages, ready: build.Build, what: str, targets: Sequence[str] = ()) -> None:
    """Builds `targets`, or everything, as a stage."""
    steps, seconds = ready.estimate(targets)
    what = f"build {what}, {steps} steps" if what else f"build {steps} steps"
    # What is left to compile is known when the build cache has answered.
    known = seconds if not steps or not ready.options.cache.places else None
    with stages.stage(what if steps else "build: nothing to do", known):
        ready.run(targets)


def first_family(ready: build.Build) -> tuple[str, list[str]]:
    """The family that is built in the fewest steps, and the targets with which it can be measured."""
    targets: dict[str, list[str]] = {}
    for variant in ready.variants():
        targets.setdefault(variant["family"], ["harness"]).append(variant["target"])
    return min(targets.items(), key=lambda one: (len(one[1]) < FEWEST_VARIANTS, len(ready.plan(one[1]))))


def early_answer(stages: Stages, ready: build.Build, family: str, folder: str) -> None:
    """Measures the core workloads of one family while nothing is compiled, and writes a report of them. The session
    after the build measures the family again, beside the others, so that this result is none of the machine's: two
    sessions of one family would make its intervals wide."""
    core = next(variant for variant in ready.variants() if variant["family"] == family).get("core", ["*"])
    filters = [word for workload in core for word in ("--filter", f"{family}/*/{workload}")]
    with stages.stage(f"measure {family} first", EARLY_BUDGET_S):
        _, path = harness_stage(os.path.join(ready.folder, "harness"), "run",
                                [*filters, "--budget", str(EARLY_BUDGET_S), "--report", folder,
                                 "--out", os.path.join(folder, "first-answer.json")])
    report = os.path.join(folder, "index.html")
    if path and os.path.exists(report):
        print_line(f"a first answer: {report}")


def ending(*statuses: int) -> int:
    """The button's exit status: that something failed says more than that nothing could be judged."""
    return 1 if 1 in statuses else max(statuses)


def budget_of(harness: str, flags: list[str]) -> float:
    """Seconds that the harness plans to measure with `flags`; 0 if that fails, because then `run` fails too and says why."""
    done = subprocess.run([harness, "run", "--plan", "--json", *flags], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    try:
        return float(json.loads(done.stdout)["budget_seconds"])
    except (ValueError, KeyError, TypeError):
        return 0.0


def session_s(ready: build.Build, budget: float) -> float:
    """Seconds that a session with this budget takes in all: with its exhibits, its report, and what must first be linked
    and checked. `budget`: 0 if it is not known."""
    folders = [os.path.join(ready.folder, "layouts", variant["executable"]) for variant in ready.variants()]
    fresh = sum(not os.path.exists(folder) for folder in folders)
    return EXHIBITS * budget + REPORT_S + ready.seconds_of(WORK_OF_EXECUTABLE * fresh) if budget else 0


def harness_stage(harness: str, verb: str, arguments: Sequence[str],
                  fine: Sequence[int] = (0, 1, UNFIT)) -> tuple[int, str]:
    """Runs a verb; returns (exit status, the last line of its standard output). Its other lines go to standard error. A
    status that is not in `fine` raises MakeError."""
    process = subprocess.Popen([harness, verb, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    last = ""
    try:
        for line in process.stdout:
            if last.startswith("/"):
                print_line(last)
            last = line.rstrip("\n")
            if not last.startswith("/"):
                print_line(last)
        status = process.wait()
    except KeyboardInterrupt:
        # A terminal sends its signal to the harness too, `kill` does not. The harness stores its results at the first
        # signal, and a second one of the same kind would end that: so it gets one that it cannot have had yet.
        ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        process.send_signal(signal.SIGTERM if ignored else signal.SIGHUP)
        process.wait()
        process.stdout.close()
        raise
    if status == 130:
        raise KeyboardInterrupt
    if status not in fine:
        raise MakeError(f"harness {verb} ended with {how_ended(status)}", f"python3 make.py {verb}")
    return status, last
