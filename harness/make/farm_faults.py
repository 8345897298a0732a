"""Faults of a farm, on a real Slurm of three nodes: `.ci/farm [MOMENT...]` runs this.

usage: python3 -m harness.make.farm_faults [MOMENT...]

Kills nodes at these moments of a job (default: all), three at once, and then runs every other test."""

from __future__ import annotations

import fcntl
import glob
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import unittest
from typing import Any

from harness.make import build
from harness.make.farm_fixture import MOMENTS, Farm, start_cluster, stop_cluster
from harness.make.slurm_cluster import Cluster, missing_program, wait_for
from harness.spm.lock import try_lock

ALL = ("node1", "node2", "node3")

_NUMBERS = itertools.count(1)


class Faulty(unittest.TestCase):
    """Its cluster is as at the start before each test."""

    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = start_cluster()
        cls.addClassCleanup(stop_cluster, cls.cluster)

    def setUp(self) -> None:
        self.farm = Farm(self.cluster, f"night-{next(_NUMBERS)}")
        self.began = time.monotonic()
        self.addCleanup(self.cluster.end_jobs)

    def tearDown(self) -> None:
        print(f"{time.monotonic() - self.began:4.0f} s  {self.id().rsplit('.', 1)[1].replace('_', ' ')}", file=sys.stderr)


class Moments(Faulty):
    """A node is killed, slurmd and job at once, and comes back."""

    chosen: tuple[str, ...] = MOMENTS

    def test_a_node_that_is_killed_at_any_moment_has_one_complete_session_after_its_return(self) -> None:
        for first in range(0, len(self.chosen), len(ALL)):
            moments = dict(zip(ALL, self.chosen[first:first + len(ALL)]))
            with self.subTest(" ".join(moments.values())):
                began = time.monotonic()
                self.kill_at(Farm(self.cluster, f"kill-{first}"), moments)
                print(f"{time.monotonic() - began:4.0f} s  killed at {', '.join(moments.values())}", file=sys.stderr)

    def kill_at(self, farm: Farm, moments: dict[str, str]) -> None:
        nodes = list(moments)
        for node in (node for node, moment in moments.items() if moment == "fetch"):
            self.wait_in_copy(farm, node)
        locks = {node: self.hold_lock(farm, node) for node, moment in moments.items() if moment == "start"}
        for node, moment in moments.items():
            if moment not in ("start", "fetch"):
                farm.stay(node, moment)
        farm.submit("--nodes", ",".join(nodes))
        for node, moment in moments.items():
            self.wait_until_there(farm, node, moment)
        for node in nodes:
            self.cluster.kill_node(node)
            farm.forget(node)
        for lock in locks.values():
            os.close(lock)
        for node in nodes:
            self.cluster.start_node(node)
        farm.wait_states(dict.fromkeys(nodes, "fit"))
        for node, moment in moments.items():
            sessions = farm.sessions(node)
            self.assertEqual(sessions.count("complete"), 1, f"{node}, killed at {moment}: {sessions}\n{farm.logs()}")
            # A session that was killed in its blocks is kept.
            self.assertEqual(sessions.count("interrupted"), int(moment.startswith("block")), f"{node}, killed at {moment}: {sessions}")
            with open(os.path.join(farm.results, "jobs", farm.night, f"{node}.json"), encoding="utf-8") as file:
                job = json.load(file)
            self.assertEqual((job["phase"], job["restarts"], job["delivered"]), ("done", 1, True))
        bundles = [name for node in nodes for name in os.listdir(os.path.join(farm.on_node(node), "bundles"))]
        self.assertEqual([len(name) for name in bundles], [64] * len(nodes), "parts of a bundle are left")

    def wait_until_there(self, farm: Farm, node: str, moment: str) -> None:
        if moment in ("start", "fetch"):
            word = "flock" if moment == "start" else "cp"
            wait_for(f"{moment} on {node}", lambda: any(runs(pid, word) for pid in self.cluster.processes_of(node)))
        else:
            farm.wait_until_there(node)

    def wait_in_copy(self, farm: Farm, node: str) -> None:
        """Submits the node's job with a pipe for the bundle, so that it waits there for somebody who writes."""
        hashed = subprocess.run(["sha256sum", farm.bundle], capture_output=True, text=True, check=True).stdout[:64]
        pipe = os.path.join(farm.results, "jobs", "bundles", hashed)
        os.makedirs(os.path.dirname(pipe))
        os.mkfifo(pipe)
        farm.submit("--nodes", node)
        self.wait_until_there(farm, node, "fetch")
        shutil.copy(farm.bundle, pipe + ".new")
        os.rename(pipe + ".new", pipe)

    def hold_lock(self, farm: Farm, node: str) -> int:
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        folder = os.path.join(farm.place, "scratch", f"lab-{user}-{node}")
        os.makedirs(folder)
        lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.assertTrue(try_lock(lock, fcntl.LOCK_EX))
        return lock


