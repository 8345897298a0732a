"""Passes the verbs of the C++ harness to its binary, arguments untouched. Builds first only if there is no binary. A verb
in SEPARATE has an executable of its own, which is brought up to date at each call, because nothing else needs it."""

import os
import sys
from typing import NoReturn

from harness.make import build, reader
from harness.make.console import print_line
from harness.spm.invocation import as_invoked


def built_harness() -> str:
    """The path of the release build's harness, which is built first if it is missing."""
    binary = build.existing_harness()
    if binary:
        return binary
    print_line("no harness yet: building it first")
    return os.path.join(build.build(build.default_options()).folder, "harness")


SEPARATE = ("simulate",)
WRITING = ("run", "probe", "report", "bisect", "nightly")
"""Verbs that write results or reports."""


def run_verb(verb: str, argv: list[str]) -> NoReturn:
    """Replaces this process by the binary, so that signals and the exit status are the binary's own."""
    if {"--help", "-h"} & set(argv):
        show_help(verb, argv)
    if verb in SEPARATE:
        binary = os.path.join(build.build(build.existing_options(), [verb], quiet=True).folder, verb)
        os.execv(binary, [binary, *argv])
    if verb in WRITING:
        reader.tell(True)
    if verb == "run":
        build.bring_up_to_date()
    if verb == "bundle":
        build.build(build.existing_options(), quiet=True)
    binary = built_harness()
    os.execv(binary, [binary, verb, *argv])


def show_help(verb: str, argv: list[str]) -> NoReturn:
    """The binary's own help. Without a binary, what can be said without a build, which takes minutes."""
    binary = build.existing_harness()
    if binary and verb in SEPARATE:
        binary, verb = os.path.join(os.path.dirname(binary), verb), ""
    if binary and os.path.exists(binary):
        os.execv(binary, [binary, *([verb] if verb else []), *argv])
    name = verb or os.path.basename(binary or "")
    how = "its first use does that" if name in SEPARATE else "python3 make.py build"
    print(as_invoked(f"usage: python3 make.py {name} [OPTIONS]\n\nIts options are listed here once it is built: {how}."))
    sys.exit(0)
