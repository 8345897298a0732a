"""Kills at every step and at random moments, full, read-only and stalled disks: the next run puts everything right."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import unittest
from unittest import mock

from harness.spm import trees
from harness.spm.settings import ROOT
from harness.spm_testing.archives import deb, folder, hard_link, link, member, tar
from harness.spm_testing.faults import GROWING, Outcome, Runner
from harness.spm_testing.test_case import SpmTestCase, pin
from collections.abc import Callable
from typing import Any

OLD = {"a-1": {"d/a": "old", "same": "old", "l": "old"}}
NEW = {"a-1": {"d/a": "new!", "same": "new!", "l": "new!"}, "b-1": {"1": "one", "2": "two"}}


class FaultTestCase(SpmTestCase):
    """Artifacts in a folder; `a` is installed in an old version, packages.json names a new one, and `b`."""

    def setUp(self) -> None:
        # A thousand times a hundred changes: in memory where there is such a folder, however busy the disk is.
        with mock.patch("tempfile.tempdir", "/dev/shm" if os.access("/dev/shm", os.W_OK) else None):
            super().setUp()
        os.mkdir(f"{self.folder}/disk")
        self.sources = {"main": {"type": "file", "base": "disk"}}
        self.runner = Runner()
        self.addCleanup(self.runner.close)
        self.add_a("old")
        self.must(["install", "a"])
        self.keep("first")
        self.add_a("new!")
        self.add("b", self.serve("1.tar", tar(member("1", b"one"))), self.serve("2.tar", tar(member("2", b"two"))))
        self.write()

    def serve(self, name: str, data: bytes, **fields) -> dict:
        with open(f"{self.folder}/disk/{name}", "wb") as file:
            file.write(data)
        return pin(data, name, **fields)

    def add_a(self, text: str) -> None:
        members = member("./d/a", text.encode()), hard_link("./same", "./d/a"), link("./l", "d/a")
        self.add("a", self.serve(f"{text}.deb", deb(folder("./d"), *members)))
        self.write()

    def run_with(self, *commands: list[str], **fault) -> Outcome:
        return self.runner.run(*(self.arguments(*command) for command in commands), **fault)

    def must(self, *commands: list[str]) -> None:
        outcome = self.run_with(*commands)
        self.assertEqual(outcome.status, 0, f"{commands}: {outcome.out}{outcome.err}")

    def keep(self, name: str) -> None:
        """Keeps the store and lib as they are now, for `restore`."""
        trees.remove(f"{self.folder}/{name}")
        for part in ("store", "lib"):
            shutil.copytree(f"{self.folder}/{part}", f"{self.folder}/{name}/{part}", symlinks=True)

    def restore(self, name: str) -> None:
        for part in ("store", "lib"):
            trees.remove(f"{self.folder}/{part}")
            shutil.copytree(f"{self.folder}/{name}/{part}", f"{self.folder}/{part}", symlinks=True)

    def contents(self) -> dict:
        """What programs see of every link of lib; fails where one dangles."""
        found: dict = {}
        for name in self.in_lib() if os.path.isdir(self.lib) else []:
            if not name.startswith("."):
                found[name] = {}
                for base, folders, files in os.walk(os.readlink(f"{self.lib}/{name}")):
                    for each in files:
                        path = f"{base}/{each}"
                        with open(path) as file:
                            found[name][os.path.relpath(path, os.path.realpath(f"{self.lib}/{name}"))] = file.read()
        return found


class Scenario:
    """A command that is disturbed, and the ordinary ones that must put everything right afterwards."""

    def __init__(self, before: list, command: list[str], after: list, damage: Callable[..., Any] | None = None) -> None:
        self.before, self.command, self.after, self.damage = before, command, after, damage


def damage(world: FaultTestCase) -> None:
    """Half of what can be wrong with a tree, with and without need of an artifact."""
    tree = os.readlink(f"{world.lib}/a-1")
    for path in (tree, f"{tree}/d", f"{tree}/d/a"):
        os.chmod(path, 0o755)
    with open(f"{tree}/d/a", "w") as file:
        file.write("BAD!")
    os.chmod(f"{tree}/d/a", 0o444)
    os.unlink(f"{tree}/l")
    os.mkdir(f"{tree}/more")


INSTALL = ["install-group", "all"]
PRUNE = ["cache", "prune", "--older-than", "0d", "--gone"]  # the folders of a test are copies
SCENARIOS = {
    "install": Scenario([], INSTALL, [INSTALL]),
    "uninstall": Scenario([INSTALL], ["uninstall", "a", "b"], [["uninstall", "a", "b"], INSTALL]),
    "prune": Scenario([INSTALL], PRUNE, [PRUNE]),
    "repair": Scenario([INSTALL], ["verify", "--repair", "--deep"], [["verify", "--repair"]], damage),
}


class DisturbedTest(FaultTestCase):
    def prepare(self, scenario: Scenario) -> None:
        self.restore("first")
        self.must(*scenario.before)
        if scenario.damage:
            scenario.damage(self)
        self.keep("prepared")

    def assert_nothing_is_half(self, scenario: Scenario) -> None:
        """What programs see in lib at any moment is whole: the old or the new, or as damaged as it was."""
        found = self.contents()
        if scenario.command[0] != "uninstall":
            self.assertIn("a-1", found)
        for name, files in found.items():
            if not scenario.damage:
                self.assertIn(files, [each[name] for each in (OLD, NEW) if name in each])
            for path, text in files.items():
                self.assertIn(text, {"BAD!", OLD.get(name, {}).get(path), NEW[name][path]})

    def assert_the_next_run_puts_it_right(self, scenario: Scenario) -> None:
        self.must(*scenario.after, ["verify", "--deep"], PRUNE)
        self.assertEqual((self.contents(), self.left_in_store()), (NEW, []))
        self.assertEqual([len(os.listdir(f"{self.store}/packages/{name}")) for name in "ab"], [1, 1])

    def disturb(self, scenario: Scenario, **fault) -> Outcome:
        """Runs the command with a fault; whatever became of it, nothing is half and the next run puts it right."""
        self.restore("prepared")
        outcome = self.run_with(scenario.command, **fault)
        with self.subTest(command=scenario.command, last=outcome.last, **fault):
            self.assert_nothing_is_half(scenario)
            self.assert_the_next_run_puts_it_right(scenario)
        return outcome

    def test_a_kill_before_any_step_and_after_the_last_is_repaired_by_the_next_run(self) -> None:
        # After a step, the disk is as before the next one.
        for name, least in (("install", 80), ("uninstall", 2), ("prune", 20), ("repair", 40)):
            self.prepare(SCENARIOS[name])
            for step in range(1, 1000):
                end = self.disturb(SCENARIOS[name], kind="kill", step=step).status
                if end == 0:
                    break
                self.assertEqual(end, -signal.SIGKILL)
            self.assertGreater(step, least)
            end = self.disturb(SCENARIOS[name], kind="kill", step=step - 1, after=True).status
            self.assertEqual(end, -signal.SIGKILL)

    def test_a_kill_at_two_hundred_random_moments_is_repaired_by_the_next_run(self) -> None:
        moments = random.Random(1)
        ends = []
        for name, most_s in (("install", 0.04), ("repair", 0.03), ("prune", 0.01), ("uninstall", 0.005)):
            self.prepare(SCENARIOS[name])
            for _ in range(50):
                delay = moments.uniform(0, most_s)
                ends.append(self.disturb(SCENARIOS[name], signal=signal.SIGKILL, delay=delay).status)
        self.assertEqual(set(ends) - {0, -signal.SIGKILL}, set())
        self.assertIn(-signal.SIGKILL, ends)  # how many depends on the machine

    def test_a_disk_that_is_full_at_any_write_is_survived(self) -> None:
        for name, lasting in (("install", False), ("install", True), ("repair", False)):
            self.prepare(SCENARIOS[name])
            failed = 0
            for step in range(1, 1000):
                outcome = self.disturb(SCENARIOS[name], kind="ENOSPC", step=step, calls=GROWING, lasting=lasting)
                if outcome.status:
                    failed += 1
                    self.assertEqual(outcome.status, 1, outcome.err)
                    self.assertRegex(outcome.err, FULL)
                if outcome.steps < step:
                    break
            self.assertGreater(failed, 20)


# A slow machine says how far it is before that.
FULL = (
    r"^(spm: [^e].*\n)*spm: error: .*No space left on device.*\n"
    r"hint: python3 make.py spm cache prune --older-than 0d --packages \S+ --lib \S+ --store \S+, or free some space, "
    r"or set SPM_STORE to a larger disk\n$"
)
READ_ONLY = (
    r"^(spm: [^e].*\n)*spm: error: .*Read-only file system.*\n"
    r"hint: choose writable folders with --store DIR \(or SPM_STORE\) and --lib DIR\n$"
)


class BadDiskTest(FaultTestCase):
    def test_a_read_only_disk_is_one_error_and_no_hindrance_to_what_only_reads(self) -> None:
        ways = [lambda command: self.run_with(command, kind="EROFS"), self.run_mounted]
        for run in ways if self.can_mount() else ways[:1]:
            self.restore("first")
            outcome = run(INSTALL)
            self.assertEqual((outcome.status, self.contents()), (1, OLD))
            self.assertRegex(outcome.err, READ_ONLY)
            self.must(INSTALL)
            for command in (INSTALL, ["verify", "--deep"], ["status"], ["cache", "list"], ["list"]):
                outcome = run(command)
                self.assertEqual((outcome.status, "error" in outcome.err), (0, False), outcome.err)
            damage(self)
            self.assertRegex(run(["verify"]).err, "^spm: error: 1 of 2 packages differ from what was unpacked\n")

    # In name spaces of its own a user may mount, unless even that is forbidden.
    MOUNTED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]

    def mount(self) -> str:
        return f"mount --bind {self.store} {self.store} && mount -o remount,ro,bind {self.store}"

    def can_mount(self) -> bool:
        command = [*self.MOUNTED, self.mount()]
        return bool(shutil.which("unshare")) and not subprocess.run(command, stderr=subprocess.DEVNULL).returncode

    def run_mounted(self, command: list[str]) -> Outcome:
        spm = shlex.join([sys.executable, f"{ROOT}/make.py", "spm", *self.arguments(*command)])
        done = subprocess.run([*self.MOUNTED, f"{self.mount()} && {spm}"], capture_output=True, text=True)
        return Outcome(done.returncode, 0, "", done.stdout, done.stderr)

    def test_a_disk_that_hangs_is_named_and_left_by_an_interrupt(self) -> None:
        # The first write is a download's, the first link one of an unpacking.
        for call, line in (("write", r"left; fetching \S+"), ("symlink", "fetched, unpacking a$")):
            said = rf"(?m)^spm: .*{line}"
            outcome = self.run_with(INSTALL, kind="hang", step=1, calls=[call], signal=signal.SIGINT, until=said)
            self.assertEqual(outcome.status, 130, outcome.err)
            self.assertRegex(outcome.err, said)
            self.assertTrue(outcome.err.endswith("spm: interrupted; finished work is kept, unfinished work is discarded\n"))
            self.assertEqual(self.contents(), OLD)
            self.must(INSTALL, ["verify", "--deep"])
            self.assertEqual(self.contents(), NEW)
            self.restore("first")


if __name__ == "__main__":
    unittest.main()
