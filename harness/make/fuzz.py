"""`fuzz`: libFuzzer feeds each variant of a family that has a corpus (variants/<family>/corpus), under the address and
undefined-behaviour sanitizers, and prints which branches of the variant and its designs were taken.

All variants of a family read the same inputs, so they share the corpus. What an input means is the family's."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

from harness.make import build, paths, toolchain
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

    @property
    def corpus(self) -> str:
        """The inputs that are kept in the repository."""
        return corpus_of(self.family)


class Outcome(NamedTuple):
    """What one target did. `finding`: "" or the end of its output. `branches`: (taken, all), if they are known."""

    name: str
    inputs: int
    seconds: float
    finding: str
    branches: tuple[int, int] | None


def corpus_of(family: str) -> str:
    """The folder of a family's corpus."""
    return os.path.join(paths.ROOT, "variants", family, "corpus")


def families() -> list[str]:
    """The families that have a corpus."""
    folder = os.path.join(paths.ROOT, "variants")
    return sorted(name for name in os.listdir(folder) if os.path.isdir(corpus_of(name)))


def command(target: Target, seconds: int, new: str, findings: str, seed: int) -> list[str]:
    """What runs the target: over the corpus alone if `seconds` is 0, else also on what libFuzzer makes of it, which it
    keeps in the folder `new`."""
    length = ["-runs=0", target.corpus] if seconds == 0 else [f"-max_total_time={seconds}", new, target.corpus]
    return without_aslr([target.executable, f"-artifact_prefix={findings}{os.sep}", f"-timeout={HANGS_S}",
                         f"-seed={seed}", "-max_len=1024", "-rss_limit_mb=2048", "-print_final_stats=1",
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
    """Runs targets of one build."""

    def __init__(self, ready: build.Build, seconds: int, seed: int) -> None:
        self._ready, self._seconds, self._seed = ready, seconds, seed
        self._tools = os.path.join(ready.packages["clang"], "bin")
        self._libraries = {**os.environ, **toolchain.clang_library_path(ready.packages)}
        self.findings = os.path.join(ready.folder, "findings")
        os.makedirs(self.findings, exist_ok=True)

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
        done = subprocess.run(command(target, self._seconds, new, findings, self._seed), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env={**os.environ, **SANITIZERS, "LLVM_PROFILE_FILE": profile}, check=False)
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
        """Adds to the corpus of the repository the new inputs that reach something new in this target."""
        new = self.new_inputs(target)
        done = subprocess.run(without_aslr([target.executable, "-merge=1", "-max_len=1024", target.corpus, new]),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace", env={**os.environ, **SANITIZERS, "LLVM_PROFILE_FILE": os.devnull},
                              check=False)
        if done.returncode != 0:
            print_line("\n".join(done.stderr.splitlines()[-40:]))
            raise MakeError(f"adding inputs of {target.name} to its corpus: {how_ended(done.returncode)}",
                            f"the new inputs are in {os.path.relpath(new, paths.ROOT)}/")
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
    known = families()
    wanted = ready.targets_matching(list(patterns) or [f"{family}/*" for family in known])
    found = {variant["target"]: Target(f"{variant['family']}/{variant['variant']}",
                                       os.path.join(ready.folder, variant["executable"]))
             for variant in ready.variants() if variant["target"] in wanted}
    for target in found.values():
        if target.family not in known:
            raise MakeError(f"expected a variant of a family with a corpus, found {target.name}",
                            f"families with one: {', '.join(known)}", 2)
    return found


def main(argv: list[str]) -> int:
    """python3 make.py fuzz"""
    parser = Parser(prog="make.py fuzz", description="Feed variants with libFuzzer's inputs under sanitizers.")
    parser.add_argument("names", nargs="*", metavar="GLOB", help="only matching variants: family/variant or variant")
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="time for each variant (default: 60)")
    parser.add_argument("--replay", action="store_true", help="run the kept inputs only")
    parser.add_argument("--keep", action="store_true",
                        help="add new inputs that reach something new to variants/<family>/corpus")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of libFuzzer (default: 1)")
    arguments = parser.parse_args(argv)
    if arguments.seconds < 1:
        raise MakeError(f"--seconds: expected 1 or more, found {arguments.seconds}", "--replay runs kept inputs only", 2)
    if arguments.replay and arguments.keep:
        raise MakeError("--replay and --keep cannot be combined", f"{parser.prog} --help", 2)
    ready = build.build(OPTIONS, lambda ready: list(_chosen(ready, arguments.names)))
    targets = list(_chosen(ready, arguments.names).values())
    fuzzer = Fuzzer(ready, 0 if arguments.replay else arguments.seconds, arguments.seed)
    progress = StatusLine()
    outcomes: list[Outcome] = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for outcome in pool.map(fuzzer.run, targets):
            outcomes.append(outcome)
            progress.update(f"fuzz {len(outcomes)}/{len(targets)}: {outcome.name}")
    progress.close()
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
