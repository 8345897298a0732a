"""cache list: every package version of the store, with its size, last use and the lib folders that use it."""

import time

from harness.spm import formatting
from harness.spm.options import Command
from harness.spm.settings import Settings
from harness.spm.store import prune
from harness.spm.store.store import Store
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    now = time.time()
    rows = [
        {
            "name": each.entry.name,
            "lib": each.lib,
            "version": each.entry.version,
            "bytes": each.bytes,
            "files": each.files,
            "last_use": int(each.last_use),
            "used_by": each.users,
        }
        for each in prune.cache_entries(Store(settings.store))
    ]
    table.show(
        rows,
        ("name", "lib", "version", "bytes", "files", "last_use", "used_by"),
        settings,
        {"version": table.short, "bytes": formatting.size, "last_use": lambda then: f"{formatting.age(now - then)} ago"},
        briefly={"version": None, "name": None, "used_by": _count},
    )
    if not settings.json and not settings.quiet:
        size = formatting.size(sum(row["bytes"] for row in rows))
        unused = formatting.size(sum(row["bytes"] for row in rows if not row["used_by"]))
        table.print_note(f"{formatting.plural(len(rows), 'package')} of {size}, {unused} of it unused")
    return 0


def _count(users: list[str]) -> str:
    return formatting.plural(len(users), "folder") if users else ""
