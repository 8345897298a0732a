"""What an install costs when there is nothing to do: beside starting Python, in one interleaved run.

    python3 -m harness.spm.benchmarks.noop [REPEATS]

Rows: Python alone; Python with the two modules that nothing can do without; install-group of an installed group of 20
and of 200 packages. What else runs on the machine only ever adds time, so the least of many runs is what a command
costs; the goal is at most 40 ms more than Python's. CPU time stands beside it: a busy machine leaves it alone."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from harness.spm import api
from harness.spm.store import trees
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
        packages[f"package-{number}"] = {
            "groups": ["all"],
            "platforms": [native_platform()],
            "lib": f"package-{number}",
            "license": "MIT",
            "artifacts": artifacts,
        }
    with open(f"{folder}/packages.json", "w") as file:
        json.dump(
            {"schema": 1, "sources": {"main": {"type": "file", "base": "disk"}}, "packages": packages}, file, indent=2
        )
    places = {"packages": f"{folder}/packages.json", "lib": f"{folder}/lib", "store": f"{folder}/store"}
    api.install_groups(["all"], quiet=True, **places)
    arguments = [word for name, place in places.items() for word in (f"--{name}", place)]
    return [sys.executable, f"{ROOT}/make.py", "spm", "install-group", "all", *arguments]


def measure(commands: dict[str, list[str]], repeats: int) -> dict[str, list[tuple[float, float]]]:
    """(wall, CPU) milliseconds of each command, taken in turns so that a busy moment meets all of them."""
    times = {name: [] for name in commands}
    for _ in range(repeats + 1):
        for name, command in commands.items():
            started = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            times[name].append(((time.perf_counter() - started) * 1000, (used.ru_utime + used.ru_stime) * 1000))
            if process.returncode:
                raise SystemExit(f"{name}: exit status {process.returncode}")
    return {name: each[1:] for name, each in times.items()}  # the first fills caches


def main(arguments: list[str]) -> int:
    repeats = int(arguments[0]) if arguments else 30
    folder = tempfile.mkdtemp(prefix="spm-noop-")
    try:
        commands = {
            "python3 -c pass": [sys.executable, "-c", "pass"],
            "python3 -c 'import json, hashlib'": [sys.executable, "-c", "import json, hashlib"],
            "install-group, 20 packages": world(f"{folder}/20", 20),
            "install-group, 200 packages": world(f"{folder}/200", 200),
        }
        times = measure(commands, repeats)
    finally:
        trees.remove(folder)
    walls = {name: [wall for wall, _ in each] for name, each in times.items()}
    cpus = {name: statistics.median(cpu for _, cpu in each) for name, each in times.items()}
    least = min(walls["python3 -c pass"])
    print(
        f"{f'milliseconds of {repeats} runs, in turns':<36}"
        f"{'median':>9}{'least':>9}{'over':>9}{'CPU':>9}{'over':>9}"
    )
    for name, each in walls.items():
        print(
            f"{name:<36}{statistics.median(each):>9.1f}{min(each):>9.1f}{min(each) - least:>9.1f}{cpus[name]:>9.1f}"
            f"{cpus[name] - cpus['python3 -c pass']:>9.1f}"
        )
    worst = min(walls["install-group, 200 packages"]) - least
    print(f"goal: at most {GOAL_MS:.0f} ms over Python: {'met' if worst <= GOAL_MS else 'missed'}")
    return 0 if worst <= GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
