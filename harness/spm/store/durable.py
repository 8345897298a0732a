"""Marks entries of the store as valid only after their files are on the disk.

One syncfs(2) is enough for a whole install: an fsync for each of 20,000 files takes longer than unpacking them."""

import contextlib
import os
import threading
from collections.abc import Callable
from typing import Any

from harness.spm import interruptible, kernel
from harness.spm.errors import system_error
from harness.spm.threads import starting
from harness.spm.transfer.progress import Report

PATIENCE_S = 2.0  # a longer flush is reported


class Disk(contextlib.AbstractContextManager["Disk"]):
    """The file system of a folder. A write error of the kernel from now on is reported by the next flush."""

    def __init__(self, folder: str) -> None:
        self._file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def flush(self, waiting: Callable[..., Any]) -> None:
        """Waits until all data of the file system is on its disk, other programs' data too; raises OSError. `waiting()`
        is called once if that takes long."""
        # In a thread with its own descriptor, because syncfs cannot be interrupted: an interrupt leaves it running.
        failures: list[BaseException] = []
        thread = threading.Thread(target=_flush, args=(os.dup(self._file), failures), daemon=True)
        with starting():
            thread.start()
        interruptible.join([thread], PATIENCE_S)
        if thread.is_alive():
            waiting()
            interruptible.join([thread])
        if failures:
            raise failures[0]


def mark(entries: list, disk: Disk, report: Report) -> None:
    """Marks complete entries of the store as valid, once they survive a power cut."""
    if not entries:
        return
    try:
        disk.flush(lambda: report.event("flushing"))
    except OSError as error:
        # The kernel reports a write error only once, and until it evicts the pages, reads show them as written.
        for entry in entries:
            entry.discard()
        raise system_error("writing the store to its disk", error) from None
    for entry in entries:
        entry.mark_valid()


def _flush(file: int, failures: list[BaseException]) -> None:
    try:
        kernel.syncfs(file)
    except OSError as error:
        failures.append(error)
    finally:
        os.close(file)
