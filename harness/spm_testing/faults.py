"""What tests of kills and bad disks share: the real command, with a fault at a chosen step on the disk.

A step is a call that changes something on disk: creating a file, writing to it, mkdir, rename, unlink, link, utime and
their like. The command runs in a fork of a warm Python that has no threads, since starting one takes as long as a
hundred steps. Run as a program, this is that Python: a request a line on standard input, an outcome a line on
standard output."""

from __future__ import annotations

import builtins
import errno
import fcntl
import gc
import importlib
import io
import json
import mmap
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from harness.spm import cli
from harness.spm.settings import ROOT
from harness.spm.store import fill
from harness.spm.transfer import progress

GROWING = ("open", "write", "pwrite", "ftruncate", "mkdir", "symlink", "link", "rename", "chmod", "fchmod", "utime")
SHRINKING = ("unlink", "rmdir")
HUNG_S = 600.0  # duration of a step that hangs
_STATE = struct.Struct("<I20p")  # number of steps so far, name of the latest
_HUNG = _STATE.size  # then: whether a step hangs


class Outcome:
    """`status` is negative for a signal; `steps` is the number of steps, `last` the name of the latest."""

    def __init__(self, status: int, steps: int, last: str, out: str, err: str) -> None:
        self.status, self.steps, self.last, self.out, self.err = status, steps, last, out, err


class Runner:
    """Runs commands, one after another. Close it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "harness.spm_testing.faults"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin and self._process.stdout
        self._requests, self._outcomes = self._process.stdin, self._process.stdout

    def run(self, *commands: list[str], **fault: Any) -> Outcome:
        """Runs commands of spm in one process until one fails. A fault has
        kind: "kill", "hang", or an error's name such as "ENOSPC";
        step: the number of the step that it befalls, from 1; without it, all of them;
        lasting: whether it befalls all later ones too;
        calls: the calls that count as steps (default: all);
        after: whether it comes after the step rather than instead of it;
        signal: what is sent, delay seconds after the start; or, where the command hangs, when its standard error matches
        `until`."""
        self._requests.write(json.dumps({"commands": commands, **fault}).encode() + b"\n")
        self._requests.flush()
        return Outcome(**json.loads(self._outcomes.readline()))

    def close(self) -> None:
        self._requests.close()
        self._outcomes.close()
        self._process.wait()


class _Steps:
    """Counts the steps of a command and its workers, in memory that outlives them, and injects the fault."""

    def __init__(
        self,
        memory: mmap.mmap,
        kind: str = "",
        step: int = 0,
        calls: Iterable[str] = GROWING + SHRINKING,
        after: bool = False,
        lasting: bool = False,
    ) -> None:
        self._memory, self._kind, self._calls, self._after = memory, kind, calls, after
        self._first, self._last = step, sys.maxsize if lasting or not step else step
        self._main = os.getpid()
        self._mutex = threading.Lock()  # for threads; the lock on the file is for processes
        self._file = os.memfd_create("steps")

    def take(self, name: str, act: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if name not in self._calls:
            return act(*arguments, **options)
        with self._mutex:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            number = _STATE.unpack(self._memory[: _STATE.size])[0] + 1
            self._memory[: _STATE.size] = _STATE.pack(number, name.encode())
            fcntl.lockf(self._file, fcntl.LOCK_UN)
        due = self._kind and self._first <= number <= self._last
        if due and not self._after:
            self._befall()
        try:
            return act(*arguments, **options)
        finally:
            if due and self._after:
                self._befall()

    def _befall(self) -> None:
        if self._kind == "kill":
            os.kill(self._main, signal.SIGKILL)
            time.sleep(HUNG_S)  # a worker ends with the command
        elif self._kind == "hang":
            self._memory[_HUNG] = 1
            time.sleep(HUNG_S)
        else:
            code = getattr(errno, self._kind)
            raise OSError(code, os.strerror(code))

    def install(self) -> None:
        """Replaces every call that changes the disk."""
        for name in (*GROWING[1:], *SHRINKING):
            setattr(os, name, self._counting(name, getattr(os, name)))
        os.replace, os.remove = os.rename, os.unlink
        open_file, steps = os.open, self
        os.open = lambda path, flags, *rest, **options: (
            steps.take("open", open_file, path, flags, *rest, **options)
            if flags & os.O_CREAT
            else open_file(path, flags, *rest, **options)
        )

        class Raw(io.FileIO):
            def __init__(self, *arguments: Any) -> None:
                steps.take("open", super().__init__, *arguments)

            def write(self, data: Any) -> int:
                return steps.take("write", super().write, data)

        read_only = builtins.open

        def open_(path: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, **options: Any) -> Any:
            if not set(mode) & set("wax+") or isinstance(path, int):
                return read_only(path, mode, buffering, encoding, **options)
            raw = Raw(path, mode.replace("b", ""))
            if buffering == 0:
                return raw
            file = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return file if "b" in mode else io.TextIOWrapper(file, encoding, write_through=True)

        builtins.open = open_  # type: ignore[assignment]

    def _counting(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **options: self.take(name, act, *arguments, **options)


def _child(request: dict, memory: mmap.mmap, out: int, err: int) -> None:
    os.dup2(out, 1)
    os.dup2(err, 2)
    commands = request.pop("commands")
    _Steps(memory, **request).install()
    status = 0
    for arguments in commands:
        sys.argv = ["make.py", "spm", *arguments]
        status = status or cli.main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    threading._shutdown()  # type: ignore[attr-defined]  # as at the end of any Python, waits for the other threads
    os._exit(status)


def _serve(request: dict) -> dict:
    number, delay, until = request.pop("signal", 0), request.pop("delay", 0.0), request.pop("until", "")
    memory = mmap.mmap(-1, 64)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        alive, ours = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(alive)
                _child(request, memory, out.fileno(), err.fileno())
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(99)
        os.close(ours)
        if number:
            ready = lambda: request.get("kind") != "hang" or (
                memory[_HUNG] and re.search(until, os.pread(err.fileno(), 1 << 20, 0).decode())
            )
            while not ready() and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                time.sleep(0.01)
            time.sleep(delay)
            os.kill(child, number)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.read(alive, 1)  # the end of the last worker
        os.close(alive)
        steps, last = _STATE.unpack(memory[: _STATE.size])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return {"status": status, "steps": steps, "last": last.decode(), "out": texts[0], "err": texts[1]}


def _main() -> None:
    # What the commands import, once for all of them.
    verbs = ("cache_list", "cache_prune", "install", "list", "status", "uninstall", "verify")
    used = ("cli", "formatting", "invocation", "archives.contents", "sources.file", "store.install")
    for name in (*used, *(f"verbs.{verb}" for verb in verbs)):
        importlib.import_module(f"harness.spm.{name}")

    progress.Report.tick_s = progress._LINE_S = fill._STALLED_S = 0.1
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.collect()
    gc.freeze()  # else the first garbage collection in a fork would copy all memory
    for line in sys.stdin:
        print(json.dumps(_serve(json.loads(line))), flush=True)


if __name__ == "__main__":
    _main()
