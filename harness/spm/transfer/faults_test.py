"""Faults over a real socket into the real command: each ends in the right file by another source, or in one error.

Whoever names no reason for an error delivers all the same.

`python3 -m harness.spm.transfer.faults_test NAME...` tries those of the table alone."""

from __future__ import annotations

import concurrent.futures
import contextlib
import copy
import gzip
import os
import re
import sys
import time
import unittest

from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import SAME_HOST, redirect, refuse, reset, send
from harness.spm_testing.test_case import SpmTestCase, pin
from collections.abc import Callable
from typing import Any

GOOD = deb(member("./usr/tool", b"the tool" * 1000))
ZIPPED = gzip.compress(GOOD)
WRONG = GOOD[:-1] + b"x"
HINT = "check the network, or name a copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR"
ANSWERED_HINT = "name another copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR"
LOGIN_HINT = "the line of ~/.netrc: machine 127.0.0.1 login USER password PASSWORD"
PAGE = b'<?xml version="1.0"?><html><title>Sign in</title>'
TIMEOUT_S = 60.0
HASTY_S = 0.5  # for what lets every timeout pass
LONG_S = 8 * HASTY_S  # how long that lasts; for ever would hang where nobody watches, as in mutants_test.py


class Fault:
    """What a server does, what the error says of it, how often it is asked, and how long it is waited for."""

    def __init__(
        self,
        answer: Callable[..., Any],
        reason: str | re.Pattern,
        tries: int = 1,
        timeout_s: float = TIMEOUT_S,
        hint: str = "",
    ) -> None:
        self.answer, self.tries, self.timeout_s = answer, tries, timeout_s
        self.reason = re.escape(reason) if isinstance(reason, str) else reason.pattern
        answered = re.search(r"HTTP.{0,2} \d{3}", self.reason)
        self.hint = hint or (ANSWERED_HINT if answered else HINT)


def stall(handler) -> None:
    send(handler, GOOD[:100], len(GOOD))
    handler.wfile.flush()
    handler.connection.settimeout(LONG_S)
    with contextlib.suppress(OSError):
        handler.connection.recv(1)  # until the client has gone


TRICKLE_S = HASTY_S / 4


def trickle(handler) -> None:
    send(handler, GOOD[:1], len(GOOD))
    for position in range(1, int(LONG_S / TRICKLE_S)):
        time.sleep(TRICKLE_S)
        handler.wfile.write(GOOD[position : position + 1])


OUTLASTED = []  # paths at which a client waited for the end of a drip


def drip(before: bytes, drop: bytes, after: bytes) -> Callable[..., Any]:
    """An answer of which a drop comes well within every time-out, and the end long after it."""

    def answer(handler) -> None:
        handler.wfile.write(before)
        for _ in range(int(LONG_S / TRICKLE_S)):
            handler.wfile.write(drop)
            time.sleep(TRICKLE_S)
        handler.wfile.write(after)
        OUTLASTED.append(handler.path)

    return answer


HOPS = 8


def hop(handler) -> None:
    """Redirects each of which is in time, and all of which together are not."""
    time.sleep(TRICKLE_S)
    start, _, count = handler.path.partition("/hop")
    if count == str(HOPS):
        send(handler, GOOD)
    else:
        redirect(f"{start}/hop{int(count or 0) + 1}")(handler)


def break_off(handler) -> None:
    send(handler, GOOD[:100], len(GOOD))
    handler.wfile.flush()
    reset(handler)


