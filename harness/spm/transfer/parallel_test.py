import signal
import threading
import time
import unittest

from harness.spm.transfer import parallel


class Interrupted(Exception):
    pass


class EachTest(unittest.TestCase):
    def test_a_signal_that_ends_no_wait_is_seen_all_the_same(self):
        def handle(*_):
            raise Interrupted()

        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, handle))
        cancelled = threading.Event()

        def act(_):
            time.sleep(0.1)  # so that the main thread waits, most likely; where it does not yet, nothing is proven
            # The kernel gives it to this thread, so the main one is not woken.
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
            cancelled.wait()

        with self.assertRaises(Interrupted):
            for _ in parallel.each(act, ["one"], 1, cancelled.set):
                pass
        self.assertTrue(cancelled.is_set())

    def test_the_first_failure_ends_it(self):
        def act(task):
            if task == 3:
                raise ValueError("three")
            return task * 2

        done = []
        with self.assertRaisesRegex(ValueError, "three"):
            for pair in parallel.each(act, [1, 2, 3, 4], 1):
                done.append(pair)
        self.assertEqual(done, [(1, 2), (2, 4)])


if __name__ == "__main__":
    unittest.main()
