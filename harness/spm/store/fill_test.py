"""What counts in a store is on the disk, and nobody but its owner can write it."""

import errno
import os
import signal
import stat
import threading
import unittest
from unittest import mock

from harness.spm import trees
from harness.spm.archives import workers
from harness.spm.store import durable
from harness.spm.store.store import StoreEntry, Store
from harness.spm_testing.archives import deb, member
from harness.spm_testing.test_case import SpmTestCase
from collections.abc import Callable
from typing import Any
from harness.spm.store.durable import Disk


class MarkTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_simple("a")
        self.add_simple("b")

    def entries(self) -> dict[str, StoreEntry]:
        return {entry.name: entry for entry in Store(self.store).entries()}

    def counting(self) -> list[str]:
        return [name for name, entry in self.entries().items() if entry.exists()]

    def test_entries_count_once_the_disk_has_written_them(self) -> None:
        seen = []

        def flush(disk: Disk, waiting: Callable[..., Any]) -> None:
            entries = self.entries().values()
            seen.append((sorted(each.name for each in entries), self.counting(), os.path.exists(self.lib)))

        with mock.patch.object(durable.Disk, "flush", flush):
            self.assertEqual(self.spm("install-group", "all").status, 0)
        self.assertEqual(seen, [(["a", "b"], [], False)])
        self.assertEqual(self.counting(), ["a", "b"])

    def test_nothing_to_do_asks_nothing_of_the_disk(self) -> None:
        self.spm("install-group", "all")
        with mock.patch.object(durable.Disk, "flush", side_effect=AssertionError):
            self.assertEqual(self.spm("install-group", "all").status, 0)

    def test_a_disk_that_cannot_write_is_an_error_and_nothing_counts(self) -> None:
        failure = OSError(errno.EIO, os.strerror(errno.EIO))
        with mock.patch.object(durable.Disk, "flush", side_effect=failure):
            result = self.spm("install-group", "all")
        self.assertEqual((result.status, self.counting(), os.path.exists(self.lib)), (1, [], False))
        self.assertTrue(result.err.startswith("spm: error: writing the store to its disk: Input/output error\nhint: "))
        # What could not be written looks whole until it is forgotten: it is not taken over.
        self.assertEqual(self.entries(), {})
        self.assertEqual(self.spm("install-group", "all").status, 0)
        self.assertEqual((self.counting(), self.read("a-1/a")), (["a", "b"], "a"))

    def test_a_caller_that_ignores_the_ends_of_children_is_no_error(self) -> None:
        self.addCleanup(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(self.spm("install-group", "all").status, 0)

    def unmark(self) -> None:
        self.spm("install-group", "all")
        for entry in self.entries().values():
            entry.mark_damaged()
        self.server.asked.clear()

    def test_whole_entries_without_a_mark_are_taken_over(self) -> None:
        self.unmark()
        result = self.spm("install-group", "all")
        self.assertEqual((result.status, self.server.asked, self.counting()), (0, [], ["a", "b"]))

    def test_those_that_lost_bytes_are_made_anew(self) -> None:
        self.unmark()
        path = f"{self.entries()['a'].tree}/a"
        facts = os.stat(path)
        os.chmod(path, 0o644)
        with open(path, "r+b") as file:
            file.write(b"\0")  # of the right size and time, as a file system may leave it
        os.utime(path, (facts.st_mtime, facts.st_mtime))
        self.assertEqual(self.spm("install-group", "all").status, 0)
        self.assertEqual((self.server.asked, self.counting()), (["/a.deb"], ["a", "b"]))
        self.assertEqual(self.read("a-1/a"), "a")

    def test_an_entry_without_a_stamp_that_can_be_read_is_none(self) -> None:
        for text in ("", "\0" * 100, '{"name": "a"', "[]"):
            with self.subTest(text):
                self.spm("install-group", "all")
                with open(f"{self.entries()['a'].path}/stamp.json", "w", encoding="utf-8") as file:
                    file.write(text)
                rows = self.spm("cache", "list", "--json").objects()
                self.assertEqual([row["name"] for row in rows], ["b"])
                self.assertEqual(self.spm("install-group", "all").status, 0)
                self.assertEqual((self.counting(), self.read("a-1/a")), (["a", "b"], "a"))

    def test_what_is_no_entry_is_swept_away_and_what_cannot_be_told_is_not(self) -> None:
        self.spm("install-group", "all")
        with open(f"{self.entries()['a'].path}/stamp.json", "w", encoding="utf-8"):
            pass
        trees.remove(self.lib)
        opened = os.open

        def too_many(path: str, *arguments: int, **options):
            if str(path).endswith("stamp.json"):
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return opened(path, *arguments, **options)

        with mock.patch.object(os, "open", too_many):
            self.assertEqual(Store(self.store).broken_entries(), [])
        self.spm("cache", "prune")
        self.assertEqual(os.listdir(f"{self.store}/packages"), ["b"])


class OthersTest(SpmTestCase):
    def open_to_others(self, folder: str) -> list[str]:
        found = [base for base, folders, _ in os.walk(folder) for base in (base, *(f"{base}/{each}" for each in folders))]
        found += [f"{base}/{name}" for base, _, files in os.walk(folder) for name in files]
        modes = {path: os.lstat(path).st_mode for path in found}
        return sorted(path for path, mode in modes.items() if mode & 0o022 and not stat.S_ISLNK(mode))

    def test_with_any_umask_others_can_write_nothing(self) -> None:
        self.add("a", self.serve("a.deb", deb(member("./d/a", b"a", mode=0o777), member("./b", b"b", mode=0o666))))
        self.addCleanup(os.umask, os.umask(0))
        self.store += "/deep/er"
        self.assertEqual(self.spm("install", "a").status, 0)
        folder = f"{os.readlink(f'{self.lib}/a-1')}/d"
        mode = stat.S_IMODE(os.stat(folder).st_mode)
        os.chmod(folder, 0o700)
        os.unlink(f"{folder}/a")
        os.chmod(folder, mode)
        self.assertEqual(self.spm("verify", "--repair").status, 0)
        for folder in (self.folder + "/store", self.lib):
            self.assertEqual(self.open_to_others(folder), [])
        self.assertEqual(os.umask(0), 0)

    def test_a_store_that_others_can_write_is_closed_to_them(self) -> None:
        self.add_simple("a")
        os.makedirs(f"{self.store}/packages")
        for folder in (self.store, f"{self.store}/packages"):
            os.chmod(folder, 0o2777)
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(self.open_to_others(self.store), [])
        self.assertEqual(stat.S_IMODE(os.stat(self.store).st_mode), 0o2755)

    def test_a_folder_that_is_everybodys_stays_so(self) -> None:
        self.add_simple("a")
        os.mkdir(self.store)
        os.chmod(self.store, 0o1777)
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(stat.S_IMODE(os.stat(self.store).st_mode), 0o1777)
        self.assertEqual(self.open_to_others(f"{self.store}/packages"), [])

    def test_a_limit_of_threads_is_one_error_and_leaves_none(self) -> None:
        self.add_simple("a")
        start, count = threading.Thread.start, threading.active_count()

        def second_fails(thread: Any) -> None:
            if thread._target.__name__ == "_work" and threading.active_count() > count + 1:
                raise RuntimeError("can't start new thread")
            start(thread)

        with mock.patch.object(threading.Thread, "start", second_fails):
            with mock.patch.object(workers, "count", lambda: 1), mock.patch.object(workers.Workers, "number", 4):
                result = self.spm("install", "a")
        self.assertEqual(result.err.splitlines()[0], "spm: error: expected room for one more thread, found the system's limit")
        self.assertEqual((result.status, threading.active_count()), (1, count))

    def test_a_store_for_reading_alone_can_be_linked_to(self) -> None:
        self.add_simple("a")
        self.spm("install", "a")
        before = self.listed()
        self.lib = f"{self.folder}/second"
        with mock.patch.object(Store, "writable", lambda _: False):
            for _ in range(2):
                self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual((self.read("a-1/a"), self.listed()), ("a", before))

    def listed(self) -> list:
        paths = [f"{base}/{name}" for base, folders, files in os.walk(self.store) for name in (*folders, *files)]
        return sorted((path, os.lstat(path).st_mtime_ns) for path in paths)


if __name__ == "__main__":
    unittest.main()
