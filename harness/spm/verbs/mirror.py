"""Code shared by `mirror push` and `mirror pull`."""

import json

from harness.spm import parallel
from harness.spm.errors import SpmError, USAGE
from harness.spm.formatting import plural, size
from harness.spm.options import Command
from harness.spm.pins.manifest import Artifact
from harness.spm.settings import Settings
from harness.spm.sources import Unavailable
from harness.spm.sources.mirror import Mirror
from harness.spm.sources.transport import TransferError
from harness.spm.transfer import progress, upload
from harness.spm.verbs import table


def opened(command: Command, settings: Settings) -> Mirror:
    """The mirror named on the command line."""
    names = [name for name in command.names if name]
    if len(names) != 1:
        hint = f"python3 make.py spm {command.verb} --help"
        raise SpmError(f"{command.verb}: expected one URL or folder, found {len(names)}", hint, USAGE)
    return Mirror(names[0], settings)


def missing_artifacts(mirror: Mirror, artifacts: list, settings: Settings) -> list:
    """The `artifacts` that the mirror does not have with their size, in their order; SpmError if it cannot be read."""

    def absent(artifact: Artifact) -> bool:
        return not upload.holds(mirror, mirror.addresses(artifact), artifact.size)

    found = {}
    try:
        with progress.report_for(settings) as report:
            report.asking(len(artifacts))
            for artifact, lacks in parallel.each(absent, artifacts, settings.jobs):
                found[artifact] = lacks
                report.answered()
    except Unavailable as error:
        raise SpmError(f"mirror: {error.reason}", error.hint) from None
    except TransferError as error:
        hint = error.hint or "check the address and the network"
        raise SpmError(f"mirror {mirror.place}: {error.reason}", hint) from None
    return [artifact for artifact in artifacts if found[artifact]]


def print_plan(artifacts: list[Artifact], settings: Settings) -> None:
    """Prints what a run without --dry-run would transfer."""
    for each in artifacts:
        if settings.json:
            fields = {"event": "would", "path": each.path, "sha256": each.sha256, "bytes": each.size}
            print(json.dumps(fields))
        else:
            print(f"{each.path} {size(each.size)}")


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
