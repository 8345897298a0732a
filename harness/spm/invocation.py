"""How this process was called, so that the commands in hints and help work in the user's current folder.

Hints are written as `python3 make.py ...`, for the checkout's folder; `as_invoked` converts them before printing."""

from __future__ import annotations

import os
import re
import shlex
import sys

from harness.spm.settings import ROOT

_MAKE = f"{ROOT}/make.py"
_CLI = "harness.spm.cli"


def as_invoked(text: str) -> str:
    """Replaces every `python3 make.py` in the text by the way this process was called."""
    return re.sub(r"\bpython3 make\.py\b( spm\b)?", lambda found: _command(found[1] or ""), text)


def command_line() -> list[str]:
    """The words by which this process was started, the interpreter and its options included."""
    known = getattr(sys, "orig_argv", None)
    if known is None:  # Python 3.9
        try:
            with open("/proc/self/cmdline", "rb") as file:
                known = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
        except OSError:
            pass
    return list(known or [sys.executable or "python3", *sys.argv])


def _command(verb: str) -> str:
    main = sys.modules.get("__main__")
    module = getattr(getattr(main, "__spec__", None), "name", "")  # of `python3 -m module`
    if module == "make":
        return f"{_python()} -m make{verb}"
    if module == _CLI and verb:
        return f"{_python()} -m {_CLI}"
    starter = os.environ.get("LAB_STARTER")  # harness/start.sh, whose Python may be on nobody's PATH
    if starter and _is_make(getattr(main, "__file__", "")):
        return f"sh {shlex.quote(starter)}{verb}"
    if module == _CLI or _is_make(getattr(main, "__file__", "")):
        return f"{_python()} {shlex.quote(sys.argv[0] if module != _CLI else _MAKE)}{verb}"
    # Called by another program: only the path of the checkout is known.
    return f"python3 {'make.py' if _is_make('make.py') else shlex.quote(_MAKE)}{verb}"


def _is_make(path: str | None) -> bool:
    try:
        return os.path.samefile(path or "", _MAKE)
    except OSError:
        return False


def _python() -> str:
    """Python's name if the shell finds this Python by it, else the path that was given."""
    given = command_line()[0]
    name = os.path.basename(given)
    found = _on_path(name)
    if found and (name == given or sys.executable and os.path.samefile(found, sys.executable)):
        return name
    return shlex.quote(given if name != given else sys.executable or "python3")


def _on_path(name: str) -> str:
    """The program that the shell finds by this name; "" if it finds none. (Importing shutil takes ten times as long.)"""
    places = (os.path.join(folder, name) for folder in os.get_exec_path())
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), "")
