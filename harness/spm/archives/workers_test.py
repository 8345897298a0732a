"""Processes that unpack: what they bring and refuse, and that no end of anybody is waited for in vain."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import tempfile
import threading
import time
import unittest

from harness.spm.archives.tree import ArtifactTree, Tree
from harness.spm.archives.unpack import unpack
from harness.spm.archives.workers import Workers
from harness.spm.errors import Cancelled, Refused, SpmError
from harness.spm.lock import try_lock
from harness.spm.archives.rules import UnpackRules
from harness.spm_testing.archives import deb, folder, hard_link, link, member, tar
from harness.spm_testing.interrupt import PATIENCE_S
import tarfile
from harness.spm.archives.contents import Node


class WorkersTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.root = f"{self.folder}/tree"
        self.lock = os.open(f"{self.folder}/lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.workers = Workers(2)
        self.addCleanup(self.workers.__exit__)

    def archive(self, data: bytes, name: str = "a") -> str:
        with open(f"{self.folder}/{name}", "wb") as file:
            file.write(data)
        return f"{self.folder}/{name}"

    def unpack(self, archive: str, rules: UnpackRules | None = None, owner: int = 0) -> dict[str, Node] | None:
        return self.workers.unpack(archive, rules or UnpackRules(), self.root, owner, self.lock)

    def test_what_they_bring_is_what_unpacking_here_brings(self) -> None:
        archive = self.archive(deb(folder("./d"), member("./d/a", b"a"), hard_link("./b", "./d/a"), link("./l", "d")))
        here = Tree(f"{self.folder}/here")
        unpack(archive, UnpackRules(), here, 3)
        tree = Tree(self.root)
        tree.merge(self.unpack(archive, owner=3))
        self.assertEqual({node.owner for node in tree.nodes.values()}, {3})
        self.assertEqual(tree.seal(), here.seal())
        for base, folders, files in os.walk(here.root):
            there = base.replace(here.root, tree.root)
            for name in (*folders, *files):
                self.assertEqual(os.lstat(f"{base}/{name}").st_mode, os.lstat(f"{there}/{name}").st_mode)

    def test_refusals_and_the_disks_errors_arrive_whole(self) -> None:
        Tree(self.root)
        with self.assertRaises(Refused) as caught:
            self.unpack(self.archive(tar(member("a"))), UnpackRules(keep=["b"]))
        self.assertEqual((caught.exception.what, caught.exception.hint),
                         ("keep: 'b' matches nothing in the archive", "correct `keep` in packages.json"))
        with self.assertRaises(OSError) as failed:
            self.unpack(f"{self.folder}/none")
        self.assertEqual((failed.exception.errno, failed.exception.filename), (errno.ENOENT, f"{self.folder}/none"))

    def stuck(self) -> tuple[threading.Thread, list]:
        """A thread that waits for a worker which will not end, and what becomes of it."""
        os.mkfifo(f"{self.folder}/fifo")  # opening it waits for a writer
        ended = []

        def wait() -> None:
            try:
                self.unpack(f"{self.folder}/fifo")
            except (SpmError, Cancelled) as error:
                ended.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        until = time.monotonic() + PATIENCE_S
        while len(self.holders()) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        return thread, ended

    def holders(self) -> list[str]:
        """The processes that have the lock's file open."""
        found = []
        for process in [str(os.getpid()), *(str(each._process) for each in self.workers._all)]:
            try:
                links = [os.readlink(f"/proc/{process}/fd/{each}") for each in os.listdir(f"/proc/{process}/fd")]
            except OSError:
                continue
            if f"{self.folder}/lock" in links:
                found.append(process)
        return found

    def test_a_worker_holds_the_lock_while_it_may_write(self) -> None:
        thread, ended = self.stuck()
        os.close(self.lock)
        other = os.open(f"{self.folder}/lock", os.O_RDWR)
        self.addCleanup(os.close, other)
        self.assertFalse(try_lock(other, fcntl.LOCK_EX))
        self.workers.stop()
        thread.join(PATIENCE_S)
        self.workers.__exit__()
        self.assertTrue(try_lock(other, fcntl.LOCK_EX))
        self.assertIsInstance(ended[0], Cancelled)

    def test_one_that_something_else_ends_is_an_error(self) -> None:
        thread, ended = self.stuck()
        for each in self.workers._all:
            os.kill(each._process, signal.SIGKILL)
        thread.join(PATIENCE_S)
        self.assertEqual(ended[0].what, "the process that unpacks it was killed")

    def test_they_end_with_their_parent(self) -> None:
        reading, writing = os.pipe()
        parent = os.fork()
        if not parent:
            workers = Workers(2)
            os.write(writing, b" ".join(str(each._process).encode() for each in workers._all) + b"\n")
            os.kill(os.getpid(), signal.SIGKILL)
        os.close(writing)
        os.waitpid(parent, 0)
        with open(reading, "rb") as line:
            processes = line.readline().split()
            self.assertEqual(line.read(), b"")  # the end of the last that held the pipe
        self.assertEqual(len(processes), 2)


