"""A flush says what it waits for, and what the disk failed to write."""

import ctypes
import errno
import os
import tempfile
import threading
import unittest
from unittest import mock

from harness.spm.store import durable
from harness.spm.testing import PATIENCE_S


class DiskTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def flush(self, syncfs, waiting=lambda: None):
        with mock.patch.object(durable, "_syncfs", syncfs), durable.Disk(self.folder) as disk:
            disk.flush(waiting)

    def test_the_real_one_takes_the_folders_descriptor(self):
        with durable.Disk(self.folder) as disk:
            disk.flush(lambda: None)
        seen = []
        self.flush(lambda file: seen.append(os.fstat(file)) and 0)
        self.assertTrue(os.path.samestat(seen[0], os.stat(self.folder)))

    def test_what_the_disk_could_not_write_is_an_error(self):
        def fails(file):
            ctypes.set_errno(errno.EIO)
            return -1

        with self.assertRaises(OSError) as caught:
            self.flush(fails)
        self.assertEqual(caught.exception.errno, errno.EIO)

    def test_a_long_one_says_so_once(self):
        told = threading.Event()
        calls = []

        def slow(file):
            told.wait(PATIENCE_S)
            return 0

        def waiting():
            calls.append(1)
            told.set()

        with mock.patch.object(durable, "PATIENCE_S", 0.01):
            self.flush(slow, waiting)
        self.assertEqual(calls, [1])

    def test_a_c_library_without_it_writes_all_file_systems(self):
        with mock.patch.object(os, "sync") as sync:
            self.flush(None)
        sync.assert_called_once()


if __name__ == "__main__":
    unittest.main()
