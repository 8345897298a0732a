"""`--version`: what the harness says of itself; what the checkout does where there is none or it does not answer."""

import os
import re
import subprocess

from harness.make import build, paths
from harness.make.arguments import Parser
from harness.spm.invocation import as_invoked


def version():
    """The one in CMakeLists.txt."""
    with open(os.path.join(paths.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(\S+ VERSION (\S+)", file.read(), re.M)[1]


def main(argv):
    """python3 make.py --version"""
    Parser(prog="make.py --version", description="Which build this is.").parse_args(argv)
    binary = build.existing_harness()
    answer, failure = _ask(binary) if binary else ("", "")
    if answer:
        print(answer, end="")
        return 0
    print(f"allocation laboratory {version()}")
    if failure:
        folder = os.path.relpath(os.path.dirname(binary), paths.ROOT)
        print(f"{folder}/harness does not answer ({failure})")
        print(as_invoked(f"python3 make.py build; where that changes nothing, remove {folder} first"))
    else:
        print(as_invoked("not built yet: python3 make.py build"))
    return 0


def _ask(binary):
    """(what the harness says of itself, ""), or ("", why it says nothing)."""
    try:
        done = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              errors="replace", check=False)
    except OSError as error:
        return "", error.strerror
    if done.returncode < 0:
        return "", f"signal {-done.returncode}"
    if done.returncode or not done.stdout:
        return "", f"exit status {done.returncode}"
    return done.stdout, ""
