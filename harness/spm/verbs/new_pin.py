"""The entry of packages.json for an archive that is not pinned yet; what `publish` and `pin` share."""

from __future__ import annotations

import json

from harness.spm import trees
from harness.spm.archives.tree import Tree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused, SpmError, USAGE
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Manifest
from harness.spm.settings import ANY, native_platform


def entry(
    manifest: Manifest, name: str, platform: str | None, artifact: dict, added: dict | None = None
) -> dict:
    """The package's entry with the new artifact, checked like packages.json with the sources `added`.

    An existing package keeps its other fields and, with a platform, the artifacts for other platforms."""
    with open(manifest.path, encoding="utf-8") as file:
        document = json.load(file)
    found = document["packages"].get(name)
    if found is None:
        found = {"groups": [name], "platforms": [platform or native_platform()], "lib": f"{name}-1"}
        found = {**found, "license": "NOASSERTION", "artifacts": [artifact]}
    elif platform is None:
        found["artifacts"] = [artifact]
    else:
        others = [each for each in found["artifacts"] if not {platform, ANY}.intersection(each.get("platforms", [ANY]))]
        found["artifacts"] = [*others, {**artifact, "platforms": [platform]}]
        found["platforms"] = sorted({*found["platforms"], platform}) if ANY not in found["platforms"] else [ANY]
    document["packages"][name] = found
    document["sources"].update(added or {})
    try:
        manifests.parse(json.dumps(document), f"{manifest.path}, with '{name}' in it")
    except SpmError as error:  # the file itself was read without a mistake
        raise SpmError(error.what, "give another name or address", USAGE) from None
    return found


def check_unpacks(archive: str, what: str, fields: dict, scratch: str) -> None:
    """Unpacks the archive as an install would: an archive that the rules refuse must not be published."""
    try:
        tree = Tree(scratch)
        unpack(archive, manifests.Artifact(fields), tree, 0)
        tree.seal()
    except Refused as error:
        raise SpmError(f"{what}: {error.what}", "no package may hold that; harness/spm/archives/rules.py has the rules", USAGE) from None
    finally:
        trees.remove(scratch)
