"""Passes the verbs of the C++ harness to its binary, arguments untouched. Builds first only if there is no binary. A verb
in SEPARATE has an executable of its own, which is brought up to date at each call, because nothing else needs it."""

import os
from typing import NoReturn

from harness.make import build
from harness.make.console import print_line


def built_harness() -> str:
    """The path of the release build's harness, which is built first if it is missing."""
    binary = build.existing_harness()
    if binary:
        return binary
    print_line("no harness yet: building it first")
    return os.path.join(build.build(build.BuildOptions()).folder, "harness")


SEPARATE = ("simulate",)


def run_verb(verb: str, argv: list[str]) -> NoReturn:
    """Replaces this process by the binary, so that signals and the exit status are the binary's own."""
    if verb in SEPARATE:
        binary = os.path.join(build.build(build.existing_options(), [verb], quiet=True).folder, verb)
        os.execv(binary, [binary, *argv])
    if verb == "run" and not {"--help", "-h"} & set(argv):
        build.bring_up_to_date()
    binary = built_harness()
    os.execv(binary, [binary, verb, *argv])
