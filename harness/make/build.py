"""`build`: turns packages into executables. ninja decides what is out of date; this decides whether to run CMake."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import hashlib
import json
import os
import re
import resource
import subprocess
import time

from harness.make import logs, ninja, paths, pinned, simulated_devices, toolchain
from harness.make.arguments import Parser
from harness.make.build_cache import options as cache_options
from harness.make.build_cache.options import CacheOptions
from harness.make.build_cache.steps import Steps
from harness.make.console import MakeError, duration, how_ended, print_line
from harness.make.names import nearest_hint
from harness.spm.late import late
from harness.spm.lock import Lock
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.make.build_cache import verify
else:
    verify = late("harness.make.build_cache.verify")

CONFIGS = ("release", "debug", "asan", "tsan")
TOOLCHAINS = ("pinned", "system")
GROUPS = ("harness", "variants", "vulkan", "report")
"""Groups of packages.json that every build needs, with any compiler."""

DEFAULT_MARCH = "x86-64-v2"
OWNER_BUILDS = "its owner builds it (python3 make.py test builds everything); or copy the checkout: cp -r"

FIRST_SPEED = 0.8
"""Seconds of ninja.work_of() that one core does in a second, for the first estimate on a machine."""

WORK_OF_CONFIGURING = 2.0
"""Seconds of ninja.work_of() that one core does in the CPU time of configuring: what a new folder tells of a machine."""


class BuildOptions(NamedTuple):
    """What to build. `variants` are globs of more variants; `cache` says where objects may come from."""

    config: str = "release"
    toolchain: str = "pinned"
    march: str = DEFAULT_MARCH
    variants: Sequence[str] = ()
    cache: CacheOptions = CacheOptions()

    @property
    def folder(self) -> str:
        """The build folder."""
        return paths.build_dir(self.toolchain, self.config)


def existing_harness() -> str | None:
    """The harness of a release build, with the pinned toolchain before the system's; None if neither was built."""
    places = (os.path.join(paths.build_dir(name, "release"), "harness") for name in TOOLCHAINS)
    return next((place for place in places if os.path.exists(place)), None)


def add_arguments(parser: Parser) -> None:
    """Adds the options that all building verbs share."""
    parser.add_argument("--config", choices=CONFIGS, default="release", help="build configuration (default: release)")
    parser.add_argument("--toolchain", choices=TOOLCHAINS, default="pinned",
                        help="the pinned compiler (default) or the system's")
    parser.add_argument("--march", default=DEFAULT_MARCH, metavar="LEVEL",
                        help=f"-march level for all code (default: {DEFAULT_MARCH})")
    cache_options.add_arguments(parser)


def options_from(arguments: argparse.Namespace) -> BuildOptions:
    """The parsed options as BuildOptions."""
    return BuildOptions(arguments.config, arguments.toolchain, arguments.march, getattr(arguments, "variants", ()),
                        cache_options.from_arguments(arguments))


def default_options() -> BuildOptions:
    """The options of a build that nobody gave any for; the environment may name places of the build cache."""
    return BuildOptions(cache=cache_options.from_environment())


def groups_of(options: BuildOptions) -> tuple[str, ...]:
    """The package groups a build needs."""
    return toolchain.GROUPS[options.toolchain] + GROUPS


def pending(options: BuildOptions) -> tuple[list[str], int]:
    """(packages that are not in the store, bytes to fetch for them)"""
    return pinned.pending(groups_of(options), options.toolchain)


def fetch(options: BuildOptions, quiet: bool = False) -> dict[str, str]:
    """Installs what the build needs; returns {package: real folder}."""
    return pinned.install(groups_of(options), options.toolchain, quiet)


