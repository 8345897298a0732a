"""verify: compares the active packages with the list made when they were unpacked; with --deep also every file's hash.

A damaged package is marked as invalid, and the next install makes it again. With --repair it is repaired at once,
downloading only the artifacts that hold the damaged files."""

from __future__ import annotations

import contextlib
import os
import sys

from harness.spm.errors import FAILED
from harness.spm.options import PROGRAM, with_places
from harness.spm.pins import manifest as manifests
from harness.spm.store import contents, lib
from harness.spm.store.store import Store
from harness.spm.verbs import table
from harness.spm.options import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm.pins.manifest import Artifact
    from harness.spm.settings import Settings
    from harness.spm.store.lib import WantedPackage

_SHOWN = 5


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    store = Store(settings.store)
    deep = "--deep" in command.options
    lib.check(settings.lib, settings.lib_folder(), [])
    packages = [each for each in manifest.packages.values() if each.serves(settings.platform)]
    active = [item for item in lib.wanted(packages, settings, store) if os.path.lexists(item.link)]
    rows = [_row(item, deep) for item in active]
    damaged = [(item, row) for item, row in zip(active, rows) if row["state"] != "whole"]
    artifacts = None
    if damaged and "--repair" in command.options:
        from harness.spm import progress
        from harness.spm.repair import repair

        # --json prints one row per package, so no progress events in between.
        report = progress.Report() if settings.json else progress.report_for(settings)
        artifacts = repair([item for item, _ in damaged], deep, manifest, settings, store, report)
        if not settings.dry_run:
            for _, row in damaged:
                row["state"] = "repaired"
    elif not settings.dry_run:
        with contextlib.suppress(OSError):  # the store may be read-only
            for item, _ in damaged:
                item.entry.mark_damaged()
    table.show(rows, ("name", "state", "files", "problems"), settings, {"problems": _some})
    if damaged and not settings.quiet:
        _print_summary(len(damaged), len(rows), artifacts, command, settings)
    return FAILED if any(row["state"] == "damaged" for row in rows) else 0


def _row(item: WantedPackage, deep: bool) -> dict:
    files, found = 0, []
    if not item.linked():
        found = [f"expected a link to {item.entry.tree} at {item.link}"]
    else:
        try:
            listed = item.entry.files()
            files = len(listed["files"])
            found = [f"{path}: {reason}" for path, reason in contents.problems(item.entry.tree, listed, deep).items()]
        except (OSError, ValueError, KeyError, TypeError) as error:
            found = [f"its list {item.entry.path}/files.json cannot be read: {error}"]
        if not found and not item.entry.exists():
            found = ["was found damaged earlier and is not repaired yet"]
    return {
        "name": item.package.name,
        "version": item.entry.version,
        "state": "damaged" if found else "whole",
        "deep": deep,
        "files": files,
        "problems": found,
    }


def _print_summary(damaged: int, rows: int, artifacts: list[Artifact] | None, command: Command, settings: Settings) -> None:
    if artifacts is None:
        table.print_note(f"error: {damaged} of {rows} packages differ from what was unpacked")
        print(f"hint: {with_places(f'{PROGRAM} verify --repair', command)}", file=sys.stderr)
        return
    from harness.spm import formatting

    done = "would be repaired" if settings.dry_run else "repaired"
    size = formatting.size(sum(each.size for each in artifacts))
    cost = f"with {formatting.plural(len(artifacts), 'artifact')} of {size}" if artifacts else "without any artifact"
    table.print_note(f"{formatting.plural(damaged, 'package')} {done} {cost}")


def _some(problems: list[str]) -> str:
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return "; ".join(problems[:_SHOWN]) + more
