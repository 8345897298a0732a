"""The hint of a system's error fits the error."""

import errno
import os
import unittest

from harness.spm.errors import system_error

LIMITS = "raise the limits of processes, threads and memory: ulimit -u, ulimit -v"
PLACES = "choose writable folders with --store DIR (or SPM_STORE) and --lib DIR"
SPACE = "python3 make.py spm cache prune --older-than 0d, or free some space, or set SPM_STORE to a larger disk"
HINTS = [
    (errno.ENOSPC, SPACE),
    (errno.EDQUOT, SPACE),
    (errno.EACCES, PLACES),
    (errno.EROFS, PLACES),
    (errno.EFBIG, "raise the limit of a file's size (ulimit -f), or set SPM_STORE to a disk that has larger files"),
    (errno.EMFILE, "raise the limit of open files: ulimit -n"),
    (errno.EAGAIN, LIMITS),
    (errno.ENOMEM, LIMITS),
    (errno.EIO, "python3 make.py spm status"),
]


class ErrorsTest(unittest.TestCase):
    def test_each_kind_of_system_error_has_its_hint(self) -> None:
        for number, hint in HINTS:
            with self.subTest(os.strerror(number)):
                error = system_error("installing", OSError(number, os.strerror(number), "/a"))
                self.assertEqual((error.what, error.hint), (f"installing: {os.strerror(number)} (/a)", hint))

    def test_an_error_without_a_number_is_repeated(self) -> None:
        error = system_error("installing", OSError("no reason"))
        self.assertEqual((error.what, error.hint), ("installing: no reason", "python3 make.py spm status"))


if __name__ == "__main__":
    unittest.main()
