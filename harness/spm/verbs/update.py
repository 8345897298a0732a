"""update NAME...: writes the newest pins of packages into packages.json and prints the difference.

Only path, size, sha256, version, index and `unsigned` change. `index` is the suite, date and signer of the index that
the pin is from. `unsigned` records that the index of the pin was not signed. Such an
index is accepted only with --unsigned; the next update from a signed index removes the record. A package's `lib` stays
even if it contains the version, because build scripts use it. A pin never goes back to an older version: an attacker
may replay an old index."""

import json
import re

from harness.spm.errors import SpmError
from harness.spm.formatting import plural, printable
from harness.spm.options import Command
from harness.spm.pins import edit, manifest as manifests
from harness.spm.settings import Settings
from harness.spm.sources import newest
from harness.spm.sources.newest import PinFinding
from harness.spm.verbs import table


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    findings = newest.find(manifest, manifest.named(command.names), settings, "--unsigned" in command.options)
    changed = [each for each in findings if each.changes()]
    writes = not settings.dry_run and not settings.frozen
    if changed and writes:
        edit.write(settings.packages, [_change(each) for each in changed])
    for each in changed:
        print(json.dumps(_event(each, writes)) if settings.json else _difference(each))
    if not settings.quiet:
        newest.report_indexes(findings, table.print_note)
        for each in findings:
            if remark := _remark(each):
                table.print_note(remark)
        table.print_note(_summary(findings, changed, writes))
    if changed and settings.frozen:
        raise SpmError(
            f"{settings.packages}: expected the newest pins (--frozen), "
            f"found {plural(len(changed), 'artifact')} to update",
            f"python3 make.py spm update {' '.join(dict.fromkeys(each.package.name for each in changed))}"
            + " --unsigned" * ("--unsigned" in command.options),
        )
    return 0


def _old(each: PinFinding) -> dict:
    return {name: getattr(each.artifact, name) for name in each.newest.pin}


def _change(each: PinFinding) -> edit.PinChange:
    return edit.PinChange(each.package.name, _old(each), each.changes())


def _event(each: PinFinding, written: bool) -> dict:
    found = each.newest
    return {
        "event": "updated" if written else "would",
        "package": each.package.name,
        "name": found.name,
        "source": each.source,
        "old": {"version": found.pinned, **_old(each)},
        "new": {"version": found.version, **found.pin},
        "index_signed": bool(each.signed_by),
        "unsigned": _unsigned(each),
    }


def _difference(each: PinFinding) -> str:
    found = each.newest
    lines = [f"{each.package.name}: {found.name}: {found.pinned} -> {found.version}"]
    for name, value in each.changes().items():
        if value == getattr(each.artifact, name):
            continue
        for sign, shown in (("-", getattr(each.artifact, name)), ("+", value)):
            if name == "index":
                if shown:
                    lines.append(f"{sign}  index   {shown['suite']} of {shown['date']}, {_signed(shown['signer'])}")
            elif name == "version" and not shown:
                continue
            elif name != "unsigned":
                lines.append(f"{sign}  {name:<7} {shown}")
            elif shown:
                lines.append(f"{sign}  unsigned")
    return "\n".join(map(printable, lines))  # an index may name anything


def _signed(signer: str) -> str:
    return f"signed by {signer}" if signer else "not checked"


def _unsigned(each: PinFinding) -> bool:
    """Whether the pin is recorded as unsigned after the update."""
    return bool(each.changes().get("unsigned", each.artifact.unsigned))


def _remark(each: PinFinding) -> str:
    """A note for the user about an artifact, in addition to the difference; '' for none."""
    package, found = each.package, each.newest
    where = f"{package.name}: {found.name if found else each.artifact.file_name}"
    if each.state == newest.NO_INDEX:
        return f"{where}: left as it is: none of its sources has an index"
    if each.state == newest.UNLISTED:
        return f"{where}: left as it is: {each.reason}"
    if each.state == newest.NEWER:
        doubt = "; it is unsigned" if each.artifact.unsigned else ""
        return f"{where}: left as it is: the pin, {found.pinned}, is newer than the index, {found.version}{doubt}"
    if each.state == newest.CHANGED:
        return f"{where}: the index has the same version with other bytes"
    if each.state == newest.CURRENT and each.changes():
        return f"{where}: the same pin, now with its signed index"
    version = re.search(r"-(\d.*)$", package.lib)
    if version and found.pinned.startswith(version[1]) and not found.version.startswith(version[1]):
        return f"{where}: its folder stays lib/{package.lib}: build scripts use that name"
    return ""


def _summary(findings: list[PinFinding], changed: list[PinFinding], written: bool) -> str:
    if not changed:
        return f"nothing to update in {plural(len(findings), 'artifact')}"
    return f"{len(changed)} of {plural(len(findings), 'artifact')} {'updated' if written else 'would be updated'}"