class Faults(Faulty):
    def test_a_node_that_never_returns_is_lost_and_disturbs_no_other(self) -> None:
        farm = self.farm
        farm.stay("node2", "block1")
        farm.submit()
        farm.wait_until_there("node2")
        self.cluster.kill_node("node2")
        farm.forget("node2")
        farm.wait_states({"node1": "fit", "node2": "lost", "node3": "fit"})
        wait_for("its job waits", lambda: self.cluster.jobs().get(f"lab-{farm.night}-node2") == "PENDING")
        self.assertEqual(farm.states(), {"node1": "fit", "node2": "lost", "node3": "fit"})
        self.assertRegex(farm.status()["node2"]["detail"], r"^down\*? since \d{4}-.*; job \d+ waits$")
        self.assertEqual(farm.call("status").returncode, 5)
        # Another night is submitted to it, too, and waits.
        later = Farm(self.cluster, "the-night-after")
        self.assertRegex(later.submit("--nodes", "node2"), r"^node2: submitted as job \d+; it waits for its node, which is down\*? since ")
        self.cluster.start_node("node2")
        farm.wait_states({"node2": "fit"})
        later.wait_states({"node2": "fit"})

    def test_jobs_go_on_while_the_controller_is_dead_and_the_status_is_right_again(self) -> None:
        farm = self.farm
        farm.stay("node1", "block1")
        farm.submit()
        farm.wait_until_there("node1")
        farm.wait_states({"node2": "fit", "node3": "fit"})
        self.save_state(farm.status()["node1"]["job"])
        self.cluster.kill_controller()
        whole = farm.whole_status()
        self.assertIn("Slurm's controller does not answer", whole["remarks"][0])
        self.assertEqual([node["state"] for node in whole["nodes"]], ["running", "fit", "fit"])
        done = farm.call("submit", "--nodes", "node2")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("Slurm's controller does not answer", done.stderr)
        farm.go_on("node1")
        wait_for("the session of node1", lambda: farm.sessions("node1") == ["complete"])
        self.cluster.start_controller()
        farm.wait_states(dict.fromkeys(ALL, "fit"))
        self.assertEqual(farm.whole_status()["remarks"], [])

    def save_state(self, job: str) -> None:
        """The controller writes what it knows down within seconds of a change; a job that is younger is lost with it."""
        before = time.time()
        self.cluster.ask("scontrol", "update", f"JobId={job}", "TimeLimit=100")
        wait_for("the state is saved", lambda: os.path.getmtime(os.path.join(self.cluster.folder, "state", "job_state")) > before)

    def test_two_sessions_never_run_at_once_where_only_slurmd_died(self) -> None:
        farm = self.farm
        farm.stay("node1", "block1")
        farm.submit("--nodes", "node1")
        farm.wait_until_there("node1")
        self.cluster.kill_daemon("node1")
        name = f"lab-{farm.night}-node1"
        wait_for("Slurm requeues the job", lambda: self.cluster.jobs().get(name) == "PENDING")
        self.assertEqual(farm.turns("node1"), ["begin"])
        self.cluster.start_node("node1")
        farm.forget("node1")

        def is_fit() -> bool:
            # A slurmd that finds the old script still ending drains its node, until a person looks.
            if "drained" in self.cluster.ask("sinfo", "--noheader", "--nodes=node1", "--format=%T"):
                self.cluster.ask("scontrol", "update", "NodeName=node1", "State=RESUME")
            return farm.states() == {"node1": "fit"}
        wait_for("the session of node1", is_fit)
        self.assertNotIn("twice", farm.turns("node1"))
        self.assertEqual(farm.sessions("node1").count("complete"), 1)

    def test_a_session_at_its_time_limit_is_out_of_time_and_delivered(self) -> None:
        farm = self.farm
        farm.stay("node1", "block2")
        farm.submit("--nodes", "node1")
        farm.wait_until_there("node1")
        # Slurm warns a minute before, which is now, and looks twice a minute.
        self.cluster.ask("scontrol", "update", f"JobId={farm.status()['node1']['job']}", "TimeLimit=1")
        farm.wait_states({"node1": "fit"})
        self.assertEqual(farm.sessions("node1"), ["out of time"])

    def test_a_result_stays_on_its_node_until_the_folder_is_there_again(self) -> None:
        farm = self.farm
        for node in ALL:
            farm.stay(node, "block1")
        farm.submit()
        for node in ALL:
            farm.wait_until_there(node)
        os.rename(farm.results, farm.results + ".gone")
        os.mkdir(farm.results)  # what is left to mount it on
        for node in ALL:
            farm.go_on(node)
        names = [f"lab-{farm.night}-{node}" for node in ALL]
        wait_for("the jobs end", lambda: [self.cluster.jobs().get(name) for name in names] == ["FAILED"] * 3)
        self.assertEqual(os.listdir(farm.results), [])
        os.rmdir(farm.results)
        os.rename(farm.results + ".gone", farm.results)
        self.assertEqual(farm.states(), dict.fromkeys(ALL, "undelivered"))
        self.assertEqual(farm.call("status").returncode, 1)
        self.deliver_by_the_next_night(farm)

    def deliver_by_the_next_night(self, farm: Farm) -> None:
        next_night = Farm.__new__(Farm)
        next_night.__dict__.update(farm.__dict__, night=f"{farm.night}-2")
        next_night.submit()
        next_night.wait_states(dict.fromkeys(ALL, "fit"))
        self.assertEqual(farm.states(), dict.fromkeys(ALL, "fit"))
        for node in ALL:
            self.assertEqual(farm.sessions(node), ["complete", "complete"])

    @unittest.skipIf(os.getuid() != 0, "needs to mount")
    def test_a_result_stays_on_its_node_while_the_folder_is_full(self) -> None:
        farm = self.farm
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", farm.results], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", farm.results], check=False)
        for node in ALL:
            farm.stay(node, "block1")
        farm.submit()
        for node in ALL:
            farm.wait_until_there(node)
        filler = os.path.join(farm.results, "filler")
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        for node in ALL:
            farm.go_on(node)
        farm.wait_states(dict.fromkeys(ALL, "undelivered"))
        os.unlink(filler)
        self.deliver_by_the_next_night(farm)

    def test_nodes_of_one_host_take_turns_by_a_licence(self) -> None:
        farm = self.farm
        for node in ALL:
            os.symlink("turns.log", os.path.join(farm.control, f"{node}.log"))
        farm.submit("--licenses", "host:1")
        farm.wait_states(dict.fromkeys(ALL, "fit"))
        self.assertEqual(farm.turns("node1"), ["begin", "end"] * 3)


