"""install-group GROUP...: makes every package of the groups active."""

from harness.spm.pins import manifest as manifests
from harness.spm.verbs import activate


def run(command, settings) -> int:
    manifest = manifests.load(settings.packages)
    return activate.run(manifest.grouped(command.names, settings.platform), manifest, settings)
