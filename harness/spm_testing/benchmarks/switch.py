"""The cost of switching ten packages between two versions in the store, with the real command.

    python3 -m harness.spm_testing.benchmarks.switch [REPEATS]

Two worlds: packages of 1,600 files each, 100 MB together, and packages of one tiny file. A switch is one link renamed,
so both cost the same; the goal is at most 60 ms for either."""

from __future__ import annotations

import os
import sys
import tempfile

from harness.spm import trees
from harness.spm_testing.archives import member, tar
from harness.spm_testing.benchmarks import timing

GOAL_MS = 60.0
PACKAGES = 10


def world(folder: str, files: int, size: int) -> list[list[str]]:
    """Installs ten packages in two versions; returns the commands that switch between them."""
    versions = []
    for version in ("one", "two"):
        archives = {
            f"package-{number}": [
                tar(*(member(f"include/{each % 40}/{each}.hpp", os.urandom(size)) for each in range(files)))
            ]
            for number in range(PACKAGES)
        }
        versions.append(timing.install(folder, version, archives))
    return versions


def main(arguments: list[str]) -> int:
    repeats = int(arguments[0]) if arguments else 30
    folder = tempfile.mkdtemp(prefix="spm-switch-")
    try:
        commands = {
            timing.PYTHON: [sys.executable, "-c", "pass"],
            "switch 10 packages of 1,600 files, 100 MB": world(f"{folder}/large", 1600, 6250),
            "switch 10 packages of 1 file": world(f"{folder}/small", 1, 10),
        }
        costs = timing.table(timing.measure(commands, repeats))
    finally:
        trees.remove(folder)
    found = [each for name, each in costs.items() if name != timing.PYTHON]
    cpu, wall = (max(getattr(each, kind) for each in found) for kind in ("cpu", "wall"))
    return timing.judge(f"at most {GOAL_MS:.0f} ms", cpu <= GOAL_MS, wall <= GOAL_MS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
