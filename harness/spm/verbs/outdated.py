"""outdated [NAME...]: lists pins with a newer version in their source's index, and pins from an unsigned index.

It writes nothing, so an unsigned index is enough, with a warning."""


from harness.spm.formatting import plural
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.sources import newest
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    packages = manifest.named(command.names) if command.names else list(manifest.packages.values())
    findings = newest.find(manifest, packages, settings, unsigned=True)
    shown = [
        each
        for each in findings
        if settings.json or each.state not in _ONLY_COUNTED or each.artifact.unsigned
    ]
    table.show(
        [_row(each) for each in shown], ("package", "name", "source", "pinned", "newest", "state", "reason"), settings
    )
    if not settings.quiet:
        newest.report_indexes(findings, table.print_note)
        if names := dict.fromkeys(each.package.name for each in findings if each.artifact.unsigned):
            table.print_note(
                f"warning: from an unsigned index: {', '.join(names)}; "
                "an update from a signed index removes this mark"
            )
        table.print_note(_count(findings))
    return 0


_ONLY_COUNTED = (newest.CURRENT, newest.NO_INDEX)


def _row(each: newest.PinFinding) -> dict:
    found = each.newest
    return {
        "package": each.package.name,
        "name": found.name if found else each.artifact.file_name,
        "path": each.artifact.path,
        "source": each.source,
        "pinned": found.pinned if found else "",
        "newest": found.version if found else "",
        "state": each.state,
        "reason": "; ".join(filter(None, (each.reason, "taken unsigned" if each.artifact.unsigned else ""))),
        "index_signed": bool(each.signed_by),
        "unsigned": each.artifact.unsigned,
    }


def _count(findings: list[newest.PinFinding]) -> str:
    states = [each.state for each in findings]
    kinds = dict.fromkeys((newest.OUTDATED, *states))
    return f"{plural(len(states), 'artifact')}: " + ", ".join(f"{states.count(kind)} {kind}" for kind in kinds)
