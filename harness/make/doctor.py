"""`doctor`: what this machine has and lacks for the laboratory, and what to do about each missing thing."""

import os
import platform
import shlex
import shutil
import sys
from typing import NamedTuple

from harness.make import build, paths, toolchain
from harness.make.arguments import Parser
from harness.make.console import MakeError, print_line
from harness.make.help_bundle import bundle
from harness.make.host_libc import host_libc
from harness.spm import api
from harness.spm.errors import SpmError
from harness.spm.invocation import as_invoked
from harness.spm.settings import Settings, existing_parent

NEEDED_BYTES = 4_000_000_000
"""For downloads and unpacked packages (0.8 GB), and a release build with its layouts and results (2.7 GB)."""

MACHINES_NAMED = 20


class DoctorCheck(NamedTuple):
    """One line of the report: what was checked, whether it is sufficient, what was found, what to do."""

    what: str
    good: bool
    found: str
    do: str = ""

    def __str__(self) -> str:
        text = f"{'ok  ' if self.good else 'FAIL'}  {self.what:<22} {self.found}"
        return text + (f"\n      do: {self.do}" if self.do and not self.good else "")


def _python() -> DoctorCheck:
    return DoctorCheck("Python", True, platform.python_version())


def _processor() -> DoctorCheck:
    level = _march_level()
    good = level >= 2
    return DoctorCheck("processor", good, f"{platform.machine()}, {os.cpu_count()} logical cores, x86-64-v{level}",
                   "python3 make.py build --march x86-64")


