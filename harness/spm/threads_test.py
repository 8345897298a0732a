"""Where the system starts no more threads, a verb ends with one error."""

import errno
import os
import threading
import unittest
from unittest import mock

from harness.spm.archives import workers
from harness.spm.threads import ThreadLimit, starting
from harness.spm_testing.archives import deb, member
from harness.spm_testing.test_case import SpmTestCase

EXPECTED = (
    1,
    "spm: error: expected room for one more thread, found the system's limit\n"
    "hint: raise the limits of processes, threads and memory: ulimit -u, ulimit -v\n",
)


class ThreadsTest(SpmTestCase):
    def test_a_verb_that_may_start_no_thread_is_one_error(self) -> None:
        self.add("a", self.serve("a.deb", deb(member("./a", os.urandom(1 << 20)))))
        self.spm("install", "a")
        self.add_simple("b")
        refused = mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread"))
        for words in (["install", "b"], ["doctor"], ["verify", "--deep"], ["mirror", "verify", f"{self.folder}/mirror"]):
            with self.subTest(words), refused:
                result = self.spm(*words)
                self.assertEqual((result.status, result.err), EXPECTED)

    def test_an_archive_is_not_to_blame(self) -> None:
        with mock.patch.object(workers, "unpack", side_effect=ThreadLimit):
            done, error = workers._answer("a.deb", "", [], self.folder, 0)
        self.assertEqual((done, type(error), error.errno), (False, BlockingIOError, errno.EAGAIN))

    def test_another_error_of_a_start_stays_what_it_is(self) -> None:
        with self.assertRaises(RuntimeError), starting():
            raise RuntimeError("dictionary changed size during iteration")


if __name__ == "__main__":
    unittest.main()
