"""Proxies, certificates and netrc passwords, from the environment and the usual files.

A mistake in one of them ends the run with an SpmError for the user to correct. It never repeats what may be secret."""

import functools
import os
import ssl
import urllib.request
from urllib.parse import urlsplit

from harness.spm.errors import SpmError, USAGE


def proxies() -> dict[str, str]:
    """{"http": address, "https": address} from HTTP_PROXY and HTTPS_PROXY; urllib itself handles NO_PROXY."""
    found = urllib.request.getproxies_environment()
    return {scheme: _proxy(scheme, found[scheme]) for scheme in ("http", "https") if scheme in found}


def _proxy(scheme: str, value: str) -> str:
    address = urlsplit(value if "://" in value else f"http://{value}")
    try:
        good = address.scheme == "http" and address.hostname and address.port != 0
    except ValueError:
        good = False
    if not good:
        name = f"{scheme.upper()}_PROXY"
        raise SpmError(
            f"{name}: expected http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, found another form (not shown)",
            f"correct or unset {name} and {name.lower()}",
            USAGE,
        )
    return address.geturl()


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
    import netrc

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
