"""Connections of http.client with a limit on the total time, also if a server sends its bytes very slowly.

A socket's time-out limits one wait only: a server that sends a byte per wait would never time out. Here a Deadline
limits all waits together. It is passed to urllib as the time-out, and urllib passes it to each redirect and
connection."""

import functools
import http.client
import io
import socket
import time
from typing import Any


class Deadline:
    """The time by which a response must have arrived: `seconds` after the start or the latest `renew`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.renew()

    def renew(self, seconds: float = 0) -> None:
        """Restarts the time: `seconds` from now, by default the original number."""
        self._end = time.monotonic() + (seconds or self.seconds)

    def left_s(self) -> float:
        """Seconds left; raises TimeoutError if there are none."""
        left_s = self._end - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        return left_s


class _Arriving(io.RawIOBase):
    """Reads from a socket until its deadline."""

    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = connected, deadline
        self._stream = connected.makefile("rb", buffering=0)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Called by http.client's responses, which get this object as their socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._deadline.left_s())
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()


@functools.cache
def _places(host: str, port: int) -> tuple:
    """A host's addresses, looked up once per run, so that a slow resolver does not delay every file."""
    return tuple(place[:2] for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


def _connect(address: tuple[str, int], deadline: Deadline, *options: Any) -> socket.socket | None:
    """Like socket.create_connection, with the addresses of _places."""
    error: OSError | None = None
    for place in _places(*address):
        left_s = deadline.left_s()
        try:
            connected = socket.create_connection(place, left_s, *options)
            connected.settimeout(deadline.left_s())
            return connected
        except OSError as refused:
            error = error or refused  # keep the error of the preferred, first address
            deadline.renew(left_s)  # else a dead address would use up the time of the others
    assert error  # a host has at least one address
    raise error


class HttpConnection(http.client.HTTPConnection):
    """A connection whose `timeout` is a Deadline: for all reads together, and for each piece that is sent.

    It looks its host up once a run, and reads the response of a server that stops reading an upload, which says why."""

    timeout: Deadline  # type: ignore[assignment]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._create_connection = _connect

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(self.timeout.seconds)  # the full time again: connecting may have used most of it

    def _tunnel(self) -> None:
        super()._tunnel()  # type: ignore[misc]
        self.sock.settimeout(self.timeout.left_s())  # for what follows: TLS

    def response_class(  # type: ignore[override]
        self, connected: socket.socket, *arguments: Any, **options: Any
    ) -> http.client.HTTPResponse:
        arriving: Any = _Arriving(connected, self.timeout)
        return http.client.HTTPResponse(arriving, *arguments, **options)

    def endheaders(self, message_body: Any = None, *, encode_chunked: bool = False) -> None:
        try:
            super().endheaders(message_body, encode_chunked=encode_chunked)
        except (BrokenPipeError, ConnectionResetError):
            if message_body is None:
                raise
        if message_body is not None:
            self.timeout.renew()  # an upload takes as long as it takes


class HttpsConnection(HttpConnection, http.client.HTTPSConnection):
    pass