class PartTest(unittest.TestCase):
    """Two artifacts of one tree, each unpacked by itself."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder, self.root = scratch.name, f"{scratch.name}/tree"
        self.tree = Tree(self.root)

    def add(self, owner: int, *members: tuple[tarfile.TarInfo, bytes]) -> None:
        path = f"{self.folder}/{owner}"
        with open(path, "wb") as file:
            file.write(tar(*members))
        part = ArtifactTree(self.root)
        unpack(path, UnpackRules(), part, owner)
        self.tree.merge(part.nodes)

    def test_nothing_is_written_through_the_link_of_another(self) -> None:
        os.mkdir(f"{self.folder}/outside")
        self.add(0, member("real/x"), link("d", "real"))
        with self.assertRaisesRegex(Refused, "d is a folder of one artifact and something else of another"):
            self.add(1, folder("d"), member("d/y"))
        self.assertEqual(os.listdir(f"{self.root}/real"), ["x"])

    def test_the_same_file_twice_is_one_and_another_is_refused(self) -> None:
        self.add(0, member("a", b"same"), member("b", b"one"))
        self.add(1, member("a", b"same"))
        self.add(2, member("b", b"two"))
        with self.assertRaisesRegex(Refused, "two artifacts bring different contents of b"):
            self.tree.seal()

    def test_of_two_times_the_later_counts_whoever_wrote_the_file(self) -> None:
        parts = []
        for owner, seconds in enumerate((1_000_000_000, 1_100_000_000)):  # the earlier writes it, and is absorbed last
            parts.append(ArtifactTree(self.root))
            with open(f"{self.folder}/{owner}", "wb") as file:
                file.write(tar(member("a", b"a", time=seconds)))
            unpack(f"{self.folder}/{owner}", UnpackRules(), parts[-1], owner)
        for part in reversed(parts):
            self.tree.merge(part.nodes)
        self.assertEqual(self.tree.seal()["files"][0][3], 1_100_000_000)
        self.assertEqual(os.stat(f"{self.root}/a").st_mtime, 1_100_000_000)

    def test_another_name_of_a_file_of_two_times_is_listed_with_the_time_that_it_bears(self) -> None:
        self.add(0, member("a", b"a", time=200))
        self.add(1, member("a", b"a", time=100), hard_link("b", "a"))
        listed = {path: time for path, _, _, time, _ in self.tree.seal()["files"]}
        self.assertEqual(listed, {name: os.stat(f"{self.root}/{name}").st_mtime for name in ("a", "b")})
        self.assertEqual(listed["a"], 200)

    def test_a_hard_link_to_the_folder_of_another_is_refused(self) -> None:
        self.add(0, folder("x"))
        with self.assertRaises(Refused):
            self.add(1, member("x"), hard_link("y", "x"))

    def test_names_that_differ_in_case_are_refused(self) -> None:
        self.add(0, member("a"))
        with self.assertRaisesRegex(Refused, "A and a differ only in case"):
            self.add(1, member("A"))

    def test_a_file_in_a_folders_place_is_refused(self) -> None:
        for first, second in ((folder("d"), member("d")), (member("d"), folder("d")), (link("d", "e"), member("d"))):
            with self.subTest(first[0].type):
                self.setUp()
                self.add(0, first)
                with self.assertRaises(Refused):
                    self.add(1, second)


if __name__ == "__main__":
    unittest.main()
