from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import sys
import threading
import time
import unittest
from unittest import mock

from harness.spm import formatting
from harness.spm.settings import ROOT
from harness.spm.transfer import progress
from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import send
from harness.spm_testing.test_case import SpmTestCase
from collections.abc import Callable
from typing import Any
from harness.spm.transfer.progress import Report

DATA = deb(member("./a", os.urandom(60_000)))


class Artifact:
    def __init__(self, name: str, size: int) -> None:
        self.file_name, self.path, self.sha256, self.size = name, f"pool/{name}", name, size


class ReportTest(unittest.TestCase):
    def lines(self, act: Callable[..., Any], kind=progress.LinesReport, clock: Callable[..., Any] | None = None) -> str:
        text = io.StringIO()
        text.fileno = lambda: 2  # type: ignore[method-assign]
        with contextlib.redirect_stderr(text), mock.patch("time.monotonic", clock or time.monotonic):
            act(kind())
        return text.getvalue()

    def test_plain_lines_come_every_few_seconds(self) -> None:
        now = [100.0]

        def act(report: Report) -> None:
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
            "spm: 3.0 MB of 10.0 MB, 500 kB/s, 14 s left; fetching one, two (no byte for 6 s)\n"
            "spm: 10.0 MB fetched, unpacking a\n",
        )

    def test_what_was_here_before_counts_as_done_but_not_as_speed(self) -> None:
        now = [100.0]

        def act(report: Report) -> None:
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

    def test_the_rate_is_that_of_the_last_seconds(self) -> None:
        now = [100.0]

        def act(report: Report) -> None:
            report.started(1, 1, 100_000_000)
            one = Artifact("one", 100_000_000)
            report.begun(one)
            done = 0
            for second in range(30):
                now[0] += 1
                done += 5_000_000 if second < 9 else 100_000
                report.advanced(one, done)
                report.tick()

        self.assertEqual(
            self.lines(act, clock=lambda: now[0]).splitlines()[-1],
            "spm: 47.1 MB of 100 MB, 100 kB/s, 8 min 49 s left; fetching one",
        )

    def test_a_silent_source_and_a_long_unpacking_are_named(self) -> None:
        now = [100.0]

        def act(report: Report) -> None:
            report.started(1, 2, 10_000)
            one = Artifact("one", 10_000)
            report.begun(one)
            report.asked(one, "http://127.0.0.1")
            report.advanced(one, 5_000)
            for _ in range(12):
                now[0] += 1
                report.tick()
            report.ended(one, True)
            for name in "abcd":
                report.unpacking(name, +1)
            now[0] += 7
            report.tick()

        self.assertEqual(
            self.lines(act, clock=lambda: now[0]).splitlines()[2:],
            [
                "spm: 5.0 kB of 10.0 kB, 556 B/s, 9.0 s left; fetching one (no byte for 9 s from http://127.0.0.1)",
                "spm: 5.0 kB of 10.0 kB, no byte for 12 s; fetching one (no byte for 12 s from http://127.0.0.1)",
                "spm: 10.0 kB fetched, unpacking a for 7 s, b for 7 s, c for 7 s and 1 more",
            ],
        )

    def test_questions_are_counted(self) -> None:
        now = [100.0]

        def act(report: Report) -> None:
            report.asking(20)
            for _ in range(4):
                now[0] += 1
                report.answered()
                report.tick()

        self.assertEqual(self.lines(act, clock=lambda: now[0]), "spm: 3 of 20 places asked\n")

    def test_what_a_server_says_is_printed_as_one_line(self) -> None:
        says = {"source": "main", "reason": "HTTP 404 \x1b[2J\nspm: fine", "address": "http://127.0.0.1"}
        self.assertEqual(
            self.lines(lambda report: report.event("attempt_failed", path="pool/one", **says)),
            "spm: main did not deliver one: HTTP 404 \\x1b[2J\\nspm: fine\n",
        )

    def test_a_failed_download_does_not_count(self) -> None:
        report = progress.LinesReport()
        report.started(1, 1, 100)
        artifact = Artifact("one", 100)
        report.begun(artifact)
        report.advanced(artifact, 50)
        report.ended(artifact, False)
        self.assertEqual(report._line().split(",")[0], "0 B of 100 B")

    def test_a_line_is_narrower_than_its_terminal(self) -> None:
        for width in (10, 20, 40, 80, 200):
            for name in ("x", "x" * 300, "日本語" * 30, "e\u0301" * 100):
                with self.subTest(width=width, name=name):

                    def act(report: Report) -> None:
                        report.started(1, 1, 2_000_000)
                        artifact = Artifact(name, 1_000_000)
                        report.begun(artifact)
                        report.asked(artifact, "http://" + "h" * 200)
                        report.advanced(artifact, 5)
                        report.tick()

                    size = os.terminal_size((width, 24))
                    with mock.patch("os.get_terminal_size", return_value=size):
                        line = self.lines(act, progress.TerminalReport)
                    self.assertEqual((line[0], line[-3:]), ("\r", "\x1b[K"))
                    self.assertLess(formatting.columns(line[1:-3]), width)


class TerminalTest(SpmTestCase):
    """The real command on a real terminal."""

    def setUp(self) -> None:
        super().setUp()
        try:
            for file in pty.openpty():
                os.close(file)
        except OSError as error:
            self.skipTest(f"needs a pseudo-terminal: {error}")

    def run_on_terminal(self, *shown: str, **environment: str) -> str:
        """What the terminal got. Half of the artifact comes when it has shown all of these."""
        seen = threading.Event()

        def slowly(handler) -> None:
            send(handler, DATA[:30_000], len(DATA))
            handler.wfile.flush()
            seen.wait(PATIENCE_S)
            handler.wfile.write(DATA[30_000:])

        self.add("a", self.serve("a-file-with-a-name.deb", DATA))
        self.server.files["/a-file-with-a-name.deb"] = slowly
        self.write()
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(TERM="xterm", **environment)
            os.execv(sys.executable, [sys.executable, f"{ROOT}/make.py", "spm", *self.arguments("install", "a")])
        text, piece = b"", b"the start"
        with contextlib.suppress(OSError):  # how a terminal says that its last user is gone
            while piece:
                if all(re.search(pattern, text.decode(errors="replace").replace("\r\n", "\n")) for pattern in shown):
                    seen.set()
                piece = os.read(terminal, 65536)
                text += piece
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        return text.decode().replace("\r\n", "\n")

    def test_a_terminal_shows_one_line_and_is_left_clean(self) -> None:
        shown = r"\r30\.0 kB of \d\d\.\d kB, \S+ k?B/s, \S+ s left; fetching a-file-with-a-name\.deb\x1b\[K"
        text = self.run_on_terminal(shown)
        self.assertRegex(text, shown)
        self.assertRegex(text, r"\r\x1b\[Kspm: 1 package active in \S+ s: 1 package of 60\.0 kB unpacked, 1 link set\n$")

    def test_without_colour_a_terminal_gets_plain_lines(self) -> None:
        text = self.run_on_terminal(NO_COLOR="1")
        self.assertNotIn("\x1b", text)
        # A slow machine says how far it is before that.
        last = re.sub(r"\d+\.\d s|\d+ s", "T", text.splitlines()[-1])
        self.assertEqual(last, "spm: 1 package active in T: 1 package of 60.0 kB unpacked, 1 link set")


if __name__ == "__main__":
    unittest.main()
