"""`fuzz`: libFuzzer feeds each variant of a family that has a corpus (variants/<family>/corpus.txt), under the address
and undefined-behaviour sanitizers, and prints which branches of the variant and its designs were taken.

All variants of a family read the same inputs, so they share the corpus. What an input means is the family's. libFuzzer
reads folders, so the corpus is unpacked into a temporary one."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from harness.make import build, corpus, paths, toolchain
from harness.make.arguments import Parser
from harness.make.console import MakeError, StatusLine, duration, how_ended, print_line
from harness.make.test import without_aslr

OPTIONS = build.BuildOptions("fuzz", "clang")
HANGS_S = 20
"""An input that takes longer is a finding; most take a millisecond."""

SANITIZERS = {"UBSAN_OPTIONS": "print_stacktrace=1"}


class Target(NamedTuple):
    """A variant as a fuzz target."""

    name: str
    """family/variant"""
    executable: str

    @property
    def family(self) -> str:
        return self.name.split("/")[0]


class Outcome(NamedTuple):
    """What one target did. `finding`: "" or the end of its output. `branches`: (taken, all), if they are known."""

    name: str
    inputs: int
    seconds: float
    finding: str
    branches: tuple[int, int] | None


def command(target: Target, seconds: int, kept: str, new: str, findings: str, seed: int) -> list[str]:
    """What runs the target: over the folder `kept` alone if `seconds` is 0, else also on what libFuzzer makes of it,
    which it keeps in the folder `new`."""
    length = ["-runs=0", kept] if seconds == 0 else [f"-max_total_time={seconds}", new, kept]
    return without_aslr([target.executable, f"-artifact_prefix={findings}{os.sep}", f"-timeout={HANGS_S}",
                         f"-seed={seed}", f"-max_len={corpus.LONGEST}", "-rss_limit_mb=2048", "-print_final_stats=1",
                         "-verbosity=1", *length])


def inputs_of(output: str) -> int:
    """How many inputs libFuzzer says that it ran."""
    found = re.search(r"^stat::number_of_executed_units:\s*(\d+)", output, re.M)
    return int(found[1]) if found else 0


def branches_of(exported: str) -> tuple[int, int]:
    """(taken, all) of `llvm-cov export -summary-only`."""
    totals = json.loads(exported)["data"][0]["totals"]["branches"]
    return totals["covered"], totals["count"]


class Fuzzer:
    """Runs targets of one build. `unpacked`: a folder for the unpacked corpora."""

    def __init__(self, ready: build.Build, unpacked: str, seconds: int, seed: int) -> None:
        self._ready, self._unpacked, self._seconds, self._seed = ready, unpacked, seconds, seed
        self._tools = os.path.join(ready.packages["clang"], "bin")
        self._libraries = {**os.environ, **toolchain.clang_library_path(ready.packages)}
        self.findings = os.path.join(ready.folder, "findings")
        os.makedirs(self.findings, exist_ok=True)

    def unpack(self, family: str) -> None:
        """Unpacks the corpus of a family, before its targets run."""
        corpus.unpack(corpus.read(corpus.path_of(family)), self._kept(family))

    def _kept(self, family: str) -> str:
        return os.path.join(self._unpacked, family)

    def new_inputs(self, target: Target) -> str:
        """Where inputs are kept that the corpus of the repository does not have."""
        return os.path.join(self._ready.folder, "corpus", target.name)

    def run(self, target: Target) -> Outcome:
        """Runs one target to its end, or to its first finding."""
        new = self.new_inputs(target)
        os.makedirs(new, exist_ok=True)
        findings = os.path.join(self.findings, target.name.replace("/", "-"))
        os.makedirs(findings, exist_ok=True)
        profile = f"{target.executable}.profraw"
        started = time.monotonic()
        done = subprocess.run(command(target, self._seconds, self._kept(target.family), new, findings, self._seed),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env={**os.environ, **SANITIZERS, "LLVM_PROFILE_FILE": profile},
                              check=False)
        elapsed = time.monotonic() - started
        if done.returncode != 0:
            return Outcome(target.name, inputs_of(done.stdout), elapsed, "\n".join(done.stdout.splitlines()[-40:]), None)
        return Outcome(target.name, inputs_of(done.stdout), elapsed, "", self._branches(target, profile))

    def _branches(self, target: Target, profile: str) -> tuple[int, int]:
        """(taken, all) in the variant's source and in the designs that it uses."""
        data = f"{target.executable}.profdata"
        self._tool("llvm-profdata", "merge", "-sparse", profile, "-o", data)
        sources = [os.path.join(paths.ROOT, "variants", "designs"),
                   os.path.join(paths.ROOT, "variants", f"{target.name}.cpp")]
        return branches_of(self._tool("llvm-cov", "export", "-summary-only", f"-instr-profile={data}",
                                      target.executable, *sources))

    def keep(self, target: Target) -> None:
        """Adds to the corpus of the repository the new inputs that reach something new in this target. Until the corpus
        has them, they stay where they are."""
        new, kept = self.new_inputs(target), self._kept(target.family)
        merge = ["-merge=1", f"-max_len={corpus.LONGEST}", kept, new]
        done = subprocess.run(without_aslr([target.executable, *merge]),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace", env={**os.environ, **SANITIZERS, "LLVM_PROFILE_FILE": os.devnull},
                              check=False)
        if done.returncode != 0:
            print_line("\n".join(done.stderr.splitlines()[-40:]))
            raise MakeError(f"adding inputs of {target.name} to its corpus: {how_ended(done.returncode)}",
                            f"the new inputs are in {os.path.relpath(new, paths.ROOT)}/")
        corpus.add(corpus.path_of(target.family), corpus.inputs_in(kept))
        shutil.rmtree(new)

    def _tool(self, name: str, *arguments: str) -> str:
        done = subprocess.run([os.path.join(self._tools, name), *arguments], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, env=self._libraries, check=False)
        if done.returncode != 0:
            raise MakeError(f"{name}: {how_ended(done.returncode)}: {done.stderr.strip()}")
        return done.stdout


