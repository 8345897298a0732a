"""mirror push URL: brings every artifact of packages.json, of all platforms, to a mirror (sources/mirror.py).

What is there already is not sent again; what the store does not hold comes from the artifact's own sources, verified.
A failure does not keep the rest back."""

from __future__ import annotations

import os
import queue
import sys
import threading

from harness.spm import progress, sources, words
from harness.spm.errors import Cancelled, FAILED, SpmError, system_error
from harness.spm.pins import manifest as manifests
from harness.spm.sources.mirror import Mirror
from harness.spm.store import prune
from harness.spm.store.store import Store
from harness.spm.transfer import transport
from harness.spm.transfer.download import Failed, summary
from harness.spm.transfer.fetch import Fetcher, join
from harness.spm.transfer.transport import TransferError
from harness.spm.transfer.upload import Uploader
from harness.spm.verbs import mirror

_JOIN_S = 1.0


def run(command, settings) -> int:
    mirror_source = mirror.open_named(command, settings)
    manifest = manifests.load(settings.packages)
    artifacts = {each.sha256: each for package in manifest.packages.values() for each in package.artifacts}
    report = progress.report_for(settings)
    push = _Push(mirror_source, settings, report)
    with report:
        missing = push.missing(artifacts.values())
        if not settings.dry_run and missing:
            try:
                with prune.at_work(Store(settings.store), report):
                    push.send(missing, manifest, Store(settings.store))
            except OSError as error:
                raise system_error("pushing to the mirror", error) from None
    ...
