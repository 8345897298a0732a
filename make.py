#!/usr/bin/env python3
"""The one button: a table of verbs, each in a module that is imported only when it is asked for."""

import importlib
import os
import sys

# verb -> (module with main(arguments) -> exit status, one line of help)
VERBS = {"spm": ("harness.spm.cli", "fetch, install and look after the pinned packages")}


def usage():
    width = max(map(len, VERBS))
    lines = [f"  {verb.ljust(width)}  {text}" for verb, (_, text) in VERBS.items()]
    return "\n".join(["usage: python3 make.py VERB ...", "", *lines, ""])


def main(arguments):
    if sys.version_info < (3, 11):
        found = ".".join(map(str, sys.version_info[:2]))
        print(f"make.py: error: expected Python 3.11 or newer, found {found}", file=sys.stderr)
        print("hint: run make.py with a newer python3", file=sys.stderr)
        return 2
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if arguments and arguments[0] in ("-h", "--help", "help"):
        print(usage(), end="")
        return 0
    if not arguments:
        print(usage(), end="", file=sys.stderr)
        return 2
    verb, *rest = arguments
    if verb not in VERBS:
        import difflib

        near = difflib.get_close_matches(verb, VERBS, 1, 0)[0]
        print(f"make.py: error: expected a verb, found '{verb}'; the nearest is '{near}'", file=sys.stderr)
        print("hint: python3 make.py --help", file=sys.stderr)
        return 2
    return importlib.import_module(VERBS[verb][0]).main(rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
