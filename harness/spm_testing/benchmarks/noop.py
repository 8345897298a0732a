"""The cost of an install with nothing to do, compared with starting Python, in one interleaved run.

    python3 -m harness.spm_testing.benchmarks.noop [REPEATS]

Rows: Python alone; Python with the two modules that nothing can do without; install-group of an installed group of 20
and of 200 packages. The goal is at most 35 ms more than Python's."""

from __future__ import annotations

import os
import sys
import tempfile

from harness.spm import trees
from harness.spm_testing.archives import member, tar
from harness.spm_testing.benchmarks import timing

GOAL_MS = 35.0
ARTIFACTS = 5  # per package, the average of the pinned set


def world(folder: str, count: int) -> list[str]:
    """Installs `count` small packages and returns the command that finds nothing to do."""
    archives = {
        f"package-{number}": [tar(member(f"usr/lib/{number}.{part}", os.urandom(8))) for part in range(ARTIFACTS)]
        for number in range(count)
    }
    return timing.install(folder, "packages", archives, strip="usr", keep=["usr/lib/**"])


def main(arguments: list[str]) -> int:
    repeats = int(arguments[0]) if arguments else 30
    folder = tempfile.mkdtemp(prefix="spm-noop-")
    try:
        commands = {
            timing.PYTHON: [sys.executable, "-c", "pass"],
            "python3 -c 'import json, hashlib'": [sys.executable, "-c", "import json, hashlib"],
            "install-group, 20 packages": world(f"{folder}/20", 20),
            "install-group, 200 packages": world(f"{folder}/200", 200),
        }
        costs = timing.table(timing.measure(commands, repeats))
    finally:
        trees.remove(folder)
    over = costs["install-group, 200 packages"] - costs[timing.PYTHON]
    return timing.judge(f"at most {GOAL_MS:.0f} ms over Python", over.cpu <= GOAL_MS, over.wall <= GOAL_MS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
