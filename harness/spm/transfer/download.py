"""Downloads artifacts: tries an artifact's sources in order, hashes during the transfer, and rejects wrong bytes.

After a wrong file the next source is tried. Temporary errors are retried after a pause, for the rest of the file only.
A place that does not answer is not tried again in the same run."""

import contextlib
import itertools
import os
import random
from typing import Any

from harness.spm import formatting, sources
from harness.spm.errors import Cancelled, SpmError
from harness.spm.hashing import sha256_of
from harness.spm.pins.manifest import Artifact, Manifest
from harness.spm.settings import Settings, timeout_s
from harness.spm.sources import Source, transport
from harness.spm.sources.mirror import mirror_of
from harness.spm.sources.transport import A_PAGE, Body, LONGEST_WAIT_S, PAGE_KINDS, TransferError
from harness.spm.transfer.host_slots import HostSlots
from harness.spm.transfer.part import PartialFile
from harness.spm.transfer.progress import Report

THREADS = 64  # that call `fetch`: more than slots, so that others use the slots of pausing threads
TRIES = 4  # at one address; counted anew whenever this much more of the file has arrived:
RENEWING_BYTES = 1 << 20
FIRST_PAUSE = 1 / 60  # of the timeout, before the second try; doubled for each further one
LONGEST_WAIT_WITH_OTHERS_S = 5  # if another source is left
_PIECE = 1 << 18
_PAGE_STARTS = (b"<!doctype html", b"<html")
_LONGEST_PAGE = 1 << 20


class Attempt:
    """A failed attempt at one source. `place` is the address part that all of the source's artifacts share; `answered`
    is whether the server answered with an HTTP status."""

    def __init__(
        self, source: str, place: str, address: str, reason: str, hint: str = "", answered: bool = False
    ) -> None:
        self.source, self.place, self.address, self.reason, self.hint = source, place, address, reason, hint
        self.answered = answered


class FetchFailed(Exception):
    """No source delivered the artifact."""

    def __init__(self, artifact: Artifact, attempts: list[Attempt]) -> None:
        super().__init__(artifact.path)
        self.artifact, self.attempts = artifact, attempts


