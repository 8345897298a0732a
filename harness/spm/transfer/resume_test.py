"""What a run that failed or was killed had fetched is not fetched again, and never trusted."""

from __future__ import annotations

import os
import signal
import threading
import time
import unittest

from harness.spm_testing.archives import deb, member, tar
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import etag, redirect, refuse, reset, send, send_file
from harness.spm_testing.test_case import SpmTestCase

GOOD = deb(member("./usr/tool", os.urandom(50_000)))
HALF = len(GOOD) // 2
WRONG = bytes(len(GOOD))
REST = f"bytes={HALF}-"


def whole(handler) -> None:
    """Knows no ranges."""
    send(handler, GOOD)


def no_such_range(handler) -> None:
    (refuse(416, "No such range") if "Range" in handler.headers else whole)(handler)


def unless_ranged(answer):
    """Serves the whole file, and answers every request for a part of it by `answer`."""
    return lambda handler: (answer if "Range" in handler.headers else whole)(handler)


def partial(content_range: str | None, data: bytes = GOOD[HALF:], kind: str = "application/octet-stream"):
    """A partial answer of that Content-Range."""

    def answer(handler) -> None:
        handler.send_response(206)
        handler.send_header("Content-Type", kind)
        if content_range is not None:
            handler.send_header("Content-Range", content_range)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def another_range(handler) -> None:
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes 10-{len(GOOD) - 1}/{len(GOOD)}")
    handler.send_header("Content-Length", str(len(GOOD) - 10))
    handler.end_headers()
    handler.wfile.write(GOOD[10:])


def a_page(handler) -> None:
    send(handler, b"<html>", kind="text/html")


