"""What an install costs when there is nothing to do: beside starting Python, in one interleaved run.

    python3 -m harness.spm.noop_bench [REPEATS]

Rows: Python alone; make.py with an unknown verb's worth of imports; install-group of an installed group of 20 and of 200
packages. The difference of the medians to Python alone is the cost; the goal is at most 40 ms."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from harness.spm import api, trees
from harness.spm.settings import ROOT, native_platform
from harness.spm.testing import member, pin, tar

GOAL_MS = 40.0
ARTIFACTS = 5  # of each package, as the pinned set has on average


def world(folder: str, count: int) -> list[str]:
    """Installs `count` small packages and returns the command that finds nothing to do."""
    os.makedirs(f"{folder}/disk")
    packages = {}
    for number in range(count):
        artifacts = []
        for part in range(ARTIFACTS):
            name = f"pool/main/p/package-{number}/libpackage-{number}-{part}_1.0-1_amd64.tar"
            data = tar(member(f"usr/lib/{number}.{part}", os.urandom(8)))
            path = f"{folder}/disk/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
            artifacts.append(pin(data, name, strip="usr", keep=["usr/lib/**"]))
        packages[f"package-{number}"] = {"groups": ["all"], "platforms": [native_platform()], "lib": f"package-{number}", "license": "MIT",
                                         "artifacts": artifacts}
    with open(f"{folder}/packages.json", "w") as file:
        json.dump({"schema": 1, "sources": {"main": {"type": "file", "base": "disk"}}, "packages": packages}, file, indent=2)
    places = {"packages": f"{folder}/packages.json", "lib": f"{folder}/lib", "store": f"{folder}/store"}
    api.install_groups(["all"], quiet=True, **places)
    arguments = [word for name, place in places.items() for word in (f"--{name}", place)]
    return [sys.executable, f"{ROOT}/make.py", "spm", "install-group", "all", *arguments]


def measure(commands: dict[str, list[str]], repeats: int) -> dict[str, list[float]]:
    """Milliseconds of each command, taken in turns so that a busy moment meets all of them."""
    times = {name: [] for name in commands}
    for _ in range(repeats + 1):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            times[name].append((time.perf_counter() - started) * 1000)
    return {name: each[1:] for name, each in times.items()}  # the first fills caches


def main(arguments: list[str]) -> int:
    repeats = int(arguments[0]) if arguments else 30
    folder = tempfile.mkdtemp(prefix="spm-noop-")
    try:
        commands = {"python3 -c pass": [sys.executable, "-c", "pass"],
                    "python3 -c 'import json, hashlib'": [sys.executable, "-c", "import json, hashlib"],
                    "install-group, 20 packages": world(f"{folder}/20", 20),
                    "install-group, 200 packages": world(f"{folder}/200", 200)}
        times = measure(commands, repeats)
    finally:
        trees.remove(folder)
    base = statistics.median(times["python3 -c pass"])
    print(f"{'command':<36}{'median':>10}{'least':>10}{'over Python':>14}   ({repeats} runs each, in turns)")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:<36}{median:>7.1f} ms{min(each):>7.1f} ms{median - base:>11.1f} ms")
    worst = statistics.median(times["install-group, 200 packages"]) - base
    print(f"goal: at most {GOAL_MS:.0f} ms over Python: {'met' if worst <= GOAL_MS else 'missed'}")
    return 0 if worst <= GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
