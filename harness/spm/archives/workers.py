"""Processes that unpack, each for one thread that waits for it.

Threads would do on an idle machine. On a busy one, whoever holds the interpreter's lock is often not running, and all
others wait: a cold install of the toolchain beside ten busy processes took twice the wall time of dpkg-deb at the same
CPU time. More of them than cores, for the same reason: a machine's time is divided among those who want to run."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import signal
import socket
import struct
import warnings
from collections import deque

from harness.spm import kernel
from harness.spm.archives.tree import Part
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Cancelled, Refused, SpmError
from harness.spm.store.contents import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from harness.spm.pins.manifest import Artifact

_LENGTH = struct.Struct("<Q")
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


def count() -> int:
    """How many there should be."""
    return max(4, min(2 * (os.cpu_count() or 2), 8))


class Workers:
    """`count` processes, forked when this is made: before there are threads. Use it as a context manager."""

    def __init__(self, number: int) -> None:
        self._all: list[_Worker] = []
        self.stopped = False
        try:
            # An interrupt between a fork and its line in our list would leave a process that nobody waits for.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
            try:
                for _ in range(number):
                    self._all.append(_Worker(self._all))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except BaseException:
            self.__exit__()
            raise
        self._idle = deque(self._all)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()  # who is idle has nothing to lose
        for worker in self._all:
            worker.end()

    @property
    def number(self) -> int:
        return len(self._all)

    def stop(self) -> None:
        """Ends what is under way; whoever waits for it gets Cancelled. May be called by any thread."""
        self.stopped = True
        for worker in self._all:
            worker.kill()

    def unpack(self, archive: str, rules: Artifact, root: str, owner: int, lock: int) -> dict[str, Node]:
        """Unpacks what `rules` keeps of `archive` into the folder `root`, which other artifacts' workers may fill as
        well; what the artifact brings. The worker holds the open file `lock` as long as it may still write there."""
        worker = self._idle.popleft()
        try:
            done, value = worker.ask((archive, rules.strip, list(rules.keep), root, owner), lock)
        except (OSError, EOFError):
            if self.stopped:
                raise Cancelled() from None
            raise SpmError("the process that unpacks it was killed", "see the system's log") from None
        finally:
            self._idle.append(worker)
        if done:
                return {path: Node(kind, owner, *facts) for path, kind, *facts in value}
        raise value if isinstance(value, OSError) else Refused(*value)


class _Worker:
    """One process. `others` are those whose ends of the line it must not hold open."""

    def __init__(self, others: list) -> None:
        self._line, theirs = socket.socketpair()
        parent = os.getpid()
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            self._process = os.fork()  # Python 3.12 warns where a caller of ours has threads: they are none of the worker's
        if not self._process:
            try:
                self._line.close()
                for each in others:
                    each._line.close()
                _serve(theirs, parent)
            finally:
                os._exit(1)
        theirs.close()

    def ask(self, request: Any, lock: int) -> Any:
        data = pickle.dumps(request)
        socket.send_fds(self._line, [_LENGTH.pack(len(data))], [lock])
        self._line.sendall(data)
        return pickle.loads(_received(self._line))

    def kill(self) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)

    def end(self) -> None:
        """Returns once the process has ended: what it held open must be free."""
        self._line.close()
        if self._process:
            with contextlib.suppress(ChildProcessError):  # where our caller ignores the ends of children, so do we
                os.waitpid(self._process, 0)
            self._process = 0


def _received(line: socket.socket) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(line, _LENGTH.size))
    return _exactly(line, length)


def _exactly(line: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = line.recv(min(length - len(data), 1 << 20))
        if not piece:
            raise EOFError
        data += piece
    return data


def _serve(line: socket.socket, parent: int) -> None:
    """A worker's life: it ends with the line, and with its parent."""
    for number in _INTERRUPTS:  # sent to all of a terminal's or a service's processes
        signal.signal(number, signal.SIG_IGN)
    kernel.end_with_parent()
    if os.getppid() != parent:
        return
    while True:
        head, (lock,), _, _ = socket.recv_fds(line, _LENGTH.size, 1)
        request = pickle.loads(_exactly(line, _LENGTH.unpack(head)[0]))
        answer = pickle.dumps(_answer(*request), pickle.HIGHEST_PROTOCOL)
        os.close(lock)
        line.sendall(_LENGTH.pack(len(answer)) + answer)


class _Rules:
    def __init__(self, strip: str, keep: list[str]) -> None:
        self.strip, self.keep = strip, keep


def _answer(archive: str, strip: str, keep: list[str], root: str, owner: int) -> Any:
    tree = Part(root)
    try:
        unpack(archive, _Rules(strip, keep), tree, owner)
    except SpmError as error:
        return False, (error.what, error.hint)
    except OSError as error:
        return False, error
    except MemoryError:
        return False, OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    return True, [(path, node.kind, node.mode, node.size, node.time, node.content) for path, node in tree.nodes.items()]
