"""`nightly`: builds under the night's lock, then becomes the harness's verb, which does the rest."""

import fcntl
import json
import os
import re
import time

from harness.make import build, paths, reader
from harness.make.arguments import Parser
from harness.make.binary import run_verb
from harness.make.console import MakeError, duration, print_error, print_line
from harness.spm.lock import try_lock


def node_name() -> str:
    """This host among those that share a folder. Not the machine's name, which only the harness knows."""
    named = os.environ.get("LAB_MACHINE") or os.environ.get("SLURMD_NODENAME") or os.uname().nodename
    return named.replace("/", "_")


def night_lock(folder: str) -> int:
    """The descriptor that holds this host's lock in `folder`, or an error that names its holder: two nightly runs would
    measure each other, and a build would change what the other one measures. A child that keeps it open holds the lock,
    too. Says which run was killed, if the last one was."""
    try:
        os.makedirs(folder, exist_ok=True)
        lock = os.open(os.path.join(folder, f"{node_name()}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise MakeError(f"--results: expected a folder that can be written, found '{error.filename}': "
                        f"{error.strerror}", "--results DIR, or LAB_RESULTS", 2) from error
    try:
        is_free = try_lock(lock, fcntl.LOCK_EX)
    except OSError as error:
        os.close(lock)
        raise MakeError(f"--results: expected a file system with locks, found one without: '{folder}' ({error.strerror})",
                        "--results DIR, or LAB_RESULTS, on a local disk", 2) from error
    if not is_free:
        holder = _text(lock).strip()
        os.close(lock)
        left = f"what was started by a killed run, {holder}, still" if _has_ended(holder) else "another nightly run"
        named = "" if _has_ended(holder) else f": {holder or 'unknown process'}"
        raise MakeError(f"{left} uses '{folder}'{named}", "wait until it ends, or use another folder: --results DIR")
    # A run that ends empties the file. One of an earlier version does not, and wrote no end of line.
    if (killed := _text(lock)).endswith("\n"):
        print_line(f"nightly: the last run was killed: {killed.strip()}; what it measured is kept")
    try:
        os.ftruncate(lock, 0)
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        os.pwrite(lock, f"process {os.getpid()} on {os.uname().nodename}, since {since}\n".encode(), 0)
    except OSError:
        pass  # on a full disk; the harness will report that
    return lock


def _text(lock: int) -> str:
    return os.pread(lock, 500, 0).decode(errors="replace")


def _has_ended(holder: str) -> bool:
    """Whether the process that this text names was on this machine and has ended."""
    named = re.match(r"process (\d+) on (.*), since ", holder)
    return named is not None and named[2] == os.uname().nodename and not os.path.exists(f"/proc/{named[1]}")


def failed_night(status: int, line: str, seconds: float) -> dict[str, object]:
    """What `--json` prints of a night that did not reach the harness: the fields that the harness prints (NightSummary,
    harness/app/night.h)."""
    return {"verdict": "failed", "status": status, "line": line, "machine": None, "regressions": [], "recoveries": [],
            "unfit": [], "sessions": [], "report": None, "history": None, "junit": None, "seconds": round(seconds, 3)}


def main(argv: list[str]) -> int:
    """python3 make.py nightly"""
    if {"--help", "-h"} & set(argv):
        run_verb("nightly", ["--help"])
    started = time.monotonic()
    parser = Parser(prog="make.py nightly")  # the harness reads the other arguments
    parser.add_argument("--results", nargs="?")
    results = parser.parse_known_args(argv)[0].results or os.environ.get("LAB_RESULTS") or paths.place_for("results")
    lock = -1
    reader.tell(True)
    try:
        lock = night_lock(os.path.join(os.path.abspath(results), "nightly"))
        binary = os.path.join(build.build(build.default_options()).folder, "harness")
    except (MakeError, OSError) as error:
        failure = error if isinstance(error, MakeError) else MakeError(f"{error.filename}: {error.strerror}")
        print_error(failure)
        seconds = time.monotonic() - started
        line = f"nightly: failed: {failure.what}; {duration(seconds)}"
        status = failure.status if lock < 0 else 1
        print(json.dumps(failed_night(status, line, seconds)) if "--json" in argv else line, flush=True)
        if lock < 0:
            return status
        os.ftruncate(lock, 0)
        os.close(lock)
        return 1
    os.set_inheritable(lock, True)
    os.environ.update(LAB_NIGHT_LOCK=str(lock), LAB_NIGHT_SPENT=f"{time.monotonic() - started:.3f}")
    os.execv(binary, [binary, "nightly", *argv])
