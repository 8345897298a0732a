"""spm's command line: parses it, runs the verb, prints at most one error."""

from __future__ import annotations

import importlib
import io
import json
import os
import signal
import sys

from harness.spm.errors import INTERRUPTED, missing_module, SpmError, system_error, USAGE
from harness.spm.formatting import printable
from harness.spm.late import late
from harness.spm.options import VERBS, Command, parse
from harness.spm.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm import help, utf8
else:
    help = late("harness.spm.help")
    utf8 = late("harness.spm.utf8")


def main(arguments: list[str]) -> int:
    command = None
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):  # as standard error does: escape what the encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            _ignore_broken_pipe(stream)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # SIGTERM cleans up as Ctrl-C does
    try:
        if not arguments:
            print(help.help_text(), end="", file=sys.stderr, flush=True)
            return USAGE
        command = parse(["--help", *arguments[1:]] if arguments[0] == "help" else arguments)
        if "--help" in command.options:
            print(help.help_text(command.verb), end="", flush=True)
            return 0
        return _run(command)
    except SpmError as error:
        return _fail(error, command)
    except ModuleNotFoundError as error:
        found = missing_module(error)
        if not found:
            raise
        return _fail(found, command)
    except KeyboardInterrupt:
        print("spm: interrupted; finished work is kept, unfinished work is discarded", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        if error.filename is None and isinstance(error, FileNotFoundError):  # only os.getcwd raises this
            return _fail(SpmError("expected a current folder, found that it has been removed", "cd .", USAGE), command)
        if error.filename is None:  # all other errors name their file, so this is standard output
            sys.stdout = None  # else the interpreter flushes it again at exit
            return _fail(SpmError(f"standard output: {error.strerror}", "send it where it can be written"), command)
        return _fail(system_error(command.verb if command else "spm", error), command)


def _ignore_broken_pipe(stream: io.TextIOWrapper) -> None:
    """Discards output once its reader has closed the pipe; neither the work nor the exit status changes."""
    raw = getattr(stream.buffer, "raw", stream.buffer)
    write = raw.write

    def write_or_drop(data: bytes) -> object:
        try:
            return write(data)
        except BrokenPipeError:
            return len(data)

    raw.write = write_or_drop  # type: ignore[method-assign]


def _run(command: Command) -> int:
    module = importlib.import_module(f"harness.spm.verbs.{VERBS[command.verb].module}")
    status = module.run(command, _settings(command))
    sys.stdout.flush()
    return status


def _settings(command: Command) -> Settings:
    given = command.options
    return Settings(
        packages=given.get("--packages"),
        lib=given.get("--lib"),
        store=given.get("--store"),
        offline="--offline" in given,
        frozen="--frozen" in given,
        dry_run="--dry-run" in given,
        jobs=int(given.get("--jobs", 8)),
        json="--json" in given,
        quiet="--quiet" in given,
        platform=given.get("--platform"),
    )


def _fail(error: SpmError, command: Command | None) -> int:
    hint = help.with_places(error.hint, command)
    try:
        if sys.stdout:
            sys.stdout.flush()
        if command and "--json" in command.options:
            event = {"event": "error", "what": error.what, "hint": hint, "status": error.status}
            print(json.dumps(event), flush=True)
    except OSError:
        sys.stdout = None  # its pipe is closed or its disk is full; the earlier error matters more
    print(f"spm: error: {printable(error.what)}", file=sys.stderr)
    if hint:
        print(f"hint: {printable(hint)}", file=sys.stderr)
    return error.status


if __name__ == "__main__":
    if sys.getfilesystemencoding() != "utf-8" or sys._xoptions:  # as in make.py
        utf8.ensure()
    sys.exit(main(sys.argv[1:]))
