"""status: prints the state of each package, and the links of lib that belong to no package of packages.json.

options.DETAILS explains the states."""

from __future__ import annotations

import os

from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.store import lib
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import links, Store, StoreEntry
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    store = Store(settings.store, settings.stores_behind)
    folder = settings.lib_folder()
    lib.check(settings.lib, folder, [])
    items = lib.wanted(manifest.serving(settings.platform), settings, store)
    rows = [_row(item, store) for item in items]
    expected = {item.link for item in items}
    for path, entry in links(store, settings.lib):
        if os.path.dirname(path) == folder and path not in expected:
            versions = {"version": entry.version, "active_version": entry.version}
            rows.append({"name": entry.name, "lib": os.path.basename(path), "state": "stray", **versions, "path": path})
    table.show(rows, ("name", "lib", "state", "version"), settings, {"version": table.short}, {"version": None})
    return 0


def _row(item: WantedPackage, store: Store) -> dict:
    active = store.entry_of(os.readlink(item.link)) if os.path.islink(item.link) else None
    return {
        "name": item.package.name,
        "lib": item.package.lib,
        "state": _state(item, active),
        "version": item.entry.version,
        "active_version": active.version if active else None,
        "path": item.link,
    }


def _state(item: WantedPackage, active: StoreEntry | None) -> str:
    if os.path.lexists(item.link) and not lib.is_ours(item.link):
        return "blocked"
    if active and active.exists():
        return "active" if active.path == item.entry.path else "other version"
    if item.entry.exists() and not os.path.lexists(item.link):
        return "stored"
    return "broken" if os.path.lexists(item.link) else "absent"
