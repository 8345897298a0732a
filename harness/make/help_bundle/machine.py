"""What a bundle says of the machine, its drivers, the versions of everything, and the environment."""

from __future__ import annotations

import glob
import json
import os
import platform
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

from harness.make import build, paths, version
from harness.make.help_bundle import known
from harness.make.help_bundle.files import Unreadable, read, text_of
from harness.make.help_bundle.patterns import looks_like_key, looks_secret
from harness.make.host_libc import host_libc
from harness.spm.errors import SpmError
from harness.spm.settings import Settings, existing_parent

_ANSWER_S = 20
"""How long a program may take to say its version."""

_ENVIRONMENT = re.compile(
    r"(?:LAB|SPM|CMAKE|LC|VK|MESA|RADV|AMD|INTEL|ANV|NIR|LP|GALLIUM|MALLOC|MIMALLOC|TCMALLOC|CCACHE|SLURM)_\w+|GLIBC_TUNABLES|LANG|LANGUAGE|PATH|"
    r"CC|CXX|CPP|LD|AR|AS|NM|RANLIB|(?:C|CXX|CPP|LD|MAKE|NINJA)_?FLAGS|NINJA_STATUS|LD_\w+|LIBRARY_PATH|CPATH|C_INCLUDE_PATH|"
    r"CPLUS_INCLUDE_PATH|COMPILER_PATH|GCC_\w+|PKG_CONFIG_PATH|SOURCE_DATE_EPOCH|TMPDIR|XDG_\w+_HOME|HOME|SHELL|TERM|NO_COLOR|COLUMNS|"
    r"PYTHON\w+|OMP_\w+|CI|TZ|DISPLAY|WAYLAND_DISPLAY").fullmatch

_URL = re.compile(r"(?P<server>[a-z][a-z0-9+.-]*://[^/\s?#]*)(?P<path>[^\s?#]*)(?P<query>[?#]\S*)?", re.I)


def machine_text() -> str:
    """The machine, its kernel and its limits, one fact a line."""
    return "".join(f"{name + ':':<22} {' '.join(str(value).split()) or 'unknown'}\n" for name, value in _facts())


def _facts() -> Iterator[tuple[str, Any]]:
    cpu = text_of("/proc/cpuinfo")
    names = re.findall(r"^model name\s*:\s*(.*)$", cpu, re.M)
    yield "processor", names[0] if names else platform.processor()
    yield "microcode", ", ".join(sorted(set(re.findall(r"^microcode\s*:\s*(.*)$", cpu, re.M))))
    yield "architecture", platform.machine()
    allowed = len(os.sched_getaffinity(0))
    yield "logical cores", f"{os.cpu_count()}, of which this process may use {allowed}"
    yield "limit of CPU", _read("/sys/fs/cgroup/cpu.max") or "none found"
    memory = dict(re.findall(r"^(\w+):\s*(\d+) kB$", text_of("/proc/meminfo"), re.M))
    yield "memory", ", ".join(f"{name} {int(memory[name]) / 2**20:.1f} GiB"
                              for name in ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree") if name in memory)
    yield "limit of memory", _read("/sys/fs/cgroup/memory.max") or "none found"
    yield "kernel", f"{platform.system()} {platform.release()}"
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text_of("/etc/os-release"), re.M))
    yield "distribution", release.get("PRETTY_NAME", "")
    yield "C library", host_libc()
    yield "virtual machine", _virtual(cpu)
    yield "container", _container()
    yield "governor", _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    yield "turbo", _read("/sys/devices/system/cpu/intel_pstate/no_turbo", "no_turbo ") or _read(
        "/sys/devices/system/cpu/cpufreq/boost", "boost ")
    yield "simultaneous threads", _read("/sys/devices/system/cpu/smt/control")
    yield "huge pages", _read("/sys/kernel/mm/transparent_hugepage/enabled")
    yield "random addresses", _read("/proc/sys/kernel/randomize_va_space")
    yield "perf_event_paranoid", _read("/proc/sys/kernel/perf_event_paranoid")
    yield "load", " ".join(text_of("/proc/loadavg").split()[:3])
    yield "limits", ", ".join(f"{name} {'none' if value == resource.RLIM_INFINITY else value}" for name, value in (
        (each.lower(), resource.getrlimit(getattr(resource, f"RLIMIT_{each}"))[0]) for each in ("NOFILE", "NPROC", "AS", "STACK")))
    yield "user", "root" if os.geteuid() == 0 else "not root"
    for name, folder in (("checkout's disk", paths.ROOT), ("store's disk", _store()), ("results' disk", known.results_folder())):
        yield name, _disk(folder) if folder else "unknown"
    yield "checkout", "can be written" if os.access(paths.ROOT, os.W_OK) else "cannot be written"


