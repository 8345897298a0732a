"""`nightly`: builds under the night's lock, then becomes the harness's verb, which does the rest."""

import fcntl
import os
import time

from harness.make import build, paths, reader
from harness.make.arguments import Parser
from harness.make.binary import run_verb
from harness.make.console import MakeError, duration, print_error
from harness.spm.lock import try_lock


def night_lock(folder: str) -> int:
    """The descriptor that holds the lock of `folder`, or an error that names its holder: two nightly runs would measure
    each other, and a build would change what the other one measures. A child that keeps it open holds the lock, too."""
    try:
        os.makedirs(folder, exist_ok=True)
        lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise MakeError(f"--results: expected a folder that can be written, found '{error.filename}': "
                        f"{error.strerror}", "--results DIR, or LAB_RESULTS", 2) from error
    if not try_lock(lock, fcntl.LOCK_EX):
        holder = os.pread(lock, 500, 0).decode(errors="replace").strip() or "unknown process"
        os.close(lock)
        raise MakeError(f"another nightly run uses '{folder}': {holder}",
                        "wait until it ends, or use another folder: --results DIR")
    try:
        os.ftruncate(lock, 0)
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        os.pwrite(lock, f"process {os.getpid()} on {os.uname().nodename}, since {since}".encode(), 0)
    except OSError:
        pass  # on a full disk; the harness will report that
    return lock


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
        print(f"nightly: failed: {failure.what}; {duration(time.monotonic() - started)}", flush=True)
        if lock < 0:
            return failure.status
        os.close(lock)
        return 1
    os.set_inheritable(lock, True)
    os.environ.update(LAB_NIGHT_LOCK=str(lock), LAB_NIGHT_SPENT=f"{time.monotonic() - started:.3f}")
    os.execv(binary, [binary, "nightly", *argv])
