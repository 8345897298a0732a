"""Runs ninja with a status line; its output goes to a log."""

import os
import re
import subprocess
import time
from collections.abc import Sequence

from harness.make.console import StatusLine, duration


def run(command: Sequence[str], log: str, what: str, environment: dict[str, str] | None = None) -> tuple[int, int]:
    """Runs the ninja `command`, shows its progress as `what`, and writes its output to the file `log`.

    Returns (exit status, number of steps). `environment` replaces this process's."""
    started = time.monotonic()
    progress = StatusLine()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               text=True, errors="replace",
                               env={**(os.environ if environment is None else environment), "NINJA_STATUS": "[%f/%t] "})
    assert process.stdout is not None
    done, total = 0, 0
    with open(log, "w", encoding="utf-8") as file, process.stdout:
        try:
            for line in process.stdout:
                file.write(line)
                step = re.match(r"\[(\d+)/(\d+)\] ", line)
                if step:
                    done, total = int(step[1]), int(step[2])
                    elapsed = time.monotonic() - started
                    left = elapsed / done * (total - done) if done else 0
                    # The first few steps are no basis for an estimate.
                    known = done >= min(10, total / 4)
                    progress.update(f"{what} {done}/{total}" + (f", {duration(left)} left" if known else ""))
        finally:
            _wait_or_stop(process)
            progress.close()
    return process.wait(), total


def pending(command: Sequence[str], targets: Sequence[str] = ()) -> int | None:
    """How many steps a build of `targets` by the ninja `command` would run now; None if ninja does not say.

    A dry run stops where CMake must run again, so CMake runs first."""
    said = _dry_run(command, targets)
    counts = re.findall(r"^\[\d+/(\d+)\]", said, re.M)
    if counts:
        return int(counts[-1])
    return 0 if "no work to do" in said else None


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
