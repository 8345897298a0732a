"""Looks up the newest versions of pins in their sources' indexes, for `outdated` and `update`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.spm import parallel, sources
from harness.spm.errors import SpmError
from harness.spm.pins.manifest import Artifact, Manifest, Package
from harness.spm.settings import Settings
from harness.spm.sources import NewestVersion, Unlisted

# The states of a finding.
CURRENT, OUTDATED = "current", "outdated"
CHANGED = "changed"  # the same version with other bytes: the pin's file is gone from its source
NEWER = "newer"  # the pin is above what the source has: an old index, or a version that was withdrawn
UNLISTED = "unlisted"  # the source has an index, and the artifact is not in it
NO_INDEX = "no index"  # none of its sources has one


class PinFinding:
    """The result for one artifact of a package. `newest` is None if `state` is unlisted (see `reason`) or no index;
    `signed_by` and `unchecked` come from the source's answer."""

    def __init__(
        self,
        package: Package,
        artifact: Artifact,
        source: str = "",
        newest: NewestVersion | None = None,
        unlisted: Unlisted | None = None,
    ) -> None:
        self.package, self.artifact, self.source = package, artifact, source
        self.newest: Any = newest
        self.reason = unlisted.reason if unlisted else ""
        answer = newest or unlisted
        self.signed_by, self.unchecked = (answer.signed_by, answer.unchecked) if answer else ("", "")
        self.warning = answer.warning if answer else ""

    @property
    def state(self) -> str:
        if not self.newest:
            return UNLISTED if self.reason else NO_INDEX
        if self.newest.order:
            return OUTDATED if self.newest.order < 0 else NEWER
        return CHANGED if self._new_values() else CURRENT

    def changes(self) -> dict:
        """The fields of packages.json that an update writes: {name: value}, None for a removed one."""
        if self.state not in (OUTDATED, CHANGED, CURRENT):
            return {}
        changes = self._new_values()
        known = self.artifact.index
        if changes or (self.signed_by and not (known and known["signer"])):
            changes |= {"version": self.newest.version, "index": self.newest.index}
        if self.unchecked and changes and not self.artifact.unsigned:
            changes["unsigned"] = True
        if self.signed_by and self.artifact.unsigned:
            changes["unsigned"] = None
        return changes

    def _new_values(self) -> dict:
        return {name: value for name, value in self.newest.pin.items() if value != getattr(self.artifact, name)}


def find(manifest: Manifest, packages: list[Package], settings: Settings, unsigned: bool) -> list[PinFinding]:
    """Looks up all artifacts of `packages` in their order. Raises SpmError if an index cannot be read or, without
    `unsigned`, is not signed."""
    opened = {name: sources.open_source(fields, settings) for name, fields in manifest.sources.items()}

    def look(pair: tuple[Package, Artifact]) -> PinFinding:
        package, artifact = pair
        for name in artifact.sources:
            if hasattr(opened[name], "newest"):
                return _ask(package, artifact, name, opened[name], unsigned)
        return PinFinding(package, artifact)

    pairs = [(package, artifact) for package in packages for artifact in package.artifacts]
    found = dict(parallel.each(look, pairs, settings.jobs))
    return [found[pair] for pair in pairs]


def _ask(package: Package, artifact: Artifact, name: str, source: Any, unsigned: bool) -> PinFinding:
    try:
        return PinFinding(package, artifact, name, source.newest(artifact, unsigned))
    except sources.Unlisted as unlisted:
        return PinFinding(package, artifact, name, unlisted=unlisted)
    except sources.Unavailable as unavailable:
        raise SpmError(f"{name}: {unavailable.reason}", unavailable.hint) from None
    except SpmError as error:
        error.what = f"{name}: {error.what}"
        raise


def report_indexes(findings: list[PinFinding], print_line: Callable[[str], None]) -> None:
    """Calls `print_line` once for each index that was read: who signed it, or a warning that it is unsigned."""
    sentences = {}
    for each in findings:
        if each.signed_by or each.unchecked:
            sentences[each.signed_by or f"warning: {each.unchecked}"] = True
        if each.warning:
            sentences[f"warning: {each.warning}"] = True
    for sentence in sentences:
        print_line(sentence)
