"""Simulated power cuts: spm installs on its own file system, whose device is copied during and after the install. Each
copy is the state after a cut at that moment. Its valid entries must be whole, and the next install must end with whole
trees.

    python3 -m harness.spm_testing.power_cut [--file-system ext4|xfs] [--during N] [--after SECONDS,...] [--seed N] [--work DIR]
                                     [--packages N | -- VERB NAME...]

Needs root, loop devices, mkfs.xfs and the file system's own mkfs. Without a verb, packages made here are installed from
a folder; with one (`-- install-group toolchain`) those of packages.json. Copies are reflinks on an XFS below: each is
the device at one moment, however much is being written to it."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any

from harness.spm import trees
from harness.spm.archives import contents
from harness.spm.pins import manifest as manifests
from harness.spm.settings import ROOT, native_platform
from harness.spm.store.store import links as links_of, Store
from harness.spm_testing.archives import member, tar
from harness.spm_testing.test_case import package, pin

# Mount options of the original and of its copy. ext4 writes its journal every second instead of every five, so that
# a cut finds data that only the journal has.
FILE_SYSTEMS = {"ext4": (["commit=1"], []), "xfs": ([], ["nouuid"])}
_FICLONE = 0x40049409
_SPACE = 8 << 30  # nominal bytes of the sparse device


def missing_requirement() -> str:
    """The reason why power cuts cannot be tested here, or ''."""
    if os.geteuid():
        return "needs root, to mount file systems"
    if not shutil.which("losetup") or subprocess.run(["losetup", "--find"], capture_output=True).returncode:
        return "needs a loop device"
    missing = [f"mkfs.{name}" for name in FILE_SYSTEMS if not shutil.which(f"mkfs.{name}")]
    return f"needs {' and '.join(missing)}" if missing else ""


class Device:
    """A file system in the folder `place`, and copies of its device. Use it as a context manager."""

    def __init__(self, work: str, file_system: str) -> None:
        self._work, self._kind = work, file_system
        self._below, self.place = f"{work}/below", f"{work}/disk"
        self._mounts = contextlib.ExitStack()
        self._copies = 0

    def __enter__(self) -> "Device":
        with contextlib.ExitStack() as made:
            self._mount(made, _new(f"{self._work}/below.img", "xfs"), self._below)
            self._mount(made, _new(f"{self._below}/disk.img", self._kind), self.place, FILE_SYSTEMS[self._kind][0])
            self._mounts = made.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._mounts.close()

    def copy(self) -> str:
        """The device as it is now."""
        self._copies += 1
        path = f"{self._below}/{self._copies}.img"
        with open(f"{self._below}/disk.img", "rb") as source, open(path, "wb") as target:
            fcntl.ioctl(target, _FICLONE, source.fileno())
        return path

    @contextlib.contextmanager
    def after_cut(self, copy: str) -> Iterator[None]:
        """Mounts a copy at the place of the original, because absolute links lead there; removes it afterwards."""
        with contextlib.ExitStack() as made:
            self._mount(made, copy, self.place, FILE_SYSTEMS[self._kind][1])
            yield
        os.unlink(copy)

    def _mount(self, made: contextlib.ExitStack, image: str, place: str, options: Iterable[str] = ()) -> None:
        os.makedirs(place, exist_ok=True)
        subprocess.run(["mount", "-o", ",".join(["loop", *options]), image, place], check=True)
        made.callback(subprocess.run, ["umount", place], check=True)


def _new(image: str, file_system: str) -> str:
    with open(image, "wb") as file:
        file.truncate(_SPACE)
    subprocess.run([f"mkfs.{file_system}", "-q", image], check=True)
    return image


def generated_packages(folder: str, packages: int, files: int = 200, large: int = 2 << 20) -> list[str]:
    """Packages of many small files and a large one in a folder; the arguments of spm that say where."""
    chance = random.Random(1)
    os.makedirs(f"{folder}/artifacts")
    pins = {}
    for number in range(packages):
        members = [member(f"{each % 7}/{each}", chance.randbytes(chance.randrange(1, 9000))) for each in range(files)]
        data = tar(*members, member("large", chance.randbytes(large)))
        with open(f"{folder}/artifacts/{number}.tar", "wb") as file:
            file.write(data)
        pins[f"p{number}"] = package(pin(data, f"{number}.tar"), name=f"p{number}")
    with open(f"{folder}/packages.json", "w", encoding="utf-8") as file:
        json.dump({"schema": 1, "sources": {"main": {"type": "file", "base": "artifacts"}}, "packages": pins}, file)
    return ["install-group", "all", "--packages", f"{folder}/packages.json"]


class Trial:
    """An install of `arguments` onto a device, with simulated power cuts."""

    def __init__(self, device: Device, arguments: list[str], pins: str) -> None:
        self._device = device
        self._store, self._lib = Store(f"{device.place}/store"), f"{device.place}/lib"
        places = ["--store", self._store.root, "--lib", self._lib, "--quiet"]
        self._command = [sys.executable, f"{ROOT}/make.py", "spm", *arguments, *places]
        self._pins = pins

    def run(self, during: int, after: list[float], chance: random.Random) -> list[str]:
        """Copies of the device at so many random moments of an install, and so many seconds after it."""
        seconds = self._install_for_time()
        moments = sorted(chance.uniform(0, 1.1 * seconds) for _ in range(during))
        started = time.monotonic()
        process = subprocess.Popen(self._command)
        copies = []
        for moment in moments:
            time.sleep(max(0.0, started + moment - time.monotonic()))
            copies.append(self._device.copy())
        if process.wait():
            raise SystemExit(f"the install that is cut ended with {process.returncode}")
        ended = time.monotonic()
        for moment in after:
            time.sleep(max(0.0, ended + moment - time.monotonic()))
            copies.append(self._device.copy())
        return copies

    def _install_for_time(self) -> float:
        started = time.monotonic()
        self._install()
        seconds = time.monotonic() - started
        for each in (self._store.root, self._lib):
            trees.remove(each)
        os.sync()
        return seconds

    def _install(self) -> None:
        subprocess.run(self._command, check=True)

    def judge(self, copy: str) -> tuple[int, list[str]]:
        """(entries that were valid after the cut, problems)"""
        with self._device.after_cut(copy):
            marked = [entry for entry in self._store.entries() if entry.exists()]
            wrong = self._damaged("after the cut", marked)
            self._install()
            wrong += self._damaged("after the next install", self._store.entries())
            wrong += [f"{entry.path}: is no entry, and stays" for entry in self._store.broken_entries()]
            manifest, platform = manifests.load(self._pins), native_platform()
            expected = {each.lib: self._store.entry(each.name, each.version(platform)) for each in self._packages(manifest)}
            links = dict((os.path.basename(path), entry.path) for path, entry in links_of(self._store, self._lib))
            wrong += [f"lib/{name}: expected a link to {entry.path}" for name, entry in expected.items()
                      if links.get(name) != entry.path or not entry.exists()]
            return len(marked), wrong

    def _packages(self, manifest: Any) -> Any:
        names = {name for name in os.listdir(self._lib) if not name.startswith(".")}
        packages = [each for each in manifest.packages.values() if each.lib in names]
        if not packages:
            raise SystemExit("the next install linked nothing")
        return packages

    @staticmethod
    def _damaged(when: str, entries: list) -> list[str]:
        found = []
        for entry in entries:
            try:
                problems = contents.problems(entry.tree, entry.files(), deep=True)
            except (OSError, ValueError) as error:
                problems = {"files.json": str(error)}
            if problems:
                path, reason = next(iter(problems.items()))
                found.append(f"{when}: {entry.name}: {path}: {reason}, and {len(problems) - 1} more")
        return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="power_cut", description="Test installs with simulated power cuts.")
    parser.add_argument("--file-system", choices=FILE_SYSTEMS, default="ext4")
    parser.add_argument("--during", type=int, default=50, metavar="N", help="moments of the install, at random")
    parser.add_argument("--after", default="0,2,8,20", help="moments after it, in seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", type=int, default=40, metavar="N", help="generated packages to install")
    parser.add_argument("--work", default=None, help="a folder on a disk with room")
    parser.add_argument("command", nargs="*", metavar="VERB NAME", help="after --: what to install")
    options = parser.parse_args(arguments)
    if why := missing_requirement():
        raise SystemExit(f"power_cut: {why}")
    after = [float(each) for each in options.after.split(",") if each]
    with tempfile.TemporaryDirectory(prefix="spm-cut-", dir=options.work) as work:
        command = options.command or generated_packages(f"{work}/made", options.packages)
        pins = f"{work}/made/packages.json" if not options.command else f"{ROOT}/packages.json"
        with Device(work, options.file_system) as device:
            trial = Trial(device, command, pins)
            copies = trial.run(options.during, after, random.Random(options.seed))
            return report(trial, copies, options)


def report(trial: Trial, copies: list[str], options: argparse.Namespace) -> int:
    found = [trial.judge(copy) for copy in copies]
    names = [f"during, {number}" for number in range(1, options.during + 1)]
    names += [f"{each} s after" for each in options.after.split(",") if each]
    for name, (marked, wrong) in zip(names, found):
        print(f"{options.file_system}: {name}: {marked} entries counted; {'; '.join(wrong) or 'all whole'}", flush=True)
    bad = sum(bool(wrong) for _, wrong in found)
    print(f"{options.file_system}: {len(copies)} cuts, {bad} of them with something wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
