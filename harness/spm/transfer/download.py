"""Fetches artifacts: tries an artifact's sources in order, hashes on the way, and lets nothing through that differs.

A wrong file is as good as none: the next source is asked. Errors that may pass are tried again after a pause. A place
that nobody answers for is not asked again in the same run."""

from __future__ import annotations

import hashlib
import os
import random
import threading

from harness.spm import sources
from harness.spm.transfer import transport
from harness.spm.errors import Cancelled, SpmError
from harness.spm.transfer.transport import TransferError

TRIES = 4  # at one address
FIRST_PAUSE_S = 0.5  # before the second try; doubled for each further one
_PIECE = 1 << 18
_HTML = (b"<!doctype html", b"<html")


class Attempt:
    """One source that did not deliver: `place` is what all of the source's artifacts share."""

    def __init__(self, source: str, place: str, address: str, reason: str, hint: str = ""):
        self.source, self.place, self.address, self.reason, self.hint = source, place, address, reason, hint


class Failed(Exception):
    """No source delivered the artifact."""

    def __init__(self, artifact, attempts: list[Attempt]):
        super().__init__(artifact.path)
        self.artifact, self.attempts = artifact, attempts


class Downloader:
    """All downloads of one run. `fetch` may be called by many threads."""

    def __init__(self, manifest, settings, report):
        self._sources = {name: sources.open_source(fields, settings) for name, fields in manifest.sources.items()}
        self._mirror, self._mirror_last = sources.mirror_of(settings)
        self._report = report
        self._silent: dict[str, TransferError] = {}  # places where nobody answers
        self._cancelled = threading.Event()

    def cancel(self):
        self._cancelled.set()
        for source in self._sources.values():
            source.cancel()

    def fetch(self, artifact, part: str):
        """Fills the file `part` with the artifact, verified; raises Failed with every attempt."""
        attempts = []
        for name, source, address in self._candidates(artifact, attempts):
            if attempts and attempts[-1].address:  # the last attempt's failure is part of the error
                self._report.attempt_failed(artifact, attempts[-1])
            try:
                self._fetch_from(artifact, source, address, part)
                return
            except TransferError as error:
                place = transport.place(address) if error.host else ""
                attempts.append(Attempt(name, place, transport.shown(address), error.reason, error.hint))
        raise Failed(artifact, attempts)

    def _candidates(self, artifact, attempts: list[Attempt]):
        """(source's name, source, address) in the order to try; one that serves nothing here becomes an attempt."""
        for name, source in self._order(artifact):
            try:
                addresses = source.addresses(artifact)
            except sources.Unavailable as error:
                attempts.append(Attempt(name, "", "", error.reason, error.hint))
                continue
            yield from ((name, source, address) for address in addresses)

    def _order(self, artifact):
        named = [(name, self._sources[name]) for name in artifact.sources]
        mirror = [("SPM_MIRROR", self._mirror)] if self._mirror else []
        return named + mirror if self._mirror_last else mirror + named

    def _fetch_from(self, artifact, source, address: str, part: str):
        place = transport.place(address)
        pause = FIRST_PAUSE_S
        for left in reversed(range(TRIES)):
            if place in self._silent:
                raise self._silent[place]
            try:
                self._transfer(artifact, source, address, part)
                return
            except TransferError as error:
                self._report.advanced(artifact, 0)
                if error.passing and left:
                    # The spread keeps threads that failed together from returning together.
                    if self._cancelled.wait(pause * random.uniform(0.5, 1.0)):
                        raise Cancelled() from None
                    pause *= 2
                    continue
                if error.host:
                    self._silent[place] = error
                raise

    def _transfer(self, artifact, source, address: str, part: str):
        """One transfer into `part`, whose contents so far are thrown away."""
        self._report.asked(artifact, transport.place(address))
        body = source.open(address)
        try:
            if body.kind in ("text/html", "application/xhtml+xml"):
                raise TransferError("an HTML page came instead (a login or proxy page?)")
            if body.length not in (None, artifact.size):
                raise TransferError(f"expected {artifact.size:,} bytes, the server offers {body.length:,}")
            digest, done = self._receive(artifact, body, part)
        finally:
            body.close()
        if done < artifact.size:
            raise TransferError(f"truncated: {done:,} of {artifact.size:,} bytes", passing=True)
        if digest != artifact.sha256:
            raise TransferError(f"expected sha256 {artifact.sha256}, found {digest}")

    def _receive(self, artifact, body, part: str) -> tuple[str, int]:
        digest, done = hashlib.sha256(), 0
        with open(part, "wb", buffering=0) as file:
            while piece := body.read(_PIECE):
                if self._cancelled.is_set():
                    raise Cancelled()
                if done == 0 and piece[:16].lstrip().lower().startswith(_HTML):
                    raise TransferError("an HTML page came instead (a login or proxy page?)")
                done += len(piece)
                if done > artifact.size:
                    raise TransferError(f"expected {artifact.size:,} bytes, more came")
                digest.update(piece)
                rest = memoryview(piece)
                while rest:
                    rest = rest[file.write(rest) :]
                self._report.advanced(artifact, done)
        return digest.hexdigest(), done


def is_whole(path: str, artifact) -> bool:
    """Whether the file at `path` is the artifact."""
    try:
        with open(path, "rb") as file:
            return (
                os.fstat(file.fileno()).st_size == artifact.size
                and hashlib.file_digest(file, "sha256").hexdigest() == artifact.sha256
            )
    except OSError:
        return False


def summary(failures: list[Failed]) -> SpmError:
    """One error for all that could not be fetched: each different reason once, in the order of the attempts."""
    first = failures[0].artifact.path
    others = len({each.artifact.sha256 for each in failures}) - 1
    what = first if not others else f"{first} and {others} more"
    attempts = [attempt for failure in failures for attempt in failure.attempts]
    reasons, hints = {}, {}
    for attempt in attempts:
        where = f"{attempt.source} ({attempt.place or attempt.address})" if attempt.address else attempt.source
        # What concerns a whole place is said once; what concerns one artifact is said for the first only.
        if attempt.place or not attempt.address or attempt in failures[0].attempts:
            reasons[f"{where}: {attempt.reason}"] = True
        hints[attempt.hint] = True
    hint = next(
        filter(None, hints), "check the network, or name a copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR"
    )
    return SpmError(f"could not fetch {what}: " + "; ".join(reasons), hint)
