"""A flush says what it waits for, and what the disk failed to write."""

import errno
import os
import tempfile
import threading
import unittest
from unittest import mock

from harness.spm import kernel
from harness.spm.store import durable
from harness.spm_testing.interrupt import PATIENCE_S
from collections.abc import Callable
from typing import Any


class DiskTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def flush(self, syncfs: Callable[..., Any], waiting: Callable[..., Any] = lambda: None) -> None:
        with mock.patch.object(kernel, "syncfs", syncfs), durable.Disk(self.folder) as disk:
            disk.flush(waiting)

    def test_the_real_one_takes_the_folders_descriptor(self) -> None:
        with durable.Disk(self.folder) as disk:
            disk.flush(lambda: None)
        seen = []
        self.flush(lambda file: seen.append(os.fstat(file)))
        self.assertTrue(os.path.samestat(seen[0], os.stat(self.folder)))

    def test_what_the_disk_could_not_write_is_an_error(self) -> None:
        with self.assertRaises(OSError) as caught:
            self.flush(mock.Mock(side_effect=OSError(errno.EIO, "")))
        self.assertEqual(caught.exception.errno, errno.EIO)

    def test_a_long_one_says_so_once(self) -> None:
        told = threading.Event()
        calls = []

        def slow(file: int) -> None:
            told.wait(PATIENCE_S)

        def waiting() -> None:
            calls.append(1)
            told.set()

        with mock.patch.object(durable, "PATIENCE_S", 0.01):
            self.flush(slow, waiting)
        self.assertEqual(calls, [1])


class KernelTest(unittest.TestCase):
    def test_a_bad_descriptor_is_an_error(self) -> None:
        with self.assertRaises(OSError) as caught:
            kernel.syncfs(-1)
        self.assertEqual(caught.exception.errno, errno.EBADF)

    def test_a_python_without_ctypes_writes_all_file_systems(self) -> None:
        with mock.patch.object(kernel, "_LIBC", None), mock.patch.object(os, "sync") as sync:
            kernel.syncfs(-1)
            kernel.end_with_parent()
        sync.assert_called_once()


if __name__ == "__main__":
    unittest.main()
