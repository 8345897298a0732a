"""The file of a corpus: reading, writing, merging, and what a kill or a full disk leaves of it."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from harness.make import corpus, paths
from harness.make.console import MakeError

FILE = "variants/shelf/corpus.txt"
DIGITS = "an input in digits 0-9 and a-f"
CHANGED = f"git diff -- {FILE} shows what changed; a line that is no input can be deleted"
MARKERS = f"delete git's conflict markers from {FILE} and keep the inputs of both sides"

# content; the line, what is expected and found there; the hint
MALFORMED = [
    ("00\n\n02\n", f"2: expected {DIGITS}, found an empty line", CHANGED),
    ("zz\n", f"1: expected {DIGITS}, found 'zz'", CHANGED),
    ("00\n0a \n", f"2: expected {DIGITS}, found '0a '", CHANGED),
    ("00\n0A\n", f"2: expected {DIGITS}, found '0A'", CHANGED),
    ("00\r\n", f"1: expected {DIGITS}, found '00\\r'", CHANGED),
    ("# inputs\n00\n", f"1: expected {DIGITS}, found '# inputs'", CHANGED),
    ("\udcff\x1b\0\n", f"1: expected {DIGITS}, found '\ufffd\\x1b\\x00'", CHANGED),
    ("x" * 41 + "\n", f"1: expected {DIGITS}, found '{'x' * 40}...'", CHANGED),
    ("0001\n000\n", "2: expected two digits for each byte, found 3 digits", CHANGED),
    ("00" * 1025 + "\n", "1: expected at most 2048 digits (1024 bytes), found 2050 digits", CHANGED),
    ("00\n<<<<<<< HEAD\n01\n", f"2: expected {DIGITS}, found '<<<<<<< HEAD'", MARKERS),
    ("00\n=======\n01\n", f"2: expected {DIGITS}, found '======='", MARKERS),
    ("00\n>>>>>>> work\n01\n", f"2: expected {DIGITS}, found '>>>>>>> work'", MARKERS),
    ("00\n01", "2: expected a line break after the last input, found the end of the file",
     f"if that input is complete, echo >> {FILE}; else git checkout -- {FILE}"),
]

ADD = """
import os, signal, sys
sys.path.insert(0, {here!r})
from harness.make import corpus, paths
from harness.make.console import MakeError
paths.ROOT = {root!r}
rename = os.rename
def kill(*names):
    if {after}:
        rename(*names)
    os.kill(os.getpid(), signal.SIGKILL)
if {kill}:
    os.rename = kill
try:
    corpus.add(corpus.path_of("shelf"), [bytes([1]) * {length}])
except MakeError as error:
    print(error.what, error.hint, error.status, sep="\\n")
