"""Connections through a SOCKS5 proxy: RFC 1928, with the user and password of RFC 1929."""

import ipaddress
import socket
from collections.abc import Callable
from typing import NamedTuple

_VERSION = 5
_NO_LOGIN, _PASSWORD, _NO_METHOD = 0, 2, 255
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_REPLIES = {
    1: "a general failure",
    2: "its rules forbid it",
    3: "the network cannot be reached",
    4: "the host cannot be reached",
    5: "the connection was refused",
    6: "it took too long",
    7: "it makes no connections",
    8: "it knows no such kind of address",
}


# Replies about the host or the network, which may be different later or at another address of the host.
_PASSING = (1, 3, 4, 5, 6)


class SocksError(OSError):
    """The proxy did not make the connection; its text says why. `passing`: another try or address may succeed."""

    def __init__(self, text: str, passing: bool = False) -> None:
        super().__init__(text)
        self.passing = passing


class Proxy(NamedTuple):
    """`user` is "" for a proxy without a login. `resolves`: the proxy looks names up (socks5h), else this machine."""

    host: str
    port: int
    user: str
    password: str
    resolves: bool

    def tunnel(self, connected: socket.socket, host: str, port: int, left_s: Callable[[], float]) -> None:
        """Makes `connected`, a connection to this proxy, one to host:port; raises SocksError. `left_s` gives the seconds
        left for all of it, and raises TimeoutError when there are none."""
        receive = lambda count: _receive(connected, count, left_s)
        methods = bytes([_NO_LOGIN, _PASSWORD] if self.user else [_NO_LOGIN])
        connected.settimeout(left_s())
        connected.sendall(bytes([_VERSION, len(methods)]) + methods)
        version, method = receive(2)
        if version != _VERSION:
            raise SocksError("it does not speak SOCKS5")
        if method == _NO_METHOD or method not in methods:
            raise SocksError("it asks for a user and password" if not self.user else "it accepts no user and password")
        if method == _PASSWORD:
            connected.sendall(b"\1" + _counted(self.user) + _counted(self.password))
            if receive(2)[1]:
                raise SocksError("it refuses the user and password")
        connected.sendall(bytes([_VERSION, _CONNECT, 0]) + _address(host) + port.to_bytes(2, "big"))
        reply, _, kind = receive(4)[1:]
        if reply:
            why = _REPLIES.get(reply, f"reply {reply}")
            raise SocksError(f"it could not connect to {host}: {why}", reply in _PASSING)
        # The address from which it connects, and a port: of no use here.
        receive({_IPV4: 4, _IPV6: 16}.get(kind) or receive(1)[0])
        receive(2)


def _counted(text: str) -> bytes:
    data = text.encode()
    if len(data) > 255:
        raise SocksError("expected a name, user and password of at most 255 bytes each")
    return bytes([len(data)]) + data


def _address(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bytes([_NAME]) + _counted(host)
    return bytes([_IPV4 if address.version == 4 else _IPV6]) + address.packed


def _receive(connected: socket.socket, count: int, left_s: Callable[[], float]) -> bytes:
    data = b""
    while len(data) < count:
        connected.settimeout(left_s())
        piece = connected.recv(count - len(data))
        if not piece:
            raise SocksError("it closed the connection", passing=True)
        data += piece
    return data
