"""sbom [NAME...]: the bill of materials of packages or groups, of all packages without names, as SPDX 2.3 or CycloneDX 1.5.

What the store has not noted of an artifact's licence is read from its tree, or from its archive, which is fetched for it
as `mirror push` does. Offline, and for an artifact that no source has, the document says NOASSERTION."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator

from harness.spm import parallel
from harness.spm.archives.licence_files import LicenceFiles
from harness.spm.archives.unpack import licences_of
from harness.spm.errors import nearest, Refused, SpmError, system_error, unknown, USAGE
from harness.spm.formatting import plural
from harness.spm.lock import Lock
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Artifact, Manifest, Package
from harness.spm.sbom import cyclonedx, inventory, spdx
from harness.spm.sbom.inventory import Inventory
from harness.spm.settings import Settings
from harness.spm.store import lib, licence_record, prune
from harness.spm.store.store import Store
from harness.spm.transfer import progress
from harness.spm.transfer.download import FetchFailed, summary
from harness.spm.transfer.fetch import Fetcher
from harness.spm.verbs import mirror as mirrors, table

_FORMATS = {"spdx": spdx.document, "cyclonedx": cyclonedx.document}
_HELP = "python3 make.py spm sbom --help"
_LAST = 253402300799  # the end of the year 9999: the formats' dates have four digits
_NAMED = 3  # artifacts in a sentence


def run(command: Command, settings: Settings) -> int:
    kind = command.options.get("--format", "spdx")
    if kind not in _FORMATS:
        known = " or ".join(_FORMATS)
        raise SpmError(f"sbom: --format expects {known}, found '{kind}'{nearest(kind, _FORMATS)}", _HELP, USAGE)
    manifest = manifests.load(settings.packages)
    packages = _chosen(command.names, manifest, settings.platform)
    created = _created(packages, settings.platform)
    store = Store(settings.store, settings.stores_behind)
    found, missing = _known(packages, settings, store)
    if settings.dry_run:
        mirrors.print_plan([] if settings.offline else missing, settings)
        return 0
    failures: dict[str, Exception] = {}
    if missing and not settings.offline:
        failures = _read(missing, found, manifest, settings, store)
    name = ", ".join(["packages.json", *command.names]) + f" ({settings.platform})"
    listed = inventory.made(name, packages, manifest, settings.platform, found)
    print(json.dumps(_FORMATS[kind](listed, created), indent=None if settings.json else 2))
    if not settings.quiet:
        _print_unstated(listed, failures)
    if failures:
        raise _failed(failures, len(found) + len(failures))
    return 0


def _chosen(names: list[str], manifest: Manifest, platform: str) -> list[Package]:
    """The packages with one of `names`, and those of the groups with one of them; all without names."""
    chosen = {} if names else {each.name: each for each in manifest.serving(platform)}
    groups = manifest.groups()
    for name in names:
        if name not in manifest.packages and name not in groups:
            raise unknown("package or group", name, [*manifest.packages, *groups], "python3 make.py spm list", "sbom: ")
        found = manifest.grouped([name], platform) if name in groups else []
        found += manifest.named([name], platform) if name in manifest.packages else []
        chosen.update((each.name, each) for each in found)
    if not chosen:
        raise SpmError(f"sbom: expected packages for {platform}, found none in {manifest.path}", "python3 make.py spm list", USAGE)
    return list(chosen.values())


def _created(packages: list[Package], platform: str) -> str:
    """The document's time, '' if nothing tells one. It must be the same for the same pins, so it is not the clock's:
    SOURCE_DATE_EPOCH, as in every reproducible build, else the date of the newest index that a listed pin is from."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if text:
        if not (text.isascii() and text.isdigit()) or int(text[:15]) > _LAST or len(text) > 15:
            what = f"SOURCE_DATE_EPOCH: expected seconds since 1970, up to {_LAST}, found '{text[:40]}'"
            raise SpmError(what, "correct or unset SOURCE_DATE_EPOCH", USAGE)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(text)))
    return max((each.index["date"] for one in packages for each in one.artifacts_for(platform) if each.index), default="")