class Downloader:
    """All downloads of one run. `fetch` may be called by many threads."""

    def __init__(self, manifest: Manifest, settings: Settings, report: Report) -> None:
        self._sources = {name: sources.open_source(fields, settings) for name, fields in manifest.sources.items()}
        self._mirror: Any
        self._mirror, self._mirror_last = mirror_of(settings)
        self._report = report
        self._silent: dict[str, TransferError] = {}  # places that do not answer
        self._begun: set[str] = set()  # running artifacts that have had a slot
        self.slots = HostSlots(settings.jobs)
        self._places: dict[str, str] = {}  # sha256 -> the first place of the artifact
        self._timeout_s = timeout_s()

    def cancel(self) -> None:
        self.slots.cancel()
        for source in self._sources.values():
            source.cancel()

    def fetch(self, artifact: Artifact, path: str) -> None:
        """Fills the file `path` with the artifact, verified; raises FetchFailed with every attempt.

        An existing part is continued. After a failure the part stays for the next run, except on a full disk."""
        part, whole = PartialFile(path), False
        try:
            whole = self._was_whole(artifact, part) or self._fetch(artifact, part)
        except OSError:
            part.clear()
            raise
        finally:
            part.close(whole)
            if artifact.sha256 in self._begun:
                self._begun.remove(artifact.sha256)
                self._report.ended(artifact, whole)

    def _was_whole(self, artifact: Artifact, part: PartialFile) -> bool:
        """Whether a killed run left a complete file that only needs the rename."""
        if part.length < artifact.size:
            return False
        if part.length > artifact.size or part.digest() != artifact.sha256:
            part.clear()
            return False
        self._report.found(artifact)
        return True

    def _fetch(self, artifact: Artifact, part: PartialFile) -> bool:
        attempts: list[Attempt] = []
        candidates = self._candidates(artifact, attempts)
        for name, source, address in candidates:
            if attempts and attempts[-1].address:  # the last attempt's failure is part of the error
                self._tell(artifact, attempts[-1])
            try:
                self._fetch_from(artifact, source, address, part, last=address == candidates[-1][2])
                return True
            except TransferError as error:
                place = transport.place(address) if error.host else ""
                shown = transport.shown(address)
                attempts.append(Attempt(name, place, shown, error.reason, error.hint, answered=error.status > 0))
        raise FetchFailed(artifact, attempts)

    def place_of(self, artifact: Artifact) -> str:
        """The place that is tried first; '' if no source is available."""
        if artifact.sha256 not in self._places:
            addresses = [address for _, _, address in self._candidates(artifact, [])]
            self._places[artifact.sha256] = transport.place(addresses[0]) if addresses else ""
        return self._places[artifact.sha256]

    def _candidates(self, artifact: Artifact, attempts: list[Attempt]) -> list:
        """(source's name, source, address) in the order to try; an unavailable source is added to `attempts`."""
        found = []
        for name, source in self._order(artifact):
            try:
                found += [(name, source, address) for address in source.addresses(artifact)]
            except sources.Unavailable as error:
                attempts.append(Attempt(name, "", "", error.reason, error.hint))
        return found

    def _order(self, artifact: Artifact) -> Any:
        named = [(name, self._sources[name]) for name in artifact.sources]
        mirror = [("SPM_MIRROR", self._mirror)] if self._mirror else []
        return named + mirror if self._mirror_last else mirror + named

    def _fetch_from(self, artifact: Artifact, source: Source, address: str, part: PartialFile, last: bool) -> None:
        """Tries one address until it has delivered or failed for good; `last`: no other address is left.

        Where a request for the rest of the file brings nothing of it, the whole is requested: at once, or with the last
        try if the failure may be temporary. The part stays until the whole arrives."""
        place = transport.place(address)
        tries, pause, reached = TRIES, FIRST_PAUSE * self._timeout_s, part.length
        anew = False
        while True:
            closed_s = self.slots.closed_s(place)
            if closed_s > LONGEST_WAIT_WITH_OTHERS_S and not last:
                raise TransferError(f"the server asks to wait {formatting.seconds(closed_s)}")
            before = part.length
            try:
                with self.slots.at(place):
                    self._transfer(artifact, source, address, part, 0 if anew else part.length)
                    return
            except TransferError as error:
                if part.length >= reached + RENEWING_BYTES:
                    tries, pause, reached = TRIES, FIRST_PAUSE * self._timeout_s, part.length
                brought_nothing = not error.host and part.length == before
                if part.length and not anew and (error.may_concern_range or (brought_nothing and not error.passing)):
                    anew = True
                    continue
                tries -= 1
                anew = brought_nothing and (anew or tries == 1)
                if not error.passing or not tries:
                    if error.host:
                        self._silent[place] = TransferError(error.reason, host=True, hint=error.hint)
                    raise
                self._pause(place, error, pause)
                pause *= 2

    def _tell(self, artifact: Artifact, failed: Attempt) -> None:
        fields = {"source": failed.source, "address": failed.address, "reason": failed.reason}
        self._report.event("attempt_failed", path=artifact.path, **fields)

    def _pause(self, place: str, error: TransferError, pause: float) -> None:
        if error.wait_s:
            wait_s = min(error.wait_s, LONGEST_WAIT_S)
            if self.slots.close_for(place, wait_s):
                self._report.event("asked_to_wait", place=place, seconds=wait_s)
        else:
            # Random jitter: threads that failed together should not retry together.
            self.slots.sleep(pause * random.uniform(0.5, 1.0))

    def _transfer(self, artifact: Artifact, source: Source, address: str, part: PartialFile, offset: int) -> None:
        """One transfer of what `part` lacks, requested from `offset` on: its length, or 0 for the whole file."""
        place = transport.place(address)
        if place in self._silent:
            raise self._silent[place]
        if artifact.sha256 not in self._begun:
            self._begun.add(artifact.sha256)
            self._report.begun(artifact)
        self._report.asked(artifact, place)
        with contextlib.closing(source.open(address, offset, part.validator(address))) as body:
            self._receive(artifact, body, address, part)
        if part.length < artifact.size:
            raise TransferError(f"truncated: {part.length:,} of {artifact.size:,} bytes", passing=True)
        if part.digest() != artifact.sha256:
            reason = f"expected sha256 {artifact.sha256}, found {part.digest()}"
            part.clear()
            raise TransferError(reason, passing=body.offset > 0)  # the earlier part may be the wrong one

    def _receive(self, artifact: Artifact, body: Body, address: str, part: PartialFile) -> None:
        """Appends a body to the part; leaves the part unchanged if the body cannot be the artifact's."""
        if body.length not in (None, artifact.size):
            is_page = body.kind in PAGE_KINDS or _begins_page(body.read(_PIECE))
            offers = f"expected {artifact.size:,} bytes, the server offers {body.length:,}"
            raise TransferError(A_PAGE if is_page else offers, status=206 if body.offset else 0)
        pieces = _beginning(artifact, body)
        part.begin(body.offset, address, body.validator)
        self._report.resumed(artifact, part.length)
        for piece in itertools.chain(pieces, iter(lambda: body.read(_PIECE), b"")):
            if self.slots.cancelled:
                raise Cancelled()
            if part.length + len(piece) > artifact.size:
                part.clear()
                # With a range, the earlier part may be the wrong one.
                raise TransferError(f"expected {artifact.size:,} bytes, more came", passing=body.offset > 0)
            part.append(piece)
            self._report.advanced(artifact, part.length)


