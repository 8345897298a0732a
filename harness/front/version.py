"""`--version`: what the harness says of itself, or what the checkout does while there is none."""

import os
import re
import subprocess

from harness.front import build, paths
from harness.front.arguments import Parser


def version():
    """The one in CMakeLists.txt."""
    with open(os.path.join(paths.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(\S+ VERSION (\S+)", file.read(), re.M)[1]


def main(argv):
    """python3 make.py --version"""
    Parser(prog="make.py --version", description="Which build this is.").parse_args(argv)
    binary = build.existing_harness()
    if binary:
        done = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
        if done.returncode == 0:
            print(done.stdout, end="")
            return 0
    print(f"allocation laboratory {version()}")
    print("not built yet: python3 make.py build")
    return 0
