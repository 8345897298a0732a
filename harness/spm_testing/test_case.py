"""A test with packages.json, lib, store and a server of its own."""

import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

from harness.spm import cli, trees
from harness.spm.settings import ROOT, native_platform
from harness.spm.store import durable
from harness.spm.transfer import download, progress
from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S, with_signals_of_a_terminal
from harness.spm_testing.server import Server
from collections.abc import Iterable
from typing import Any

PYTHON = [sys.executable, "-S"]
"""For the many processes of spm, which uses the standard library alone: what a machine's site-packages load at every
start can take as long as the rest of a command."""


def pin(data: bytes, path: str, **fields: Any) -> dict:
    """The artifact entry of packages.json for `data`."""
    return {"sources": ["main"], "path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), **fields}


def package(*artifacts: dict, name: str, groups: Iterable[str] = ("all",), **fields: Any) -> dict:
    return {
        "groups": list(groups),
        "platforms": [native_platform()],
        "lib": f"{name}-1",
        "license": "MIT",
        "artifacts": list(artifacts),
        **fields,
    }


class CommandResult:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def objects(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


class SpmTestCase(unittest.TestCase):
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
        with_signals_of_a_terminal(self)

    def serve(self, name: str, data: bytes, **fields: Any) -> dict:
        """Puts an artifact on the server and returns its entry."""
        self.server.files[f"/{name}"] = data
        return pin(data, name, **fields)

    def add(self, name: str, *artifacts: dict, **fields: Any) -> None:
        self.packages[name] = package(*artifacts, name=name, **fields)

    def add_simple(self, name: str, text: str = "", **fields: Any) -> None:
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

    def spm(self, *arguments: str, write: bool = True) -> CommandResult:
        """Runs spm in this process, with short pauses between tries and without progress lines and the one on a disk that
        flushes for long, which would depend on how busy the machine is."""
        if write:
            self.write()
        out, err = io.StringIO(), io.StringIO()
        timeout = mock.patch.dict(os.environ, {"SPM_TIMEOUT": os.environ.get("SPM_TIMEOUT", str(PATIENCE_S))})
        pauses = mock.patch.object(download, "FIRST_PAUSE", download.FIRST_PAUSE / PATIENCE_S)
        silent = mock.patch.object(progress, "_LINE_S", PATIENCE_S)
        steady = mock.patch.object(durable, "PATIENCE_S", PATIENCE_S)
        # A socket that an earlier test left to the garbage collector would warn in this command's output.
        quiet = warnings.catch_warnings()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), timeout, pauses, silent, steady, quiet:
            warnings.simplefilter("ignore", ResourceWarning)
            status = cli.main(self.arguments(*arguments))
        return CommandResult(status, self.anonymous(out.getvalue()), self.anonymous(err.getvalue()))

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen:
        """Starts spm as a process of its own."""
        return subprocess.Popen(
            [*PYTHON, f"{ROOT}/make.py", "spm", *self.arguments(*arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def wait_for_line(self, process: subprocess.Popen, pattern: str) -> None:
        """Reads the standard error of a process that `start` started until a line matches."""
        lines: list[str] = []
        assert process.stderr
        while not lines or not re.search(pattern, lines[-1]):
            lines.append(process.stderr.readline())
            self.assertTrue(lines[-1], f"expected a line that matches {pattern}, found {lines}")

    def anonymous(self, text: str) -> str:
        """The text without what differs between runs: the folder and the server's port."""
        return text.replace(self.folder, "FOLDER").replace(self.server.base, "SERVER")

    def in_lib(self) -> list[str]:
        """The links of the lib folder."""
        return sorted(name for name in os.listdir(self.lib) if not name.startswith("."))

    def read(self, path: str) -> str:
        with open(f"{self.lib}/{path}") as file:
            return file.read()

    def left_in_store(self) -> list[str]:
        """What an install should not leave."""
        parts = [part for part in ("unpacking", "archives") if os.path.isdir(f"{self.store}/{part}")]
        return sorted(f"{part}/{name}" for part in parts for name in os.listdir(f"{self.store}/{part}"))
