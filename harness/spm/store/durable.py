"""What a mark in the store vouches for is on the disk before the mark is made.

One syncfs(2) does for a whole install: an fsync for each of 20,000 files takes longer than unpacking them."""

from __future__ import annotations

import os
import threading

from harness.spm import kernel, interruptible
from harness.spm.errors import system_error
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from harness.spm.progress import Report

PATIENCE_S = 2.0  # a flush that takes longer is worth a sentence


class Disk:
    """The file system of a folder. What the kernel fails to write from now on is an error of the next flush."""

    def __init__(self, folder: str) -> None:
        self._file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Disk:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def flush(self, waiting: Callable[..., Any]) -> None:
        """Returns once all that was written to the file system is on its disk, other programs' bytes too; raises
        OSError. `waiting()` is called once where that takes long."""
        # A thread, and a descriptor that stays its own: an interrupt leaves it to the kernel, which heeds none.
        failures: list[BaseException] = []
        thread = threading.Thread(target=_flush, args=(os.dup(self._file), failures), daemon=True)
        thread.start()
        interruptible.join([thread], PATIENCE_S)
        if thread.is_alive():
            waiting()
            interruptible.join([thread])
        if failures:
            raise failures[0]


def mark(entries: list, disk: Disk, report: Report) -> None:
    """Lets whole entries of the store count, as soon as that survives a power cut."""
    if not entries:
        return
    try:
        disk.flush(report.flushing)
    except OSError as error:
        # The kernel says once what it failed to write, and shows it as whole for as long as it remembers it.
        for entry in entries:
            entry.discard()
        raise system_error("writing the store to its disk", error) from None
    for entry in entries:
        entry.approve()


def _flush(file: int, failures: list[BaseException]) -> None:
    try:
        kernel.syncfs(file)
    except OSError as error:
        failures.append(error)
    finally:
        os.close(file)
