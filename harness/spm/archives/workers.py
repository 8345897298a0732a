"""Worker processes that unpack; each serves one waiting thread.

Threads are enough on an idle machine. On a busy one, the thread with the interpreter's lock is often descheduled, and
all others wait: with ten busy processes, a cold install of the toolchain took twice the wall time of dpkg-deb at the
same CPU time. There are more workers than cores for the same reason: the scheduler divides time among runnable
processes."""

import contextlib
import errno
import os
import pickle
import signal
import socket
import struct
import warnings
from collections import deque
from collections.abc import Callable
from typing import Any

from harness.spm import kernel
from harness.spm.archives.contents import Node
from harness.spm.archives.licence_files import LicenceFiles
from harness.spm.archives.rules import UnpackRules
from harness.spm.archives.tree import ArtifactTree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Cancelled, Refused, SpmError
from harness.spm.pins.manifest import Artifact
from harness.spm.threads import ThreadLimit

_LENGTH = struct.Struct("<Q")
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


def count() -> int:
    """The number of workers to start."""
    return max(4, min(2 * (os.cpu_count() or 2), 8))


class Workers(contextlib.AbstractContextManager["Workers"]):
    """`number` processes, forked by the constructor, before there are threads. Use it as a context manager."""

    def __init__(self, number: int) -> None:
        self._all: list[_Worker] = []
        self.stopped = False
        try:
            # An interrupt between a fork and its entry in the list would leave an orphan process.
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

    def __exit__(self, *_: object) -> None:
        self.stop()  # idle workers can be killed
        for worker in self._all:
            worker.end()

    @property
    def number(self) -> int:
        return len(self._all)

    def stop(self) -> None:
        """Stops running work; its waiting threads get Cancelled. May be called by any thread."""
        self.stopped = True
        for worker in self._all:
            worker.kill()

    def unpack(
        self,
        archive: str,
        rules: Artifact,
        root: str,
        owner: int,
        lock: int,
        note: Callable[[LicenceFiles], object] = lambda found: None,
    ) -> dict[str, Node]:
        """Unpacks what `rules` keeps of `archive` into the folder `root`, which other workers may fill at the same
        time; returns the artifact's nodes. The worker holds the open file `lock` while it may write there. `note` gets
        the archive's licence files, if all of them were seen."""
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
            nodes, licences = value
            if licences:
                note(LicenceFiles(*licences))
            return {path: Node(kind, owner, *facts) for path, kind, *facts in nodes}
        raise value if isinstance(value, OSError) else Refused(*value)


class _Worker:
    """One worker process. `others` are the workers whose sockets it must close after the fork."""

    def __init__(self, others: list) -> None:
        self._line, theirs = socket.socketpair()
        parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()  # Python 3.12 warns if the caller has threads; the worker uses none of them
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
        """Waits until the process has ended and its open files are closed."""
        self._line.close()
        if self._process:
            with contextlib.suppress(ChildProcessError):  # the caller may ignore SIGCHLD
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
    """The worker's loop. It ends when the socket closes or the parent ends."""
    for number in _INTERRUPTS:  # a terminal or a service sends these to all its processes
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


def _answer(archive: str, strip: str, keep: list[str], root: str, owner: int) -> Any:
    tree = ArtifactTree(root)
    try:
        found = unpack(archive, UnpackRules(strip, keep), tree, owner)
    except ThreadLimit as error:
        return False, OSError(errno.EAGAIN, error.what)  # nothing is wrong with the archive
    except SpmError as error:
        return False, (error.what, error.hint)
    except OSError as error:
        return False, error
    except MemoryError:
        return False, OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    nodes = [(path, node.kind, node.mode, node.size, node.time, node.content) for path, node in tree.nodes.items()]
    return True, (nodes, (found.texts, found.links) if found else None)
