#!/usr/bin/env python3
"""The one button, and every verb beside it. `python3 make.py` alone fetches, builds, probes, runs and reports."""

import importlib
import os
import signal
import sys

if sys.version_info < (3, 11):
    sys.exit("make.py: error: expected Python 3.11 or newer, found %d.%d" % sys.version_info[:2])

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

VERBS = {
    # verb: (module with main(argv), what it does)
    "spm": ("harness.spm.cli", "fetch, list, verify and prune pinned packages"),
    "build": ("harness.make.build", "build the harness and every variant"),
    "test": ("harness.make.test", "run every test"),
    "lint": ("harness.make.lint", "the format of all C++, names and types in all Python"),
    "nightly": ("harness.make.nightly", "what cron calls: fetch, build, run, judge, report, and bisect what became slower"),
    "doctor": ("harness.make.doctor", "what this machine has and lacks, and what to do"),
    "list": ("harness.make.binary", "name every benchmark"),
    "run": ("harness.make.binary", "run benchmarks and write a result"),
    "probe": ("harness.make.binary", "ask every Vulkan driver for its memory requirements"),
    "compare": ("harness.make.binary", "what head is to base: regressed, improved, same or unknown"),
    "history": ("harness.make.binary", "what changed, night by night, and between which commits"),
    "bisect": ("harness.make.binary", "the commit that made a benchmark, or any number, slower"),
    "report": ("harness.make.binary", "write the report of a result"),
    "changepoints": ("harness.make.binary", "where the level of a series of numbers changed"),
    "simulate": ("harness.make.binary", "how often verdicts are wrong, on made-up numbers whose truth is known"),
}
BUTTON = "harness.make.button"
NOBODY_READS = 141


def print_help() -> None:
    import textwrap
    from harness.spm.invocation import as_invoked
    print(as_invoked("usage: python3 make.py [--quick|--full]     fetch, build, probe, run, report\n"
                "       python3 make.py VERB [OPTIONS]\n"))
    for verb, (_, summary) in VERBS.items():
        print(textwrap.fill(summary, 80, initial_indent=f"  {verb:<12} ", subsequent_indent=" " * 15))
    print(as_invoked("\npython3 make.py VERB --help says more, --version which build this is"))


def main(argv: list[str]) -> int:
    if argv and argv[0] in ("--help", "-h", "help"):
        print_help()
        return 0
    if argv and argv[0] == "--version":
        return importlib.import_module("harness.make.version").main(argv[1:])
    if not argv or argv[0].startswith("-"):
        return importlib.import_module(BUTTON).main(argv)
    verb, rest = argv[0], argv[1:]
    if verb not in VERBS:
        from harness.make.names import nearest_hint
        from harness.make.console import MakeError
        raise MakeError(f"unknown verb '{verb}'", nearest_hint(verb, VERBS), 2)
    module = importlib.import_module(VERBS[verb][0])
    return module.run_verb(verb, rest) if hasattr(module, "run_verb") else module.main(rest)


def write_out() -> OSError | None:
    """Writes what was printed; an error is returned, and the rest dropped, or the interpreter would try again."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        error.filename = "standard output"
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return error
    return None


def guarded(argv: list[str]) -> int:
    """main, with every expected failure as one error line and the contract's exit status."""
    # A farm's stop ends the children and keeps what there is, as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    from_make = lambda error: error.__class__.__name__ == "MakeError"
    try:
        try:
            status = main(argv)
        except SystemExit as end:  # --help
            status = end.code if isinstance(end.code, int) else int(bool(end.code))
        finally:
            lost = write_out()
        if lost and not status:  # what failed before says more
            raise lost
        return status
    except KeyboardInterrupt:
        sys.stderr.write("\nmake.py: interrupted\n")
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone: no word about it, and the status that SIGPIPE would have led to.
        return NOBODY_READS
    except OSError as error:
        sys.stderr.write(f"make.py: error: {error.filename or 'this machine'}: {error.strerror}\n")
        return 1
    except Exception as error:  # noqa: BLE001 - a MakeError is looked for without importing its module first
        if not from_make(error):
            raise
        from harness.make.console import complain
        complain(error)  # type: ignore[arg-type]
        return error.status  # type: ignore[attr-defined]


if __name__ == "__main__":
    if sys.getfilesystemencoding() != "utf-8" or sys._xoptions:  # elsewhere that costs not even an import
        importlib.import_module("harness.spm.utf8").ensure()
    sys.exit(guarded(sys.argv[1:]))
