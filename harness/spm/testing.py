"""What spm's tests share: archives made to order, a web server that misbehaves when told to, a world to install in."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import json
import lzma
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import warnings
import zipfile
import zlib
from unittest import mock

from harness.spm import cli, progress
from harness.spm.settings import ROOT, native_platform
from harness.spm.store import trees
from harness.spm.transfer import download


def member(
    name: str,
    data: bytes = b"",
    kind: bytes = tarfile.REGTYPE,
    target: str = "",
    mode: int = 0o644,
    time: int = 1_600_000_000,
):
    """(TarInfo, data) of one member."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.mtime, info.size = kind, target, mode, time, len(data)
    return info, data


def folder(name: str):
    return member(name, kind=tarfile.DIRTYPE, mode=0o755)


def link(name: str, target: str):
    return member(name, kind=tarfile.SYMTYPE, target=target, mode=0o777)


def hard_link(name: str, target: str):
    return member(name, kind=tarfile.LNKTYPE, target=target)


def tar(*members, format: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


_ZIP_KINDS = {
    tarfile.DIRTYPE: stat.S_IFDIR,
    tarfile.SYMTYPE: stat.S_IFLNK,
    tarfile.CHRTYPE: stat.S_IFCHR,
    tarfile.FIFOTYPE: stat.S_IFIFO,
}


def zipped(*members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of what `tar` takes, hard links aside."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names twice: that is what they are tried for
        for info, data in members:
            entry = zipfile.ZipInfo(info.name + "/" * info.isdir(), time.gmtime(info.mtime)[:6])
            entry.create_system, entry.compress_type = 3, method
            entry.external_attr = (_ZIP_KINDS.get(info.type, stat.S_IFREG) | info.mode) << 16
            archive.writestr(entry, info.linkname or data)
    return out.getvalue()


def zip_followed(behind: bytes, data: bytes, local_sizes: bytes = bytes(12)) -> bytes:
    """A zip archive of one member `a`, whose checksum and sizes are to stand `behind` its contents."""
    plain = bytearray(zipped(member("a", data), method=zipfile.ZIP_STORED))
    directory = plain.index(b"PK\x01\x02")
    plain[6] = plain[directory + 8] = 8  # the flag for it
    plain[14:26] = local_sizes
    plain[-6:-2] = struct.pack("<L", directory + len(behind))
    return bytes(plain[:directory] + behind + plain[directory:])


def ar(*members: tuple[str, bytes]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, data in members:
        parts.append(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode())
        parts.append(data + b"\n" * (len(data) % 2))
    return b"".join(parts)


def deb(*members, compress=lzma.compress, ending: str = "xz") -> bytes:
    return ar(
        ("debian-binary", b"2.0\n"),
        ("control.tar.xz", lzma.compress(tar())),
        (f"data.tar.{ending}", compress(tar(*members))),
    )


class Rules:
    """The unpacking half of an artifact."""

    def __init__(self, strip: str = "", keep=()):
        self.strip, self.keep = strip, list(keep)


def pin(data: bytes, path: str, **fields) -> dict:
    """The artifact entry of packages.json for `data`."""
    return {"sources": ["main"], "path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), **fields}


def package(*artifacts: dict, name: str, groups=("all",), **fields) -> dict:
    return {
        "groups": list(groups),
        "platforms": [native_platform()],
        "lib": f"{name}-1",
        "license": "MIT",
        "artifacts": list(artifacts),
        **fields,
    }


PATIENCE_S = 300.0
"""How long a test waits for what must come. It only tells a hang from a busy machine."""


# The server's host by another name, which needs no resolver and no /etc/hosts: a new machine may have neither.
SAME_HOST = "127.1"


class Server:
    """A web server on loopback. `files` maps a path to its bytes, or to a function that answers for itself.

    `asked` lists the paths of all requests, `headers` what came with each; `tls` is an SSLContext for https."""

    def __init__(self, tls=None):
        self.files, self.asked, self.headers = {}, [], []
        self.on_put = lambda headers: None  # sees each upload's headers
        self.refuse_put: dict[str, int] = {}  # paths that take no upload, and the status that says so
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                outer.headers.append(self.headers)
                answer = outer.files.get(self.path)
                if callable(answer):
                    answer(self)
                elif answer is None:
                    self.send_error(404)
                else:
                    send_file(self, answer)

            def do_PUT(self):
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

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            request_queue_size = 64  # of callers at once; with the usual 5 the kernel lets a sixth wait for a second

        self._server = Listener(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        # A client that goes away is what many tests are about.
        self._server.handle_error = lambda *_: None
        if tls:  # the handshake is the handling thread's work
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.base = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def etag(data: bytes) -> str:
    return f'"{zlib.crc32(data):08x}"'


def send_file(handler, data: bytes):
    """As a good server does: with an entity tag, and of the same file only the rest where that is asked for."""
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


def send(handler, data: bytes, length: int | None = None, kind: str = "application/octet-stream"):
    """A plain answer that may lie about its length."""
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(data) if length is None else length))
    handler.end_headers()
    handler.wfile.write(data)


def reset(handler):
    """Breaks the connection off hard."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def refuse(status: int, text: str, *headers: tuple[str, str]):
    """An answer that is an error."""

    def answer(handler):
        handler.send_response(status, text)
        for header in headers:
            handler.send_header(*header)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def redirect(target: str):
    return refuse(302, "Found", ("Location", target))


class Result:
    def __init__(self, status: int, out: str, err: str):
        self.status, self.out, self.err = status, out, err

    def objects(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


class UnnoticedInterrupt:
    """An interrupt that nobody wakes the main thread for: as when it comes just before that begins to wait.

    `late` says that the main thread had not seen it when all patience was gone."""

    def __init__(self, test: unittest.TestCase):
        test.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        self.late = False
        self._seen = threading.Event()
        test.addCleanup(self._seen.set)

    def send(self, seen=None):
        """Sends it once the main thread sleeps, then waits until that has seen it: `seen()`, or the test's end.

        Called by any other thread."""
        asleep = 0
        while asleep < 3:  # it is ready to run, or runs, until it waits for more than us
            time.sleep(0.01)
            with open(f"/proc/self/task/{threading.main_thread().native_id}/stat", encoding="ascii") as file:
                asleep = asleep + 1 if ") S " in file.read() else 0
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        until = time.monotonic() + PATIENCE_S
        while not (seen or self._seen.is_set)():
            if time.monotonic() > until:
                self.late = True
                break
            time.sleep(0.01)


class World(unittest.TestCase):
    """A test with a folder of its own: packages.json, lib, store and a server."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="spm-test-")
        self.addCleanup(trees.remove, self.folder)
        self.store, self.lib = f"{self.folder}/store", f"{self.folder}/lib"
        self.server = Server()
        self.addCleanup(self.server.close)
        self.sources = {"main": {"type": "http", "base": self.server.base}}
        self.packages = {}
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SPM_", "SSL_CERT_")) and not name.lower().endswith("_proxy")
        }
        patch = mock.patch.dict(os.environ, {**clean, "NETRC": os.devnull}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        # nohup and a shell's background jobs ignore these; what a test starts must not inherit that.
        for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
            self.addCleanup(signal.signal, number, signal.signal(number, handler))

    def serve(self, name: str, data: bytes, **fields) -> dict:
        """Puts an artifact on the server and returns its entry."""
        self.server.files[f"/{name}"] = data
        return pin(data, name, **fields)

    def add(self, name: str, *artifacts: dict, **fields):
        self.packages[name] = package(*artifacts, name=name, **fields)

    def add_simple(self, name: str, text: str = "", **fields):
        """A package of one .deb with one file usr/<name>."""
        self.add(
            name,
            self.serve(f"{name}.deb", deb(member(f"./usr/{name}", (text or name).encode())), strip="usr"),
            **fields,
        )

    def write(self):
        with open(f"{self.folder}/packages.json", "w") as file:
            json.dump({"schema": 1, "sources": self.sources, "packages": self.packages}, file)

    def arguments(self, *arguments: str) -> list[str]:
        return [*arguments, "--packages", f"{self.folder}/packages.json", "--store", self.store, "--lib", self.lib]

    def spm(self, *arguments: str, write: bool = True) -> Result:
        """Runs spm in this process, with short pauses between tries, and no word on how far it is: how much it says must
        not depend on how busy the machine is. SPM_TIMEOUT, where a test sets it, is how long a server may take."""
        if write:
            self.write()
        out, err = io.StringIO(), io.StringIO()
        timeout = mock.patch.dict(os.environ, {"SPM_TIMEOUT": os.environ.get("SPM_TIMEOUT", str(PATIENCE_S))})
        pauses = mock.patch.object(download, "FIRST_PAUSE", download.FIRST_PAUSE / PATIENCE_S)
        silent = mock.patch.object(progress, "_LINE_S", PATIENCE_S)
        # A socket that an earlier test's server left to the collector is none of this command's words.
        quiet = warnings.catch_warnings(action="ignore", category=ResourceWarning)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), timeout, pauses, silent, quiet:
            status = cli.main(self.arguments(*arguments))
        return Result(status, self.anonymous(out.getvalue()), self.anonymous(err.getvalue()))

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        """Starts spm as a process of its own."""
        return subprocess.Popen(
            [sys.executable, f"{ROOT}/make.py", "spm", *self.arguments(*arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def wait_for_line(self, process: subprocess.Popen, pattern: str):
        """Reads what a process that `start` started says until a line matches: a slow one says how far it is before."""
        lines = []
        while not lines or not re.search(pattern, lines[-1]):
            lines.append(process.stderr.readline())
            self.assertTrue(lines[-1], f"expected a line that matches {pattern}, found {lines}")

    def anonymous(self, text: str) -> str:
        """Text without what differs from run to run: the folder and the server's port."""
        return text.replace(self.folder, "FOLDER").replace(self.server.base, "SERVER")

    def read(self, path: str) -> str:
        with open(f"{self.lib}/{path}") as file:
            return file.read()

    def left_in_store(self) -> list[str]:
        """What an install should not leave."""
        parts = [part for part in ("unpacking", "archives") if os.path.isdir(f"{self.store}/{part}")]
        return sorted(f"{part}/{name}" for part in parts for name in os.listdir(f"{self.store}/{part}"))
