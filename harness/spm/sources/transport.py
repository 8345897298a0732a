"""Reads bytes from an http, https or file address. Distinguishes temporary from permanent errors."""

from __future__ import annotations

import base64
import contextlib
import email.message
import email.utils
import errno
import functools
import http.client
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, BinaryIO
from urllib.parse import quote, unquote_to_bytes, urlsplit

from harness.spm import formatting
from harness.spm.atomic import atomic_file
from harness.spm.errors import SpmError, USAGE
from harness.spm.settings import timeout_s
from harness.spm.sources import access, connection
from harness.spm.sources.socks import SocksError

_SAFE = "/~+:@!$&'()*,;="
# Headers that may follow a redirect to another host; any other may be a credential.
_OPEN_HEADERS = ("user-agent", "accept-encoding", "range", "if-range")
BINARY = "application/octet-stream"
_PIECE = 1 << 20
_MOST_ANSWER = 1 << 14
_MOST_REASON = 100
_SLOWEST_BYTES_S = 1000  # during one time-out; a slower transfer is ended
_NUMBER = "[0-9]{1,18}"  # of bytes, in a header
_HEADERS = {"User-Agent": "laboratory-spm/1", "Accept-Encoding": "identity"}
_CREDENTIAL = re.compile(r"[ -~]*").fullmatch
# Statuses that concern the user or the state of the server, so a request without a range would get them, too.
_NOT_OF_THE_RANGE = (202, 401, 407, 408, 425, 429, 502, 503, 504)
# Types of a login or proxy page in place of an artifact.
PAGE_KINDS = ("text/html", "application/xhtml+xml")
A_PAGE = "received an HTML page instead (a login or proxy page?)"
# Texts of HTTP errors; any other status keeps the server's own text.
_STATUSES = {
    304: "not modified, to a request without a condition",
    403: "not allowed",
    404: "not there",
    407: "the proxy asks for a user and password",
    410: "no longer there",
    416: "there is no such range",
    429: "too many requests",
}
_PROXY_HINT = "set HTTP_PROXY and HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT"
OFFLINE = "not asked: spm is offline"
LONGEST_WAIT_S = 60  # for a server that requests a wait


class TransferError(Exception):
    """`reason` and `hint` are for the user. `passing`: temporary, a retry may succeed. `host`: the whole host does not
    answer. `status`: the HTTP status (404 for a missing file), else 0. `wait_s`: the wait that the server requests.
    `answer`: the beginning of the server's error text."""

    def __init__(
        self,
        reason: str,
        passing: bool = False,
        host: bool = False,
        hint: str = "",
        status: int = 0,
        wait_s: float = 0,
        answer: bytes = b"",
    ) -> None:
        super().__init__(reason)
        self.reason, self.passing, self.host, self.hint = reason, passing, host, hint
        self.status, self.wait_s, self.answer = status, wait_s, answer

    @property
    def may_concern_range(self) -> bool:
        """Whether a request for the whole file may succeed where this one for a part of it failed."""
        return self.status not in (0, *_NOT_OF_THE_RANGE)


class Body:
    """An open transfer.

    `offset` is where in the artifact it begins: as requested, or 0 if the server sends the whole file anyway. `length` is
    the size of the whole artifact in bytes, None if unknown; `kind` is its content type. A later request for the rest
    sends `validator`, so that it gets the rest of the same file or the whole. `deadline` is the request's, for the first
    bytes; each further read has the same time."""

    def __init__(
        self,
        stream: Any,
        read: Callable[[int], bytes],
        length: int | None,
        kind: str = "",
        offset: int = 0,
        validator: str = "",
        deadline: connection.Deadline | None = None,
    ) -> None:
        self._stream, self._read, self._deadline = stream, read, deadline
        self.length, self.kind, self.offset, self.validator = length, kind, offset, validator
        self._done = 0
        self._pace: _Pace | None = None

    def read(self, most: int) -> bytes:
        """Up to `most` bytes that have arrived; none at the end. Raises TransferError, also if the transfer is slow."""
        if self._pace is None:
            self._pace = _Pace()
        elif self._deadline:
            self._deadline.renew()
        self._pace.check(self._done)
        try:
            piece = self._read(most)
        except (OSError, http.client.HTTPException) as error:
            raise failure(error) from None
        self._done += len(piece)
        return piece

    def close(self) -> None:
        self._stream.close()


class _Pace:
    """Checks that a transfer is fast enough: a server that sends a byte now and then would hold it for ever."""

    def __init__(self) -> None:
        self._timeout_s, self._since, self._seen = timeout_s(), time.monotonic(), 0

    def check(self, done: int) -> None:
        """Raises TransferError if too few of the `done` bytes are recent."""
        elapsed = time.monotonic() - self._since
        if elapsed > self._timeout_s:
            if done - self._seen < _SLOWEST_BYTES_S * elapsed:
                raise TransferError(f"only {done - self._seen:,} bytes in {elapsed:.0f} s", passing=True)
            self._since, self._seen = time.monotonic(), done


