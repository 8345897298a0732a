"""Names on disk are UTF-8, whatever the locale: the same archive makes the same tree, byte for byte, on every machine.

Python takes the locale's encoding for them and cannot change it once it runs, so where that is another it begins anew.
What is printed stays in the locale's encoding. (Paths as bytes everywhere would do without, at the cost of every line
that has to do with one.)"""

from __future__ import annotations

import os
import sys

_STREAMS = "streams"  # Python lets programs have -X options of their own


def ensure() -> None:
    """Begins this process anew, once, where Python's names on disk are not UTF-8; returns where they are."""
    encoding = sys._xoptions.get(_STREAMS)
    if encoding and not os.environ.get("PYTHONIOENCODING"):
        for stream in filter(None, (sys.stdin, sys.stdout, sys.stderr)):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")  # type: ignore[attr-defined]
    if sys.getfilesystemencoding() != "utf-8":
        stream = sys.stdout or sys.stderr or sys.stdin  # each may have been closed by the caller
        options = ["-X", "utf8", "-X", f"{_STREAMS}={stream.encoding if stream else 'utf-8'}"]
        try:
            os.execv(sys.executable or "/proc/self/exe", [sys.orig_argv[0], *options, *sys.orig_argv[1:]])
        except OSError as error:
            sys.exit(f"error: expected to begin anew with names in UTF-8: {error.strerror}\nhint: export PYTHONUTF8=1")
