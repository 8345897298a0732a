"""Shared by the benchmarks: commands timed in turns, a table, a goal that is met or missed, and packages to install.

Other programs on the machine only add time, so the minimum of many runs is the cost of a command. Goals hold for CPU
time, which other programs do not change; whether wall time met them as well is printed."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from harness.spm import api
from harness.spm.settings import ROOT
from harness.spm_testing.test_case import package, pin

PYTHON = "python3 -c pass"
# As for users: imported modules are compiled once.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Cost:
    """The minimum over a command's runs, in milliseconds of wall and of CPU time."""

    def __init__(self, wall: float, cpu: float) -> None:
        self.wall, self.cpu = wall, cpu

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall - other.wall, self.cpu - other.cpu)


def measure(commands: Mapping[str, Any], repeats: int) -> dict[str, list[tuple[float, float]]]:
    """(wall, CPU) milliseconds of each command, run in turns, so that other load affects all of them.

    A command is a list of words, or a list of commands that run in turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for turn in range(repeats + 1):
        for name, command in commands.items():
            words = command if isinstance(command[0], str) else command[turn % len(command)]
            started = time.perf_counter()
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_ENVIRONMENT)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            times[name].append(((time.perf_counter() - started) * 1000, (used.ru_utime + used.ru_stime) * 1000))
            if process.returncode:
                raise SystemExit(f"{name}: exit status {process.returncode}")
    return {name: each[1:] for name, each in times.items()}  # the first fills caches


def table(times: dict[str, list[tuple[float, float]]], base: str = PYTHON) -> dict[str, Cost]:
    """Prints a row for each command, next to the cost of `base`; returns the costs."""
    costs = {name: Cost(*map(min, zip(*each))) for name, each in times.items()}
    title = f"milliseconds of {len(times[base])} runs, in turns"
    print(f"{title:<44}{'median':>9}{'least':>9}{'over':>9}{'CPU':>9}{'over':>9}")
    for name, each in times.items():
        over, median = costs[name] - costs[base], statistics.median(wall for wall, _ in each)
        print(
            f"{name:<44}{median:>9.1f}{costs[name].wall:>9.1f}{over.wall:>9.1f}{costs[name].cpu:>9.1f}{over.cpu:>9.1f}"
        )
    return costs


def judge(what: str, cpu: bool, wall: bool) -> int:
    """Prints a goal and whether CPU and wall time met it; returns 0 if CPU time met it, else 1."""
    words = {True: "met", False: "missed"}
    print(f"goal: {what}: {words[cpu]} in CPU time, {words[wall]} in wall time at load {os.getloadavg()[0]:.1f}")
    return 0 if cpu else 1


def install(folder: str, name: str, artifacts: dict[str, list[bytes]], **fields: Any) -> list[str]:
    """Installs packages of the given archives into FOLDER; returns the command that does so again.

    `name` is the name of the file of pins: several may share the folder's store and lib."""
    packages = {}
    for number, (each, archives) in enumerate(artifacts.items()):
        pins = []
        for part, data in enumerate(archives):
            path = f"pool/main/p/{each}/lib{each}-{part}_1.0-1_amd64.{name}.tar"
            os.makedirs(os.path.dirname(f"{folder}/disk/{path}"), exist_ok=True)
            with open(f"{folder}/disk/{path}", "wb") as file:
                file.write(data)
            pins.append(pin(data, path, **fields))
        packages[each] = package(*pins, name=each)
    places = {"packages": f"{folder}/{name}.json", "lib": f"{folder}/lib", "store": f"{folder}/store"}
    with open(places["packages"], "w") as file:
        sources = {"main": {"type": "file", "base": "disk"}}
        json.dump({"schema": 1, "sources": sources, "packages": packages}, file, indent=2)
    api.install_groups(["all"], quiet=True, **places)
    arguments = [word for place, path in places.items() for word in (f"--{place}", path)]
    return [sys.executable, f"{ROOT}/make.py", "spm", "install-group", "all", *arguments]
