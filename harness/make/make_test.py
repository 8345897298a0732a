"""make.py's exit status when its standard output is read, closed or full."""

import os
import subprocess
import sys
import tempfile
import unittest

from harness.make import paths
from typing import TextIO

FULL = (1, "make.py: error: standard output: No space left on device\nhint: send it where it can be written\n")
# how the verb ends after printing; (status, standard error) if its output is read, if it is closed, on a full disk
ENDS = [
    ("return 0", (0, ""), (141, ""), FULL),
    ("sys.exit(0)", (0, ""), (141, ""), FULL),
    ("return 130", *[(130, "")] * 3),
    ("raise KeyboardInterrupt", *[(130, "\nmake.py: interrupted\n")] * 3),
    ("raise MakeError('no', 'yes', 2)", *[(2, "make.py: error: no\nhint: yes\n")] * 3),
    ("raise OSError(28, 'full', 'disk')", *[(1, "make.py: error: disk: full\n")] * 3),
]
VERB = """
import sys
sys.path.insert(0, {root!r})
import make
from harness.make.console import MakeError
def verb(argv):
    print("output")
    {end}
make.main = verb
sys.exit(make.guarded([]))
"""


class Ends(unittest.TestCase):
    def run_verb(self, end: str, output: TextIO) -> tuple[int, str]:
        done = subprocess.run([sys.executable, "-c", VERB.format(root=paths.ROOT, end=end)], stdout=output,
                              stderr=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "PYTHONUNBUFFERED": ""})  # or `print` fails before the verb does
        return done.returncode, done.stderr

    def test_an_earlier_failure_is_reported_before_a_failure_of_the_output(self) -> None:
        for end, read, unread, full in ENDS:
            with self.subTest(end):
                with tempfile.TemporaryFile("w+") as file:
                    self.assertEqual(self.run_verb(end, file), read)
                    file.seek(0)
                    self.assertEqual(file.read(), "output\n")
                reader, writer = os.pipe()
                os.close(reader)
                with open(writer, "w", encoding="utf-8") as pipe:
                    self.assertEqual(self.run_verb(end, pipe), unread)
                with open("/dev/full", "w", encoding="utf-8") as disk:
                    self.assertEqual(self.run_verb(end, disk), full)

    def test_a_full_disk_behind_standard_output_is_an_error_without_a_buffer_too(self) -> None:
        for words in (["--help"], ["build", "--help"]):
            for unbuffered in ("", "1"):
                with self.subTest(words, unbuffered=unbuffered), open("/dev/full", "w", encoding="utf-8") as disk:
                    done = subprocess.run([sys.executable, "make.py", *words], cwd=paths.ROOT, stdout=disk, text=True,
                                          stderr=subprocess.PIPE, check=False,
                                          env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
                    self.assertEqual((done.returncode, done.stderr), FULL)


if __name__ == "__main__":
    unittest.main()
