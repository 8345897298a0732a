"""A test with packages.json, lib, store and a server of its own."""

import contextlib
import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

from harness.spm import cli, progress
from harness.spm.settings import ROOT, native_platform
from harness.spm.store import trees
from harness.spm.transfer import download
from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import Server
from collections.abc import Callable
from typing import Any


def pin(data: bytes, path: str, **fields: list[str] | str) -> dict:
    """The artifact entry of packages.json for `data`."""
    return {"sources": ["main"], "path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), **fields}


def package(*artifacts: dict, name: str, groups: list[str] | tuple[str] = ("all",), **fields: list[str] | str) -> dict:
    return {
        "groups": list(groups),
        "platforms": [native_platform()],
        "lib": f"{name}-1",
        "license": "MIT",
        "artifacts": list(artifacts),
        **fields,
    }


class Result:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def objects(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


class World(unittest.TestCase):
    """A test with a folder of its own: packages.json, lib, store and a server."""

    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="spm-test-")
        self.addCleanup(trees.remove, self.folder)
        self.store, self.lib = f"{self.folder}/store", f"{self.folder}/lib"
        self.server = Server()
        self.addCleanup(self.server.close)
        self.sources = {"main": {"type": "http", "base": self.server.base}}
        self.packages: dict[str, dict[str, Any]] = {}
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

    def serve(self, name: str, data: bytes, **fields: list[str] | str) -> dict:
        """Puts an artifact on the server and returns its entry."""
        self.server.files[f"/{name}"] = data
        return pin(data, name, **fields)

    def add(self, name: str, *artifacts: dict, **fields: list[str] | str) -> None:
        self.packages[name] = package(*artifacts, name=name, **fields)

    def add_simple(self, name: str, text: str = "", **fields: list[str] | str) -> None:
        """A package of one .deb with one file usr/<name>."""
        self.add(
            name,
            self.serve(f"{name}.deb", deb(member(f"./usr/{name}", (text or name).encode())), strip="usr"),
            **fields,
        )

    def write(self) -> None:
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

    def start(self, *arguments: str, **options: Callable[..., Any] | dict[str, str]) -> subprocess.Popen:
        """Starts spm as a process of its own."""
        return subprocess.Popen(
            [sys.executable, f"{ROOT}/make.py", "spm", *self.arguments(*arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def wait_for_line(self, process: subprocess.Popen, pattern: str) -> None:
        """Reads what a process that `start` started says until a line matches: a slow one says how far it is before."""
        lines: list[str] = []
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