def base_address(text: str, variable: str) -> str:
    """Converts a base address or folder from an environment variable to an address."""
    if "://" not in text and not text.startswith("file:"):
        if not os.path.isdir(text):
            raise no_place(variable, text)
        return file_address(os.path.abspath(text))
    if not formatting.is_address(text):
        what = f"{variable}: expected a folder or an address with a host, found '{shown(text)}'"
        raise SpmError(what, f"correct {variable}", USAGE)
    return text


def no_place(variable: str, text: str) -> SpmError:
    """The error for a variable that names neither an address nor an existing folder."""
    return SpmError(
        f"{variable}: expected an address or an existing folder, found '{shown(text)}'", f"correct {variable}", USAGE
    )


def join(base: str, path: str) -> str:
    """`path` below `base`, escaped for an address."""
    return base.rstrip("/") + "/" + quote(path, safe=_SAFE)


def file_address(path: str) -> str:
    return "file://" + quote(os.fsencode(path), safe="/~+")


def file_path(address: str) -> str:
    return os.fsdecode(unquote_to_bytes(urlsplit(address).path))


def place(address: str) -> str:
    """The part of an address that a whole source shares: scheme and host."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def shown(address: str) -> str:
    """An address without its possibly secret parts."""
    try:
        parts = urlsplit(address)
    except ValueError:  # an invalid address may still hold a password
        return address.rpartition("@")[2].partition("?")[0]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def open_address(
    address: str, offline: bool, offset: int = 0, validator: str = "", headers: dict[str, str] | None = None
) -> Body:
    """The bytes at `address` from `offset` on. `headers` may hold credentials: they are sent to that host only."""
    if urlsplit(address).scheme == "file":
        return _open_file(file_path(address), offset)
    _check(address, offline)
    return _open_http(address, offset, validator, headers or {})


def _check(address: str, offline: bool) -> None:
    scheme = urlsplit(address).scheme
    if scheme not in ("http", "https"):
        raise TransferError(f"expected an http, https or file address, found '{scheme}:'", host=True)
    if offline:
        raise TransferError(OFFLINE, host=True)


def _open_file(path: str, offset: int) -> Body:
    try:
        stream = open(path, "rb", buffering=0)
        stream.seek(offset)
    except FileNotFoundError:
        raise TransferError("no such file", status=404) from None
    except OSError as error:
        raise TransferError(error.strerror or str(error)) from None
    return Body(stream, stream.read, os.fstat(stream.fileno()).st_size, offset=offset)


def put_file(
    address: str,
    path: str,
    offline: bool,
    headers: dict[str, str] | None = None,
    advanced: Callable[..., Any] | None = None,
) -> None:
    """Uploads the file at `path`: by HTTP PUT, or into a folder under its final name once it is whole.

    `headers` as for open_address; `advanced` is called with the number of sent bytes, and may raise."""
    with open(path, "rb") as file:
        size, data = os.fstat(file.fileno()).st_size, _Counted(file, advanced or (lambda done: None))
        if urlsplit(address).scheme == "file":
            _copy(data, file_path(address))
            return
        _check(address, offline)
        fields = {"Content-Length": str(size), "Content-Type": BINARY, **(headers or {})}
        _ask(_request(address, fields, data, "PUT"), connection.Deadline(timeout_s())).close()


class _Counted:
    """A file that reports its read position and checks the speed of reading."""

    def __init__(self, file: BinaryIO, advanced: Callable[..., Any]) -> None:
        self._file, self._advanced = file, advanced
        self._pace: _Pace | None = None

    def read(self, most: int) -> bytes:
        self._pace = self._pace or _Pace()
        self._pace.check(self._file.tell())
        self._advanced(self._file.tell())
        return self._file.read(most)


def _copy(data: _Counted, target: str) -> None:
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with atomic_file(target) as name, open(name, "wb") as file:
            while piece := data.read(_PIECE):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())  # else a power cut could leave an empty file under the final name
    except OSError as error:
        raise TransferError(f"{error.strerror or error} ({target})") from None


def _open_http(address: str, offset: int, validator: str, headers: dict) -> Body:
    ranged = {"Range": f"bytes={offset}-"} if offset else {}
    if offset and validator:
        ranged["If-Range"] = validator
    deadline = connection.Deadline(timeout_s())
    response = _ask(_request(address, {**ranged, **headers}), deadline)
    begins, length = 0, response.headers.get("Content-Length", "")
    if response.status == 202:
        response.close()
        wait_s = _retry_after(response.headers.get("Retry-After", ""), time.time())
        raise TransferError("the server is still preparing it (HTTP 202)", passing=True, status=202, wait_s=wait_s)
    if response.status == 206:
        begins, length = _content_range(response.headers.get("Content-Range", ""))
        if begins not in (0, offset):
            reason = f"asked for the bytes from {offset:,} on, got them from {begins:,} on"
            raise TransferError(reason, status=response.status)
    # read1, not read: the speed check must see every small piece.
    return Body(
        response,
        response.read1,
        int(length) if re.fullmatch(_NUMBER, length) else None,
        response.headers.get_content_type(),
        begins,
        _validator(response.headers),
        deadline,
    )


def _content_range(text: str) -> tuple[int, str]:
    """(first byte, length of the whole) of a partial answer."""
    match = re.fullmatch(rf"bytes ({_NUMBER})-{_NUMBER}/({_NUMBER}|\*)", text.strip())
    if not match:
        raise TransferError(f"expected the range of a partial answer, found '{text[:60]}'", status=206)
    return int(match.group(1)), match.group(2)


def _validator(headers: email.message.Message) -> str:
    """The validator for If-Range: a strong entity tag, else Last-Modified."""
    tag = headers.get("ETag", "")
    return tag if tag.startswith('"') else headers.get("Last-Modified", "")


def _request(address: str, headers: dict, data: Any = None, method: str = "GET") -> urllib.request.Request:
    """A request with netrc's user and password for the host, unless `headers` have an Authorization."""
    if "@" in urlsplit(address).netloc:
        raise TransferError(
            "expected an address without a user and password in it",
            hint="write them into ~/.netrc: machine HOST login USER password PASSWORD",
        )
    request = urllib.request.Request(address, data, {**_HEADERS, **headers}, method=method)
    login = None if request.has_header("Authorization") else access.login(urlsplit(address).hostname or "")
    if login:
        request.add_header("Authorization", "Basic " + base64.b64encode(":".join(login).encode()).decode())
    # http.client would refuse it too, but its error shows the secret.
    if not all(_CREDENTIAL(value) for name, value in request.header_items() if name.lower() not in _OPEN_HEADERS):
        raise TransferError(
            "expected a token or key of printable ASCII, found other characters in it (not shown)",
            hint="set it again: a line end may have been copied with it",
        )
    return request