def line(outcome: Outcome) -> str:
    """What is printed of a target."""
    branches = "a finding" if outcome.finding else ""
    if outcome.branches:
        taken, count = outcome.branches
        branches = f"{taken}/{count} branches" + (f" {100 * taken / count:.0f} %" if count else "")
    return f"{outcome.name:<44} {outcome.inputs:>9} inputs  {duration(outcome.seconds):<12} {branches}"


def _chosen(ready: build.Build, patterns: Sequence[str]) -> dict[str, Target]:
    """{CMake target: fuzz target} of the variants that match a glob; of all families with a corpus without globs."""
    known = corpus.families()
    wanted = ready.targets_matching(list(patterns) or [f"{family}/*" for family in known])
    found = {variant["target"]: Target(f"{variant['family']}/{variant['variant']}",
                                       os.path.join(ready.folder, variant["executable"]))
             for variant in ready.variants() if variant["target"] in wanted}
    for target in found.values():
        if target.family not in known:
            raise MakeError(f"expected a variant of a family with a corpus, found {target.name}",
                            f"families with one: {', '.join(known)}", 2)
    return found


def _ready_targets(ready: build.Build, patterns: Sequence[str]) -> list[str]:
    """The CMake targets to build. Reads their corpora first, because compiling takes minutes, and tidies them."""
    chosen = _chosen(ready, patterns)
    for family in _families_of(chosen.values()):
        if corpus.tidy(corpus.path_of(family)):
            print_line(f"{os.path.relpath(corpus.path_of(family), paths.ROOT)}: sorted, duplicates removed")
    return list(chosen)


def _families_of(targets: Iterable[Target]) -> list[str]:
    return sorted({target.family for target in targets})


def _run_all(fuzzer: Fuzzer, targets: Sequence[Target]) -> list[Outcome]:
    """Runs all targets, as many at once as there are cores."""
    progress = StatusLine()
    outcomes: list[Outcome] = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for outcome in pool.map(fuzzer.run, targets):
            outcomes.append(outcome)
            progress.update(f"fuzz {len(outcomes)}/{len(targets)}: {outcome.name}")
    progress.close()
    return outcomes


def main(argv: list[str]) -> int:
    """python3 make.py fuzz"""
    parser = Parser(prog="make.py fuzz", description="Feed variants with libFuzzer's inputs under sanitizers.")
    parser.add_argument("names", nargs="*", metavar="GLOB", help="only matching variants: family/variant or variant")
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="time for each variant (default: 60)")
    parser.add_argument("--replay", action="store_true", help="run the kept inputs only")
    parser.add_argument("--keep", action="store_true",
                        help="add new inputs that reach something new to variants/<family>/corpus.txt")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of libFuzzer (default: 1)")
    arguments = parser.parse_args(argv)
    if arguments.seconds < 1:
        raise MakeError(f"--seconds: expected 1 or more, found {arguments.seconds}", "--replay runs kept inputs only", 2)
    if arguments.replay and arguments.keep:
        raise MakeError("--replay and --keep cannot be combined", f"{parser.prog} --help", 2)
    ready = build.build(OPTIONS, lambda ready: _ready_targets(ready, arguments.names))
    targets = list(_chosen(ready, arguments.names).values())
    with tempfile.TemporaryDirectory(prefix="make-fuzz-") as unpacked:
        fuzzer = Fuzzer(ready, unpacked, 0 if arguments.replay else arguments.seconds, arguments.seed)
        for family in _families_of(targets):
            fuzzer.unpack(family)
        outcomes = _run_all(fuzzer, targets)
        for outcome in outcomes:
            if outcome.finding:
                print_line(f"--- {outcome.name}\n{outcome.finding}")
            print(line(outcome))
        if arguments.keep:
            for target in targets:
                fuzzer.keep(target)
    found = [outcome.name for outcome in outcomes if outcome.finding]
    if found:
        raise MakeError(f"{len(found)} of {len(outcomes)} variants have a finding: {', '.join(found)}",
                        f"its input is in {os.path.relpath(fuzzer.findings, paths.ROOT)}/")
    print(f"{len(outcomes)} variants, no finding")
    return 0