def _read(path: str, before: str = "") -> str:
    text = text_of(path).strip()
    return before + text if text else ""


def _virtual(cpu: str) -> str:
    maker = " ".join(filter(None, (_read(f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name"))))
    return f"{'yes' if re.search(r'^flags.*hypervisor', cpu, re.M) else 'not seen'}{', ' if maker else ''}{maker}"


def _container() -> str:
    marks = [name for name in ("/.dockerenv", "/run/.containerenv") if os.path.exists(name)]
    marks += sorted(set(re.findall(r"docker|kubepods|lxc|podman|containerd", text_of("/proc/1/cgroup"))))
    return ", ".join(marks) or "not seen"


def _store() -> str:
    try:
        return Settings().store
    except SpmError:
        return ""


def _disk(folder: str) -> str:
    """Space, type and options of the file system, without its device."""
    try:
        folder = os.path.realpath(existing_parent(folder))
        usage = shutil.disk_usage(folder)
    except OSError as error:
        return f"not readable: {error.strerror}"
    found = ("", "?", "")
    for line in text_of("/proc/self/mounts").splitlines():
        words = line.split()
        place = re.sub(r"\\([0-7]{3})", lambda number: chr(int(number[1], 8)), words[1])
        if f"{folder}/".startswith(place.rstrip("/") + "/") and len(place) >= len(found[0]):
            found = (place, words[2], ",".join(each for each in words[3].split(",")
                                               if re.fullmatch(r"ro|rw|noexec|nosuid|nodev|sync|nolock|local_lock=\w+|vers=[\d.]+", each)))
    return f"{found[1]} ({found[2]}), {usage.free / 1e9:.1f} of {usage.total / 1e9:.1f} GB free"


def drivers_text() -> str:
    """The graphics devices, the drivers installed, and what the probe found, without numbers that name one device."""
    lines = ["Devices of the kernel:"]
    for card in sorted(glob.glob("/sys/class/drm/*")):
        name = os.path.basename(card)
        if re.fullmatch(r"(card|renderD)\d+", name):
            driver = os.path.basename(os.path.realpath(f"{card}/device/driver"))
            access = "" if os.access(f"/dev/dri/{name}", os.R_OK | os.W_OK) else ", may not be opened"
            lines.append(f"  {name}: {driver} {_read(f'{card}/device/vendor')}:{_read(f'{card}/device/device')}{access}")
    if nvidia := _read("/proc/driver/nvidia/version"):
        lines.append(f"  {nvidia.splitlines()[0]}")
    lines += ["  (none)"] * (len(lines) == 1) + ["", "Vulkan drivers installed:"]
    manifests = list(_manifests())
    lines += [f"  {path}: {_manifest(path)}" for path in manifests] or ["  (none)"]
    lines += ["", "Driver columns of the atlas:"]
    columns = sorted(glob.glob(os.path.join(glob.escape(known.results_folder()), "*", "atlas", "*", "column.json")))
    own = [path for path in columns if path.split(os.sep)[-4] not in known.NOT_MACHINES]
    real = [path for path in own if not os.path.dirname(path).endswith("-simulated")]
    lines += [f"  {path}: {_column(path)}" for path in real[-40:]] or ["  (none: python3 make.py probe)"]
    lines += [f"  and {len(own) - len(real)} of simulated devices"] if len(own) > len(real) else []
    return "\n".join(lines) + "\n"


def _manifests() -> Iterator[str]:
    for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"):
        yield from filter(None, os.environ.get(name, "").split(":"))
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    for folder in ("/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d", f"{data}/vulkan/icd.d",
                   *glob.glob(f"{glob.escape(paths.BUILD)}/*/vulkan/drivers")):
        yield from sorted(glob.glob(f"{glob.escape(folder)}/*.json"))


def _manifest(path: str) -> str:
    try:
        driver = json.loads(text_of(path))["ICD"]
        return f"{driver['library_path']}, Vulkan {driver.get('api_version', '?')}"
    except (ValueError, KeyError, TypeError):
        return "not readable"


def _column(path: str) -> str:
    try:
        column = json.loads(read(path, 1_000_000, within=known.results_folder())[0])
        driver = column["driver"]
        words = [f"{name} {driver.get(name, '?')}" for name in
                 ("short_name", "version", "info", "device_name", "device_type", "api_version", "driver_version", "vendor_id", "device_id",
                  "library", "pinned", "conformance")]
        failure = column.get("failure") or {}
        failed = f"; FAILED: {failure.get('kind')}: {failure.get('detail')}\n{failure.get('output_tail', '')}" if failure else ""
        return ", ".join(" ".join(str(each).split()) for each in words) + failed
    except Unreadable as problem:
        return f"not readable: {problem}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "not readable: no column"


def versions_text() -> str:
    """The versions of the laboratory, its packages and the machine's tools; the state of the checkout."""
    lines = [f"laboratory:  {version.version()}", f"Python:      {platform.python_version()} ({platform.python_implementation()})"]
    commit = known.git("rev-parse", "HEAD")
    if commit:
        changed = known.git("status", "--porcelain", "--untracked-files=normal").splitlines()
        lines.append(f"commit:      {commit}, {known.git('log', '-1', '--format=%cI')}")
        lines.append(f"changed:     {len(changed)} files" if changed else "changed:     nothing")
        lines += [f"  {line}" for line in changed[:100]]
    else:
        lines.append(f"commit:      unknown: {'no git on this machine' if not shutil.which('git') else 'git knows no checkout here'}")
    binary = build.existing_harness()
    lines += ["", "harness --version:", *(f"  {line}" for line in _answer([binary, "--version"]).splitlines())] if binary else \
        ["", "harness: not built"]
    lines += ["", "Tools of this machine:"]
    for tool in ("git", "g++", "gcc", "clang", "cmake", "ninja", "ccache", "ld"):
        path = shutil.which(tool)
        lines.append(f"  {tool + ':':<8} {(_answer([path, '--version']).splitlines() or ['?'])[0] + f' ({path})' if path else 'none'}")
    lines += ["", f"Packages in {paths.LIB}, and where each is:"]
    try:
        names = sorted(os.listdir(paths.LIB))
    except OSError as error:
        lines.append(f"  not readable: {error.strerror}")
        names = []
    for name in names:
        path = os.path.join(paths.LIB, name)
        state = "" if os.access(path, os.R_OK) else ", not readable" if os.path.exists(path) else ", missing or not readable"
        lines.append(f"  {name} -> {os.readlink(path) if os.path.islink(path) else 'no link'}{state}")
    return "\n".join(lines) + "\n"


def _answer(command: list[str]) -> str:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              errors="replace", check=False, timeout=_ANSWER_S)
    except subprocess.TimeoutExpired:
        return f"no answer in {_ANSWER_S} s"
    except OSError as error:
        return f"does not start: {error.strerror}"
    return done.stdout if done.returncode == 0 else f"exit status {done.returncode}: {done.stdout}"


def _server_of(found: re.Match[str]) -> str:
    """An address without its path, which may be a key, unless packages come from there."""
    if not found["query"] and any(found[0].startswith(base.rstrip("/") + "/") or found[0] == base for base in known.bases_of_pins()):
        return found[0]
    return found["server"] + ("/<PATH>" if found["path"].strip("/") or found["query"] else found["path"])


def environment_text() -> str:
    """The variables that the laboratory, compilers and drivers read, without those that look like keys."""
    shown, dropped = [], 0
    for name, value in sorted(os.environ.items()):
        if not _ENVIRONMENT(name):
            continue
        if looks_secret(name) or looks_like_key(value):
            dropped += 1
        else:
            shown.append(f"{name}={_URL.sub(_server_of, value)}")
    proxies = sorted(name for name in os.environ if re.fullmatch(r"(?:https?|all|no)_proxy", name, re.I))
    shown += [f"({name} is set)" for name in proxies]
    if dropped:
        shown.append(f"({dropped} more left out: name or value looks like a key)")
    return "\n".join(shown) + "\n"
