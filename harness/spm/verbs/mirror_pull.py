"""mirror pull URL: fills the store with every package of packages.json for the platform, from the mirror only.

Nothing is linked. A package with an artifact that the mirror lacks is left out and named; the others are stored. Wrong
bytes or a refused archive end the run, as in an install. The mirror is contacted even if the store has everything: a
dead mirror must not look like one without news."""

import os

from harness.spm.errors import SpmError, system_error, USAGE
from harness.spm.formatting import plural
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.store import lib, prune
from harness.spm.store.fill import fill
from harness.spm.store.install import InstallPlan
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import Store
from harness.spm.transfer import progress
from harness.spm.verbs import mirror as mirrors


def run(command: Command, settings: Settings) -> int:
    mirror = mirrors.opened(command, settings)
    settings.mirror = command.names[0]
    manifest = manifests.load(settings.packages)
    store = Store(settings.store, settings.stores_behind)
    packages = manifest.serving(settings.platform)
    for artifact in (each for package in packages for each in package.artifacts):
        artifact.sources = ()  # no source other than the mirror
    wanted = InstallPlan(lib.wanted(packages, settings, store))
    asked = list(wanted.artifacts().values()) or _any_artifact(packages, settings.platform)
    if mirror.folder and not os.path.isdir(mirror.folder):
        what = f"mirror pull: expected a folder, found none at {mirror.folder}"
        raise SpmError(what, "python3 make.py spm mirror pull --help", USAGE)
    missing_artifacts = mirrors.missing_artifacts(mirror, asked, settings)
    absent = {each.sha256 for each in missing_artifacts}
    incomplete = [item for item in wanted.missing if absent.intersection(_hashes(item))]
    plan = InstallPlan([item for item in wanted.missing if item not in incomplete])
    fetched = list(plan.artifacts().values())
    if settings.dry_run:
        mirrors.print_plan(fetched, settings)
    elif plan.missing:
        try:
            report = progress.report_for(settings)
            with prune.locked(store, report):
                fill(plan, manifest, settings, store, report)
        except OSError as error:
            raise system_error("mirror pull", error) from None
    filled, left = len(plan.items), len(incomplete)
    others = {"filled": (filled, f"{plural(filled, 'package')} filled"), "left_out": (left, f"{left:,} left out")}
    count = len(packages)
    nothing = "" if wanted.missing else f"nothing to pull: {count:,} of {plural(count, 'package')} are in the store"
    mirrors.print_summary(settings, "pulled", fetched, others, nothing)
    if incomplete:
        raise SpmError(
            f"the mirror {mirror.place} lacks {', '.join(each.path for each in missing_artifacts)}, and so "
            f"{len(incomplete)} of {len(packages)} packages: {', '.join(item.package.name for item in incomplete)}",
            "where their sources can be reached: python3 make.py spm mirror push URL",
        )
    return 0


def _any_artifact(packages: list, platform: str) -> list:
    return [each for package in packages for each in package.artifacts_for(platform)][:1]


def _hashes(item: WantedPackage) -> list[str]:
    return [each.sha256 for each in item.package.artifacts_for(item.platform)]
