"""verify: compares the active packages with the list made when they were unpacked; with --deep also every file's hash.

A damaged package is marked as invalid, and the next install makes it again. With --repair it is repaired at once,
downloading only the artifacts that hold the damaged files. If lib does not link to a package's pinned version, its entry
in the store is not compared and stays as it is: other checkouts may use it."""

import contextlib
import os

from harness.spm import formatting
from harness.spm.archives import contents
from harness.spm.errors import FAILED, SpmError
from harness.spm.late import late
from harness.spm.options import Command, PROGRAM
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Artifact
from harness.spm.settings import Settings
from harness.spm.store import lib
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import Store
from harness.spm.verbs import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm.store import repair
    from harness.spm.transfer import progress
else:
    repair = late("harness.spm.store.repair")
    progress = late("harness.spm.transfer.progress")

_SHOWN = 5
WHOLE, DAMAGED, NOT_LINKED = "whole", "damaged", "not linked"


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    store = Store(settings.store, settings.stores_behind)
    deep = "--deep" in command.options
    lib.check(settings.lib, settings.lib_folder(), [])
    packages = manifest.serving(settings.platform)
    active = [item for item in lib.wanted(packages, settings, store) if os.path.lexists(item.link)]
    if not active:
        return _nothing_active(bool(packages), settings)
    rows = [_row(item, store, deep) for item in active]
    wrong = [(item, row) for item, row in zip(active, rows) if row["state"] != WHOLE]
    behind = [item for item, row in wrong if row["state"] == DAMAGED and not store.owns(item.entry)]
    if behind:
        root = behind[0].entry.path.partition("/packages/")[0]
        raise SpmError(
            f"{len(behind)} of {len(rows)} packages differ from what was unpacked, in the store {root}, which is used as it is",
            f"its owner repairs it: {PROGRAM} verify --repair",
        )
    repairing = bool(wrong) and "--repair" in command.options and store.writable()
    artifacts: list[Artifact] = []
    if repairing:
        # --json prints one row per package, so no progress events in between.
        report = progress.Report() if settings.json else progress.report_for(settings)
        artifacts = repair.repair([item for item, _ in wrong], deep, manifest, settings, store, report)
        if not settings.dry_run:
            for _, row in wrong:
                row["state"] = "repaired"
    elif not settings.dry_run:
        with contextlib.suppress(OSError):  # the store may be read-only
            for item, row in wrong:
                if row["state"] == DAMAGED:  # behind a link to another place, nothing of the entry was compared
                    item.entry.mark_damaged()
    table.show(rows, ("name", "state", "files", "problems"), settings, {"problems": _some})
    if repairing and not settings.quiet:
        _print_repaired(len(wrong), artifacts, settings)
    if wrong and not repairing:
        raise _error(wrong, len(rows), store)
    return FAILED if any(row["state"] in (DAMAGED, NOT_LINKED) for row in rows) else 0


def _nothing_active(expected: bool, settings: Settings) -> int:
    what = f"0 packages are active in {settings.lib_folder()}: nothing was verified"
    if expected:
        raise SpmError(what, f"{PROGRAM} status")
    if not settings.quiet:
        table.print_note(what)
    return 0


def _row(item: WantedPackage, store: Store, deep: bool) -> dict:
    state, files, found = WHOLE, 0, []
    if not item.linked():
        state, found = NOT_LINKED, [f"{item.link} {_where_linked(item, store)}"]
    else:
        try:
            listed = item.entry.files()
            files = len(listed["files"])
            found = [f"{path}: {reason}" for path, reason in contents.problems(item.entry.tree, listed, deep).items()]
        except (OSError, ValueError, KeyError, TypeError) as error:
            found = [f"its list {item.entry.path}/files.json cannot be read: {error}"]
        if not found and not item.entry.exists():
            found = ["was found damaged earlier and is not repaired yet"]
        state = DAMAGED if found else WHOLE
    return {
        "name": item.package.name,
        "version": item.entry.version,
        "state": state,
        "deep": deep,
        "files": files,
        "problems": found,
    }


def _where_linked(item: WantedPackage, store: Store) -> str:
    if not lib.is_ours(item.link):
        return "is not a link that spm made"
    return "links to another version" if store.entry_of(os.readlink(item.link)) else "links into another store"


def _error(wrong: list[tuple[WantedPackage, dict]], rows: int, store: Store) -> SpmError:
    """The error for packages that are damaged or not linked; its hint is for what must be done first."""
    damaged = sum(row["state"] == DAMAGED for _, row in wrong)
    parts = [f"{damaged} of {rows} packages differ from what was unpacked"] if damaged else []
    unlinked = [item for item, row in wrong if row["state"] == NOT_LINKED]
    if unlinked:
        parts.append(f"{len(unlinked)} of {rows} packages are not linked to their pinned version")
    if blocked := [item for item in unlinked if not lib.is_ours(item.link)]:
        hint = f"move {blocked[0].link} away, or name another folder with --lib DIR"
    elif damaged:
        hint = f"{'' if store.writable() else 'its owner repairs it: '}{PROGRAM} verify --repair"
    elif any(not store.entry_of(os.readlink(item.link)) for item in unlinked):
        hint = "name the store of these links with --store DIR or SPM_STORE"
    else:
        hint = f"{PROGRAM} install {' '.join(item.package.name for item in unlinked)}"
    return SpmError("; ".join(parts), hint)


def _print_repaired(count: int, artifacts: list[Artifact], settings: Settings) -> None:
    done = "would be repaired" if settings.dry_run else "repaired"
    size = formatting.size(sum(each.size for each in artifacts))
    cost = f"with {formatting.plural(len(artifacts), 'artifact')} of {size}" if artifacts else "without any artifact"
    table.print_note(f"{formatting.plural(count, 'package')} {done} {cost}")


def _some(problems: list[str]) -> str:
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return "; ".join(problems[:_SHOWN]) + more
