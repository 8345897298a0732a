"""mirror push URL [GROUP...]: copies every artifact of packages.json, or of the groups, of all platforms, to a mirror
(sources/mirror.py).

What the mirror already has, by all its bytes, is not sent again. What the store lacks is downloaded from the artifact's own sources and
verified. A failure does not stop the rest."""

from __future__ import annotations

import threading

from harness.spm import parallel
from harness.spm.errors import Cancelled, SpmError, system_error
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Artifact, Manifest
from harness.spm.settings import Settings
from harness.spm.sources.mirror import LAST, Mirror
from harness.spm.sources.transport import TransferError
from harness.spm.store import prune
from harness.spm.store.store import Store
from harness.spm.transfer import progress, upload
from harness.spm.transfer.download import FetchFailed, summary
from harness.spm.transfer.fetch import Fetcher
from harness.spm.verbs import mirror as mirrors


def run(command: Command, settings: Settings) -> int:
    mirror = mirrors.opened(command, settings, more=True)
    if settings.mirror.removeprefix(LAST) == command.names[0]:
        settings.mirror = ""  # do not download from the mirror what it lacks
    manifest = manifests.load(settings.packages)
    artifacts = mirrors.artifacts_of(manifest, command.names[1:])
    found = mirrors.conditions(mirror, artifacts, settings)
    missing = [each for each in artifacts if found[each] != upload.WHOLE]
    there, damaged = len(artifacts) - len(missing), sum(each not in (upload.WHOLE, upload.MISSING) for each in found.values())
    failures: dict = {}
    if settings.dry_run:
        mirrors.print_plan(missing, settings)
    elif missing:
        failures = _push(mirror, missing, manifest, settings)
    pushed = [each for each in missing if each not in failures]
    others = {
        "there": (there, f"{there:,} there already"),
        "damaged": (damaged, f"{damaged:,} in place of damaged ones"),
        "failed": (len(failures), f"{len(failures):,} failed"),
    }
    mirrors.print_summary(settings, "pushed", pushed, others)
    if failures:
        reasons = "; ".join(failures[each] for each in missing if each in failures)
        raise SpmError(
            f"{len(failures)} of {len(artifacts)} artifacts did not reach the mirror: {reasons}",
            "correct that and push again: what the mirror already has is not sent twice",
        )
    return 0


def _push(mirror: Mirror, missing: list[Artifact], manifest: Manifest, settings: Settings) -> dict:
    """Sends what the mirror lacks, in parallel with the downloads; returns {artifact: reason of its failure}."""
    store, report, cancelled = Store(settings.store, settings.stores_behind), progress.report_for(settings), threading.Event()

    def send(task: tuple[Artifact, FetchFailed] | tuple[Artifact, str]) -> str:
        artifact, found = task
        if isinstance(found, FetchFailed):
            return summary([found]).what

        def advanced(done: int) -> None:
            if cancelled.is_set():
                raise Cancelled()
            report.advanced(artifact, done)

        report.begun(artifact, "upload")
        whole = False
        try:
            upload.put(mirror, mirror.address(artifact.sha256), found, artifact.size, artifact.sha256, advanced)
            whole = True
        except TransferError as error:
            return f"could not push {artifact.path}: {error.reason}"
        finally:
            report.ended(artifact, whole, "uploaded")
        fetcher.release(artifact)
        return ""

    def cancel() -> None:
        cancelled.set()
        fetcher.cancel()

    report.started(0, len(missing), 2 * sum(each.size for each in missing))  # a download and an upload each
    try:
        with (
            prune.locked(store, report),
            report,
            Fetcher(manifest, settings, store.archive, store.lock, report) as fetcher,
        ):
            arriving = fetcher.fetch_all(missing, keep_going=True)
            sent = dict(parallel.each(send, arriving, mirrors.jobs(mirror, settings), cancel))
    except OSError as error:
        raise system_error("mirror push", error) from None
    return {artifact: reason for (artifact, _), reason in sent.items() if reason}
