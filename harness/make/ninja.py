"""Runs ninja with a status line; its output goes to a log."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Container, Iterable, Sequence

from harness.make.console import StatusLine, duration

_STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")

_WORK = ((r"/Unity/", 12.0), (r"\.gch$", 8.0), (r"/(sqlite3|quickjs)\.c", 25.0), (r"Building CXX .*/variant_", 5.0),
         (r"Building CXX .*(/tree/|/lab_)", 3.0), (r"Building CXX", 1.5), (r"Building C ", 3.0))
"""Seconds of one core by what stands in ninja's description of a step. Rounded from a build without a compile cache;
only their ratios matter, as each machine has its own speed."""

_OTHER_WORK = 0.3
"""Of a link, and of the rest."""

_FETCHED_WORK = 0.05
"""Of an object of the build cache, which is copied."""


def work_of(steps: Iterable[str], fetched: Container[str] = ()) -> float:
    """About how many seconds of one core steps take, by ninja's descriptions of them. The last word of one that
    compiles is its object; `fetched` objects are only copied."""
    return sum(_FETCHED_WORK if step.rpartition(" ")[2] in fetched else
               next((work for pattern, work in _WORK if re.search(pattern, step)), _OTHER_WORK) for step in steps)


def run(command: Sequence[str], log: str, what: str, environment: dict[str, str] | None = None,
        planned: Sequence[str] = (), fetched: Container[str] = ()) -> int:
    """Runs the ninja `command`, shows its progress as `what`, and writes its output to the file `log`. Returns its exit
    status. `environment` replaces this process's; `planned` are the steps that plan() said, and `fetched` is as in
    work_of()."""
    started = time.monotonic()
    progress = StatusLine()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               text=True, errors="replace",
                               env={**(os.environ if environment is None else environment), "NINJA_STATUS": "[%f/%t] "})
    assert process.stdout is not None
    work, done = work_of(planned, fetched), 0.0
    with open(log, "w", encoding="utf-8") as file, process.stdout:
        try:
            for line in process.stdout:
                file.write(line)
                step = _STEP.match(line)
                if step:
                    done += work_of([step[3]], fetched)
                    elapsed = time.monotonic() - started
                    # The first few steps are no basis for an estimate.
                    known = done >= work / 10 and done < work
                    left = f", {duration(elapsed / done * (work - done))} left" if known else ""
                    progress.update(f"{what} {step[1]}/{step[2]}{left}")
        finally:
            _wait_or_stop(process)
            progress.close()
    return process.wait()


def plan(command: Sequence[str], targets: Sequence[str] = ()) -> list[str] | None:
    """Ninja's descriptions of the steps that a build of `targets` by the ninja `command` would run now; None if it does
    not say.

    A dry run stops where CMake must run again, so CMake runs first."""
    said = _dry_run(command, targets)
    steps = [step[3] for step in map(_STEP.match, said.splitlines()) if step]
    return steps if steps or "no work to do" in said else None


def pending_commands(command: Sequence[str], targets: Sequence[str] = ()) -> list[str]:
    """The commands of these steps, a line each, after their numbers."""
    return _dry_run([*command, "-v"], targets).splitlines()


def commands(command: Sequence[str], targets: Sequence[str] = ()) -> list[str]:
    """The commands of everything that belongs to `targets`, a line each."""
    return _said([*command, "-t", "commands", *targets]).splitlines()


def _dry_run(command: Sequence[str], targets: Sequence[str]) -> str:
    _said([*command, "build.ninja"])
    return _said([*command, "-n", *targets])


def _said(command: Sequence[str]) -> str:
    """What a command prints; "" if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", check=False)
    return done.stdout if done.returncode == 0 else ""


def _wait_or_stop(process: subprocess.Popen[str]) -> None:
    """Waits for ninja, which ends by itself once its output has ended; after an interrupt, terminates it."""
    try:
        process.wait(timeout=0.5)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
