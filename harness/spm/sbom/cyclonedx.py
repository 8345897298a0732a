"""CycloneDX 1.5 as JSON.

An expression has no place for a text here, so the texts of its LicenseRefs are the evidence of the component."""

from __future__ import annotations

from harness.spm.sbom import expressions
from harness.spm.sbom.inventory import Inventory, Item
from harness.spm.sbom.spdx import content_id

_ROOT = "packages.json"


def document(inventory: Inventory, created: str) -> dict:
    """The document; without `created` it has no time, which is optional. The serial number is a hash of the content."""
    metadata: dict = {"timestamp": created} if created else {}
    metadata["tools"] = {"components": [{"type": "application", "name": "spm"}]}
    metadata["component"] = {"type": "application", "bom-ref": _ROOT, "name": inventory.name}
    rest = {
        "metadata": metadata,
        "components": [_component(each) for each in (*inventory.packages, *inventory.artifacts)],
        "dependencies": [
            {"ref": _ROOT, "dependsOn": [each.ident for each in inventory.packages]},
            *({"ref": package, "dependsOn": artifacts} for package, artifacts in inventory.contains.items()),
            *({"ref": each.ident} for each in inventory.artifacts),
        ],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{content_id([inventory.name, rest])}",
        "version": 1,
        **rest,
    }


def _component(item: Item) -> dict:
    found: dict = {"type": "library", "bom-ref": item.ident}
    if item.supplier:
        found["supplier"] = {"name": item.supplier}
    found["name"], found["version"] = item.name, item.version
    if item.sha256:
        found["hashes"] = [{"alg": "SHA-256", "content": item.sha256}]
    expression = item.concluded or item.licence.expression
    if expressions.is_identifier(expression):
        found["licenses"] = [{"license": {"id": expression}}]
    elif expression:
        found["licenses"] = [{"expression": expression}]
    if item.purl:
        found["purl"] = item.purl
    if item.address:
        found["externalReferences"] = [{"type": "vcs" if item.address.startswith("git+") else "distribution", "url": item.address}]
    properties = {"spm:file": item.file_name, "spm:licence": item.comment}
    if any(properties.values()):
        found["properties"] = [{"name": name, "value": value} for name, value in properties.items() if value]
    evidence: dict = {}
    if item.licence.extracted:
        evidence["licenses"] = [
            {"license": {"name": ref, "text": {"contentType": "text/plain", "content": text}}}
            for ref, (_, text) in item.licence.extracted.items()
        ]
    if item.licence.notices:
        evidence["copyright"] = [{"text": each} for each in item.licence.notices]
    if evidence:
        found["evidence"] = evidence
    return found
