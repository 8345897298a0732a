"""What the sources' indexes have for the pins: what `outdated` shows and `update` writes."""

from __future__ import annotations

from harness.spm import sources
from harness.spm.errors import SpmError
from harness.spm.transfer import parallel

# state -> what it means
CURRENT, OUTDATED = "current", "outdated"
CHANGED = "changed"  # the same version with other bytes: the pin's file is gone from its source
NEWER = "newer"  # the pin is above what the source has: an old index, or a version that was withdrawn
UNLISTED = "unlisted"  # the source has an index, and the artifact is not in it
NO_INDEX = "no index"  # none of its sources has one


class Finding:
    """One artifact of a package. `newest` is None where `state` is unlisted (`reason` says more) or no index."""

    def __init__(self, package, artifact, source: str = "", newest=None, reason: str = ""):
        self.package, self.artifact, self.source, self.newest, self.reason = package, artifact, source, newest, reason

    @property
    def state(self) -> str:
        if not self.newest:
            return UNLISTED if self.reason else NO_INDEX
        if self.newest.order:
            return OUTDATED if self.newest.order < 0 else NEWER
        return CHANGED if self.changes() else CURRENT

    def changes(self) -> dict:
        """The fields of packages.json that the newest has otherwise: {name: value}."""
        return {name: value for name, value in self.newest.pin.items() if value != getattr(self.artifact, name)}


def find(manifest, packages, settings) -> list[Finding]:
    """Looks up all artifacts of `packages`, in their order; raises SpmError where an index cannot be had."""
    opened = {name: sources.open_source(fields, settings) for name, fields in manifest.sources.items()}

    def look(pair) -> Finding:
        package, artifact = pair
        for name in artifact.sources:
            if hasattr(opened[name], "newest"):
                return _ask(package, artifact, name, opened[name])
        return Finding(package, artifact)

    pairs = [(package, artifact) for package in packages for artifact in package.artifacts]
    found = dict(parallel.each(look, pairs, settings.jobs))
    return [found[pair] for pair in pairs]


def _ask(package, artifact, name: str, source) -> Finding:
    try:
        return Finding(package, artifact, name, source.newest(artifact))
    except sources.Unlisted as unlisted:
        return Finding(package, artifact, name, reason=unlisted.reason)
    except sources.Unavailable as unavailable:
        raise SpmError(f"{name}: {unavailable.reason}", unavailable.hint) from None
    except SpmError as error:
        error.what = f"{name}: {error.what}"
        raise


def tell_indexes(findings: list[Finding], tell):
    """Calls `tell` with a sentence for each index that was read: who vouches for it, or a warning that nobody does."""
    said = {}
    for each in findings:
        if each.newest:
            said[each.newest.vouched or f"warning: {each.newest.unchecked}"] = True
    for sentence in said:
        tell(sentence)
