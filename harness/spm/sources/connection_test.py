"""A server or proxy whose bytes drip: by TLS, in a tunnel, and while it takes an upload."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import ssl
import threading
import time
import unittest
import urllib.request
from unittest import mock

from harness.spm.sources import access, connection, transport
from harness.spm.sources.access_test import CERTIFICATE
from harness.spm.sources.transport import TransferError
from harness.spm.transfer.faults_test import HASTY_S, LONG_S, SILENT, TRICKLE_S
from harness.spm_testing.interrupt import PATIENCE_S
from collections.abc import Callable
from typing import Any, BinaryIO

STEP_BYTES = 1 << 16


class Caller(unittest.TestCase):
    """A test with a server of its own, which is a function of one connection."""

    def setUp(self) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        fields = {**clean, "SSL_CERT_FILE": CERTIFICATE, "NETRC": os.devnull, "SPM_TIMEOUT": str(HASTY_S)}
        patch = mock.patch.dict(os.environ, fields, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        for forget in (access.tls.cache_clear, access._netrc.cache_clear):
            forget()
            self.addCleanup(forget)
        self.outlasted = False  # whether a client waited for the end of a drip

    def serve(self, answer: Callable[..., Any]) -> str:
        """`host:port` of a server that answers one connection."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def work() -> None:
            with contextlib.suppress(OSError):
                caller, _ = listener.accept()
                with caller:
                    answer(caller)

        threading.Thread(target=work, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    def drip(self, caller) -> None:
        """A head of which a line comes well within every time-out, and the end long after it."""
        caller.sendall(b"HTTP/1.1 200 OK\r\n")
        for _ in range(int(LONG_S / TRICKLE_S)):
            caller.sendall(b"X-Drop: x\r\n")
            time.sleep(TRICKLE_S)
        self.outlasted = True
        caller.sendall(b"Content-Length: 0\r\n\r\n")

    def error(self, act: Callable[..., Any]) -> TransferError:
        with self.assertRaises(TransferError) as raised:
            act()
        self.assertFalse(self.outlasted)
        return raised.exception


class DripTest(Caller):
    def test_a_server_by_tls(self) -> None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(CERTIFICATE)

        def answer(caller: socket.socket) -> None:
            with tls.wrap_socket(caller, server_side=True) as secured:
                self.drip(secured)

        host = self.serve(answer)
        error = self.error(lambda: transport.open_address(f"https://{host}/a", False))
        self.assertEqual((error.reason, error.passing), (SILENT, True))

    def test_a_handshake(self) -> None:
        """One TLS record, byte by byte."""

        def answer(caller: socket.socket) -> None:
            for byte in b"\x16\x03\x03\x40\x00" + b"\x02\x00\x3f\xf0" + bytes(int(LONG_S / TRICKLE_S)):
                caller.sendall(bytes([byte]))
                time.sleep(TRICKLE_S)
            self.outlasted = True

        host = self.serve(answer)
        self.assertEqual(self.error(lambda: transport.open_address(f"https://{host}/a", False)).reason, SILENT)

    def test_a_tunnel(self) -> None:
        os.environ["HTTPS_PROXY"] = proxy = self.serve(self.drip)
        error = self.error(lambda: transport.open_address("https://127.0.0.1:9/a", False))
        self.assertEqual(error.reason, f"the proxy {proxy}: {SILENT}")

    def test_a_socks_proxy(self) -> None:
        def answer(caller: socket.socket) -> None:
            caller.sendall(b"\5\0\5\0\0\3\xff")  # then a name of 255 bytes
            for _ in range(int(LONG_S / TRICKLE_S)):
                caller.sendall(b"x")
                time.sleep(TRICKLE_S)
            self.outlasted = True

        os.environ["HTTP_PROXY"] = f"socks5h://{(proxy := self.serve(answer))}"
        error = self.error(lambda: transport.open_address("http://127.0.0.1:9/a", False))
        self.assertEqual(error.reason, f"the proxy {proxy}: {SILENT}")

    def test_interim_answers_are_skipped(self) -> None:
        def answer(caller: socket.socket) -> None:
            caller.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
            caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab")

        try:
            with contextlib.closing(transport.open_address(f"http://{self.serve(answer)}/a", False)) as body:
                self.assertEqual(body.read(9), b"ab")
        except TransferError as error:
            self.fail(error.reason)

    def test_interim_answers_for_ever(self) -> None:
        def answer(caller: socket.socket) -> None:
            for _ in range(int(LONG_S / TRICKLE_S)):
                caller.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                time.sleep(TRICKLE_S)
            self.outlasted = True

        host = self.serve(answer)
        self.assertEqual(self.error(lambda: transport.open_address(f"http://{host}/a", False)).reason, SILENT)

    def test_a_redirect_after_all_the_time_is_not_followed(self) -> None:
        request = urllib.request.Request("http://127.0.0.1:9/a")
        request.timeout = connection.Deadline(-1)  # type: ignore[assignment]
        with self.assertRaises(TimeoutError):
            transport._Redirects().redirect_request(request, mock.Mock(), 302, "Found", {}, "http://127.0.0.1:9/b")


class ConnectTest(Caller):
    """Addresses of one host, of which the first are dead in one way or another."""

    def setUp(self) -> None:
        super().setUp()
        connection._answered.clear()
        self.alive = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.alive.close)
        self.full = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.addCleanup(self.full.close)
        for _ in range(3):  # its queue is full: it neither accepts nor refuses further connections
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(self.full.getsockname())
            self.addCleanup(waiting.close)

    def connect(self, *places: tuple[str, int]) -> tuple[int, float]:
        """(port that answered, seconds)"""
        known = tuple((socket.AF_INET, place) for place in places)
        start = time.monotonic()
        with mock.patch.object(connection, "_places", lambda *_: known):
            with connection.connect(("host", 80), connection.Deadline(PATIENCE_S)) as connected:
                return connected.getpeername()[1], time.monotonic() - start

    def test_a_dead_address_delays_a_run_once(self) -> None:
        silent, alive = self.full.getsockname(), self.alive.getsockname()
        port, first_s = self.connect(silent, alive)
        self.assertEqual(port, alive[1])
        self.assertGreaterEqual(first_s, connection.NEXT_ADDRESS_S)
        begun, begin = [], connection._begin
        with mock.patch.object(connection, "_begin", lambda place: begun.append(place[1]) or begin(place)):
            for _ in range(3):
                self.assertEqual(self.connect(silent, alive)[0], alive[1])
        self.assertEqual(begun, [alive] * 3)

    def test_the_next_address_is_tried_at_once_where_one_refuses(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            closed = listener.getsockname()
        with mock.patch.object(connection, "NEXT_ADDRESS_S", PATIENCE_S):
            self.assertEqual(self.connect(closed, self.alive.getsockname())[0], self.alive.getsockname()[1])

    def test_a_remembered_address_that_dies_is_raced_again(self) -> None:
        alive = self.alive.getsockname()
        with socket.create_server(("127.0.0.1", 0)) as other:
            self.assertEqual(self.connect(other.getsockname(), alive)[0], other.getsockname()[1])
            gone = other.getsockname()
        self.assertEqual(self.connect(gone, alive)[0], alive[1])

    def test_the_most_telling_error_of_all_is_raised(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            closed = listener.getsockname()
        unreachable = OSError(errno.ENETUNREACH, "Network is unreachable")
        real = connection._begin

        def begin(place):
            if place[1] == ("::1", 1):
                raise unreachable
            return real(place)

        for places, expected in (((("::1", 1), closed), errno.ECONNREFUSED), ((("::1", 1),), errno.ENETUNREACH)):
            with mock.patch.object(connection, "_begin", begin), self.assertRaises(OSError) as raised:
                self.connect(*places)
            self.assertEqual(raised.exception.errno, expected)

    def test_all_silent_addresses_together_have_the_time_of_one(self) -> None:
        silent = self.full.getsockname()
        known = ((socket.AF_INET, silent), (socket.AF_INET, silent))
        with mock.patch.object(connection, "_places", lambda *_: known), self.assertRaises(TimeoutError):
            connection.connect(("host", 80), connection.Deadline(0.6))

    def test_the_families_of_addresses_alternate(self) -> None:
        kinds = [socket.AF_INET6, socket.AF_INET6, socket.AF_INET, socket.AF_INET]
        found = [(kind, 0, 0, "", (str(number), 1)) for number, kind in enumerate(kinds)]
        connection._places.cache_clear()
        self.addCleanup(connection._places.cache_clear)
        with mock.patch.object(socket, "getaddrinfo", return_value=found):
            self.assertEqual([place[1][0] for place in connection._places("host", 1)], ["0", "2", "1", "3"])


class UploadTest(Caller):
    def put(self, steps: int, answer: Callable[..., Any]) -> None:
        """Uploads so many times STEP_BYTES to a server, which `answer` is once it has seen the end of the head."""

        def head_first(caller: socket.socket) -> None:
            stream = caller.makefile("rb")
            while stream.readline() != b"\r\n":
                pass
            answer(caller, stream)

        host = self.serve(head_first)
        with open(os.memfd_create("upload"), "w+b") as file:
            file.truncate(steps * STEP_BYTES)
            transport.put_file(f"http://{host}/a", f"/proc/self/fd/{file.fileno()}", False)

    def test_takes_longer_than_the_time_out_where_it_moves(self) -> None:
        os.environ["SPM_TIMEOUT"] = "2"

        def answer(caller: socket.socket, stream: BinaryIO) -> None:
            for _ in range(200):  # the kernel's buffers hold less
                stream.read(STEP_BYTES)
                time.sleep(0.015)
            caller.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")

        try:
            self.put(200, answer)
        except TransferError as error:
            self.fail(error.reason)

    def test_ends_where_nobody_reads(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)
        error = self.error(lambda: self.put(1000, lambda caller, stream: over.wait()))
        self.assertEqual(error.reason, SILENT)

    def test_ends_where_it_hardly_moves(self) -> None:
        """Whoever reads a file of a byte a second: its clock is ours here."""
        file = mock.Mock()
        told: list[int] = []
        file.tell.side_effect = lambda: len(told)
        with mock.patch.object(time, "monotonic", lambda: float(len(told))):
            data = transport._Counted(file, told.append)
            error = self.error(lambda: [data.read(1) for _ in range(1000)])
        self.assertEqual((error.reason, error.passing), ("only 1 bytes in 1 s", True))

    def test_whose_answer_drips_ends(self) -> None:
        def answer(caller: socket.socket, stream: BinaryIO) -> None:
            stream.read(STEP_BYTES)
            self.drip(caller)

        self.assertEqual(self.error(lambda: self.put(1, answer)).reason, SILENT)


if __name__ == "__main__":
    unittest.main()
