"""The logs of configuring and building that a checkout has: every build folder's, those of earlier revisions, and why the last
build failed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from harness.make import paths
from harness.make.help_bundle.files import Unreadable, changed_at, read, text_of

_MOST_LOGS = 40
_DEPTH = 6
_LOG = re.compile(r".*\.log|CMakeConfigureLog\.yaml|build_info\.json|fetched\.json", re.I).fullmatch
_NO_LOGS = re.compile(r"obj|layouts|generated|toolchain|variants|tests|_deps|store|Testing|traces|static|kept|.*\.dir|.*\.exhibits|corpus|\.git|"
                      r"harness|lib|packages").fullmatch
_MARKS = re.compile(r"^FAILED:|^ninja: (?:error|fatal|build stopped)|^CMake Error|\berror:|undefined reference|^.*: fatal|Configuring incomplete|"
                    r"Killed|No space left|internal compiler error|Segmentation fault", re.M)
_STEP = re.compile(r"\[\d+/\d+\] ").match
_MOST_FAILED_LINES = 150


_FIRST = ("build_info.json", "build.log", "configure.log", "CMakeError.log", "CMakeConfigureLog.yaml", "CMakeOutput.log")


def logs() -> list[str]:
    """The paths of the logs below build/: those of building first, of others the newest."""
    def rank(path: str) -> tuple[int, float]:
        name = os.path.basename(path)
        return _FIRST.index(name) if name in _FIRST else len(_FIRST), -changed_at(path)

    return sorted(_walk(paths.BUILD, 0), key=rank)[:_MOST_LOGS]


def _walk(folder: str, depth: int) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            inner = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in inner:
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            continue
        if is_folder and depth < _DEPTH and not _NO_LOGS(entry.name):
            yield from _walk(entry.path, depth + 1)
        elif not is_folder and _LOG(entry.name):
            yield entry.path


def failed_text() -> str:
    """What went wrong in each build whose log says so: the lines of ninja's log that are no step that succeeded, and CMake's
    errors."""
    shown = []
    for path in logs():
        name = os.path.basename(path)
        if name not in ("build.log", "configure.log") and "revisions" not in path:
            continue
        try:
            text = read(path, 4_000_000, end=True, within=paths.BUILD)[0]
        except Unreadable:
            continue
        if _MARKS.search(text):
            lines = [line for line in text.splitlines() if line.strip() and not _STEP(line) and not line.startswith("-- ")]
            more = len(lines) - _MOST_FAILED_LINES
            cut = [f"({more} more lines)"] if more > 0 else []
            shown.append("\n".join([f"== {path}", _repeat(path), *lines[:_MOST_FAILED_LINES], *cut, ""]))
    return "\n".join(shown) or "No log of a build has an error.\n"


def _repeat(path: str) -> str:
    """The command that repeats the build of a log in build/<toolchain>-<config>."""
    folder = os.path.dirname(path)
    name = re.fullmatch(r"(pinned|system)-(\w+)", os.path.basename(folder))
    if not name:
        return "repeat: see the path"
    cache = text_of(os.path.join(folder, "CMakeCache.txt"), 1_000_000, paths.BUILD)
    march = re.search(r"^LAB_MARCH:\w+=(.*)$", cache, re.M)
    words = f"python3 make.py build --toolchain {name[1]} --config {name[2]}"
    return f"repeat: {words}{f' --march {march[1]}' if march else ''}"
