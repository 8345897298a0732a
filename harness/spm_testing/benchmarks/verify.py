"""The cost of verifying a tree of 16,000 small files and a few large ones, with the real command.

    python3 -m harness.spm_testing.benchmarks.verify [REPEATS]

Rows: Python alone; verify; verify --deep; and the plainest Python that takes SHA-256 of the same files, one thread,
reading each at once. Python's start is taken off all. Goals: verify at most 5 microseconds a file; --deep at least 0.9
of the plain one's speed, though it compares times, modes and names as well."""

from __future__ import annotations

import os
import random
import sys
import tempfile

from harness.spm import trees
from harness.spm_testing.archives import member, tar
from harness.spm_testing.benchmarks import timing

GOAL_US = 5.0
GOAL_SPEED = 0.9
SMALL, LARGE = 16_000, 4
LARGE_BYTES = 20_000_000
PLAIN = """
import hashlib, os, sys
for base, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(f"{base}/{name}", "rb") as file:
            hashlib.sha256(file.read()).hexdigest()
"""


def main(arguments: list[str]) -> int:
    repeats = int(arguments[0]) if arguments else 10
    folder = tempfile.mkdtemp(prefix="spm-verify-")
    sizes = random.Random(1)
    try:
        # Like Boost's headers: half are below 3 kB, and one in a hundred is above 50 kB.
        small = [
            member(f"d{each % 40}/e{each % 800}/header-{each}.hpp", os.urandom(int(sizes.lognormvariate(8.0, 1.2))))
            for each in range(SMALL)
        ]
        large = [member(f"lib/large-{each}.a", os.urandom(LARGE_BYTES)) for each in range(LARGE)]
        install = timing.install(folder, "packages", {"package": [tar(*small, *large)]})
        arguments = install[install.index("all") + 1 :]
        verify = [*install[: install.index("install-group")], "verify", *arguments]
        commands = {
            timing.PYTHON: [sys.executable, "-c", "pass"],
            "verify": verify,
            "verify --deep": [*verify, "--deep"],
            "plain SHA-256": [sys.executable, "-c", PLAIN, os.path.realpath(f"{folder}/lib/package-1")],
        }
        costs = timing.table(timing.measure(commands, repeats))
    finally:
        trees.remove(folder)
    quick, deep, plain = (costs[name] - costs[timing.PYTHON] for name in list(commands)[1:])
    found = {}
    for kind in ("cpu", "wall"):
        us = getattr(quick, kind) * 1000 / (SMALL + LARGE)
        speed = getattr(plain, kind) / getattr(deep, kind)
        found[kind] = us <= GOAL_US and speed >= GOAL_SPEED
        print(f"{kind} time: verify: {us:.1f} microseconds a file; verify --deep: {speed:.2f} of the plain one's speed")
    return timing.judge(f"at most {GOAL_US:.0f} microseconds a file, at least {GOAL_SPEED} of the speed", **found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
