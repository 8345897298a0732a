"""doctor: finds pins whose artifacts are no longer available, and what else would stop an install on this machine.

Every place that may have an artifact (its sources and the mirror) is asked for the artifact's last byte. States: fine
(all have it); some left; last copy (only one of several places has it); lost (none has it); unreachable (none has it,
and not all answered). Only a download proves the bytes."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

from harness.spm import parallel, sources
from harness.spm.errors import SpmError, USAGE
from harness.spm.formatting import plural, size
from harness.spm.help import with_places
from harness.spm.options import Command, PROGRAM
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Artifact, Manifest
from harness.spm.settings import existing_parent, Settings
from harness.spm.sources import reading, signature, Source, transport
from harness.spm.sources.mirror import mirror_of
from harness.spm.sources.transport import A_PAGE, PAGE_KINDS, TransferError
from harness.spm.transfer import progress
from harness.spm.transfer.host_slots import HostSlots
from harness.spm.verbs import table

FINE, SOME_LEFT, LAST_COPY, LOST, UNREACHABLE = "fine", "some left", "last copy", "lost", "unreachable"
_LITTLE_SPACE = 2 * 10**9


def run(command: Command, settings: Settings) -> int:
    if settings.offline:
        raise SpmError(
            "doctor: expected a network to reach the sources, found spm offline (--offline or SPM_OFFLINE)",
            "python3 make.py spm verify --deep, which needs no network",
            USAGE,
        )
    manifest = manifests.load(settings.packages)
    opened = {name: sources.open_source(fields, settings) for name, fields in manifest.sources.items()}
    rows = _rows(manifest, opened, settings)
    shown = rows if settings.json else [row for row in rows if row["state"] != FINE]
    table.show(shown, ("package", "artifact", "state", "found", "missing"), settings, {"missing": "; ".join})
    states = [row["state"] for row in rows]
    if not settings.quiet:
        for remark in _remarks(opened, command, settings):
            table.print_note(f"warning: {remark}")
        counts = ", ".join(f"{states.count(each)} {each}" for each in dict.fromkeys([FINE, *states]))
        table.print_note(f"{plural(len(rows), 'artifact')}: {counts}")
    if LOST in states:
        names = " ".join(dict.fromkeys(row["package"] for row in rows if row["state"] == LOST))
        raise SpmError(
            f"{plural(states.count(LOST), 'artifact')} lost: no place has what packages.json pins",
            f"python3 make.py spm update {names}, or name a place that has it in packages.json or SPM_MIRROR",
        )
    if UNREACHABLE in states:
        raise SpmError(
            f"could not look for {plural(states.count(UNREACHABLE), 'artifact')}",
            "check the network, or name a copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR",
        )
    return 0


def _rows(manifest: Manifest, opened: dict, settings: Settings) -> list[dict]:
    mirror, _ = mirror_of(settings)
    artifacts: dict[Any, Any] = {}  # (sha256, sources) -> (artifact, names of its packages): what two packages share is asked for once
    for package in manifest.packages.values():
        for artifact in package.artifacts:
            _, names = artifacts.setdefault((artifact.sha256, *artifact.sources), (artifact, {}))
            names[package.name] = True
    tasks = [
        (key, name, source)
        for key, (artifact, _) in artifacts.items()
        for name, source in [*((name, opened[name]) for name in artifact.sources), ("SPM_MIRROR", mirror)]
        if source
    ]
    silent: dict[str, TransferError] = {}  # places that do not answer
    slots = HostSlots(settings.jobs)
    answers: dict[tuple, dict] = {key: {} for key in artifacts}
    with progress.report_for(settings) as report:
        report.asking(len(tasks))
        for (key, name, _), answer in parallel.each(
            lambda task: _ask(artifacts[task[0]][0], task[2], silent, slots), tasks, settings.jobs
        ):
            answers[key][name] = answer
            report.answered()
    return [
        _row(artifact, name, answers[key]) for key, (artifact, names) in artifacts.items() for name in names
    ]


class _Availability:
    """Whether a place has the artifact; if not, the reason, and whether the place itself answered."""

    def __init__(self, has: bool, reason: str = "", answered: bool = True) -> None:
        self.has, self.reason, self.answered = has, reason, answered


def _ask(artifact: Artifact, source: Source, silent: dict[str, TransferError], slots: HostSlots) -> _Availability:
    try:
        addresses = source.addresses(artifact)
    except sources.Unavailable as unavailable:
        return _Availability(False, unavailable.reason, answered=False)
    reasons, answered = {}, True
    for address in addresses:
        place = transport.place(address)
        try:
            with slots.at(place):
                if place in silent:
                    raise silent[place]
                length, kind = reading.length(source, address, artifact.size)
        except TransferError as error:
            if error.host:
                silent[place] = error
            answered = answered and not error.host and not error.passing
            reasons[error.reason] = True
            continue
        if length == artifact.size or (length is None and kind not in PAGE_KINDS):
            return _Availability(True)
        reasons[A_PAGE if kind in PAGE_KINDS else f"expected {artifact.size:,} bytes, found {length:,}"] = True
    return _Availability(False, ", ".join(reasons), answered)


def _row(artifact: Artifact, package: str, answers: dict[str, _Availability]) -> dict:
    places = [*artifact.sources, *(["SPM_MIRROR"] if "SPM_MIRROR" in answers else [])]
    have = [name for name in places if answers[name].has]
    return {
        "package": package,
        "artifact": artifact.file_name,
        "path": artifact.path,
        "sha256": artifact.sha256,
        "state": _state(len(have), [answers[name] for name in places]),
        "found": f"{len(have)} of {len(places)}",
        "have": have,
        "missing": [f"{name}: {answers[name].reason}" for name in places if name not in have],
    }


def _state(have: int, answers: list[_Availability]) -> str:
    if have == len(answers):
        return FINE
    if have:
        return LAST_COPY if have == 1 else SOME_LEFT
    return LOST if all(each.answered for each in answers) else UNREACHABLE


def _remarks(opened: dict, command: Command, settings: Settings) -> Iterator[str]:
    """Warnings about what would stop an install or an update on this machine."""
    for what, path, option in (("store", settings.store, "--store"), ("lib", settings.lib, "--lib")):
        folder = existing_parent(path)
        if not os.path.isdir(folder):
            yield f"the {what}: expected a folder, found {folder}; name another with {option} DIR"
        elif not os.access(folder, os.W_OK):
            yield f"the {what}, {path}, cannot be written; name another with {option} DIR"
        elif what == "store" and (free := shutil.disk_usage(folder).free) < _LITTLE_SPACE:
            prune = with_places(f"{PROGRAM} cache prune", command)
            yield f"the store's disk has {size(free)} left ({path}); {prune} makes room"
    if any(hasattr(source, "newest") for source in opened.values()):
        try:
            reason, hint = signature.missing_requirement()
        except SpmError as error:
            reason, hint = error.what, error.hint
        if reason:
            yield f"update can check no index: {reason}; {hint}"
