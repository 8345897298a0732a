import contextlib
import io
import os
import pty
import re
import time
import unittest
from unittest import mock

from harness.spm import progress
from harness.spm.settings import ROOT
from harness.spm.testing import World, deb, member, send

DATA = deb(member("./a", os.urandom(60_000)))


class Artifact:
    def __init__(self, name: str, size: int):
        self.file_name, self.path, self.sha256, self.size = name, f"pool/{name}", name, size


class ReportTest(unittest.TestCase):
    def lines(self, act, kind=progress.LinesReport, clock=None) -> str:
        text = io.StringIO()
        with contextlib.redirect_stderr(text), mock.patch("time.monotonic", clock or time.monotonic):
            act(kind())
        return text.getvalue()

    def test_plain_lines_come_every_few_seconds(self):
        now = [100.0]

        def act(report):
            report.started(1, 2, 10_000_000)
            one, two = Artifact("one", 4_000_000), Artifact("two", 6_000_000)
            report.begun(one)
            report.begun(two)
            for second in range(1, 9):
                now[0] += 1
                report.advanced(one, 500_000 * second)
                report.tick()
            report.ended(one, True)
            report.ended(two, True)
            report.unpacking("a", +1)
            now[0] += 1
            report.tick()

        self.assertEqual(
            self.lines(act, clock=lambda: now[0]),
            "spm: 1.5 MB of 10.0 MB, 500 kB/s, 17 s left; fetching one, two\n"
            "spm: 3.0 MB of 10.0 MB, 500 kB/s, 14 s left; fetching one, two\n"
            "spm: 10.0 MB fetched, unpacking a\n",
        )

    def test_what_was_here_before_counts_as_done_but_not_as_speed(self):
        now = [100.0]

        def act(report):
            report.started(1, 2, 10_000_000)
            one, two = Artifact("one", 4_000_000), Artifact("two", 6_000_000)
            report.found(one)
            report.begun(two)
            report.resumed(two, 3_000_000)
            report.advanced(two, 4_000_000)
            now[0] += 4
            report.tick()
            report.resumed(two, 0)
            report.advanced(two, 5_000_000)
            now[0] += 4
            report.tick()

        self.assertEqual(
            self.lines(act, clock=lambda: now[0]),
            "spm: 8.0 MB of 10.0 MB, 250 kB/s, 8.0 s left; fetching two\n"
            "spm: 9.0 MB of 10.0 MB, 750 kB/s, 1.3 s left; fetching two\n",
        )

    def test_a_failed_download_does_not_count(self):
        report = progress.LinesReport()
        report.started(1, 1, 100)
        artifact = Artifact("one", 100)
        report.begun(artifact)
        report.advanced(artifact, 50)
        report.ended(artifact, False)
        self.assertEqual(report._summary().split(",")[0], "0 B of 100 B")

    def test_no_row_is_wider_than_the_terminal(self):
        for width in (20, 40, 80, 200):
            for name in ("x", "x" * 300):
                self.assertLess(len(progress.TerminalReport._row(name, 1_000_000, 5, width)), max(width, 42))


class TerminalTest(World):
    """The real command on a real terminal."""

    def setUp(self):
        super().setUp()
        try:
            for file in pty.openpty():
                os.close(file)
        except OSError as error:
            self.skipTest(f"needs a pseudo-terminal: {error}")

    def run_on_terminal(self, **environment) -> str:
        def slowly(handler):
            send(handler, DATA[:30_000], len(DATA))
            handler.wfile.flush()
            time.sleep(0.4)
            handler.wfile.write(DATA[30_000:])

        self.add("a", self.serve("a-file-with-a-name.deb", DATA))
        self.server.files["/a-file-with-a-name.deb"] = slowly
        self.write()
        child, terminal = pty.fork()
        if child == 0:
            import sys

            os.environ.update(TERM="xterm", **environment)
            os.execv(sys.executable, [sys.executable, f"{ROOT}/make.py", "spm", *self.arguments("install", "a")])
        text = b""
        with contextlib.suppress(OSError):  # how a terminal says that its last user is gone
            while piece := os.read(terminal, 65536):
                text += piece
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        return text.decode().replace("\r\n", "\n")

    def test_a_terminal_shows_each_download_and_a_total_and_is_left_clean(self):
        text = self.run_on_terminal()
        self.assertRegex(text, r"  a-file-with-a-name\.deb +30\.0 kB of +\d\d\.\d kB +\d\d%\n")
        self.assertRegex(text, r"\x1b\[1m30\.0 kB of \d\d\.\d kB, \S+ kB/s, \S+ s left\x1b\[0m\n")
        self.assertRegex(
            text, r"\x1b\[\d+A\x1b\[Jspm: 1 package active in \S+ s: 1 package of 60\.0 kB unpacked, 1 link set\n$"
        )

    def test_without_colour_a_terminal_gets_plain_lines(self):
        text = self.run_on_terminal(NO_COLOR="1")
        self.assertEqual(
            re.sub(r"\d\.\d s", "T", text), "spm: 1 package active in T: 1 package of 60.0 kB unpacked, 1 link set\n"
        )


if __name__ == "__main__":
    unittest.main()
