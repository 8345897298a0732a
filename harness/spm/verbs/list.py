"""list: all packages of packages.json that serve the platform."""

from harness.spm import formatting
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.store import lib
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import Store
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    rows = [_row(item) for item in lib.wanted(manifest.serving(settings.platform), settings, Store(settings.store, settings.stores_behind))]
    table.show(
        rows,
        ("name", "lib", "groups", "download_bytes", "version", "active"),
        settings,
        {"version": table.short, "download_bytes": formatting.size, "active": lambda active: "yes" if active else "no"},
        briefly={"version": None},
    )
    return 0


def _row(item: WantedPackage) -> dict:
    package = item.package
    artifacts = package.artifacts_for(item.platform)
    return {
        "name": package.name,
        "lib": package.lib,
        "groups": package.groups,
        "platforms": package.platforms,
        "license": package.license,
        "artifacts": len(artifacts),
        "download_bytes": sum(each.size for each in artifacts),
        "version": item.entry.version,
        "active": item.settled(),
    }
