"""What `fuzz` reads and calls; the fuzzer itself runs in CI."""

import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from harness.make import fuzz, paths
from harness.make.console import MakeError
from harness.make.fuzz import Outcome, Target

OUTPUT = """INFO: Running with entropic power schedule (0xFF, 100).
#3237\tDONE   cov: 512 ft: 1832 corp: 91/8211b lim: 1024 exec/s: 294 rss: 71Mb
stat::number_of_executed_units: 3237
stat::average_exec_per_sec:     294
"""


class FuzzTest(unittest.TestCase):
    def test_reads_how_many_inputs_ran(self) -> None:
        self.assertEqual(fuzz.inputs_of(OUTPUT), 3237)
        self.assertEqual(fuzz.inputs_of("crashed at once"), 0)

    def test_reads_the_branches(self) -> None:
        self.assertEqual(fuzz.branches_of('{"data": [{"totals": {"branches": {"count": 82, "covered": 43}}}]}'), (43, 82))

    def test_replays_the_corpus_alone_or_adds_inputs_to_another_folder(self) -> None:
        target = Target("allocator/buddy", "buddy")
        replay = fuzz.command(target, 0, "new", "findings", 1)
        self.assertEqual(replay[-2:], ["-runs=0", target.corpus])
        self.assertNotIn("new", replay)
        longer = fuzz.command(target, 5, "new", "findings", 1)
        # libFuzzer writes to the first folder: never to the repository's.
        self.assertEqual(longer[-3:], ["-max_total_time=5", "new", target.corpus])

    def test_a_family_with_a_corpus_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(f"{root}/variants/a/corpus")
            os.makedirs(f"{root}/variants/b")
            with mock.patch.object(paths, "ROOT", root):
                self.assertEqual(fuzz.families(), ["a"])
        self.assertTrue(fuzz.families(), "this checkout has families with a corpus")

    def test_prints_a_line_for_each_target(self) -> None:
        self.assertEqual(fuzz.line(Outcome("a/b", 12, 3.0, "", (43, 82))).split(),
                         "a/b 12 inputs 3 s 43/82 branches 52 %".split())
        self.assertTrue(fuzz.line(Outcome("a/b", 12, 3.0, "wrong: x", None)).endswith("a finding"))

    def test_refuses_options_that_contradict_each_other_before_it_builds(self) -> None:
        with mock.patch.object(fuzz.build, "build", side_effect=AssertionError("it built")):
            for arguments, expected in ((["--seconds", "0"], "--seconds: expected 1 or more, found 0"),
                                        (["--replay", "--keep"], "--replay and --keep cannot be combined")):
                with self.assertRaises(MakeError) as caught, contextlib.redirect_stderr(io.StringIO()):
                    fuzz.main(arguments)
                self.assertEqual((caught.exception.what, caught.exception.status), (expected, 2))


if __name__ == "__main__":
    unittest.main()
