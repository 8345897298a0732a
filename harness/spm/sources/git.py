"""A git repository: an artifact's path is a commit, and its bytes are a tar of the commit's files.

The tar is our own (pack.py): that of `git archive` changes with attributes of the repository and with versions
of git. Files are 644 or 755, links are kept, everything bears the time of the commit; submodules are refused.
`publish COMMIT NAME --to SOURCE` prints a commit's pin.

`base` is a file, https or ssh address, or a folder, relative to packages.json's folder. The repository's hooks and
configuration are ignored; the user's own configuration and credential helpers apply. git never asks on the terminal."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from harness.spm.errors import Cancelled
from harness.spm.settings import Settings, timeout_s
from harness.spm.sources import pack, Source, transport, Unavailable
from harness.spm.sources.pack import FILE, LINK, PackMember
from harness.spm.sources.transport import TransferError
from harness.spm.trees import temporary_folder

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch
_LINK, _EXECUTABLE, _SUBMODULE = "120000", "100755", "160000"
_CONFIGURATION = {
    "core.hooksPath": os.devnull,
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.lowSpeedLimit": "1000",  # bytes a second, over the time-out of all transfers
}
# Environment variables that would make git use another repository than the given one.
_REMOVED_VARIABLES = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"),
)
_SET_VARIABLES = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "file:http:https:ssh",
    "LC_ALL": "C",
}
_PASSES = re.compile(r"resolve host|timed out|Connection (refused|reset)|early EOF|hung up|(HTTP|error:) 5\d\d", re.I)
_USER = re.compile(r"(://)[^/\s@]*@")


def open_source(fields: dict, settings: Settings) -> GitSource:
    base = fields["base"]
    if "://" not in base:
        base = transport.file_address(os.path.normpath(os.path.join(os.path.dirname(settings.packages), base)))
    return GitSource(base, settings.offline)


class GitSource(Source):
    def __init__(self, repository: str, offline: bool) -> None:
        self._repository = repository
        self._silent = offline and not repository.startswith("file:")
        self._mutex = threading.Lock()
        self._children: set[subprocess.Popen] = set()
        self._cancelled = False

    def address(self, path: str) -> str:
        if not shutil.which("git"):
            raise Unavailable("expected git on this machine, found none", "install git, or name another source too")
        return f"{self._repository}@{path}"

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        commit = address.rpartition("@")[2]
        if not _COMMIT(commit):
            raise TransferError("expected a commit's 40 or 64 hexadecimal digits")
        if self._silent:
            raise TransferError(transport.OFFLINE, host=True)
        out = tempfile.TemporaryFile(prefix="spm-git-")
        try:
            with temporary_folder("spm-git-") as folder:
                self._fetch(folder, commit)
                with self._child(folder, "cat-file", "--batch", stdin=subprocess.PIPE) as objects:
                    time = _time(_Object(objects, commit, "commit"))
                    pack.write_tar(out, self._members(folder, commit, objects), time)
            length = out.tell()
            out.seek(offset)
        except BaseException:
            out.close()
            raise
        return transport.Body(out, out.read, length, "application/x-tar", offset)

    def cancel(self) -> None:
        with self._mutex:
            self._cancelled = True
            for child in self._children:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)

    def _fetch(self, folder: str, commit: str) -> None:
        """Makes a bare repository with the commit: only the commit if the server allows that, else everything."""
        kind = "sha256" if len(commit) == 64 else "sha1"
        self._git(folder, "init", "--quiet", "--bare", "--template=", f"--object-format={kind}", folder)
        fetch = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules")
        # A folder is passed as a path, not as an address.
        place = transport.file_path(self._repository) if self._repository.startswith("file:") else self._repository
        try:
            self._git(folder, *fetch, "--depth=1", "--", place, commit)
        except TransferError:
            self._git(folder, *fetch, "--", place, "+refs/*:refs/*")

    def _members(self, folder: str, commit: str, objects: subprocess.Popen) -> Iterator[PackMember]:
        listed = self._git(folder, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
        for line in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            facts, _, path = line.partition("\t")
            mode, _, name, size = facts.split()
            if mode == _SUBMODULE:
                raise TransferError(
                    f"expected files, found the submodule {path}", hint="pin the submodule's commit as its own artifact"
                )
            if mode == _LINK:
                with _Object(objects, name, "blob") as target:
                    yield pack.PackMember(path, LINK, target=target.read(int(size)).decode("utf-8", "surrogateescape"))
            else:
                stream = functools.partial(_Object, objects, name, "blob")
                yield pack.PackMember(path, FILE, mode == _EXECUTABLE, int(size), stream)

    def _git(self, folder: str, *arguments: str) -> bytes:
        """Runs git until it ends; returns its output."""
        with self._child(folder, *arguments) as child:
            out, words = child.communicate()
        if self._cancelled:
            raise Cancelled()
        if child.returncode:
            reason = _reason(words.decode(errors="replace"))
            raise TransferError(f"git {arguments[0]}: {reason}", passing=bool(_PASSES.search(reason)))
        return out

    @contextlib.contextmanager
    def _child(self, folder: str, *arguments: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[Any]]:
        """A running git that does not outlive the block. It has a session of its own: git cannot ask on the terminal, and
        its helpers end with it."""
        configuration = {**_CONFIGURATION, "http.lowSpeedTime": str(math.ceil(timeout_s()))}
        options = [word for name, value in configuration.items() for word in ("-c", f"{name}={value}")]
        environment = {name: value for name, value in os.environ.items() if name not in _REMOVED_VARIABLES}
        with self._mutex:
            if self._cancelled:
                raise Cancelled()
            child = subprocess.Popen(
                ["git", *options, f"--git-dir={folder}", *arguments],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**environment, **_SET_VARIABLES},
                start_new_session=True,
            )
            self._children.add(child)
        try:
            yield child
        finally:
            with self._mutex:
                self._children.remove(child)
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            for stream in (child.stdin, child.stdout, child.stderr):
                if stream:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()
            child.wait()


class _Object(contextlib.AbstractContextManager["_Object"]):
    """One object of the repository as a stream, from a running `cat-file --batch`; to be read to its end and closed."""

    def __init__(self, objects: subprocess.Popen, name: str, kind: str) -> None:
        try:
            stdin: Any = objects.stdin
            stdout: Any = objects.stdout
            stdin.write(f"{name}\n".encode())
            stdin.flush()
            header = stdout.readline().decode().split()
        except BrokenPipeError:
            header = []
        if header[1:2] != [kind]:
            found = header[1] if header[1:] else "missing"
            raise TransferError(f"expected a {kind} {name} in the repository, found it {found}", status=404)
        self._stream: Any = objects.stdout
        self._left = int(header[2])

    def read(self, most: int = -1) -> bytes:
        piece = self._stream.read(self._left if most < 0 else min(most, self._left))
        self._left -= len(piece)
        return piece

    def __exit__(self, *_: object) -> None:
        self._stream.read(self._left + 1)  # the line's end after it


def _time(commit: _Object) -> int:
    """The time of the commit in seconds since 1970."""
    with commit:
        head = commit.read().partition(b"\n\n")[0]
    found = re.search(rb"^committer .*> (-?\d+) [+-]\d+$", head, re.M)
    assert found
    return max(0, int(found.group(1)))


def _reason(words: str) -> str:
    """git's error message on one line, without the user of the address."""
    lines = [line for line in words.splitlines() if line and not line.startswith(("warning: ", "hint: ", "remote: "))]
    return _USER.sub(r"\1", lines[0].removeprefix("fatal: ").removeprefix("error: ")) if lines else "it printed no error"
