"""Many things at once, and an interrupt that Python does not notice at once."""

import queue
import signal
import threading
import time
import unittest

from harness.spm.testing import PATIENCE_S
from harness.spm.transfer import parallel


class InterruptTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        self.over = threading.Event()
        self.addCleanup(self.over.set)

    def interrupt(self, *_):
        """Python's flag is set, and nobody wakes the main thread: as when a signal comes just before it waits."""
        asleep = 0
        while asleep < 3:  # it is ready to run, or runs, until it waits for more than us
            time.sleep(0.01)
            with open(f"/proc/self/task/{threading.main_thread().native_id}/stat", encoding="ascii") as file:
                asleep = asleep + 1 if ") S " in file.read() else 0
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        self.over.wait(PATIENCE_S)

    def test_one_that_nobody_wakes_the_main_thread_for_ends_the_work(self):
        with self.assertRaises(KeyboardInterrupt):
            list(parallel.each(self.interrupt, ["task"], 1))

    def test_one_that_nobody_wakes_the_main_thread_for_ends_a_wait(self):
        with self.assertRaises(KeyboardInterrupt):
            threading.Thread(target=self.interrupt, daemon=True).start()
            parallel.take(queue.SimpleQueue())


if __name__ == "__main__":
    unittest.main()
