"""`--version`: printed by the harness, or by this module from the checkout if the harness is missing or fails."""

import os
import re
import subprocess

from harness.make import build, paths
from harness.make.arguments import Parser
from harness.make.console import how_ended
from harness.spm.invocation import as_invoked


def version() -> str:
    """The version in CMakeLists.txt."""
    with open(os.path.join(paths.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        found = re.search(r"^project\(\S+ VERSION (\S+)", file.read(), re.M)
    assert found is not None
    return found[1]


def main(argv: list[str]) -> int:
    """python3 make.py --version"""
    Parser(prog="make.py --version", description="Print the version of this build.").parse_args(argv)
    binary = build.existing_harness()
    answer, failure = _ask(binary) if binary else ("", "")
    if answer:
        print(answer, end="")
        return 0
    print(f"allocation laboratory {version()}")
    if binary and failure:
        folder = os.path.relpath(os.path.dirname(binary), paths.ROOT)
        print(f"{folder}/harness does not answer ({failure})")
        print(as_invoked(f"python3 make.py build; where that changes nothing, remove {folder} first"))
    else:
        print(as_invoked("not built yet: python3 make.py build"))
    return 0


def _ask(binary: str) -> tuple[str, str]:
    """(output of harness --version, ""), or ("", why it failed)."""
    try:
        done = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              errors="replace", check=False)
    except OSError as error:
        return "", error.strerror or ""
    if done.returncode or not done.stdout:
        return "", how_ended(done.returncode)
    return done.stdout, ""