def _ask(request: urllib.request.Request, deadline: Any) -> Any:
    """The response's headers after all redirects; raises TransferError, also if the Deadline passes."""
    host = request.host
    socks = _socks(request)
    try:
        return _opener().open(request, timeout=deadline)
    except urllib.error.HTTPError as error:
        raise _refusal(error, request) from None
    except (ValueError, http.client.InvalidURL):
        raise TransferError("expected a usable address, found none here or in a redirect") from None
    except (OSError, http.client.HTTPException) as error:
        # With an HTTP proxy, urllib replaces the request's host by the proxy's.
        proxy = f"{socks.host}:{socks.port}" if socks else request.host if request.host != host else ""
        raise failure(error, proxy) from None


def _refusal(error: urllib.error.HTTPError, request: urllib.request.Request) -> TransferError:
    code, hint, answer = error.code, "", _answer(error)
    signed = request.has_header("Authorization") and place(error.url) == place(request.full_url)
    if code == 401:
        reason = f"the server {'refuses our' if signed else 'asks for'} credentials (HTTP 401)"
    elif str(error.reason).startswith(_Redirects.inf_msg):
        reason = f"redirected in circles (HTTP {code})"
    elif 300 <= code < 400 and code not in _STATUSES:
        reason = f"redirected to an address that spm does not follow (HTTP {code})"
    elif code in _STATUSES:
        reason = f"{_STATUSES[code]} (HTTP {code})"
    else:
        reason = f"HTTP {code} {error.reason[:_MOST_REASON]}"
    if code in (401, 403) and (not signed or access.login(urlsplit(error.url).hostname or "")):
        doing = "correct the line of" if signed else "write a line into"
        hint = f"{doing} ~/.netrc: machine {urlsplit(error.url).hostname} login USER password PASSWORD"
    elif code == 407:
        hint = _PROXY_HINT
    wait_s = _retry_after(error.headers.get("Retry-After", ""), time.time())
    return TransferError(reason, _passes(code), hint=hint, status=code, wait_s=wait_s, answer=answer)


def _passes(status: int) -> bool:
    return status in (408, 425, 429) or status >= 500


