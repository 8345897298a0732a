"""install NAME... and install-group GROUP...: make packages active. Most calls need only the quick check below."""

from __future__ import annotations

import json
import os
import sys
import time

from harness.spm import formatting
from harness.spm.late import late
from harness.spm.pins import manifest as manifests
from harness.spm.store import lib
from harness.spm.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm import sources
    from harness.spm.options import Command
    from harness.spm.pins.manifest import Manifest, Package
    from harness.spm.settings import Settings
    from harness.spm.store import install
    from harness.spm.store.install import InstallPlan
    from harness.spm.store.lib import WantedPackage
    from harness.spm.transfer import progress
else:
    sources = late("harness.spm.sources")
    install = late("harness.spm.store.install")
    progress = late("harness.spm.transfer.progress")


def activate(
    packages: list[Package], manifest: Manifest, settings: Settings
) -> tuple[list[WantedPackage], InstallPlan | None]:
    """Makes packages active; returns (items, plan), with plan None if there was nothing to do."""
    store = Store(settings.store, settings.stores_behind)
    items = lib.wanted(packages, settings, store)
    # This check needs three system calls per package, and no network.
    if lib.is_registered(store, settings.lib) and all(item.settled() for item in items):
        for item in items if not settings.dry_run else ():
            item.entry.use()
        return items, None
    if not (settings.dry_run or settings.offline or settings.mirror):
        _prepare_sources(items, manifest, settings)
    return items, install.install(items, manifest, settings, store, progress.report_for(settings))


def _prepare_sources(items: list[WantedPackage], manifest: Manifest, settings: Settings) -> None:
    """Lets each source that is needed ask for what it lacks."""
    missing = (item for item in items if not item.entry.exists())
    artifacts = (artifact for item in missing for artifact in item.package.artifacts_for(item.platform))
    for name in dict.fromkeys(name for artifact in artifacts for name in artifact.sources):
        sources.open_source(manifest.sources[name], settings).prepare()


def run(command: Command, settings: Settings) -> int:
    started = time.monotonic()
    manifest = manifests.load(settings.packages)
    chosen = manifest.grouped if command.verb == "install-group" else manifest.named
    items, plan = activate(chosen(command.names, settings.platform), manifest, settings)
    if settings.dry_run:
        _print_plan(items, plan, settings)
    elif settings.json:
        _print_json(items, plan)
    elif not settings.quiet:
        print(_sentence(items, plan, time.monotonic() - started), file=sys.stderr)
    return 0


def _sentence(items: list[WantedPackage], plan: InstallPlan | None, elapsed: float) -> str:
    count = f"{len(items)} package{'s' * (len(items) != 1)}"
    if plan is None:
        return f"spm: {count} active, nothing to do"
    unpacked = sum(item.entry.stamp()["bytes"] for item in plan.missing)
    made = f"{formatting.plural(len(plan.missing), 'package')} of {formatting.size(unpacked)} unpacked, " if plan.missing else ""
    return f"spm: {count} active in {formatting.seconds(elapsed)}: {made}{formatting.plural(len(plan.unlinked), 'link')} set"


def _print_json(items: list[WantedPackage], plan: InstallPlan | None) -> None:
    changed = {item.package.name for item in plan.unlinked + plan.missing} if plan else ()
    for item in items:
        fields = {"package": item.package.name, "version": item.entry.version, "path": item.link}
        print(json.dumps({"event": "active", **fields, "changed": item.package.name in changed}))


def _print_plan(items: list[WantedPackage], plan: InstallPlan | None, settings: Settings) -> None:
    missing = plan.missing if plan else []
    unlinked = plan.unlinked if plan else []
    for item in items:
        artifacts = item.package.artifacts_for(item.platform) if item in missing else []
        size = sum(artifact.size for artifact in artifacts)
        if settings.json:
            fields = {"package": item.package.name, "version": item.entry.version, "path": item.link}
            amounts = {"artifacts": len(artifacts), "bytes": size, "link": item in unlinked}
            print(json.dumps({"event": "would", **fields, **amounts}))
        else:
            fetch = f"fetch {formatting.plural(len(artifacts), 'artifact')} of {formatting.size(size)}" if artifacts else ""
            link = f"link {os.path.relpath(item.link)}" if item in unlinked else ""
            print(f"{item.package.name}: {', '.join(filter(None, (fetch, link))) or 'nothing to do'}")
