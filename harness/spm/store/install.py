"""Makes packages active: fills the store with what it lacks, then switches links.

The lib folder changes last, and only when every package is in the store: a failed install leaves it unchanged.
An install that only switches links imports no module that downloads or unpacks."""

from harness.spm.errors import SpmError, system_error
from harness.spm.late import late
from harness.spm.pins.manifest import Manifest
from harness.spm.settings import Settings
from harness.spm.store import lib, prune
from harness.spm.store.store import owner_writes_only, Store
from harness.spm.transfer.progress import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm.store import fill
else:
    fill = late("harness.spm.store.fill")


class InstallPlan:
    """What an install has to do, computed before it starts."""

    def __init__(self, items: list) -> None:
        self.items = items
        self.unlinked = [item for item in items if not item.linked()]
        self.missing = [item for item in items if not item.entry.exists()]

    def artifacts(self) -> dict:
        """The artifacts to unpack, by sha256: an artifact that two packages share is downloaded once."""
        return {
            artifact.sha256: artifact for item in self.missing for artifact in item.package.artifacts_for(item.platform)
        }

    def download_bytes(self) -> int:
        return sum(artifact.size for artifact in self.artifacts().values())


def install(items: list, manifest: Manifest, settings: Settings, store: Store, report: Report) -> InstallPlan:
    """Makes all `items` active; returns the plan that was carried out. An SpmError leaves the lib folder unchanged."""
    lib.check(settings.lib, settings.lib_folder(), items)
    if settings.dry_run:
        return InstallPlan(items)
    lib.check_writable(settings.lib_folder(), items)
    try:
        if not store.writable():  # a read-only disk, or another user's store
            plan = InstallPlan(items)
            if not plan.missing:
                with owner_writes_only():
                    lib.prepare(settings.lib, settings.lib_folder())
                    _link(items, report)
                return plan
        with prune.locked(store, report):
            plan = InstallPlan(items)  # only now: pruning may just have removed entries
            if plan.missing:
                _check_offline(plan, settings)
                fill.fill(plan, manifest, settings, store, report)
            lib.prepare(settings.lib, settings.lib_folder())
            if plan.unlinked:
                lib.register(store, settings.lib, items)
            _link(items, report)
            lib.register(store, settings.lib)
    except OSError as error:
        raise system_error("installing", error) from None
    return plan


def _check_offline(plan: InstallPlan, settings: Settings) -> None:
    """Raises SpmError where packages that were active here have left the store and there is no network to fetch them."""
    ended = [item for item in plan.missing if item.linked()]
    if ended and settings.offline:
        names = ", ".join(item.package.name for item in ended[:3]) + " ..." * (len(ended) > 3)
        count = f"{len(ended)} package{'s' * (len(ended) != 1)}"
        raise SpmError(
            f"the store no longer has {count} of lib ({names}): lib was not used for 30 days, so its lease ended, and spm "
            "is offline",
            "run this once with a network, or name a copy of the artifacts with SPM_MIRROR",
        )


def _link(items: list, report: Report) -> None:
    for item in items:
        if not item.linked():
            lib.replace_link(item.entry.tree, item.link)
            report.event("linked", package=item.package.name, version=item.entry.version, path=item.link)
        item.entry.use()