def _begins_page(piece: bytes) -> bool:
    return piece[:64].lstrip().lower().startswith(_PAGE_STARTS)


def _beginning(artifact: Artifact, body: Body) -> list[bytes]:
    """The body's first pieces. If it looks like a page, so many that a page would have ended: a login page must not
    replace a part, while the right bytes count whatever type the server gives them. Raises TransferError for a page."""
    pieces = [body.read(_PIECE)]
    done = len(pieces[0])
    unmeasured = body.kind in PAGE_KINDS and body.length is None
    if body.offset or not (unmeasured or _begins_page(pieces[0])):
        return pieces
    most = min(artifact.size, _LONGEST_PAGE)
    while done <= most and pieces[-1]:
        pieces.append(body.read(_PIECE))
        done += len(pieces[-1])
    if done < most or artifact.size < done <= _LONGEST_PAGE:
        raise TransferError(A_PAGE)
    return pieces


def is_whole(path: str, artifact: Artifact) -> bool:
    """Whether the file at `path` is the artifact."""
    try:
        with open(path, "rb") as file:
            return (
                os.fstat(file.fileno()).st_size == artifact.size
                and sha256_of(file).hexdigest() == artifact.sha256
            )
    except OSError:
        return False


def summary(failures: list[FetchFailed]) -> SpmError:
    """One error for all failed artifacts: each different reason once, in the order of the attempts."""
    first = failures[0].artifact.path
    others = len({each.artifact.sha256 for each in failures}) - 1
    what = first if not others else f"{first} and {others} more"
    attempts = [attempt for failure in failures for attempt in failure.attempts]
    reasons, hints = {}, {}
    for attempt in attempts:
        where = f"{attempt.source} ({attempt.place or attempt.address})" if attempt.address else attempt.source
        # Reasons of a whole place appear once; reasons of single artifacts only for the first artifact.
        if attempt.place or not attempt.address or attempt in failures[0].attempts:
            reasons[f"{where}: {attempt.reason}"] = True
        hints[attempt.hint] = True
    # Where every source answered, the network is not at fault.
    answered = all(attempt.answered for attempt in attempts)
    return SpmError(f"could not fetch {what}: " + "; ".join(reasons), next(filter(None, hints), _hint(answered)))


def _hint(answered: bool) -> str:
    copy = "name {} copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR"
    return copy.format("another") if answered else "check the network, or " + copy.format("a")
