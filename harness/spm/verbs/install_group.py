"""install-group GROUP...: makes every package of the groups active."""

from harness.spm.pins import manifest as manifests
from harness.spm.verbs import activate
from harness.spm.options import Command
from harness.spm.settings import Settings


def run(command: Command, settings: Settings) -> int:
    manifest = manifests.load(settings.packages)
    return activate.run(manifest.grouped(command.names, settings.platform), manifest, settings)