def _harness(*words: str, cwd: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([build.existing_harness() or "harness", *words], cwd=cwd, capture_output=True, text=True, check=False)


@unittest.skipUnless(_harness("bundle", "--help").returncode == 0 and _harness("deliver", "--help").returncode == 0,
                     "needs bundle and deliver")
class InEarnest(Faulty):
    """A real bundle of a few variants, 20 s a session."""

    def test_a_night_in_earnest_in_which_a_node_is_killed(self) -> None:
        farm = self.farm
        farm.bundle = os.path.join(farm.place, "lab-night")
        listed = [each["benchmark"].rsplit("/", 1)[0] for each in json.loads(_harness("list", "--json").stdout)]
        chosen = sorted(set(listed), key=listed.index)[:3]
        made = _harness("bundle", farm.bundle, *(word for variant in chosen for word in ("--variant", variant)))
        self.assertEqual(made.returncode, 0, made.stderr)
        # The nodes are one host: they take turns, or all are unfit.
        farm.submit("--budget", "20", "--licenses", "host:1")
        journal = os.path.join(farm.place, "scratch", "*", "farm-*", "results", "node*", "*.journal")
        wait_for("a process is measured", lambda: any(os.path.getsize(path) > 100_000 for path in glob.glob(journal)), 300)
        killed = os.path.basename(os.path.dirname(glob.glob(journal)[0]))
        self.cluster.kill_node(killed)
        self.cluster.start_node(killed)
        wait_for("all have measured", lambda: set(farm.states().values()) <= {"fit", "unfit"}, 600)
        print(farm.call("status").stdout, file=sys.stderr)
        for node in ALL:
            self.assertEqual(farm.sessions(node).count("interrupted"), int(node == killed), farm.logs())
            self.assertEqual(len(farm.sessions(node)), 1 + int(node == killed), farm.logs())
        collected = _harness("farm", "collect", "--results", farm.results)
        self.assertEqual(collected.returncode, 0, collected.stderr)
        self.assertEqual(len(glob.glob(os.path.join(farm.results, "node*", "*.json"))), 4)
        self.assertLessEqual(set(farm.states().values()), {"fit", "unfit"})


class AtOnce(unittest.TextTestResult):
    """Prints a failure when it happens, not minutes later."""

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self.stream.writeln(self._exc_info_to_string(err, test))  # type: ignore[attr-defined]

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self.stream.writeln(self._exc_info_to_string(err, test))  # type: ignore[attr-defined]

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.stream.writeln(self._exc_info_to_string(err, test))  # type: ignore[attr-defined]


def runs(pid: int, program: str) -> bool:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip() == program
    except OSError:
        return False


def main(arguments: list[str]) -> int:
    if wrong := [name for name in arguments if name not in MOMENTS]:
        print(f"farm: error: expected moments of a job, found '{wrong[0]}'\nhint: some of {' '.join(MOMENTS)}", file=sys.stderr)
        return 2
    if missing := missing_program():
        print(f"farm: skipped: needs {missing}", file=sys.stderr)
        return 0
    Moments.chosen = tuple(arguments or MOMENTS)
    loader = unittest.defaultTestLoader
    tests = unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Moments, Faults, InEarnest))
    unittest.installHandler()  # an interruption still ends the cluster
    runner = unittest.TextTestRunner(resultclass=AtOnce)  # type: ignore[arg-type]
    return 0 if runner.run(tests).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
