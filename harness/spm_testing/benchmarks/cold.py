"""The cost of a cold install, compared with curl and dpkg-deb on the same bytes, in one interleaved run.

    python3 -m harness.spm_testing.benchmarks.cold [--cache DIR] [--work DIR] [REPEATS]

The artifacts come from their sources once, into DIR (default: a temporary folder, fetched anew), and from then on from
a server on this machine, which both sides ask. One side is `spm install-group` into an empty store; the other is
`curl --parallel`, then `xargs` with a process of `dpkg-deb -x` or `tar -x` per core. The page cache is warm, what one
left is removed and written back before the other starts, and neither waits for the disk. In an even round the one goes
first, in an odd one the other; each ratio is the median of the rounds' ratios. The goal holds for CPU time, which a busy
machine leaves alone; whether wall time met it as well is printed, with the load."""

from __future__ import annotations

import concurrent.futures
import functools
import http.server
import multiprocessing
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

from harness.spm import trees
from harness.spm.pins import manifest as manifests
from harness.spm.settings import ROOT, Settings
from harness.spm.transfer import progress
from harness.spm.transfer.download import Downloader, is_whole
from harness.spm_testing.benchmarks import timing

# what is installed, the verb's arguments, the goal as a multiple of the time of curl and dpkg-deb
CASES = (
    ("the toolchain group", ["install-group", "toolchain"], 1.05),
    ("Boost, a .deb of 16,739 members", ["install", "boost"], 1.15),
)
PARALLEL = 8  # downloads at once, of both sides


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files by sendfile over persistent connections, so that the server costs little."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a small file waits 40 ms for the acknowledgement of its header

    def copyfile(self, source: Any, outputfile: Any) -> None:
        outputfile.flush()
        self.connection.sendfile(source)

    def log_message(self, *_: object) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # else a ninth simultaneous connection waits for a second

    def handle_error(self, *_: object) -> None:
        pass  # a client closed its connection


def serve(folder: str) -> Any:
    """(process, address) of a server of `folder` on loopback."""
    server = _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=folder))
    process = multiprocessing.get_context("fork").Process(target=server.serve_forever, daemon=True)
    process.start()
    server.socket.close()
    return process, f"http://127.0.0.1:{server.server_address[1]}"


def chosen(arguments: list[str], manifest: Any, platform: str) -> Any:
    verb, *names = arguments
    return manifest.grouped(names, platform) if verb == "install-group" else manifest.named(names, platform)


def fetch(artifacts: Any, cache: str, manifest: Any, settings: Any) -> None:
    """Downloads the artifacts that `cache` lacks, each to its path below it."""
    report = progress.Report()
    downloader = Downloader(manifest, settings, report)

    def bring(artifact: Any) -> None:
        path = f"{cache}/{artifact.path}"
        if not is_whole(path, artifact):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            downloader.fetch(artifact, path + ".part")
            os.rename(path + ".part", path)

    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        list(pool.map(bring, artifacts))


def theirs(packages: Any, platform: str, address: str, work: str) -> list[str]:
    """The equivalent shell command, with the largest artifacts first, as in spm."""
    fetches, unpacks = [], []
    pairs = [(package, artifact) for package in packages for artifact in package.artifacts_for(platform)]
    for package, artifact in sorted(pairs, key=lambda pair: -pair[1].size):
        archive, tree = f"{work}/{artifact.sha256}", f"{work}/{package.name}"
        fetches += [f'url = "{address}/{artifact.path}"', f'output = "{archive}"']
        is_deb = artifact.path.endswith(".deb")
        unpacks.append(f"dpkg-deb -x {archive} {tree}" if is_deb else f"tar -xf {archive} -C {tree}")
    folders = " ".join(f"{work}/{package.name}" for package in packages)
    download = f"curl --fail --no-progress-meter --parallel --parallel-max {PARALLEL} --config -"
    steps = (
        f"mkdir -p {folders}",
        f"printf '%s\\n' {' '.join(map(shlex.quote, fetches))} | {download}",
        f"printf '%s\\0' {' '.join(map(shlex.quote, unpacks))} | xargs -0 -n 1 -P {os.cpu_count()} sh -c 'exec $0'",
    )
    return ["sh", "-c", " && ".join(steps)]


def ours(arguments: list[str], work: str) -> list[str]:
    places = ["--store", f"{work}/store", "--lib", f"{work}/lib", "--jobs", str(PARALLEL), "--quiet"]
    return [sys.executable, f"{ROOT}/make.py", "spm", *arguments, *places]


def timed(command: list[str], address: str, work: str) -> tuple[float, float]:
    """(wall, CPU) seconds of one cold run in the folder `work`, which is removed afterwards."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPM_")}
    environment |= {"SPM_DEBIAN_MIRROR": address, "NO_PROXY": "127.0.0.1"}
    os.mkdir(work)
    os.sync()
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)[:200]}...: exit status {process.returncode}")
    trees.remove(work)
    return wall, used.ru_utime + used.ru_stime


def compare(arguments: list[str], packages: Any, platform: str, address: str, work: str, repeats: int) -> Any:
    """[((wall, CPU) seconds of spm, those of the others)] of each round; the first, which fills caches, is left out."""
    arms = [ours(arguments, work), theirs(packages, platform, address, work)]
    rounds = []
    for number in range(repeats + 1):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        seconds = {arm: timed(arms[arm], address, work) for arm in order}
        rounds.append((seconds[0], seconds[1]))
    return rounds[1:]


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="spm-cold-") as scratch:
        given = {"--cache": f"{scratch}/cache", "--work": scratch}
        repeats = 5
        rest = arguments[::-1]
        while rest:
            word = rest.pop()
            if word in given and rest:
                given[word] = os.path.abspath(rest.pop())
            elif word.isdigit() and int(word):
                repeats = int(word)
            else:
                raise SystemExit(__doc__)
        return run(given["--cache"], f"{given['--work']}/cold.{os.getpid()}", repeats)


def run(cache: str, work: str, repeats: int) -> int:
    settings = Settings(quiet=True)
    manifest, platform = manifests.load(settings.packages), settings.platform
    cases = [(what, command, goal, chosen(command, manifest, platform)) for what, command, goal in CASES]
    packages = [package for *_, found in cases for package in found]
    artifacts = {artifact.sha256: artifact for package in packages for artifact in package.artifacts_for(platform)}
    fetch(artifacts.values(), cache, manifest, settings)
    server, address = serve(cache)
    missed = 0
    try:
        title = f"seconds (CPU) of {repeats} rounds, in turns"
        print(f"{title:<38}{'spm':>14}{'curl + dpkg-deb':>18}{'ratio':>7}{'CPU':>6}", flush=True)
        for what, command, goal, packages in cases:
            rounds = compare(command, packages, platform, address, work, repeats)
            wall, cpu = (statistics.median(mine[kind] / other[kind] for mine, other in rounds) for kind in (0, 1))
            mine, other = (_median(side) for side in zip(*rounds))
            print(f"{what:<38}{mine:>14}{other:>18}{wall:>7.2f}{cpu:>6.2f}", flush=True)
            missed += timing.judge(f"at most {goal}", cpu <= goal, wall <= goal)
    finally:
        server.terminate()
        server.join()
        trees.remove(work)
    return 1 if missed else 0


def _median(times: Iterable[tuple[float, float]]) -> str:
    wall, cpu = (statistics.median(column) for column in zip(*times))
    return f"{wall:.2f} ({cpu:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