"""


class CorpusTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(f"{self.root}/variants/shelf")
        patch = mock.patch.object(paths, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.path = corpus.path_of("shelf")

    def write(self, content: str) -> None:
        with open(self.path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(content)

    def content(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def test_every_byte_of_every_input_comes_back(self) -> None:
        inputs = [bytes([value]) for value in range(256)] + [bytes(1024), b"\n", b"\r\n", b"a\0b", bytes(range(256))]
        self.write(corpus.text_of(inputs))
        self.assertEqual(corpus.read(self.path), sorted(set(inputs)))

    def test_writes_one_sorted_line_for_each_input_and_none_for_the_empty_one(self) -> None:
        self.assertEqual(corpus.text_of([b"\xff", b"\n", b"", b"\0", b"\n\0", b"\n"]), "00\n0a\n0a00\nff\n")
        self.assertEqual(corpus.text_of([]), "")
        self.assertEqual(corpus.text_of([b""]), "")

    def test_the_order_is_that_of_sort(self) -> None:
        self.write("ff\n0a00\n00\n0a\n9f\n0a\na9\n")
        subprocess.run(["sort", "-u", "-o", self.path, self.path], env={**os.environ, "LC_ALL": "C"}, check=True)
        self.assertFalse(corpus.tidy(self.path))

    def test_reads_any_order_and_duplicates_and_tidies_them(self) -> None:
        self.write("02\n00\n02\n")
        self.assertEqual(corpus.read(self.path), [b"\0", b"\2"])
        self.assertTrue(corpus.tidy(self.path))
        self.assertEqual(self.content(), "00\n02\n")
        self.assertFalse(corpus.tidy(self.path))

    def test_leaves_a_checkout_that_it_may_not_write_as_it_is(self) -> None:
        self.write("02\n00\n")
        with mock.patch.object(paths, "is_writable", return_value=False):
            self.assertFalse(corpus.tidy(self.path))
        self.assertEqual(self.content(), "02\n00\n")

    def test_reads_a_file_without_inputs(self) -> None:
        self.write("")
        self.assertEqual((corpus.read(self.path), corpus.tidy(self.path)), ([], False))

    def test_refuses_a_malformed_line_and_leaves_the_file(self) -> None:
        for content, expected, hint in MALFORMED:
            with self.subTest(expected):
                self.write(content)
                for act in (corpus.read, corpus.tidy, lambda path: corpus.add(path, [b"\7"])):
                    with self.assertRaises(MakeError) as caught:
                        act(self.path)
                    self.assertEqual((caught.exception.what, caught.exception.hint, caught.exception.status),
                                     (f"{FILE}:{expected}", hint, 2))
                with open(self.path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                    self.assertEqual(file.read(), content)

    def test_adds_what_is_new(self) -> None:
        self.write("01\n")
        self.assertEqual(corpus.add(self.path, [b"\0", b"\1", b"", b"\0"]), 1)
        self.assertEqual(self.content(), "00\n01\n")
        before = os.stat(self.path).st_ino
        self.assertEqual(corpus.add(self.path, [b"\0"]), 0)
        self.assertEqual(os.stat(self.path).st_ino, before)

    def test_unpacks_into_files_with_the_names_of_libfuzzer(self) -> None:
        corpus.unpack([b"\0", b"abc"], f"{self.root}/unpacked/shelf")
        self.assertEqual(sorted(os.listdir(f"{self.root}/unpacked/shelf")),
                         ["5ba93c9db0cff93f52b521d7420e43f6eda2784f", "a9993e364706816aba3e25717850c26c9cd0d89d"])
        self.assertEqual(corpus.inputs_in(f"{self.root}/unpacked/shelf"), [b"\0", b"abc"])

    def test_a_failure_to_unpack_is_one_sentence(self) -> None:
        self.write("")  # a file where a folder is to be
        with self.assertRaises(MakeError) as caught:
            corpus.unpack([b"\0"], f"{self.path}/shelf")
        self.assertEqual((caught.exception.what, caught.exception.hint),
                         (f"unpacking inputs into {self.path}/shelf: Not a directory",
                          "set TMPDIR to a folder on a disk with free space"))

    def add_elsewhere(self, kill: bool = False, after: bool = False, length: int = 1,
                      limit: int = -1) -> tuple[int, str]:
        """Adds an input in another process, which is killed before or after its rename, or may write `limit` bytes."""
        script = ADD.format(here=os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                            root=self.root, kill=kill, after=after, length=length)
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        return done.returncode, done.stdout

    def test_a_kill_leaves_the_old_file_or_the_new_one(self) -> None:
        self.write("00\n")
        self.assertEqual(self.add_elsewhere(kill=True), (-signal.SIGKILL, ""))
        self.assertEqual(self.content(), "00\n")
        self.assertEqual(self.add_elsewhere(kill=True, after=True), (-signal.SIGKILL, ""))
        self.assertEqual(self.content(), "00\n01\n")

    def test_a_full_disk_leaves_the_old_file(self) -> None:
        self.write("00\n")
        # A limit on file sizes stands for a full disk.
        self.assertEqual(self.add_elsewhere(length=1000, limit=1000), (0, (
            f"writing {FILE}: File too large\n"
            "the file is as it was; free some space, or see who may write there\n1\n")))
        self.assertEqual((self.content(), os.listdir(os.path.dirname(self.path))), ("00\n", ["corpus.txt"]))

    def test_a_family_with_a_corpus_is_found(self) -> None:
        self.write("")
        os.makedirs(f"{self.root}/variants/other/corpus.txt")
        os.makedirs(f"{self.root}/variants/another")
        self.assertEqual(corpus.families(), ["shelf"])


@unittest.skipUnless(shutil.which("git"), "needs git")
class MergeTest(unittest.TestCase):
    """Two branches that both add inputs, merged by git."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(f"{self.root}/variants/shelf")
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> int:
        own = {"HOME": self.root, "GIT_CONFIG_NOSYSTEM": "1", **{f"GIT_{who}_{what}": "a@example.org" for who in
                                                                ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
        return subprocess.run(["git", *arguments], cwd=self.root, env={**os.environ, **own}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode

    def commit(self, inputs: list[bytes]) -> None:
        path = f"{self.root}/{FILE}"
        if os.path.exists(path):
            corpus.add(path, inputs)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(corpus.text_of(inputs))
        self.assertEqual((self.git("add", "."), self.git("commit", "-qm", "Add inputs")), (0, 0))

    def merge(self) -> int:
        """Merges a branch that adds to the same place as the other, to other places, and one input that both add."""
        common = [bytes([value, value]) for value in range(0, 200, 10)]
        self.commit(common)
        self.git("checkout", "-q", "-b", "theirs")
        self.commit([b"\1", b"\x05\x05", b"\x10", b"\x69"])
        self.git("checkout", "-q", "main")
        self.commit([b"\1", b"\x03", b"\x69\x69", b"\xff"])
        self.everything = sorted([*common, b"\1", b"\x05\x05", b"\x10", b"\x69", b"\x03", b"\x69\x69", b"\xff"])
        with mock.patch.object(paths, "ROOT", self.root):
            return self.git("merge", "-q", "--no-edit", "theirs")

    def test_the_inputs_of_both_are_kept(self) -> None:
        shutil.copy(f"{paths.ROOT}/variants/.gitattributes", f"{self.root}/variants")
        self.assertEqual(self.merge(), 0)
        self.assertEqual(corpus.read(f"{self.root}/{FILE}"), self.everything)
        corpus.tidy(f"{self.root}/{FILE}")
        with open(f"{self.root}/{FILE}", encoding="utf-8") as file:
            self.assertEqual(file.read(), corpus.text_of(self.everything))

    def test_without_the_attribute_the_conflict_is_named(self) -> None:
        self.assertEqual(self.merge(), 1)
        with mock.patch.object(paths, "ROOT", self.root), self.assertRaises(MakeError) as caught:
            corpus.read(f"{self.root}/{FILE}")
        self.assertRegex(caught.exception.what, rf"^{FILE}:\d+: expected {DIGITS}, found '<<<<<<< HEAD'$")
        self.assertEqual(caught.exception.hint, MARKERS)


class CheckoutTest(unittest.TestCase):
    def test_every_corpus_of_this_checkout_is_sorted(self) -> None:
        self.assertTrue(corpus.families(), "this checkout has families with a corpus")
        for family in corpus.families():
            with open(corpus.path_of(family), encoding="utf-8") as file:
                self.assertEqual(file.read(), corpus.text_of(corpus.read(corpus.path_of(family))),
                                 f"LC_ALL=C sort -u -o variants/{family}/corpus.txt variants/{family}/corpus.txt")


if __name__ == "__main__":
    unittest.main()
