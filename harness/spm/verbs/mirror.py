"""Code shared by `mirror push` and `mirror pull`."""

import json
from collections.abc import Callable
from typing import Any

from harness.spm import parallel
from harness.spm.errors import SpmError, unknown, USAGE
from harness.spm.formatting import plural, printable, size
from harness.spm.options import Command
from harness.spm.pins.manifest import Artifact, Manifest
from harness.spm.settings import Settings
from harness.spm.sources import Unavailable
from harness.spm.sources.mirror import Mirror
from harness.spm.sources.transport import TransferError
from harness.spm.transfer import progress, upload
from harness.spm.transfer.host_slots import most_at_once
from harness.spm.verbs import table


def opened(command: Command, settings: Settings, more: bool = False) -> Mirror:
    """The mirror named on the command line; with `more`, names may follow it."""
    names = [name for name in command.names if name]
    if len(names) != 1 and not (more and names):
        hint = f"python3 make.py spm {command.verb} --help"
        raise SpmError(f"{command.verb}: expected one URL or folder, found {len(names)}", hint, USAGE)
    return Mirror(names[0], settings)


def artifacts_of(manifest: Manifest, groups: list[str]) -> list[Artifact]:
    """The artifacts, each once, of the packages of `groups` for all platforms; of all packages without groups."""
    known = manifest.groups()
    for group in groups:
        if group not in known:
            raise unknown("group", group, known, "python3 make.py spm list")
    chosen = [each for each in manifest.packages.values() if not groups or set(groups).intersection(each.groups)]
    return list({each.sha256: each for package in chosen for each in package.artifacts}.values())


def missing_artifacts(mirror: Mirror, artifacts: list, settings: Settings) -> list:
    """The `artifacts` that the mirror does not have with their size, in their order; SpmError if it cannot be read."""
    found = _asked(mirror, artifacts, settings, lambda each: upload.holds(mirror, mirror.addresses(each), each.size))
    return [artifact for artifact in artifacts if not found[artifact]]


def conditions(mirror: Mirror, artifacts: list, settings: Settings) -> dict:
    """{artifact: its condition (transfer/upload.py)}, from all bytes in the mirror; SpmError if it cannot be read."""
    ask = lambda each: upload.condition(mirror, mirror.addresses(each), each.size, each.sha256)
    found = _asked(mirror, artifacts, settings, ask)
    reasons = set(found.values())
    if len(found) > 1 and len(reasons) == 1 and not reasons & {upload.WHOLE, upload.MISSING, upload.DAMAGED}:
        raise SpmError(f"mirror {mirror.place}: {reasons.pop()}", "check the address, and who may read it")
    return found


def _asked(mirror: Mirror, artifacts: list, settings: Settings, ask: Callable[[Artifact], Any]) -> dict:
    found = {}
    try:
        with progress.report_for(settings) as report:
            report.asking(len(artifacts))
            for artifact, answer in parallel.each(ask, artifacts, jobs(mirror, settings)):
                found[artifact] = answer
                report.answered()
    except Unavailable as error:
        raise SpmError(f"mirror: {error.reason}", error.hint) from None
    except TransferError as error:
        hint = error.hint or "check the address and the network"
        raise SpmError(f"mirror {mirror.place}: {error.reason}", hint) from None
    return found


def jobs(mirror: Mirror, settings: Settings) -> int:
    """How many transfers with the mirror run in parallel: no more than with any one host."""
    return settings.jobs if mirror.folder else min(settings.jobs, most_at_once(mirror.place))


def print_plan(artifacts: list[Artifact], settings: Settings) -> None:
    """Prints what a run without --dry-run would transfer."""
    for each in artifacts:
        if settings.json:
            fields = {"event": "would", "path": each.path, "sha256": each.sha256, "bytes": each.size}
            print(json.dumps(fields))
        else:
            print(printable(f"{each.path} {size(each.size)}"))


def print_summary(
    settings: Settings, moved: str, artifacts: list[Artifact], others: dict[str, tuple[int, str]], nothing: str = ""
) -> None:
    """Prints the summary: what was transferred, and `others`, {field: (count, text)}. If `nothing` is given, people get
    that sentence instead."""
    total = sum(each.size for each in artifacts)
    if settings.json:
        counts = {field: count for field, (count, _) in others.items()}
        print(json.dumps({"event": "mirror", moved: len(artifacts), "bytes": total, **counts}))
    elif not settings.quiet:
        rest = "".join(f", {text}" for count, text in others.values() if count)
        done = f"would be {moved}" if settings.dry_run else moved
        sentence = nothing or f"{plural(len(artifacts), 'artifact')} of {size(total)} {done}{rest}"
        table.print_note(sentence)
