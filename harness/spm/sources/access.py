"""Proxies, certificates and netrc passwords, from the environment and the usual files.

A mistake in one of them ends the run with an SpmError for the user to correct. It never repeats what may be secret."""

from __future__ import annotations

import functools
import ipaddress
import netrc
import os
import re
import ssl
import urllib.request
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.spm.errors import SpmError, USAGE
from harness.spm.sources.socks import Proxy

_SOCKS = ("socks", "socks5", "socks5h")  # desktops write the first for the second
_PORTS = {"http": "80", "https": "443"}
_SOCKS_PORT = 1080


def proxy_for(host: str, scheme: str) -> str:
    """The address of the proxy for a host, from HTTP_PROXY or HTTPS_PROXY, else from ALL_PROXY; "" if it is asked directly."""
    found = urllib.request.getproxies_environment()
    name = scheme if scheme in found else "all"
    return "" if name not in found or is_direct(host, scheme) else _checked(name, found[name])


def _checked(scheme: str, value: str) -> str:
    address = urlsplit(value if "://" in value else f"http://{value}")
    try:
        good = address.scheme in ("http", *_SOCKS) and address.hostname and address.port != 0
    except ValueError:
        good = False
    if not good:
        name = f"{scheme.upper()}_PROXY"
        raise SpmError(
            f"{name}: expected http://HOST:PORT, http://USER:PASSWORD@HOST:PORT or the same with socks5 or socks5h, "
            "found another form (not shown)",
            f"correct or unset {name} and {name.lower()}",
            USAGE,
        )
    return address.geturl()


def socks(proxy: str) -> Proxy | None:
    """The SOCKS proxy that an address of `proxy_for` names; None for an HTTP proxy."""
    address = urlsplit(proxy)
    if address.scheme not in _SOCKS or not address.hostname:
        return None
    user, password = unquote(address.username or ""), unquote(address.password or "")
    return Proxy(address.hostname, address.port or _SOCKS_PORT, user, password, address.scheme == "socks5h")


def is_direct(host: str, scheme: str = "http") -> bool:
    """Whether NO_PROXY exempts `host` of an address of `scheme`: a name or an address, which a port may follow. An entry
    is `*`, a name (of all hosts below it, too), an address or a network such as 10.0.0.0/8 or fd00::/8; a port may follow
    a name or address."""
    name, _, port = _name_and_port(host)
    port = port or _PORTS[scheme]
    for entry in re.split(r"[,\s]+", urllib.request.getproxies_environment().get("no", "")):
        if entry == "*" or (entry and _is_exempt(entry, name, port)):
            return True
    return False


def _name_and_port(text: str) -> tuple[str, str, str]:
    """`text` as (name, ":", port); an IPv6 address may stand without brackets if no port follows."""
    if text.startswith("["):
        name, _, rest = text[1:].partition("]")
        return name, ":", rest.lstrip(":")
    return text.partition(":") if text.count(":") < 2 else (text, "", "")


def _is_exempt(entry: str, name: str, port: str) -> bool:
    address = _network(name)
    if network := _network(entry):
        return address is not None and address.version == network.version and address.subnet_of(network)
    exempt, _, only = _name_and_port(entry)
    if only and only != port:
        return False
    if address:
        return address == _network(exempt)
    exempt, name = exempt.lower().lstrip("."), name.lower().rstrip(".")
    return bool(exempt) and (name == exempt or name.endswith(f".{exempt}"))


def _network(text: str) -> Any:
    """The network that `text` names, of one address for an address; None for a host's name."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


@functools.cache  # reading the system's certificates takes 50 ms
def tls() -> ssl.SSLContext:
    """Trusts the certificates that SSL_CERT_FILE and SSL_CERT_DIR name, else the system's."""
    context = ssl.create_default_context()
    if path := os.environ.get("SSL_CERT_FILE"):
        try:
            context.load_verify_locations(path)  # loaded again, because OpenSSL ignores an unreadable file
        except OSError as error:
            found = "no certificate in it" if isinstance(error, ssl.SSLError) else error.strerror
            raise SpmError(
                f"SSL_CERT_FILE: expected a file of certificates, found {found}: {path}",
                "correct or unset SSL_CERT_FILE",
                USAGE,
            ) from None
    return context


def login(host: str) -> tuple[str, str] | None:
    """(user, password) for `host` from the file that NETRC names, else from ~/.netrc.

    Only an entry for this host counts: `default` would send a password to any host that packages.json names."""
    named = os.environ.get("NETRC", "")
    path = named or os.path.expanduser("~/.netrc")
    if not named and not os.access(path, os.R_OK):
        return None
    user, _, password = _netrc(path).get(host) or ("", "", "")
    return (user, password) if user or password else None


@functools.cache
def _netrc(path: str) -> dict:
    try:
        return netrc.netrc(path).hosts
    except OSError as error:
        raise SpmError(f"NETRC: {error.strerror}: {path}", "correct or unset NETRC", USAGE) from None
    except netrc.NetrcParseError as error:
        # The parser's own message may quote a password.
        raise SpmError(
            f"{path}: at or before line {error.lineno}: expected 'machine HOST login USER password PASSWORD', "
            "found something else (not shown)",
            "correct that line",
            USAGE,
        ) from None
    except UnicodeDecodeError:
        raise SpmError(f"{path}: expected text, found bytes that are none", "correct that file", USAGE) from None