def unmeasured(data: bytes) -> Callable[..., Any]:
    """An answer that ends where the connection does."""

    def answer(handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def measured(length: str) -> Callable[..., Any]:
    """The right file under a length that the header may not have."""

    def answer(handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", length)
        handler.end_headers()
        handler.wfile.write(GOOD)

    return answer


def raw(*parts: bytes) -> Callable[..., Any]:
    """An answer, byte by byte as it stands."""
    return lambda handler: handler.wfile.write(b"".join(parts))


def flood(before: bytes, drop: bytes) -> Callable[..., Any]:
    """An answer that is faster than its reader, for as long as that reads."""

    def answer(handler) -> None:
        handler.wfile.write(before)
        until = time.monotonic() + LONG_S
        while time.monotonic() < until:
            handler.wfile.write(drop * 1000)
        OUTLASTED.append(handler.path)

    return answer


def ask_to_wait(handler) -> None:
    refuse(429, "Slow down", ("Retry-After", "0"))(handler)


def elsewhere(handler) -> None:
    """Sends whoever has the password to another host, which must not see it."""
    host, _, port = handler.headers["Host"].partition(":")
    if ("Authorization" in handler.headers) == (host == SAME_HOST):
        refuse(400, "Credentials in the wrong place")(handler)
    elif host == SAME_HOST:
        send(handler, GOOD)
    else:
        redirect(f"http://{SAME_HOST}:{port}{handler.path}")(handler)


def to_and_fro(handler) -> None:
    """Two hosts that send each other's callers back."""
    host, _, port = handler.headers["Host"].partition(":")
    redirect(f"http://{'127.0.0.1' if host == SAME_HOST else SAME_HOST}:{port}{handler.path}")(handler)


A_PAGE = "received an HTML page instead (a login or proxy page?)"
CUT_SHORT = f"truncated: {len(GOOD) - 7:,} of {len(GOOD):,} bytes"
BROKE = "the connection broke (ConnectionResetError)"
SILENT = f"no answer within {HASTY_S} s"
NO_ADDRESS = "expected a usable address, found none here or in a redirect"
OK = b"HTTP/1.1 200 OK\r\n"
PLAIN = b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
SIZE = b"%x" % len(GOOD)
ABSENT = b"HTTP/1.1 404 Not Found\r\n"
FAULTS = {
    "truncation": Fault(lambda handler: send(handler, GOOD[:-7], len(GOOD)), CUT_SHORT, 4),
    "truncation without a length": Fault(unmeasured(GOOD[:-7]), CUT_SHORT, 4),
    "wrong hash": Fault(
        lambda handler: send(handler, WRONG),
        f"expected sha256 {pin(GOOD, '')['sha256']}, found {pin(WRONG, '')['sha256']}",
    ),
    "wrong length": Fault(
        lambda handler: send(handler, GOOD + b"x"),
        f"expected {len(GOOD):,} bytes, the server offers {len(GOOD) + 1:,}",
    ),
    "length that is none": Fault(measured("\xb2"), ""),
    "length beyond measure": Fault(measured("9" * 5000), ""),
    "range beyond measure": Fault(
        refuse(206, "Partial", ("Content-Range", f"bytes {'9' * 5000}-1/2")),
        f"expected the range of a partial answer, found 'bytes {'9' * 54}'",
        hint=ANSWERED_HINT,
    ),
    "202": Fault(refuse(202, "Accepted"), "the server is still preparing it (HTTP 202)", 4),
    "304": Fault(refuse(304, "Not Modified"), "not modified, to a request without a condition (HTTP 304)"),
    "more than announced": Fault(unmeasured(GOOD + b"x"), f"expected {len(GOOD):,} bytes, more came"),
    "401": Fault(
        refuse(401, "Unauthorized"), "the server refuses our credentials (HTTP 401)", hint=f"correct {LOGIN_HINT}"
    ),
    "403": Fault(refuse(403, "Forbidden"), "not allowed (HTTP 403)", hint=f"correct {LOGIN_HINT}"),
    "404": Fault(refuse(404, "Not Found"), "not there (HTTP 404)"),
    "408": Fault(refuse(408, "Too slow"), "HTTP 408 Too slow", 4),
    "429": Fault(refuse(429, "Slow down"), "too many requests (HTTP 429)", 4),
    "429 with a time": Fault(ask_to_wait, "too many requests (HTTP 429)", 4),
    "500": Fault(refuse(500, "Oops"), "HTTP 500 Oops", 4),
    "503": Fault(refuse(503, "Busy"), "HTTP 503 Busy", 4),
    "stall": Fault(stall, SILENT, 4, timeout_s=HASTY_S),
    # On a machine that is busy enough, a pause between two bytes is longer than the timeout.
    "trickle": Fault(trickle, re.compile(r"(only \d+ bytes in \d+ s|no answer within 0\.5 s)"), 4, timeout_s=HASTY_S),
    "header by header": Fault(drip(OK, b"X-Drop: x\r\n", PLAIN), SILENT, 4, timeout_s=HASTY_S),
    "header byte by byte": Fault(drip(OK + b"X-Drop: ", b"x", b"\r\n" + PLAIN), SILENT, 4, timeout_s=HASTY_S),
    "100 Continue for ever": Fault(drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n", OK + PLAIN), SILENT, 4, HASTY_S),
    "flood of 100 Continue": Fault(flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), SILENT, 4, HASTY_S),
    "chunk size digit by digit": Fault(
        drip(OK + CHUNKED, b"0", SIZE + b"\r\n" + GOOD + b"\r\n0\r\n\r\n"), SILENT, 4, HASTY_S
    ),
    "chunk extension byte by byte": Fault(
        drip(OK + CHUNKED + SIZE + b";", b"x", b"\r\n" + GOOD + b"\r\n0\r\n\r\n"), SILENT, 4, HASTY_S
    ),
    "trailer by trailer": Fault(
        drip(OK + CHUNKED + SIZE + b"\r\n" + GOOD + b"\r\n0\r\n", b"X-Drop: x\r\n", b"\r\n"), SILENT, 4, HASTY_S
    ),
    "error byte by byte": Fault(
        drip(ABSENT + b"Content-Length: 1000\r\n\r\n", b"x", b""), "not there (HTTP 404)", timeout_s=HASTY_S
    ),
    "flood of an error": Fault(flood(ABSENT + CHUNKED + b"-1\r\n", b"x"), "not there (HTTP 404)"),
    "flood of a redirect": Fault(
        flood(b"HTTP/1.1 302 Found\r\nLocation: /nothing\r\n\r\n", b"x"), "not there (HTTP 404)"
    ),
    "flood of headers": Fault(flood(OK, b"X: x\r\n"), "the connection broke (HTTPException)", 4),
    "flood of a header": Fault(flood(OK + b"X: ", b"x"), "the connection broke (LineTooLong)", 4),
    "redirect after redirect": Fault(hop, SILENT, 4, timeout_s=HASTY_S),
    "chunk of an odd size": Fault(raw(ABSENT, CHUNKED, b"-5\r\n", GOOD), "not there (HTTP 404)"),
    "a bare file": Fault(raw(GOOD), "the connection broke (BadStatusLine)", 4),
    "another range": Fault(
        raw(b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-%d/%d\r\n" % (len(GOOD) - 1, len(GOOD)), PLAIN),
        "asked for the bytes from 0 on, got them from 5 on",
        hint=ANSWERED_HINT,
    ),
    "two lengths": Fault(
        raw(OK, b"Content-Length: 5\r\n", PLAIN), f"expected {len(GOOD):,} bytes, the server offers 5"
    ),
    "length and chunks": Fault(raw(OK, CHUNKED[:-2], PLAIN), "the connection broke (IncompleteRead)", 4),
    "compressed all the same": Fault(
        raw(OK, b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(ZIPPED), ZIPPED),
        f"expected {len(GOOD):,} bytes, the server offers {len(ZIPPED):,}",
    ),
    "a date beyond measure": Fault(
        refuse(503, "Busy", ("Retry-After", f"Mon, 01 Jan 2024 00:00:00 +{'9' * 20}")), "HTTP 503 Busy", 4
    ),
    "a reason beyond measure": Fault(refuse(500, "x" * 50000), f"HTTP 500 {'x' * 100}", 4),
    "redirect to no address": Fault(redirect("http://a..b/"), NO_ADDRESS),
    "reset in mid-body": Fault(break_off, BROKE, 4),
    "reset at once": Fault(reset, BROKE, 4),
    "redirect loop": Fault(lambda handler: redirect(handler.path)(handler), "redirected in circles (HTTP 302)", 5),
    "redirect loop of two hosts": Fault(to_and_fro, "redirected in circles (HTTP 302)", 9),
    "redirect to another host": Fault(elsewhere, "", 2),
    "redirect to a file": Fault(redirect("file:///etc/passwd"), "redirected to an address that spm does not follow (HTTP 302)"),
    "redirect with a password": Fault(
        redirect("http://me:hunter2@127.0.0.1/"), "redirected to an address with a user and password in it (HTTP 302)"
    ),
    "HTML": Fault(lambda handler: send(handler, PAGE, kind="text/html"), A_PAGE),
    "HTML as an archive": Fault(lambda handler: send(handler, b"\n<!DOCTYPE html>" + PAGE), A_PAGE),
}


class FaultsTest(SpmTestCase):
    faults = FAULTS

    def outcomes(self, *sources: str):
        """Every fault met by the real command, a few at once: (name, address, room, exit status, standard error)."""
        OUTLASTED.clear()
        self.sources["other"] = {"type": "http", "base": f"{self.server.base}/other"}
        for number, fault in enumerate(self.faults.values()):
            self.server.files.update({f"/{number}": fault.answer, f"/other/{number}": GOOD})
            self.server.files.update({f"/{number}/hop{count}": fault.answer for count in range(1, HOPS + 1)})
            self.add(f"p{number}", dict(pin(GOOD, f"{number}", strip="usr"), sources=sources))
        os.environ["NETRC"] = f"{self.folder}/netrc"
        with open(os.environ["NETRC"], "w") as file:
            file.write("machine 127.0.0.1 login me password hunter2\n")
        self.write()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return list(pool.map(self.outcome, range(len(self.faults)), self.faults))

    def outcome(self, number: int, name: str):
        """One fault in a room of its own: a store and a lib that holds something already."""
        room = copy.copy(self)
        room.store, room.lib = f"{self.folder}/store{number}", f"{self.folder}/lib{number}"
        os.mkdir(room.lib)
        os.symlink("elsewhere", f"{room.lib}/before-1")
        process = room.start(
            "install", f"p{number}", "--quiet", env={**os.environ, "SPM_TIMEOUT": str(self.faults[name].timeout_s)}
        )
        _, err = process.communicate(timeout=PATIENCE_S)
        return name, number, room, process.returncode, self.anonymous(err)

    def test_alone_it_is_one_error_and_an_unchanged_lib(self) -> None:
        for name, number, room, status, err in self.outcomes("main"):
            with self.subTest(name):
                fault = self.faults[name]
                self.assertNotIn(f"/{number}", OUTLASTED)
                if not fault.reason:
                    self.assertEqual((status, err), (0, ""))
                    continue
                start = f"spm: error: could not fetch {number}: main (SERVER/{number}): "
                self.assertRegex(err, f"^{re.escape(start)}{fault.reason}\nhint: {re.escape(fault.hint)}\n$")
                self.assertEqual((status, os.listdir(room.lib)), (1, ["before-1"]))
                self.assertEqual(self.server.asked.count(f"/{number}"), fault.tries)
                self.assertEqual([each for each in room.left_in_store() if ".part" not in each], [])

    def test_with_a_second_source_it_ends_in_the_right_file(self) -> None:
        for name, number, room, status, err in self.outcomes("main", "other"):
            with self.subTest(name):
                self.assertEqual((status, err), (0, ""))
                self.assertEqual(room.read(f"p{number}-1/tool"), "the tool" * 1000)
                self.assertEqual(room.left_in_store(), [])


if __name__ == "__main__":
    chosen = {name: FAULTS[name] for name in sys.argv if name in FAULTS}
    FaultsTest.faults = chosen or FAULTS
    unittest.main(argv=[word for word in sys.argv if word not in chosen])
