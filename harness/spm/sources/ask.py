"""Asks the person at the terminal for the address of a Debian mirror, once. Without a terminal nobody is asked."""

from __future__ import annotations

import contextlib
import os
import sys

from harness.spm import user_file
from harness.spm.errors import SpmError
from harness.spm.settings import Settings
from harness.spm.sources import transport
from harness.spm.sources.transport import TransferError

_TRIES = 3


def has_person(settings: Settings) -> bool:
    """Whether somebody can answer: standard input and error are the terminal, and this process is in its foreground. A
    process in the background would stop at the question."""
    if settings.quiet or settings.json or os.environ.get("CI"):
        return False
    try:
        return sys.stdin.isatty() and sys.stderr.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError, AttributeError):  # closed, or not there at all
        return False


def debian_mirror(reason: str, suite: str) -> str:
    """The address that was given, if that mirror has the suite's index, which is then kept in the user's file; "" if none
    was given."""
    _say(f"spm: no Debian mirror is known: {reason.partition(': ')[2] or reason}. What is fetched are Debian's packages, by their hash.")
    for _ in range(_TRIES):
        sys.stderr.write("address of a Debian mirror, the part before /pool (Enter: none): ")
        sys.stderr.flush()
        given = sys.stdin.readline().strip()
        if not given:
            return ""
        try:
            address = transport.base_address(given, "the mirror").rstrip("/")
            with contextlib.closing(transport.open_address(transport.join(address, f"dists/{suite}/InRelease"), False)):
                pass
        except SpmError as error:
            _say(f"spm: {error.what}")
        except TransferError as error:
            _say(f"spm: {transport.shown(address)} has no index of {suite}: {error.reason}")
        else:
            _keep(address)
            return address
    return ""


def _keep(address: str) -> None:
    try:
        user_file.keep("debian-mirror", address)
    except OSError as error:
        os.environ["SPM_DEBIAN_MIRROR"] = address  # for the rest of this run, and its children
        _say(f"spm: used for this run only, because {user_file.path()} cannot be written: {error.strerror}")
    else:
        _say(f"spm: kept in {user_file.path()}")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
