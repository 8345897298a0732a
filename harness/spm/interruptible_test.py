"""An interrupt that Python does not notice at once, in every wait; what another process holds."""

import os
import queue
import tempfile
import threading
import unittest
from unittest import mock

from harness.spm import interruptible
from harness.spm.archives.workers import Workers
from harness.spm.lock import Lock
from harness.spm_testing.interrupt import PATIENCE_S, UnnoticedInterrupt
from harness.spm_testing.test_case import SpmTestCase


class InterruptTest(unittest.TestCase):
    def assert_ends(self, wait, give_up) -> None:
        """The interrupt ends `wait()`; `give_up()` does where it does not."""
        interrupt = UnnoticedInterrupt(self)

        def work() -> None:
            interrupt.send()
            give_up()

        with self.assertRaises(KeyboardInterrupt):
            threading.Thread(target=work, daemon=True).start()
            wait()
        self.assertFalse(interrupt.late)

    def test_ends_waiting_for_a_queue(self) -> None:
        waited_for: queue.SimpleQueue = queue.SimpleQueue()
        self.assert_ends(lambda: interruptible.take(waited_for), lambda: waited_for.put(None))

    def test_ends_a_sleep(self) -> None:
        self.assert_ends(lambda: interruptible.sleep(PATIENCE_S), lambda: None)

    def test_ends_waiting_for_threads(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)
        thread = threading.Thread(target=over.wait, daemon=True)
        thread.start()
        self.assert_ends(lambda: interruptible.join([thread]), over.set)

    def test_ends_waiting_for_a_lock_and_takes_none(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/lock"
            held = Lock(path)
            held.take()
            files = os.listdir("/proc/self/fd")
            self.assert_ends(Lock(path).take, held.release)
            self.assertEqual(os.listdir("/proc/self/fd"), files)
            held.release()
            self.assertTrue(Lock(path).take(wait=False))

    def test_a_lock_is_waited_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            held, other = Lock(f"{folder}/lock"), Lock(f"{folder}/lock")
            held.take()
            self.assertFalse(other.take(wait=False))
            self.assertTrue(other.take(waiting=lambda holder: held.release()))
            self.assertFalse(held.take(shared=True, wait=False))
            other.release()
            self.assertTrue(held.take(shared=True) and other.take(shared=True, wait=False))
            for lock in (held, other):
                lock.release()


class InstallTest(SpmTestCase):
    def test_an_interrupt_while_packages_are_unpacked_ends_it(self) -> None:
        interrupt = UnnoticedInterrupt(self)
        self.add_simple("a")
        with mock.patch.object(Workers, "unpack", lambda workers, *_: interrupt.send(seen=lambda: workers.stopped)):
            result = self.spm("install", "a")
        self.assertFalse(interrupt.late)
        self.assertEqual(
            (result.status, result.err), (130, "spm: interrupted; finished work is kept, unfinished work is discarded\n")
        )


if __name__ == "__main__":
    unittest.main()
