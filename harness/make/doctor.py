"""`doctor`: what this machine has and lacks for the laboratory, and what to do about each missing thing."""

import glob
import io
import os
import platform
import shutil
import tarfile
import time
from typing import NamedTuple

from harness.make import build, paths, toolchain
from harness.make.arguments import Parser
from harness.make.console import MakeError, print_line
from harness.make.host_libc import host_libc
from harness.spm import api
from harness.spm.atomic import atomic_file
from harness.spm.errors import SpmError
from harness.spm.invocation import as_invoked
from harness.spm.settings import Settings, existing_parent

NEEDED_BYTES = 4_000_000_000
"""For downloads and unpacked packages (0.8 GB), and a release build with its layouts and results (2.7 GB)."""


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


def _bundle(path: str, text: str) -> None:
    """Writes one archive to attach to a question: findings, versions and logs."""
    with atomic_file(path) as name, tarfile.open(name, "w:gz") as bundle:
        def add(member: str, content: bytes) -> None:
            info = tarfile.TarInfo(f"doctor/{member}")
            info.size, info.mtime = len(content), int(time.time())
            bundle.addfile(info, io.BytesIO(content))

        add("findings.txt", text.encode())
        files = [paths.PACKAGES]
        for name in ("configure.log", "build.log", "build_info.json"):
            files += sorted(glob.glob(os.path.join(glob.escape(paths.BUILD), "*", name)))
        for file in files:
            with open(file, "rb") as opened:
                add(os.path.relpath(file, paths.ROOT), opened.read())


def _check_bundle(path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    what = ""
    if not path or os.path.isdir(path):
        what = f"expected a file, found {'a folder' if path else 'nothing'}"
    elif not os.path.isdir(folder):
        what = f"expected a file in an existing folder, found no folder '{folder}'"
    if what:
        raise MakeError(f"--bundle: {what}", "python3 make.py doctor --help", 2)


def main(argv: list[str]) -> int:
    """python3 make.py doctor"""
    parser = Parser(prog="make.py doctor", description="Check what this machine has and lacks, and say what to do.")
    parser.add_argument("--bundle", metavar="FILE", help="also write specs, versions and logs into a .tar.gz")
    arguments = parser.parse_args(argv)
    if arguments.bundle is not None:
        _check_bundle(arguments.bundle)
    findings = [look() for look in LOOKS]
    text = as_invoked("\n".join(str(finding) for finding in findings) + "\n")
    print(text, end="")
    if arguments.bundle:
        _bundle(arguments.bundle, text)
        print_line(f"wrote {arguments.bundle}")
    return 0 if all(finding.good for finding in findings) else 1