def _march_level() -> int:
    """The x86-64 level of this processor, from the CPU flags that the psABI requires; 1 if the flags are unknown."""
    levels = {2: {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
              3: {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
              4: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = next((set(line.split(":")[1].split()) for line in file if line.startswith("flags")), set())
    except OSError:
        return 1
    level = 1
    for next_level, needed in levels.items():
        if not needed <= flags:
            break
        level = next_level
    return level


def _pinned() -> DoctorCheck:
    try:
        toolchain.check_serves()
    except MakeError as error:
        return DoctorCheck("pinned toolchain", False, error.what, error.hint)
    own = " on the pinned C library" if toolchain.needs_pinned_libc() else ""
    return DoctorCheck("pinned toolchain", True, f"runs here{own} ({host_libc()})")


def _disk() -> DoctorCheck:
    return _disk_of("disk", paths.ROOT, "free some space, or use a checkout on another disk")


def _store_disk() -> DoctorCheck:
    try:
        store = Settings().store
    except SpmError as error:
        return DoctorCheck("store's disk", False, error.what, error.hint)
    return _disk_of("store's disk", existing_parent(store), "free some space, or set SPM_STORE to a folder on another disk")


def _disk_of(what: str, folder: str, do: str) -> DoctorCheck:
    free = shutil.disk_usage(folder).free
    return DoctorCheck(what, free >= NEEDED_BYTES, f"{free / 1e9:.1f} GB free, {NEEDED_BYTES / 1e9:.1f} GB wanted", do)


def _checkout() -> DoctorCheck:
    """No failure: who may not write in the checkout can use what is built."""
    if os.access(paths.ROOT, os.W_OK):
        return DoctorCheck("checkout", True, "can be written")
    return DoctorCheck("checkout", True, f"is another user's; what you make is in {paths.work_dir()}")


def _packages() -> DoctorCheck:
    try:
        missing, size = api.pending(build.groups_of(build.BuildOptions()), packages=paths.PACKAGES, quiet=True)
    except SpmError as error:
        return DoctorCheck("packages", False, error.what, error.hint)
    if not paths.is_writable(paths.LIB):
        unreadable = paths.unreadable_store()
        return DoctorCheck("packages", not unreadable, f"you may not read {unreadable}" if unreadable else "the owner's",
                           "its owner builds with SPM_STORE=<a folder for all users>")
    found = f"{len(missing)} not installed yet, {size / 1e6:.0f} MB to fetch" if missing else "all installed"
    return DoctorCheck("packages", not missing, found,
                   "python3 make.py spm install-group toolchain harness variants vulkan report")


def _harness() -> DoctorCheck:
    if binary := build.existing_harness():
        return DoctorCheck("harness", True, os.path.relpath(binary, paths.ROOT))
    return DoctorCheck("harness", False, "not built yet", "python3 make.py build")


def _instructions() -> DoctorCheck:
    """Never a failure: without instruction counts only one exact metric is missing. Levels: perf_event_open(2)."""
    try:
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            level = int(file.read())
    except OSError:
        return DoctorCheck("instruction counts", True, "none: this kernel has no performance events")
    if level > 2 and os.geteuid() != 0:
        return DoctorCheck("instruction counts", True,
                       f"none: perf_event_paranoid is {level}; sudo sysctl kernel.perf_event_paranoid=2 allows them")
    return DoctorCheck("instruction counts", True, "allowed, if the processor exposes its counters")


LOOKS = (_python, _processor, _pinned, _disk, _store_disk, _checkout, _packages, _harness, _instructions)


def _check_file(path: str, replaces: bool) -> None:
    """Before the checks, which take seconds: whether the bundle could be written there."""
    folder = os.path.dirname(os.path.abspath(path))
    what, hint, status = "", "python3 make.py doctor --help", 2
    if not path or os.path.isdir(path):
        what = f"expected a file, found {'a folder' if path else 'nothing'}"
    elif not os.path.isdir(folder):
        what = f"expected a file in an existing folder, found no folder '{folder}'"
    elif os.path.lexists(path) and not replaces:
        what, hint = f"expected a new file, found that '{path}' exists", "another name, or --force to replace it"
    elif not os.access(folder, os.W_OK | os.X_OK):
        what, hint, status = f"you may not write in '{folder}'", "name a file in a folder of yours", 1
    if what:
        raise MakeError(f"--bundle: {what}", hint, status)


def _is_wanted(yes: bool) -> bool:
    """Whether the bundle shall be written, now that its list was shown."""
    if yes:
        return True
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        print_line("nothing was written: --yes writes it")
        return False
    sys.stderr.write("write this file? [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip().lower()
    if answer not in ("y", "yes"):
        print_line("nothing was written")
    return answer in ("y", "yes")


def _make_bundle(path: str, findings: str, yes: bool) -> bool:
    """Shows what the bundle would hold, asks, and writes it; returns whether it was written."""
    print_line("reading logs and results ...")
    made = bundle.collect(findings)
    print(f"\nbundle {path}: {bundle.listing(made)}", end="")
    if made.machines:
        print("names in it, for your eyes: " + ", ".join(f"{word} is {name}" for word, name in made.machines[:MACHINES_NAMED]))
    sys.stdout.flush()
    if not _is_wanted(yes):
        return False
    try:
        size = bundle.write(path, made)
    except OSError as error:
        raise MakeError(f"writing '{path}': {error.strerror}", "name a file elsewhere; nothing was written") from error
    print_line(f"wrote {path}, {size / 1000:.0f} kB; before you send it, look inside: tar -xOzf {shlex.quote(path)} | less")
    return True


def main(argv: list[str]) -> int:
    """python3 make.py doctor"""
    parser = Parser(prog="make.py doctor", description="Check what this machine has and lacks, and say what to do. Exit status 1: "
                    "something is missing, or the bundle was not written.")
    parser.add_argument("--bundle", metavar="FILE",
                        help="also pack what a helper needs into a .tar.gz: findings, machine, versions, failures, logs and how to "
                             "repeat the last session, without names, addresses and keys; lists it and asks first")
    parser.add_argument("--results", metavar="DIR", help="with --bundle: the results folder (default: LAB_RESULTS, or results/)")
    parser.add_argument("--yes", action="store_true", help="with --bundle: do not ask")
    parser.add_argument("--force", action="store_true", help="with --bundle: replace FILE")
    arguments = parser.parse_args(argv)
    alone = [name for name in ("yes", "force", "results") if getattr(arguments, name)]
    if arguments.bundle is None and alone:
        raise MakeError(f"--{alone[0]} needs --bundle FILE", "python3 make.py doctor --help", 2)
    if arguments.bundle is not None:
        _check_file(arguments.bundle, arguments.force)
    if arguments.results is not None:
        if not os.path.isdir(arguments.results):
            raise MakeError(f"--results: expected a folder, found none: '{arguments.results}'", "python3 make.py doctor --help", 2)
        os.environ["LAB_RESULTS"] = os.path.abspath(arguments.results)
    findings = [look() for look in LOOKS]
    text = as_invoked("\n".join(str(finding) for finding in findings) + "\n")
    print(text, end="", flush=True)
    is_written = arguments.bundle is None or _make_bundle(arguments.bundle, text, arguments.yes)
    return 0 if is_written and all(finding.good for finding in findings) else 1
