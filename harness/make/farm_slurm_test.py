"""Nights on a real Slurm of three nodes, without faults of the cluster; harness/make/farm_faults.py has those."""

from __future__ import annotations

import os
import subprocess
import unittest

from harness.make import build
from harness.make.farm_fixture import Farm, start_cluster, stop_cluster
from harness.make.slurm_cluster import PATIENCE_S, Cluster, missing_program, wait_for

NEEDS = ["harness"]

ALL = ("node1", "node2", "node3")


@unittest.skipUnless(build.existing_harness(), "needs a build")
@unittest.skipIf(missing_program(), f"needs {missing_program()}")
class Nights(unittest.TestCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = start_cluster()
        cls.addClassCleanup(stop_cluster, cls.cluster)

    def setUp(self) -> None:
        self.farm = Farm(self.cluster, self.id().rsplit(".", 1)[1].removeprefix("test_")[:20])
        self.addCleanup(self.cluster.end_jobs)

    def test_each_node_measures_and_delivers_once_however_often_it_is_submitted(self) -> None:
        farm = self.farm
        printed = farm.submit("--dry-run")
        self.assertEqual(len(printed.splitlines()), 3)
        self.assertIn(f"sbatch --job-name=lab-{farm.night}-node1 --nodelist=node1 ", printed)
        self.assertEqual(os.listdir(farm.results), [])
        self.assertRegex(farm.submit(), "^" + "".join(f"{node}: submitted as job \\d+\n" for node in ALL) + "$")
        self.assertRegex(farm.submit(), "^" + "".join(f"{node}: not submitted: [a-z]+, job \\d+\n" for node in ALL) + "$")
        farm.wait_states(dict.fromkeys(ALL, "fit"))
        self.cluster.wait_idle()  # a job ends a little after its last word
        self.assertRegex(farm.submit(), "^" + "".join(f"{node}: not submitted: done, job \\d+\n" for node in ALL) + "$")
        for node in ALL:
            self.assertEqual(farm.sessions(node), ["complete"])
        done = farm.call("status")
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, f"night {farm.night}: 3 nodes: 3 fit"))
        self.assertRegex(done.stdout, r"\nnode1  fit  \d{8}T\d{6}Z-stub-\d+\.json\n")

    def test_two_submissions_at_once_give_each_node_one_job(self) -> None:
        both = [subprocess.Popen(self.farm.command("submit"), env=self.farm.environment, stdout=subprocess.PIPE, text=True)
                for _ in range(2)]
        printed = sorted(process.communicate(timeout=PATIENCE_S)[0] for process in both)
        self.assertEqual(sorted(text.count("submitted as") for text in printed), [0, 3], printed)
        names = self.cluster.ask("squeue", "--noheader", "--states=all", "--format=%j").split()
        self.assertEqual(sorted(name for name in names if f"-{self.farm.night}-" in name),
                         [f"lab-{self.farm.night}-{node}" for node in ALL])
        self.farm.wait_states(dict.fromkeys(ALL, "fit"))

    def test_a_verdict_is_no_failure_although_slurm_says_so(self) -> None:
        farm = self.farm
        for node, status in zip(ALL, (4, 3, 139)):
            farm.end_with(node, status)
        farm.submit()
        farm.wait_states({"node1": "unfit", "node2": "regression", "node3": "crash"})
        wait_for("Slurm's own word", lambda: [self.cluster.jobs().get(f"lab-{farm.night}-{node}") for node in ALL] == ["FAILED"] * 3)
        self.assertEqual(farm.states(), {"node1": "unfit", "node2": "regression", "node3": "crash"})
        self.assertIn("run ended with signal 11", farm.status()["node3"]["detail"])
        self.assertEqual(farm.call("status").returncode, 1)
        # Without Slurm the files alone say the same.
        without = farm.call("status", PATH="/nonexistent")
        self.assertIn("found no squeue", " ".join(without.stdout.split()))
        self.assertEqual([line.split()[:2] for line in without.stdout.splitlines()[1:4]],
                         [["node1", "unfit"], ["node2", "regression"], ["node3", "crash"]])

    def test_cancel_ends_what_waits_and_delivers_what_was_measured(self) -> None:
        farm = self.farm
        farm.stay("node1", "block2")
        farm.submit("--nodes", "node1", "--licenses", "host:1")
        farm.wait_until_there("node1")
        farm.submit("--nodes", "node2", "--licenses", "host:1")
        wait_for("node2 waits for its licence", lambda: farm.status()["node2"]["detail"] == "Licenses")
        self.assertEqual(farm.states()["node2"], "waiting")
        # Jobs of the same name, of another folder and of another user.
        others = [self.other_job()]
        if os.getuid() == 0:
            others.append(self.other_job("runuser", "-u", "nobody", "--"))
        done = farm.call("cancel")
        self.assertRegex(done.stdout + done.stderr, r"^node1: job \d+ ends with what it has, and delivers that\nnode2: job \d+ is cancelled; it had not begun\n$")
        farm.go_on("node1")
        farm.wait_states({"node1": "fit", "node2": "cancelled"})
        self.assertEqual(farm.sessions("node1"), ["out of time"])
        self.assertEqual(farm.sessions("node2"), [])
        for job in others:
            self.assertIn(self.cluster.ask("squeue", "--noheader", "--format=%T", "--jobs", job).strip(), ("PENDING", "RUNNING"))
        self.cluster.ask("scancel", *others)
        # Who cancelled may change his mind.
        self.assertRegex(farm.submit("--nodes", "node2"), "^node2: submitted as job ")
        farm.wait_states({"node2": "fit"})

    def other_job(self, *before: str) -> str:
        """Of another folder, on a node that is free; its number."""
        script = self.farm.write("other", "#!/bin/sh\nsleep 600\n")
        os.chmod(self.farm.place, 0o755)
        number = self.cluster.ask(*before, "sbatch", "--parsable", f"--job-name=lab-{self.farm.night}-node1", "--nodelist=node3",
                                  "--output=/dev/null", "--chdir=/", "--comment=/elsewhere", script).strip()
        self.assertRegex(number, r"^\d+$")
        return number

    def test_a_wrong_request_is_one_sentence_and_changes_nothing(self) -> None:
        farm = self.farm
        for words, what, hint in (
                (("--nodes", "node[2-4]"), "--nodes: expected nodes of this cluster, found 'node4'", "did you mean node1?"),
                (("--partition", "big"), "--partition: expected a partition of this cluster, found 'big'", "one of lab"),
                (("--night", "a b"), "--night: expected up to 64 letters, digits, '.', '_' and '-', found 'a b'", "--night 20"),
                (("--json",), "farm submit has no --json", "leave out --json")):
            done = farm.call("submit", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"error: {what}\n", done.stderr)
            self.assertIn(f"hint: {hint}", done.stderr)
        farm.bundle = "HEAD~3"
        done = farm.call("submit")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected a bundle, found no file 'HEAD~3'", done.stderr)
        self.assertIn("hint: python3 make.py bundle FILE", done.stderr)
        farm.bundle = farm.place + "/bundle"
        without = farm.call("submit", PATH="/nonexistent")
        self.assertEqual((without.returncode, without.stdout), (1, ""))
        self.assertIn("expected Slurm's commands on this machine, found no sinfo", without.stderr)
        self.assertEqual(os.listdir(farm.results), [])

    def test_a_submission_that_fails_in_the_middle_is_completed_by_the_next(self) -> None:
        farm = self.farm
        sbatch = farm.write("sbatch", "#!/bin/sh\ncase \"$*\" in *=node3\\ *) echo 'sbatch: error: Socket timed out' >&2; exit 1;; esac\n"
                                      "PATH=${PATH#*:}\nexec sbatch \"$@\"\n")
        done = farm.call("submit", PATH=f"{os.path.dirname(sbatch)}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("node3 (2 of 3 nodes are submitted: node1, node2; the same command completes the night): sbatch: "
                      "Socket timed out", done.stderr)
        self.assertRegex(farm.submit(), r"\nnode3: submitted as job \d+\n$")
        farm.wait_states(dict.fromkeys(ALL, "fit"))

    def test_a_damaged_bundle_on_a_node_is_unpacked_anew(self) -> None:
        farm = self.farm
        farm.submit("--nodes", "node1")
        farm.wait_states({"node1": "fit"})
        bundles = os.path.join(farm.on_node("node1"), "bundles")
        unpacked, = os.listdir(bundles)
        with open(os.path.join(bundles, unpacked, "damaged"), "w", encoding="utf-8"):
            pass
        again = Farm(self.cluster, "damaged-again")
        again.bundle, again.place, again.control = farm.bundle, farm.place, farm.control
        again.submit("--nodes", "node1")
        again.wait_states({"node1": "fit"})
        self.assertEqual(os.listdir(os.path.join(bundles, unpacked)), ["lab"])
        # A farm with another results folder shares the bundles, and neither its results nor its deliveries.
        self.assertEqual((len(farm.sessions("node1")), len(again.sessions("node1"))), (1, 1))


if __name__ == "__main__":
    unittest.main()
