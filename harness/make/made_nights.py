"""Nights of a small farm for tests: results made of the smallest one of the reference."""

from __future__ import annotations

import copy
import glob
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from harness.make import paths

MACHINES = ('a "quoted", farm', "b")
Result = dict[str, Any]


def model(benchmarks: int = 3) -> Result:
    """A result with these first benchmarks of the reference, and nothing that makes it unusual."""
    kept = glob.glob(os.path.join(paths.ROOT, "results", "reference", "*.json"))
    with open(min(kept, key=os.path.getsize), encoding="utf-8") as file:
        result: Result = json.load(file)
    result["source"] = {"commit": "1" * 40, "dirty": False, "state": "clean"}
    result["session"].update(disturbances=[], unusual=[], state="complete", waiting=[])
    result["build"]["config"] = "release"
    result["arms"] = [arm for arm in result["arms"] if arm["name"] == "head"]
    names = sorted({process["name"] for process in result["benchmarks"] if process["arm"] == "head"})[:benchmarks]
    result["benchmarks"] = [each for each in result["benchmarks"] if each["arm"] == "head" and each["name"] in names]
    result["exhibits"], result["failures"] = [], []
    return result


def night_of(result: Result, machine: str, night: int, factor: Callable[[str], float] = lambda benchmark: 1.0) -> Result:
    """A copy as session `night` (from 0, in August 2026) of `machine`; `factor` of a benchmark's name slows it down. Times
    differ by up to 10 % from night to night."""
    made = copy.deepcopy(result)
    made["machine"]["id"] = machine
    made["session"]["id"] = f"{night:04}"
    made["session"]["started"] = f"2026-08-{night + 1:02}T23:00:00Z"
    for process in made["benchmarks"]:
        process["real_time"] *= (1 + 0.01 * (night * 7 % 11)) * factor(process["name"])
    return made


def write(folder: str, result: Result) -> str:
    """Writes it to its machine's place, at once as `run` does. Returns its path."""
    machine = os.path.join(folder, result["machine"]["id"])
    os.makedirs(machine, exist_ok=True)
    path = os.path.join(machine, f"{result['session']['id']}.json")
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.replace(f"{path}.part", path)
    return path


def write_nights(folder: str, nights: int = 24, machines: Sequence[str] = MACHINES) -> None:
    """Nights of three benchmarks of each machine."""
    result = model()
    for machine in machines:
        for night in range(nights):
            write(folder, night_of(result, machine, night))
