"""mirror verify URL [GROUP...]: reads every artifact of packages.json, or of the groups, of all platforms, from a mirror
and compares its bytes.

`doctor` asks for one byte of each artifact, which proves that a file is there, and not which."""

import shlex

from harness.spm.errors import SpmError
from harness.spm.formatting import plural
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.transfer import upload
from harness.spm.verbs import mirror as mirrors, table


def run(command: Command, settings: Settings) -> int:
    mirror = mirrors.opened(command, settings, more=True)
    manifest = manifests.load(settings.packages)
    artifacts = mirrors.artifacts_of(manifest, command.names[1:])
    found = mirrors.conditions(mirror, artifacts, settings)
    wrong = {each: state for each, state in found.items() if state != upload.WHOLE}
    shown = found if settings.json else wrong
    rows = [{"state": shown[each], "path": each.path, "sha256": each.sha256} for each in artifacts if each in shown]
    table.show(rows, ("state", "path"), settings)
    if wrong:
        raise SpmError(
            f"the mirror {mirror.place}: expected {plural(len(found), 'artifact')}, found {len(wrong)} missing, damaged or unreadable",
            f"python3 make.py spm mirror push {shlex.join([mirror.place, *command.names[1:]])}, which sends those",
        )
    if not settings.quiet and not settings.json:
        table.print_note(f"{plural(len(found), 'artifact')} of the mirror have the pinned bytes")
    return 0
