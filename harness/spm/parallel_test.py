"""Many things at once, and an interrupt that Python does not notice at once."""

import unittest

from harness.spm import parallel
from harness.spm_testing.interrupt import UnnoticedInterrupt


class InterruptTest(unittest.TestCase):
    def test_one_that_nobody_wakes_the_main_thread_for_ends_the_work(self) -> None:
        interrupt = UnnoticedInterrupt(self)
        with self.assertRaises(KeyboardInterrupt):
            list(parallel.each(lambda _: interrupt.send(), ["task"], 1))
        self.assertFalse(interrupt.late)


if __name__ == "__main__":
    unittest.main()