def _retry_after(text: str, now: float) -> float:
    """Seconds from a Retry-After header, which is a number of them or a date; 0 for none."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        parsed = email.utils.parsedate_tz(text)
        return max(0.0, email.utils.mktime_tz(parsed) - now) if parsed else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _answer(error: urllib.error.HTTPError) -> bytes:
    answer = b""
    # Errors are ignored: the status is enough. read1, because read trusts a chunk's length, however large.
    with contextlib.closing(error), contextlib.suppress(OSError, http.client.HTTPException):
        while len(answer) < _MOST_ANSWER and (piece := error.read1(_MOST_ANSWER - len(answer))):
            answer += piece
    return answer


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect, without credentials where it leads to another host."""

    def redirect_request(self, request: Any, file: Any, code: int, message: str, headers: Any, address: str) -> Any:
        target = urlsplit(address)
        if "@" in target.netloc:
            raise TransferError(f"redirected to an address with a user and password in it (HTTP {code})", status=code)
        if target.scheme not in ("http", "https"):
            raise TransferError(f"redirected to an address that spm does not follow (HTTP {code})", status=code)
        if target.scheme != "https" and urlsplit(request.full_url).scheme == "https":
            raise TransferError(f"redirected from https to {target.scheme} (HTTP {code})", status=code)
        follow: Any = super().redirect_request(request, file, code, message, headers, address)
        file.close()  # else its whole body would be read
        request.timeout.left_s()
        if place(follow.full_url) != place(request.full_url):
            for name in [each for each in follow.headers if each.lower() not in _OPEN_HEADERS]:
                follow.remove_header(name)
        return follow


class _Proxies(urllib.request.ProxyHandler):
    """Passes each request to the HTTP proxy of its host, if there is one."""

    def __init__(self) -> None:
        super().__init__({"http": "", "https": ""})  # the kinds of requests for which proxy_open is called

    def proxy_open(self, request: urllib.request.Request, proxy: str, kind: str) -> Any:
        proxy = access.proxy_for(request.host, request.type)
        return super().proxy_open(request, proxy, kind) if proxy and not access.socks(proxy) else None


class _Http(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(connection.HttpConnection, request, socks=_socks(request))


class _Https(urllib.request.HTTPSHandler):
    """https; the certificates are loaded at the first https request."""

    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(connection.HttpsConnection, request, context=access.tls(), socks=_socks(request))


def _socks(request: urllib.request.Request) -> Any:
    """The SOCKS proxy of the request's host; None for another proxy or none."""
    return access.socks(access.proxy_for(request.host, request.type))


@functools.cache  # building one takes as long as a small request to a near host
def _opener() -> urllib.request.OpenerDirector:
    # No handlers for file, ftp and data: a redirect must not lead there.
    opener = urllib.request.OpenerDirector()
    for handler in (
        _Proxies(),
        _Http(),
        _Https(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def failure(error: Exception, proxy: str = "") -> TransferError:
    """Converts an exception of a transfer to a TransferError; `proxy` is the proxy's host, if one was used."""
    connecting = isinstance(error, urllib.error.URLError)
    reason = getattr(error, "reason", None) if connecting else None
    if isinstance(reason, Exception):
        error = reason
    tunnel = re.match(r"Tunnel connection failed: (\d{3}) ?(.*)", str(error))
    if tunnel:
        code = int(tunnel.group(1))
        reason = _STATUSES[407] if code == 407 else f"the proxy {proxy} does not forward the request: {tunnel.group(2)}"
        hint = _PROXY_HINT if code == 407 else ""
        return TransferError(f"{reason} (HTTP {code})", _passes(code), hint=hint, status=code)
    if isinstance(error, ssl.SSLCertVerificationError):
        return TransferError(
            f"the certificate is not trusted on this machine ({error.verify_message})",
            host=True,
            hint="name the file with your organisation's certificates in SSL_CERT_FILE",
        )
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
        return TransferError(f"no TLS with this host ({error.reason or 'no reason given'})", host=connecting)
    found = _connection_failure(error, connecting)
    if isinstance(error, SocksError):
        found.host, found.passing = not error.passing, error.passing
    if connecting and proxy:
        found.reason = f"the proxy {proxy}: {found.reason}"
    return found


def _connection_failure(error: Exception, connecting: bool) -> TransferError:
    if isinstance(error, socket.gaierror):
        return TransferError("the host's name cannot be resolved", passing=error.errno == socket.EAI_AGAIN, host=True)
    if isinstance(error, (TimeoutError, socket.timeout)):  # two errors until Python 3.10
        # The kernel has already retried a connection that timed out.
        return TransferError(f"no answer within {timeout_s():g} s", passing=not connecting, host=connecting)
    if isinstance(error, ConnectionRefusedError):
        return TransferError("the connection was refused", passing=True, host=True)
    if isinstance(error, OSError) and error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN):
        return TransferError("the network cannot be reached", host=True)
    if isinstance(error, (ConnectionError, ssl.SSLEOFError, http.client.HTTPException)):
        return TransferError(f"the connection broke ({type(error).__name__})", passing=True)
    return TransferError(str(error) or type(error).__name__)