class Build:
    """A configured build folder."""

    def __init__(self, options: BuildOptions, packages: dict[str, str]) -> None:
        self.options = options
        self.folder = options.folder
        self.packages = packages
        self.tools = toolchain.find(options.toolchain, packages)

    def alone(self) -> contextlib.AbstractContextManager[object]:
        """The folder's exclusive lock: two builds in one folder would overwrite each other's files."""
        os.makedirs(self.folder, exist_ok=True)
        lock = Lock(os.path.join(self.folder, "lock"))
        folder = os.path.relpath(self.folder, paths.ROOT)
        lock.take(waiting=lambda holder: print_line(f"waiting for {holder}, which is building {folder}"))
        return lock

    def configure(self) -> None:
        """Runs CMake if the folder is new or the tools, packages or options changed."""
        command = [*self.tools.cmake, "--preset", self.options.config, "-B", self.folder,
                   f"-DLAB_TOOLCHAIN={self.options.toolchain}", f"-DLAB_MARCH={self.options.march}",
                   f"-DLAB_LIB={paths.LIB}", *self.tools.cmake_arguments]
        tools, names = _key([command, self.tools.key, self.tools.launcher, sorted(self.packages.items())]), _names_key()
        stamp = os.path.join(self.folder, "configured")
        before = paths.read_if_there(stamp).split() if os.path.exists(os.path.join(self.folder, "build.ninja")) else []
        if before == [tools, names]:
            return
        toolchain.check_march(self.tools.compiler, self.options.march)
        os.makedirs(self.folder, exist_ok=True)
        log = os.path.join(self.folder, "configure.log")
        with open(log, "w", encoding="utf-8") as file:
            # CMake's cache holds facts about the old toolchain and packages, so a change of either discards it. A new
            # source file keeps it: discarding also costs the objects of every package that is built from source.
            fresh = [] if before[:1] == [tools] else ["--fresh"]
            # What the environment launches in addition is not in the stamp: another shell is no reason to begin anew.
            launchers = toolchain.launcher_arguments(self.tools.launcher)
            before_s = _cpu_of_children()
            done = subprocess.run([*command, *launchers, *fresh], cwd=paths.ROOT, stdout=file, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            print_line(logs.tail(log))
            hint = toolchain.USE_SYSTEM if self.options.toolchain == "pinned" else f"the whole log: {log}"
            raise MakeError(f"configuring {self.folder} failed with {how_ended(done.returncode)}", hint)
        if fresh and not os.path.exists(self._speed_file()):
            self._keep_speed(WORK_OF_CONFIGURING * (os.cpu_count() or 1) / max(0.01, _cpu_of_children() - before_s))
        paths.write_if_changed(stamp, f"{tools} {names}\n")

    def variants(self) -> list[dict[str, Any]]:
        """The generated list of variants."""
        with open(os.path.join(self.folder, "variants.json"), encoding="utf-8") as file:
            listed: list[dict[str, Any]] = json.load(file)
        return listed

    def reload_variants(self) -> None:
        """Runs CMake to rewrite the list of variants if a file that it reads is newer."""
        done = subprocess.run([*self.tools.ninja, "-C", self.folder, "build.ninja"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace", check=False)
        if done.returncode != 0:
            print_line(done.stdout)
            raise MakeError(f"configuring {self.folder} failed", "CMake's output above names the file and the line")

    def targets_matching(self, patterns: Sequence[str]) -> list[str]:
        """Targets of the variants whose family/variant matches any of the globs; each glob must match at least one."""
        if patterns:
            self.reload_variants()
        return sorted({target for pattern in patterns for target in self._targets_matching_one(pattern)})

    def _targets_matching_one(self, pattern: str) -> list[str]:
        names = {f"{v['family']}/{v['variant']}": v["target"] for v in self.variants()}
        found = [target for name, target in names.items()
                 if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name.split("/")[1], pattern)]
        if not found:
            known = [*names, *sorted({name.split("/")[1] for name in names})]
            raise MakeError(f"no variant matches '{pattern}'", nearest_hint(pattern, known), 2)
        return found

    def plan(self, targets: Sequence[str] = ()) -> list[str]:
        """The steps that a build of `targets` would run now; [] if ninja does not say: then the build does."""
        return ninja.plan([*self.tools.ninja, "-C", self.folder], targets) or []

    def estimate(self, targets: Sequence[str] = ()) -> tuple[int, float]:
        """(steps, seconds): how many steps a build would run, and about how long they take on this machine."""
        steps = self.plan(targets)
        return len(steps), self.seconds_of(ninja.work_of(steps))

    def seconds_of(self, work: float) -> float:
        """About how long this machine takes for seconds of ninja.work_of()."""
        return work / self._speed()

    def _speed(self) -> float:
        """Seconds of ninja.work_of() that this machine does in a second."""
        return float(paths.read_if_there(self._speed_file()) or FIRST_SPEED * (os.cpu_count() or 1))

    def _speed_file(self) -> str:
        return os.path.join(self.folder, "speed")

    def _keep_speed(self, speed: float) -> None:
        paths.write_if_changed(self._speed_file(), f"{speed:.3f}")

    def compile_steps(self) -> Steps:
        """The compile steps of this folder, for the build cache."""
        return Steps(self.folder, self.tools.ninja, self.tools.compiler, self.packages)

    def run(self, targets: Sequence[str] = ()) -> None:
        """Builds; a failure prints the compiler's output and raises MakeError."""
        log = os.path.join(self.folder, "build.log")
        command = [*self.tools.ninja, "-C", self.folder]
        planned = ninja.plan(command, targets)
        if planned == []:
            return
        work = ninja.work_of(planned or ())
        cache = self.options.cache if self.tools.launcher else CacheOptions()
        if self.options.cache.places and not self.tools.launcher:
            print_line("build cache: not asked, because only the pinned compiler makes the same objects everywhere")
        step_s = work / self._speed() / max(1, len(planned or ()))
        with self.compile_steps().taking(cache, targets, step_s) as (environment, objects):
            if objects:
                left = ninja.work_of(planned or (), objects)
                print_line(f"build cache: the rest of the build takes about {duration(self.seconds_of(left))}")
            started = time.monotonic()
            status = ninja.run([*command, *targets], log, "build", environment, planned or (), objects)
        if status != 0:
            print_line(logs.failures(log))
            raise MakeError(f"building {self.folder} failed", f"the whole log: {log}")
        if work >= 20 and not environment:
            self._keep_speed(work / (time.monotonic() - started))


class FinishedBuild(Build):
    """A build in a checkout where this user may not write: used as it is, if it is complete and up to date."""

    def __init__(self, options: BuildOptions) -> None:
        self.options = options
        self.folder = options.folder
        self.packages = {}
        program = _cached(self.folder).get("CMAKE_MAKE_PROGRAM", "ninja")
        self.tools = toolchain.Toolchain("", [], [program], [], "")

    def alone(self) -> contextlib.AbstractContextManager[object]:
        """No lock: nothing is built."""
        return contextlib.nullcontext()

    def configure(self) -> None:
        """Raises MakeError if nothing was built here."""
        if not os.path.exists(os.path.join(self.folder, "variants.json")):
            raise MakeError(f"'{self.folder}' is not built, and you may not write there", OWNER_BUILDS)

    def reload_variants(self) -> None:
        """The list cannot be written anew; `run` reports if it is old."""

    def plan(self, targets: Sequence[str] = ()) -> list[str]:
        """[]: nothing is built."""
        return []

    def estimate(self, targets: Sequence[str] = ()) -> tuple[int, float]:
        """(0, 0): nothing is built."""
        return 0, 0.0

    def run(self, targets: Sequence[str] = ()) -> None:
        """Raises MakeError if a target is missing or older than its sources. The latter is not known where ninja, which
        lies in the builder's store, cannot run."""
        missing = [name for name, path in self._executables(targets) if not os.path.exists(path)]
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise MakeError(f"'{self.folder}' lacks {', '.join(missing[:3])}{more}, and you may not write there",
                            OWNER_BUILDS)
        try:
            is_older = bool(ninja.plan([*self.tools.ninja, "-C", self.folder], targets))
        except OSError:
            return
        if is_older:
            raise MakeError(f"'{self.folder}' is older than its sources, and you may not write there", OWNER_BUILDS)

    def _executables(self, targets: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The name and the path of each executable among the targets."""
        with open(os.path.join(self.folder, "tests.json"), encoding="utf-8") as file:
            tests: list[str] = json.load(file)
        for path in tests:
            name = os.path.basename(path)
            if name in targets or "lab_tests" in targets:
                yield name, os.path.join(self.folder, path)
        for variant in self.variants():
            if not targets or variant["target"] in targets or "all" in targets:
                yield f"{variant['family']}/{variant['variant']}", os.path.join(self.folder, variant["executable"])
        known = {os.path.basename(path) for path in tests} | {variant["target"] for variant in self.variants()}
        for name in targets or ["harness"]:
            if name not in known | {"all", "lab_tests"}:
                yield name, os.path.join(self.folder, name)


def _cpu_of_children() -> float:
    """Seconds of CPU time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _globbed() -> Iterator[str]:
    """The names that CMake's globs find. Comparing them here is cheaper than CONFIGURE_DEPENDS at every build."""
    for top in ("harness", "variants"):
        for folder, inner, files in os.walk(os.path.join(paths.ROOT, top)):
            inner.sort()
            yield from (os.path.join(folder, name) for name in sorted(files) if not name.endswith((".py", ".pyc")))


def _key(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _names_key() -> str:
    """Changes when CMake's globs would find other names."""
    return _key(list(_globbed()))


def build(options: BuildOptions, targets: Sequence[str] | Callable[[Build], list[str]] = (),
          quiet: bool = False) -> Build:
    """Fetches, configures and builds; returns the Build. `targets`: CMake targets, or a function of the Build."""
    if not paths.is_writable(options.folder):
        ready: Build = FinishedBuild(options)
    else:
        ready = Build(options, fetch(options, quiet))
    with ready.alone():
        ready.configure()
        wanted = targets(ready) if callable(targets) else targets
        ready.run([*wanted, *ready.targets_matching(options.variants)])
    if not isinstance(ready, FinishedBuild):
        build_simulated_devices(ready)
    return ready


def build_simulated_devices(ready: Build) -> None:
    """Builds what simulates devices, if its packages are installed and it is not up to date."""
    group = simulated_devices.GROUP
    if pinned.active(group, ready.options.toolchain):
        if toolchain.needs_pinned_libc():
            print_line("the simulated devices are left out: the tools that build them need a newer C library than this machine's")
            return
        # Always the pinned compiler: what a newer one links might need a newer C library than that of the drivers.
        packages = pinned.install((*toolchain.GROUPS["pinned"], group), quiet=True)
        simulated_devices.build(toolchain.find("pinned", packages), packages)


def _cached(folder: str) -> dict[str, str]:
    """The options in a build folder's CMake cache; {} if it has none."""
    return dict(re.findall(r"^(CMAKE_MAKE_PROGRAM|LAB_MARCH|LAB_TOOLCHAIN):\w+=(.*)$",
                           paths.read_if_there(os.path.join(folder, "CMakeCache.txt")), re.M))


def existing_options() -> BuildOptions:
    """The options of the existing release build, else the defaults."""
    harness = existing_harness()
    cache = _cached(os.path.dirname(harness)) if harness else {}
    return BuildOptions("release", cache.get("LAB_TOOLCHAIN", "pinned"), cache.get("LAB_MARCH", DEFAULT_MARCH), (),
                        cache_options.from_environment())


def bring_up_to_date() -> None:
    """Rebuilds an existing release build (harness and variants) if it is older than its sources. Does nothing if there
    is no release build or if ninja does not say."""
    harness = existing_harness()
    if not harness:
        return
    folder = os.path.dirname(harness)
    try:
        variants = [each for each in json.loads(paths.read_if_there(os.path.join(folder, "variants.json")) or "[]")
                    if os.path.exists(os.path.join(folder, each["executable"]))]
        targets = ["harness", *(each["target"] for each in variants)]
        is_new = paths.read_if_there(os.path.join(folder, "configured")).split()[1:] != [_names_key()]
        if not is_new and not ninja.plan([_cached(folder)["CMAKE_MAKE_PROGRAM"], "-C", folder], targets):
            return
    except (KeyError, OSError, ValueError):
        return
    if not os.access(folder, os.W_OK):
        raise MakeError(f"sources are newer than the build, and {os.path.relpath(folder, paths.ROOT)} cannot be written",
                        OWNER_BUILDS)
    print_line("sources are newer than the build: building first")
    build(existing_options(), targets)


def main(argv: list[str]) -> int:
    """python3 make.py build"""
    parser = Parser(prog="make.py build", description="Build the harness and every variant.")
    add_arguments(parser)
    parser.add_argument("--variant", metavar="GLOB", dest="variants", action="append", default=[],
                        help="build only matching variants: family/variant or variant; repeatable")
    parser.add_argument("--verify-build", metavar="SEED", nargs="?", const="", dest="verify",
                        help="then compile a random tenth of the fetched objects and compare their bytes")
    arguments = parser.parse_args(argv)
    options = options_from(arguments)
    started = time.monotonic()
    done = build(options)
    if isinstance(done, FinishedBuild):
        print_line(f"you may not write in {os.path.relpath(done.folder, paths.ROOT)}, which is used as it is")
        return 0
    print_line(f"built {os.path.relpath(done.folder, paths.ROOT)} in {duration(time.monotonic() - started)}")
    if arguments.verify is not None:
        with done.alone():
            verify.verify(done.compile_steps(), (), arguments.verify)
    return 0
