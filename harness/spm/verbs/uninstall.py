"""uninstall NAME...: removes packages' links from lib. The store keeps the trees until they are pruned."""

import json
import os

from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.store import lib
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import Store
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    items = lib.wanted(manifest.named(command.names, settings.platform), settings, Store(settings.store, settings.stores_behind))
    lib.check(settings.lib, settings.lib_folder(), items)
    for item in items:
        was = os.path.islink(item.link)
        if was and not settings.dry_run:
            os.unlink(item.link)
        _print_row(item, was, settings)
    return 0


def _print_row(item: WantedPackage, was: bool, settings: Settings) -> None:
    if settings.json:
        event = "would" if settings.dry_run else "uninstalled"
        print(json.dumps({"event": event, "package": item.package.name, "path": item.link, "changed": was}))
    elif not settings.quiet:
        done = ("would be removed" if settings.dry_run else "removed") if was else "was not active"
        table.print_note(f"{item.package.name}: {item.link} {done}")
