"""Names on disk are UTF-8, whatever the locale: the same archive makes the same tree, byte for byte, on every machine.

Python uses the locale's encoding for names and cannot change it while running, so with another encoding the process
restarts itself. Output stays in the locale's encoding. (Paths as bytes would avoid this, but would complicate every
line that handles a path.)"""

import os
import sys

from harness.spm.invocation import command_line

_STREAMS = "streams"  # Python lets programs have -X options of their own


def ensure() -> None:
    """Restarts this process, once, if Python's file names are not UTF-8; returns if they are."""
    encoding = sys._xoptions.get(_STREAMS)
    if encoding and not os.environ.get("PYTHONIOENCODING"):
        for stream in filter(None, (sys.stdin, sys.stdout, sys.stderr)):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")  # type: ignore[attr-defined]
    if sys.getfilesystemencoding() != "utf-8":
        stream = sys.stdout or sys.stderr or sys.stdin  # each may have been closed by the caller
        options = ["-X", "utf8", "-X", f"{_STREAMS}={stream.encoding if stream else 'utf-8'}"]
        program, *arguments = command_line()
        try:
            os.execv(sys.executable or "/proc/self/exe", [program, *options, *arguments])
        except OSError as error:
            sys.exit(f"error: expected to restart with UTF-8 file names: {error.strerror}\nhint: export PYTHONUTF8=1")
