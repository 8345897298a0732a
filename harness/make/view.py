"""`view`: builds the viewer of the family that a configuration belongs to, and becomes it. Which arguments it takes, only
the viewer knows: they are passed on untouched."""

import json
import os
from typing import NamedTuple, NoReturn

from harness.make import build, paths, reader
from harness.make.console import MakeError
from harness.spm.invocation import as_invoked

HELP = """usage: python3 make.py view CONFIG [OPTIONS]

Show what a configuration renders, in a window. The viewer is built first if it
is not up to date.

  CONFIG               a file of a family that has a viewer, or one like them
  --size WxH           pixels of the image
  --frames N           end after N frames
  --out DIR            write the frames as files into DIR; without a display,
                       they lie in view/ in the build folder by default
  --driver NAME        pinned: the Vulkan driver of packages.json; machine: this
                       machine's
  --display auto|none  none: no window

Escape or q closes the window.
"""


class Viewer(NamedTuple):
    """A family with a viewer, and the CMake target and executable of that viewer."""

    family: str
    target: str


def viewers(root: str) -> list[Viewer]:
    """The families whose family.json names a viewer, sorted."""
    folder = os.path.join(root, "variants")
    found = []
    for family in sorted(os.listdir(folder)):
        name = f"variants/{family}/family.json"
        text = paths.read_if_there(os.path.join(root, name))
        if not text:
            continue
        try:
            about = json.loads(text)
        except ValueError as error:
            raise MakeError(f"reading '{name}': {error}") from error
        target = about.get("viewer", "") if isinstance(about, dict) else None
        if not isinstance(target, str):
            raise MakeError(f"reading '{name}': viewer: expected the name of a target")
        if target:
            found.append(Viewer(family, target))
    return found


def viewer_for(argv: list[str], known: list[Viewer], root: str) -> Viewer:
    """The viewer of the family in whose folder an argument lies; of the first family for a file elsewhere."""
    if not known:
        raise MakeError("no family of this checkout has a viewer", "a family.json names one: \"viewer\": \"<target>\"")
    for argument in argv:
        inside = os.path.relpath(os.path.realpath(argument), os.path.realpath(os.path.join(root, "variants")))
        for viewer in known:
            if inside.split(os.sep)[0] == viewer.family:
                return viewer
    return known[0]


def main(argv: list[str]) -> int:
    """python3 make.py view"""
    if {"--help", "-h"} & set(argv):
        print(as_invoked(HELP), end="")
        return 0
    # Before a build, which takes minutes on a new machine. Which argument it is, the viewer knows.
    if not any(os.path.isfile(argument) for argument in argv):
        found = f"no file in '{' '.join(argv)}'" if argv else "none"
        raise MakeError(f"view: expected the path of a configuration, found {found}", "python3 make.py view --help", 2)
    reader.tell(False)
    become(viewer_for(argv, viewers(paths.ROOT), paths.ROOT), argv)


def become(viewer: Viewer, argv: list[str]) -> NoReturn:
    """Replaces this process by the viewer, so that signals and the exit status are the viewer's own. It starts in the
    user's working folder, to which paths among the arguments are relative."""
    folder = build.build(build.existing_options(), [viewer.target], quiet=True).folder
    binary = os.path.join(folder, viewer.target)
    os.execv(binary, [binary, *argv])