def a_long_page(handler) -> None:
    """As long as the file, and then it ends: nothing but the hash tells."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(b"<!DOCTYPE html>" + bytes(HALF))


class ResumeTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.sources["other"] = {"type": "http", "base": f"{self.server.base}/other"}
        self.server.files["/other/a.deb"] = GOOD
        self.add("a", dict(self.serve("a.deb", GOOD, strip="usr"), sources=["main", "other"]))
        self.part = f"{self.store}/archives/{self.packages['a']['artifacts'][0]['sha256']}.part"

    def leave(self, data: bytes, origin: str = "") -> None:
        """As a run of before leaves it."""
        os.makedirs(os.path.dirname(self.part), exist_ok=True)
        for path, content in ((self.part, data), (f"{self.part}.from", origin.encode())):
            with open(path, "wb") as file:
                file.write(content)

    def asked(self) -> list[tuple]:
        """(path, Range, If-Range) of each request since the last call."""
        found = [
            (path, headers["Range"], headers["If-Range"])
            for path, headers in zip(self.server.asked, self.server.headers)
        ]
        self.server.asked.clear()
        self.server.headers.clear()
        return found

    def test_what_was_left_is_used_as_far_as_it_is_good(self) -> None:
        here, tag = f"{self.server.base}/a.deb", etag(GOOD)
        main, other = "/a.deb", "/other/a.deb"
        cases = [
            # what is there, its origin, what main serves, what is asked for
            (GOOD[:HALF], f"{here}\n{tag}\n", GOOD, [(main, REST, tag)]),
            (GOOD[:HALF], f"{here}\n\n", GOOD, [(main, REST, None)]),
            (GOOD[:HALF], f"elsewhere\n{tag}\n", GOOD, [(main, REST, None)]),
            (GOOD[:HALF], "", GOOD, [(main, REST, None)]),
            (GOOD[:HALF], f'{here}\n"old"\n', GOOD, [(main, REST, '"old"')]),
            (GOOD[:HALF], "", whole, [(main, REST, None)]),
            (GOOD[:HALF], "", no_such_range, [(main, REST, None), (main, None, None)]),
            (GOOD[:HALF], "", another_range, [(main, REST, None), (main, None, None), (other, REST, None)]),
            (GOOD[:HALF], "", a_page, [(main, REST, None), (main, None, None), (other, REST, None)]),
            (GOOD[:HALF], "", None, [(main, REST, None), (main, None, None), (other, REST, None)]),
            (GOOD[:HALF], "", a_long_page, [(main, REST, None), (main, None, None), (other, REST, None)]),
            (WRONG[:HALF], "", GOOD, [(main, REST, None), (main, None, None)]),
            (WRONG[:HALF], "", WRONG, [(main, REST, None), (main, None, None), (other, None, None)]),
            (GOOD[:HALF], "", WRONG, [(main, REST, None), (main, None, None), (other, None, None)]),
            (GOOD, "", GOOD, []),
            (WRONG, "", GOOD, [(main, None, None)]),
            (GOOD + b"x", "", GOOD, [(main, None, None)]),
            (b"", "", GOOD, [(main, None, None)]),
        ]
        for number, (data, origin, answer, expected) in enumerate(cases):
            with self.subTest(number):
                self.store, self.lib = f"{self.folder}/store{number}", f"{self.folder}/lib{number}"
                self.part = f"{self.store}/archives/{os.path.basename(self.part)}"
                self.leave(data, origin)
                self.server.files["/a.deb"] = answer
                self.assertEqual(self.spm("install", "a", "--quiet").err, "")
                self.assertEqual(self.asked(), expected)
                self.assertEqual(self.spm("verify", "--deep").status, 0)
                self.assertEqual(self.left_in_store(), [])

    def test_a_part_that_no_server_continues_is_fetched_anew(self) -> None:
        self.packages["a"]["artifacts"][0]["sources"] = ["main"]
        statuses = (304, 400, 403, 404, 410, 412, 416, 500, 501, 502, 503)
        answers = {f"HTTP {status}": refuse(status, "No") for status in statuses} | {
            "no range": partial(None),
            "nonsense": partial("bytes half-whole"),
            "backwards": partial(f"bytes {len(GOOD)}-{HALF}/{len(GOOD)}"),
            "another unit": partial(f"pages {HALF}-{len(GOOD) - 1}/{len(GOOD)}"),
            "another range": partial(f"bytes 10-{len(GOOD) - 1}/{len(GOOD)}"),
            "another length": partial(f"bytes {HALF}-{len(GOOD) - 1}/{2 * len(GOOD)}"),
            "multipart": partial(None, b"--x", "multipart/byteranges; boundary=x"),
            "no answer": reset,
            "an empty answer": partial(f"bytes {HALF}-{len(GOOD) - 1}/{len(GOOD)}", b""),
            "a page": a_page,
            "a short text": lambda handler: send(handler, b"no way"),
            "too much": partial(f"bytes {HALF}-{len(GOOD) - 1}/{len(GOOD)}", GOOD),
        }
        for number, (name, answer) in enumerate(answers.items()):
            with self.subTest(name):
                self.store, self.lib = f"{self.folder}/anew{number}", f"{self.folder}/anew-lib{number}"
                self.part = f"{self.store}/archives/{os.path.basename(self.part)}"
                self.leave(GOOD[:HALF])
                self.server.files["/a.deb"] = unless_ranged(answer)
                self.assertEqual(self.spm("install", "a", "--quiet").err, "")
                asked = [each[:2] for each in self.asked()]
                self.assertEqual((asked[0], asked[-1]), (("/a.deb", REST), ("/a.deb", None)))
                self.assertEqual(self.spm("verify", "--deep").status, 0)

    def test_a_part_stays_until_the_whole_arrives(self) -> None:
        self.packages["a"]["artifacts"][0]["sources"] = ["main"]
        for answer in (refuse(404, "Gone"), refuse(500, "Oops"), a_page):
            self.leave(GOOD[:HALF])
            self.server.files["/a.deb"] = answer
            self.assertEqual(self.spm("install", "a").status, 1)
            self.assertTrue(os.path.exists(self.part))
            with open(self.part, "rb") as file:
                self.assertEqual(file.read(), GOOD[:HALF])

    def test_right_bytes_count_whatever_type_they_have(self) -> None:
        page = b"<!doctype html>" + os.urandom(3 << 20)
        for number, (data, length) in enumerate(((GOOD, True), (GOOD, False), (page, True), (page[:99], False))):
            with self.subTest(number):
                self.add(f"p{number}", self.serve(f"p{number}.tar", data if data is GOOD else tar(member("x", data))))
                served = self.server.files[f"/p{number}.tar"]

                def as_page(handler, served=served, length=length) -> None:
                    handler.send_response(200)
                    handler.send_header("Content-Type", "text/html")
                    if length:
                        handler.send_header("Content-Length", str(len(served)))
                    handler.end_headers()
                    handler.wfile.write(served)

                self.server.files[f"/p{number}.tar"] = as_page
                self.assertEqual(self.spm("install", f"p{number}").status, 0)

    def test_the_next_process_goes_on_where_one_was_stopped(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)

        def half(handler) -> None:
            handler.send_response(200)
            handler.send_header("ETag", etag(GOOD))
            handler.send_header("Content-Length", str(len(GOOD)))
            handler.end_headers()
            handler.wfile.write(GOOD[:HALF])
            handler.wfile.flush()
            over.wait(PATIENCE_S)

        self.packages["a"]["artifacts"][0]["sources"] = ["main"]
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.server.files["/a.deb"] = half
                self.write()
                process = self.start("install", "a")
                while not (os.path.exists(self.part) and os.path.getsize(self.part) == HALF):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                process.send_signal(number)
                process.communicate(timeout=PATIENCE_S)
                self.server.files["/a.deb"] = GOOD
                self.assertEqual(self.spm("install", "a").status, 0)
                self.assertEqual(self.asked(), [("/a.deb", None, None), ("/a.deb", REST, etag(GOOD))])
                self.spm("uninstall", "a")
                self.spm("cache", "prune", "--older-than", "0d")

    def test_a_connection_that_keeps_breaking_is_outlasted_while_there_is_progress(self) -> None:
        data = tar(member("tool", os.urandom(7 << 20)))
        cuts = []

        def cut(handler) -> None:
            begin = int(handler.headers.get("Range", "bytes=0-")[6:-1])
            cuts.append(begin)
            handler.send_response(206 if begin else 200)
            handler.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
            handler.send_header("Content-Length", str(len(data) - begin))
            handler.end_headers()
            handler.wfile.write(data[begin : begin + (5 << 18)])

        self.add("b", self.serve("b.tar", data))
        self.server.files["/b.tar"] = cut
        self.assertEqual(self.spm("install", "b").status, 0)
        self.assertEqual(cuts, [number * (5 << 18) for number in range(6)])

    def test_bytes_by_a_redirect_are_gone_on_with_at_the_first_address(self) -> None:
        self.leave(GOOD[:HALF], f"{self.server.base}/a.deb\n{etag(GOOD)}\n")
        self.server.files.update({"/a.deb": redirect("/b.deb"), "/b.deb": lambda handler: send_file(handler, GOOD)})
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(self.asked(), [("/a.deb", REST, etag(GOOD)), ("/b.deb", REST, etag(GOOD))])

    def test_the_parts_of_others_are_left_until_they_are_old(self) -> None:
        self.leave(GOOD[:HALF], "x")
        self.assertEqual(self.spm("cache", "prune").status, 0)
        self.assertEqual(len(self.left_in_store()), 2)
        os.utime(self.part, (time.time() - 31 * 86400,) * 2)
        self.assertEqual(self.spm("cache", "prune").status, 0)
        self.assertEqual(self.left_in_store(), [])


if __name__ == "__main__":
    unittest.main()