def _known(packages: list[Package], settings: Settings, store: Store) -> tuple[dict[str, LicenceFiles], list[Artifact]]:
    """(licence files by sha256, artifacts of which the store knows none)"""
    found: dict[str, LicenceFiles] = {}
    missing: dict[str, Artifact] = {}
    for item in lib.wanted(packages, settings, store):
        for number, artifact in enumerate(item.package.artifacts_for(item.platform)):
            if artifact.sha256 in found:
                continue
            noted = licence_record.load(store, artifact.sha256)
            if noted is None and item.entry.exists():
                noted = licence_record.of_tree(item.entry, number, artifact)
            if noted is None:
                missing[artifact.sha256] = artifact
            else:
                found[artifact.sha256] = noted
                missing.pop(artifact.sha256, None)
    return found, list(missing.values())


def _read(
    missing: list[Artifact], found: dict[str, LicenceFiles], manifest: Manifest, settings: Settings, store: Store
) -> dict[str, Exception]:
    """Fetches the artifacts and adds their licence files to `found`; returns what failed, by sha256."""
    failures: dict[str, Exception] = {}
    # With --json, standard output is the document alone.
    report = progress.Report() if settings.json else progress.report_for(settings)
    report.started(0, len(missing), sum(each.size for each in missing))
    try:
        with _place(store, report) as place, report:
            with Fetcher(manifest, settings, place.archive, place.lock, report) as fetcher:

                def read(task: tuple[Artifact, FetchFailed] | tuple[Artifact, str]) -> LicenceFiles | Exception:
                    artifact, path = task
                    if isinstance(path, FetchFailed):
                        return path
                    try:
                        noted = licences_of(path, artifact.file_name.partition("_")[0])
                    except Refused as error:
                        error.what = f"{artifact.path}: {error.what}"
                        return error
                    finally:
                        place.done(artifact, fetcher)
                    licence_record.save(store, artifact.sha256, noted)
                    return noted

                arriving = fetcher.fetch_all(missing, keep_going=True)
                for (artifact, _), noted in parallel.each(read, arriving, os.cpu_count() or 1, fetcher.cancel):
                    if isinstance(noted, LicenceFiles):
                        found[artifact.sha256] = noted
                    else:
                        failures[artifact.sha256] = noted
    except OSError as error:
        raise system_error("sbom", error) from None
    return failures


class _InStore:
    """Archives in the store, where another run continues and shares them."""

    def __init__(self, store: Store) -> None:
        self.archive, self.lock = store.archive, store.lock

    def done(self, artifact: Artifact, fetcher: Fetcher) -> None:
        fetcher.release(artifact)


class _InFolder:
    """Archives in a folder of this run, for a store that this user cannot write to."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def archive(self, sha256: str) -> str:
        return f"{self._folder}/{sha256}"

    def lock(self, name: str) -> Lock:
        return Lock(f"{self._folder}/{name}.lock")

    def done(self, artifact: Artifact, fetcher: Fetcher) -> None:
        os.unlink(self.archive(artifact.sha256))


@contextlib.contextmanager
def _place(store: Store, report: progress.Report) -> Iterator[_InStore | _InFolder]:
    if store.writable():
        with prune.locked(store, report):
            yield _InStore(store)
    else:
        with tempfile.TemporaryDirectory(prefix="spm-sbom-") as folder:
            yield _InFolder(folder)


def _print_unstated(listed: Inventory, failures: dict[str, Exception]) -> None:
    """One sentence for each reason why artifacts have no licence. What failed has the error of the run."""
    by_reason: dict[str, list[str]] = {}
    for item, reason in listed.unstated:
        if item.sha256 not in failures:
            by_reason.setdefault(reason, []).append(item.file_name)
    for reason, names in by_reason.items():
        some = ", ".join(names[:_NAMED]) + f" and {len(names) - _NAMED:,} more" * (len(names) > _NAMED)
        more = "; without --offline they are fetched" if reason == inventory.UNREAD else ""
        table.print_note(f"no licence for {plural(len(names), 'artifact')}, {reason}: {some}{more}")


def _failed(failures: dict[str, Exception], count: int) -> SpmError:
    unfetched = [each for each in failures.values() if isinstance(each, FetchFailed)]
    refused = [each for each in failures.values() if isinstance(each, SpmError)]
    error = summary(unfetched) if unfetched else refused[0]
    reasons = "; ".join([error.what] * bool(unfetched) + [each.what for each in refused])
    what = f"sbom: {len(failures)} of {plural(count, 'artifact')} could not be read for the licence: {reasons}"
    return SpmError(what, error.hint, error.status if not unfetched else 1)
