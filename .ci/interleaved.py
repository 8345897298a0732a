"""Short processes of variants, interleaved: what the scripts that print claimed ratios have in common."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
from typing import NamedTuple


class Figure(NamedTuple):
    """What a list of values is of. `at` is a point of the workload's axis, or None."""
    variant: str
    workload: str
    at: float | None
    phase: str


class Figures:
    """Of each process, the least time over its repetitions in ns an operation, and its counters."""

    def __init__(self) -> None:
        self.times: dict[Figure, list[float]] = {}
        self.counters: dict[Figure, list[float]] = {}

    def least(self, variant: str, workload: str, phase: str, at: float | None = None) -> float:
        return min(self.times[Figure(variant, workload, at, phase)])

    def median(self, variant: str, workload: str, phase: str, at: float | None = None) -> float:
        return statistics.median(self.times[Figure(variant, workload, at, phase)])

    def counter(self, variant: str, workload: str, name: str, at: float | None = None) -> float:
        return self.counters[Figure(variant, workload, at, name)][-1]

    def counter_of_each(self, variant: str, workload: str, name: str, at: float | None = None) -> list[float]:
        return self.counters[Figure(variant, workload, at, name)]

    def add(self, variant: str, workload: str, output: str) -> None:
        done = json.loads(output)
        for point in done.get("points") or [done]:
            at, operations = point.get("at"), point["operations"]
            phases: dict[str, list[float]] = point["samples"]
            whole = [sum(parts) for parts in zip(*phases.values())]
            for phase, samples in (phases | {"time": whole}).items():
                self.times.setdefault(Figure(variant, workload, at, phase), []).append(min(samples) / operations)
            for name, value in point["counters"].items():
                self.counters.setdefault(Figure(variant, workload, at, name), []).append(value)


def measure(folder: str, runs: list[tuple[str, str]], rounds: int, seconds: float, seed: int,
            threads: int = 1) -> Figures:
    """Runs each (variant, workload) once a round, in a new random order each time. Exits if a variant is not built."""
    missing = sorted({variant for variant, _ in runs if not os.path.exists(os.path.join(folder, variant))})
    if missing:
        family = os.path.basename(folder)
        sys.exit(f"{family}_ratios: error: expected built variants in {folder}, found no {', '.join(missing)}\n"
                 f"hint: python3 make.py build --variant '{family}/*'")
    figures = Figures()
    for number in range(rounds):
        order = runs[:]
        random.Random(number).shuffle(order)
        for variant, workload in order:
            command = [os.path.join(folder, variant), "--run", workload, "--seed", str(seed), "--seconds", str(seconds),
                       "--threads", str(threads)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            figures.add(variant, workload, done.stdout)
    return figures
