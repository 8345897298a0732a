"""The verbs of the C++ harness: passed on, arguments untouched; built first only where there is no binary."""

import os
from typing import NoReturn

from harness.make import build
from harness.make.console import say


def built_harness() -> str:
    """The harness of the release build: built now where there is none."""
    binary = build.existing_harness()
    if binary:
        return binary
    say("no harness yet: building it first")
    return os.path.join(build.build(build.Options()).folder, "harness")


def run_verb(verb: str, argv: list[str]) -> NoReturn:
    """Replaces this process, so that signals and the exit status are the binary's own."""
    if verb == "run" and not {"--help", "-h"} & set(argv):
        build.bring_up_to_date()
    binary = built_harness()
    os.execv(binary, [binary, verb, *argv])
