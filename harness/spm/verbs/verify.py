"""verify: compares the active packages with the list made when they were unpacked; with --deep every file's hash too.

What is damaged is condemned: the next install makes it anew, since no pin may stand for something else."""

from __future__ import annotations

import os
import sys

from harness.spm.store import contents, lib
from harness.spm.pins import manifest as manifests
from harness.spm.errors import FAILED
from harness.spm.store.store import Store
from harness.spm.verbs import table

_SHOWN = 5


def run(command, settings) -> int:
    manifest = manifests.load(settings.packages)
    lib.check(settings.lib, settings.lib_folder(), [])
    packages = [each for each in manifest.packages.values() if each.serves(settings.platform)]
    items = lib.wanted(packages, settings, Store(settings.store))
    active = [item for item in items if os.path.lexists(item.link)]
    rows = [_row(item, "--deep" in command.options) for item in active]
    for item, row in zip(active, rows):
        if row["state"] != "whole" and item.entry.exists() and not settings.dry_run:
            item.entry.condemn()
    damaged = [row for row in rows if row["state"] != "whole"]
    table.show(rows, ("name", "state", "files", "problems"), settings, {"problems": _some})
    if damaged and not settings.quiet:
        names = " ".join(row["name"] for row in damaged)
        print(f"spm: error: {len(damaged)} of {len(rows)} packages differ from what was unpacked", file=sys.stderr)
        print(f"hint: python3 make.py spm install {names}", file=sys.stderr)
    return FAILED if damaged else 0


def _row(item, deep: bool) -> dict:
    files, found = 0, []
    if not item.linked():
        found = [f"expected a link to {item.entry.tree} at {item.link}"]
    else:
        try:
            expected = item.entry.files()
            files = len(expected["files"])
            found = contents.problems(item.entry.tree, expected, deep)
        except (OSError, ValueError, KeyError, TypeError) as error:
            found = [f"its list {item.entry.path}/files.json cannot be read: {error}"]
    return {
        "name": item.package.name,
        "version": item.entry.version,
        "state": "damaged" if found else "whole",
        "deep": deep,
        "files": files,
        "problems": found,
    }


def _some(problems: list[str]) -> str:
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return "; ".join(problems[:_SHOWN]) + more
