"""A web server on loopback with faults that a test can choose."""

from __future__ import annotations

import http.server
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from typing import Any

# Another name of the server's host; it needs no resolver and no /etc/hosts, which a new machine may lack.
SAME_HOST = "127.1"


class Server:
    """A web server on loopback. `files` maps a path to its bytes, or to a function that writes the response.

    `asked` lists the paths of all requests, `headers` their headers; `tls` is an SSLContext for https."""

    def __init__(self, tls: Any = None) -> None:
        self.files: dict[str, Any] = {}
        self.asked: list[str] = []
        self.headers: list[Any] = []
        self.on_put: Callable[[Any], object] = lambda headers: None  # gets the headers of each upload
        self.refuse_put: dict[str, int] = {}  # path that refuses uploads -> status
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.headers.append(self.headers)
                answer = outer.files.get(self.path)
                if callable(answer):
                    answer(self)
                elif answer is None:
                    self.send_error(404)
                else:
                    send_file(self, answer)

            def do_PUT(self) -> None:
                outer.asked.append(f"PUT {self.path}")
                outer.on_put(self.headers)
                data = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path in outer.refuse_put:
                    self.send_error(outer.refuse_put[self.path])
                    return
                outer.files[self.path] = data
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        class Listener(http.server.ThreadingHTTPServer):
            request_queue_size = 64  # simultaneous connects; with the default of 5 the kernel delays a sixth by a second

            def handle_error(self, *_: object) -> None:
                """Prints nothing: many tests are about a client that goes away."""

        self._server = Listener(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls:  # the handling thread does the handshake
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.base = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def etag(data: bytes) -> str:
    return f'"{zlib.crc32(data):08x}"'


def send_file(handler: Any, data: bytes) -> None:
    """A correct response: with an entity tag, and only the rest of the same file if the request asks for it."""
    tag = etag(data)
    begin = int(handler.headers.get("Range", "bytes=0-")[6:-1])
    if handler.headers.get("If-Range", tag) != tag:
        begin = 0
    if begin >= len(data):
        handler.send_error(416)
        return
    handler.send_response(206 if begin else 200)
    if begin:
        handler.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
    handler.send_header("ETag", tag)
    handler.send_header("Content-Length", str(len(data) - begin))
    handler.end_headers()
    handler.wfile.write(data[begin:])


def send(handler: Any, data: bytes, length: int | None = None, kind: str = "application/octet-stream") -> None:
    """A plain response, possibly with a wrong length."""
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(data) if length is None else length))
    handler.end_headers()
    handler.wfile.write(data)


def reset(handler: Any) -> None:
    """Resets the connection."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def refuse(status: int, text: str, *headers: tuple[str, str]) -> Callable[..., Any]:
    """An error response."""

    def answer(handler: Any) -> None:
        handler.send_response(status, text)
        for header in headers:
            handler.send_header(*header)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def redirect(target: str) -> Callable[..., Any]:
    return refuse(302, "Found", ("Location", target))
