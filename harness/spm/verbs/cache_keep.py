"""cache keep: what the owner of a store keeps in it for users who cannot write to it, and so hold no lease."""

import json

from harness.spm import formatting
from harness.spm.errors import SpmError, USAGE
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.store import lease, lib, prune
from harness.spm.store.store import Store
from harness.spm.transfer.progress import report_for
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    none = "--none" in command.options
    if none and command.names:
        raise SpmError("cache keep: expected names or --none, found both", "python3 make.py spm cache keep --help", USAGE)
    manifest, store = manifests.load(settings.packages), Store(settings.store)
    packages = manifest.named(command.names, settings.platform) if command.names else manifest.serving(settings.platform)
    items = [] if none else lib.wanted(packages, settings, store)
    kept = [item.entry for item in items if item.entry.exists()]
    if not settings.dry_run:
        with prune.locked(store, report_for(settings)):
            lease.keep(store, kept)
    absent = [item.package.name for item in items if item.entry not in kept]
    if settings.json:
        for entry in kept:
            print(json.dumps({"event": "kept", "package": entry.name, "version": entry.version}))
    elif not settings.quiet:
        table.print_note(f"{formatting.plural(len(kept), 'package')} kept")
        if absent:
            table.print_note(f"not in the store, so not kept: {', '.join(absent)}")
    return 0
