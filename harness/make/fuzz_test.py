"""What `fuzz` reads and calls; the fuzzer itself runs in CI."""

import contextlib
import errno
import io
import os
import sys
import tempfile
import unittest
from collections.abc import Callable
from unittest import mock

from harness.make import corpus, fuzz, paths
from harness.make.console import MakeError
from harness.make.fuzz import Fuzzer, Outcome, Target

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
        replay = fuzz.command(target, 0, "kept", "new", "findings", 1)
        self.assertEqual(replay[-2:], ["-runs=0", "kept"])
        self.assertNotIn("new", replay)
        longer = fuzz.command(target, 5, "kept", "new", "findings", 1)
        # libFuzzer writes to the first folder: never to the unpacked corpus, which other targets are reading.
        self.assertEqual(longer[-3:], ["-max_total_time=5", "new", "kept"])

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


MERGER = """#!{python}
import os, shutil, sys
kept, new = sys.argv[-2:]
for name in sorted(os.listdir(new)):
    if name.startswith("useful"):
        shutil.copy(os.path.join(new, name), kept)
sys.exit({status})
"""
"""Stands for a fuzz target: `-merge=1 KEPT NEW` copies what reaches something new."""


class KeepTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(f"{self.root}/variants/shelf")
        patch = mock.patch.object(paths, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.file = corpus.path_of("shelf")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("00\n02\n")
        ready = mock.Mock(folder=f"{self.root}/build", packages={"clang": "", "runtime": ""})
        with mock.patch.object(fuzz.toolchain, "clang_library_path", return_value={}):
            self.fuzzer = Fuzzer(ready, f"{self.root}/unpacked", 1, 1)
        self.target = Target("shelf/one", f"{self.root}/one")
        self.new = self.fuzzer.new_inputs(self.target)
        os.makedirs(self.new)
        for name, content in (("useful-1", b"\1"), ("useful-2", b"\3\4"), ("boring", b"\5")):
            with open(f"{self.new}/{name}", "wb") as out:
                out.write(content)
        self.fuzzer.unpack("shelf")

    def keep(self, status: int = 0) -> None:
        with open(self.target.executable, "w", encoding="utf-8") as file:
            file.write(MERGER.format(python=sys.executable, status=status))
        os.chmod(self.target.executable, 0o755)
        with contextlib.redirect_stderr(io.StringIO()):
            self.fuzzer.keep(self.target)

    def kept(self) -> str:
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def test_adds_what_reaches_something_new_to_the_file(self) -> None:
        self.keep()
        self.assertEqual(self.kept(), "00\n01\n02\n0304\n")
        self.assertFalse(os.path.exists(self.new))

    def test_keeps_what_another_run_added_meanwhile(self) -> None:
        corpus.add(self.file, [b"\6"])
        self.keep()
        self.assertEqual(self.kept(), "00\n01\n02\n0304\n06\n")

    def test_after_a_failure_the_new_inputs_are_still_there(self) -> None:
        with self.assertRaises(MakeError) as caught:
            self.keep(status=1)
        self.assertEqual((caught.exception.what, caught.exception.hint),
                         ("adding inputs of shelf/one to its corpus: exit status 1",
                          "the new inputs are in build/corpus/shelf/one/"))
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch.object(os, "rename", side_effect=full), self.assertRaises(MakeError) as caught:
            self.keep()
        self.assertEqual(caught.exception.what, "writing variants/shelf/corpus.txt: No space left on device")
        self.assertEqual((self.kept(), len(os.listdir(self.new))), ("00\n02\n", 3))
        self.keep()
        self.assertEqual(self.kept(), "00\n01\n02\n0304\n")

    def test_sorts_a_merged_corpus_and_refuses_a_damaged_one_before_it_compiles(self) -> None:
        ready = mock.Mock(folder=f"{self.root}/build")
        ready.variants.return_value = [{"target": "shelf_one", "family": "shelf", "variant": "one",
                                        "executable": "one"}]
        ready.targets_matching.return_value = ["shelf_one"]

        def build_only(_: object, targets: Callable[[object], list[str]]) -> None:
            self.assertEqual(targets(ready), ["shelf_one"])
            raise InterruptedError("it compiles")

        for content, error, printed in (
                ("02\n00\n02\n", InterruptedError, "variants/shelf/corpus.txt: sorted, duplicates removed\n"),
                ("00\n02\n", InterruptedError, ""),
                ("00\nx\n", MakeError, "")):
            with open(self.file, "w", encoding="utf-8") as file:
                file.write(content)
            with self.subTest(content), mock.patch.object(fuzz.build, "build", side_effect=build_only), \
                    contextlib.redirect_stderr(io.StringIO()) as stderr, self.assertRaises(error):
                fuzz.main(["--replay"])
            self.assertEqual(stderr.getvalue(), printed)


if __name__ == "__main__":
    unittest.main()
