"""Connections of http.client with a limit on the total time, also if a server sends its bytes very slowly.

A socket's time-out limits one wait only: a server that sends a byte per wait would never time out. Here a Deadline
limits all waits together. It is passed to urllib as the time-out, and urllib passes it to each redirect and
connection."""

from __future__ import annotations

import errno
import functools
import http.client
import io
import itertools
import os
import selectors
import socket
import time
from collections.abc import Sequence
from typing import Any

from harness.spm.sources.socks import Proxy, SocksError

# The wait for an address before the next is tried as well: the Connection Attempt Delay of RFC 8305.
NEXT_ADDRESS_S = 0.25
_Place = tuple[int, Any]  # family and address of a socket


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
def _places(host: str, port: int) -> tuple[_Place, ...]:
    """A host's addresses, looked up once per run, so that a slow resolver does not delay every file. The two families
    alternate, so that a dead one costs one wait (RFC 8305, section 4)."""
    found = [(kind, place) for kind, _, _, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    first = [place for place in found if place[0] == found[0][0]]
    other = [place for place in found if place[0] != found[0][0]]
    pairs = itertools.zip_longest(first, other)
    return tuple(place for pair in pairs for place in pair if place)


_answered: dict[tuple[str, int], _Place] = {}  # the place of a host that a connection was made to last


def connect(address: tuple[str, int], deadline: Deadline, socks: Proxy | None = None) -> socket.socket:
    """A connection to a host, through the SOCKS proxy if one is given. Races the host's addresses (RFC 8305): a dead one
    delays a run by NEXT_ADDRESS_S, once."""
    if socks:
        return _through(socks, address, deadline)
    known = _places(*address)
    last = _answered.get(address)
    ordered = (last, *(place for place in known if place != last)) if last in known else known
    connected, _answered[address] = _race(ordered, deadline)
    connected.settimeout(deadline.left_s())
    return connected


def _through(socks: Proxy, address: tuple[str, int], deadline: Deadline) -> socket.socket:
    host, port = address
    names = [host] if socks.resolves else [place[0] for _, place in _places(host, port)]
    for left in reversed(range(len(names))):
        connected = connect((socks.host, socks.port), deadline)
        try:
            socks.tunnel(connected, names[-1 - left], port, deadline.left_s)
            connected.settimeout(deadline.left_s())
            return connected
        except SocksError as error:
            connected.close()
            if not left or not error.passing:
                raise
        except BaseException:
            connected.close()
            raise
    raise AssertionError


def _race(places: Sequence[_Place], deadline: Deadline) -> tuple[socket.socket, _Place]:
    """The first connection that is made. The next address is tried when the latest has failed or has not answered for
    NEXT_ADDRESS_S. Raises the most telling error of all."""
    errors: list[OSError] = []
    running: dict[socket.socket, _Place] = {}
    waiting = list(reversed(places))
    try:
        with selectors.DefaultSelector() as selector:
            while True:
                if waiting:
                    place = waiting.pop()
                    try:
                        begun = _begin(place)
                    except OSError as error:
                        errors.append(error)
                        continue
                    running[begun] = place
                    selector.register(begun, selectors.EVENT_WRITE)
                elif not running:
                    raise min(errors, key=_says_little)
                left_s = deadline.left_s()
                for key, _ in selector.select(min(NEXT_ADDRESS_S, left_s) if waiting else left_s):
                    made: Any = key.fileobj
                    selector.unregister(made)
                    place = running.pop(made)
                    code = made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if not code:
                        return made, place
                    made.close()
                    errors.append(OSError(code, os.strerror(code)))
    finally:
        for begun in running:
            begun.close()


def _begin(place: _Place) -> socket.socket:
    kind, address = place
    begun = socket.socket(kind, socket.SOCK_STREAM)
    try:
        begun.setblocking(False)
        code = begun.connect_ex(address)
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))
    except BaseException:
        begun.close()
        raise
    return begun


def _says_little(error: OSError) -> bool:
    """Whether an error may only mean that this machine has no addresses of the family."""
    return error.errno in (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class _Response(http.client.HTTPResponse):
    """Skips every interim answer, as RFC 9110 (15.2) asks; http.client knows only 100."""

    def _read_status(self) -> tuple[str, int, str]:
        found: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]
        while found[1] in (102, 103):
            http.client.parse_headers(self.fp)  # type: ignore[arg-type]
            found = super()._read_status()  # type: ignore[misc]
        return found


class HttpConnection(http.client.HTTPConnection):
    """A connection whose `timeout` is a Deadline: for all reads together, and for each piece that is sent.

    It looks its host up once a run, and reads the response of a server that stops reading an upload, which says why."""

    timeout: Deadline  # type: ignore[assignment]

    def __init__(self, *arguments: Any, socks: Proxy | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._create_connection = lambda address, deadline, *_: connect(address, deadline, socks)

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
        return _Response(arriving, *arguments, **options)

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
