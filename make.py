#!/usr/bin/env python3
"""Entry point of the laboratory. Without a verb, `python3 make.py` fetches, builds, probes, runs and reports."""

import importlib
import io
import os
import signal
import sys

# Older ones must be able to read this file to say so: it has the syntax of Python 3.6.
if sys.version_info < (3, 9):
    sys.exit("make.py: error: expected Python 3.9 or newer, found %d.%d" % sys.version_info[:2])

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    import textwrap
    from typing import Any

    from harness.make import console, names, reader
    from harness.spm import errors, invocation, utf8
else:
    console = late("harness.make.console")
    errors = late("harness.spm.errors")
    invocation = late("harness.spm.invocation")
    names = late("harness.make.names")
    reader = late("harness.make.reader")
    textwrap = late("textwrap")
    utf8 = late("harness.spm.utf8")

HARNESS = "harness.make.binary"  # passes a verb to the harness
VERBS = {
    # verb: (module with main(argv), summary for --help)
    "spm": ("harness.spm.cli", "fetch, list, verify and prune pinned packages"),
    "build": ("harness.make.build", "build the harness and every variant"),
    "publish-build": ("harness.make.build_cache.publish", "put this build's objects where others can fetch them"),
    "test": ("harness.make.test", "run every test"),
    "fuzz": ("harness.make.fuzz", "feed variants with a fuzzer's inputs under sanitizers"),
    "lint": ("harness.make.lint", "check the format and includes of all C++, the names and types of all Python"),
    "nightly": ("harness.make.nightly", "for cron: fetch, build, run, judge, report, and bisect what became slower"),
    "doctor": ("harness.make.doctor", "check what this machine has and lacks, and say what to do"),
    "list": (HARNESS, "name every benchmark"),
    "run": (HARNESS, "run benchmarks and write a result"),
    "view": ("harness.make.view", "show what a configuration of a renderer renders, in a window"),
    "probe": (HARNESS, "ask every Vulkan driver for its memory requirements"),
    "compare": (HARNESS, "compare two results: regressed, improved, same or unknown"),
    "history": (HARNESS, "find the change points over all results, and the commits around them"),
    "farm": (HARNESS, "check many machines in one results folder: alarms, silence, and what people say of them"),
    "serve": (HARNESS, "show all machines of a results folder on a page that changes as results come"),
    "deliver": (HARNESS, "bring this machine's results to the collector of a farm"),
    "bundle": (HARNESS, "pack this build into one file, for machines without Python, git, compiler and network"),
    "bisect": (HARNESS, "find the commit that made a benchmark, or any command's number, worse"),
    "report": (HARNESS, "write the report of a result"),
    "changepoints": (HARNESS, "find where the level of a series of numbers changed"),
    "results": (HARNESS, "check or rewrite results of earlier schemas"),
    "simulate": (HARNESS, "measure how often verdicts are wrong, on generated data with known changes"),
}
BUTTON = "harness.make.button"
BROKEN_PIPE_STATUS = 141  # 128 + SIGPIPE, as a shell reports it


def print_help() -> None:
    as_invoked = invocation.as_invoked
    print(as_invoked("usage: python3 make.py [--quick|--full]     fetch, build, probe, run, report\n"
                "       python3 make.py VERB [OPTIONS]\n"))
    for verb, (_, summary) in VERBS.items():
        print(textwrap.fill(summary, 80, initial_indent=f"  {verb:<13} ", subsequent_indent=" " * 16))
    print(as_invoked("\npython3 make.py VERB --help     the options of a verb\n"
                     "python3 make.py --version       the version of this build"))


def main(argv: list[str]) -> int:
    if argv and argv[0] in ("--help", "-h", "help"):
        print_help()
        return 0
    if argv and argv[0] == "--version":
        return importlib.import_module("harness.make.version").main(argv[1:])
    reader.prepare()
    if not argv or argv[0].startswith("-"):
        return importlib.import_module(BUTTON).main(argv)
    verb, rest = argv[0], argv[1:]
    if verb not in VERBS:
        raise console.MakeError(f"unknown verb '{verb}'", names.nearest_hint(verb, VERBS), 2)
    name = VERBS[verb][0]
    module = importlib.import_module(name)
    return module.run_verb(verb, rest) if name == HARNESS else module.main(rest)


_output_errors: list[OSError] = []


def watch_stdout() -> None:
    """Keeps the errors of standard output: they name no file, and argparse ignores those of its help."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    raw: Any = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    write = raw.write

    def watched_write(data: "Any") -> "Any":
        try:
            return write(data)
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                _output_errors.append(error)
            raise

    raw.write = watched_write


def flush_stdout() -> "OSError | None":
    """Flushes standard output and returns its error. The unwritten rest is dropped: the interpreter would retry it."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error not in _output_errors and not isinstance(error, BrokenPipeError):
            _output_errors.append(error)
        return error
    return _output_errors[0] if _output_errors else None


def guarded(argv: list[str]) -> int:
    """Runs main; turns every expected failure into one error line and the exit status of the contract."""
    # SIGTERM, which a build farm sends, does the same as Ctrl-C: children end, finished results are kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    watch_stdout()
    try:
        try:
            status = main(argv)
        except SystemExit as end:  # --help
            status = end.code if isinstance(end.code, int) else int(bool(end.code))
        finally:
            lost = flush_stdout()
        if lost and not status:  # an earlier failure is more useful to the user
            raise lost
        return status
    except KeyboardInterrupt:
        sys.stderr.write("\nmake.py: interrupted\n")
        return 130
    except BrokenPipeError:
        # The reader of our output has closed the pipe: no message, and the status that SIGPIPE would give.
        return BROKEN_PIPE_STATUS
    except OSError as error:
        from_output = any(error is each for each in _output_errors)
        where = "standard output" if from_output else error.filename or "this machine"
        sys.stderr.write(f"make.py: error: {where}: {error.strerror}\n")
        hint = "send it where it can be written" if from_output else reader.hint_for(error)
        if hint:
            sys.stderr.write(f"hint: {hint}\n")
        return 1
    except ModuleNotFoundError as error:
        found = errors.missing_module(error)
        if not found:
            raise
        console.print_error(console.MakeError(found.what, found.hint))
        return 1
    except console.MakeError as error:
        console.print_error(error)
        return error.status


if __name__ == "__main__":
    if sys.getfilesystemencoding() != "utf-8" or sys._xoptions:  # otherwise not even the import is paid
        utf8.ensure()
    sys.exit(guarded(sys.argv[1:]))
