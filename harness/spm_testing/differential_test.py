"""Some archives of every kind; `python3 -m harness.spm_testing.differential` tries as many as there is time for."""

from __future__ import annotations

import contextlib
import io
import os
import random
import tempfile
import unittest
from unittest import mock

from harness.spm import trees
from harness.spm.archives import tar
from harness.spm.archives.inflate import Stream
from harness.spm.archives.rules import Member
from harness.spm_testing import differential
from harness.spm_testing.archives import member, tar as made
from harness.spm_testing.differential import ACCEPTED, DIFFERENT, ArchiveGenerator, compare, main

ARCHIVES = 1500


class DifferentialTest(unittest.TestCase):
    def test_what_is_accepted_is_the_tree_that_tarfile_reads(self) -> None:
        maker, accepted = ArchiveGenerator(random.Random(7)), 0
        for number in range(ARCHIVES):
            outcome, reason = compare(maker.archive())
            self.assertNotEqual(outcome, DIFFERENT, (number, reason))
            accepted += outcome == ACCEPTED
        self.assertGreater(accepted, ARCHIVES / 2)

    def test_archives_depend_on_the_seed_alone(self) -> None:
        makers = [ArchiveGenerator(random.Random(seed)) for seed in (1, 1, 2)]
        archives = [[maker.archive() for _ in range(20)] for maker in makers]
        self.assertEqual(archives[0], archives[1])
        self.assertNotEqual(archives[0], archives[2])

    def test_another_reading_is_found_and_kept(self) -> None:
        folder = tempfile.mkdtemp(prefix="spm-differential-")
        self.addCleanup(trees.remove, folder)
        archive, ordinary = made(member("a"), member("b", b"1")), tar._ordinary

        def executable(stream: Stream) -> Member | None:
            if found := ordinary(stream):
                found.mode = 0o755
            return found

        for spoilt, reason in (
            (lambda stream: None, ""),
            (executable, "'b': "),
            (lambda stream: 1 / 0, "ZeroDivisionError: "),
        ):
            out, err = io.StringIO(), io.StringIO()
            with (
                mock.patch.object(tar, "_ordinary", spoilt),
                mock.patch.object(ArchiveGenerator, "archive", lambda maker: archive),
                mock.patch.object(differential.time, "monotonic", side_effect=range(5)),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
            ):
                status = main(["--seconds", "3", "--to", folder])
            self.assertEqual(status, 1 if reason else 0)
            self.assertIn(reason, err.getvalue())
            kept = sorted(os.listdir(folder))
            self.assertEqual(kept, ["differential-1-1.tar", "differential-1-2.tar"] if reason else [])
            self.assertEqual(out.getvalue()[:17], "0 accepted (0.0%)" if reason else "2 accepted (100.0")
            for name in kept:
                with open(f"{folder}/{name}", "rb") as file:
                    self.assertEqual(file.read(), archive)


if __name__ == "__main__":
    unittest.main()
