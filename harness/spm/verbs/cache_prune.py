"""cache prune: removes packages that no lib folder uses from the store, by age and by size."""

import json
import os
import time

from harness.spm import formatting
from harness.spm.options import Command
from harness.spm.settings import Settings
from harness.spm.store import lease, prune
from harness.spm.store.prune import CacheEntry
from harness.spm.store.store import Store
from harness.spm.transfer.progress import report_for
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    older_than = formatting.parse_age(command.options.get("--older-than", "30d"), "--older-than")
    max_bytes = formatting.parse_size(command.options.get("--max-size", "10GB"), "--max-size")
    store, without_gone = Store(settings.store), "--gone" in command.options
    gone = []

    def choose() -> list[CacheEntry]:
        return prune.removable(prune.cache_entries(store, without_gone), older_than, max_bytes, time.time())

    if settings.dry_run:
        gone = choose()
        for each in gone:
            _print_row(each, settings)
    elif os.path.isdir(store.root):
        with prune.locked(store, report_for(settings), exclusive=True):
            if without_gone:
                lease.end_gone(store)
            prune.sweep(store, min(older_than, prune.LEFTOVER_S))
            gone = choose()
            for each in gone:
                prune.remove(store, each.entry)
                _print_row(each, settings)
    if not settings.quiet and not settings.json:
        done = "would be removed" if settings.dry_run else "removed"
        size = formatting.size(sum(each.bytes for each in gone))
        table.print_note(f"{formatting.plural(len(gone), 'package')} of {size} {done}")
    return 0


def _print_row(each: CacheEntry, settings: Settings) -> None:
    if settings.json:
        event = "would" if settings.dry_run else "pruned"
        fields = {"package": each.entry.name, "version": each.entry.version, "bytes": each.bytes}
        print(json.dumps({"event": event, **fields}))
    else:
        print(formatting.printable(f"{each.entry.name} {each.entry.version} {formatting.size(each.bytes)}"))
