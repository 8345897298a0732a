"""SPDX 2.3 as JSON."""

from __future__ import annotations

import hashlib
import json
import uuid

from harness.spm.sbom.expressions import NOASSERTION
from harness.spm.sbom.inventory import Inventory, Item

_PACKAGE, _ARTIFACT = "SPDXRef-Package-", "SPDXRef-Artifact-"
UNDATED = "1970-01-01T00:00:00Z"


def document(inventory: Inventory, created: str) -> dict:
    """The document. `created` is its time, '' if that is not known: the field is required, so it is then the epoch.

    The namespace must be unique to the content. It is a hash of that, as a UUID: the project owns no address to put there."""
    texts = inventory.extracted()
    rest: dict = {
        "creationInfo": {"created": created or UNDATED, "creators": ["Tool: spm"]},
        "packages": [
            *(_package(each, _PACKAGE, "") for each in inventory.packages),
            *(_package(each, _ARTIFACT, each.file_name) for each in inventory.artifacts),
        ],
        "hasExtractedLicensingInfos": [
            {"licenseId": ref, "name": name, "extractedText": text} for ref, (name, text) in texts.items()
        ],
        "relationships": [
            *(_relation("SPDXRef-DOCUMENT", "DESCRIBES", f"{_PACKAGE}{each.ident}") for each in inventory.packages),
            *(
                _relation(f"{_PACKAGE}{package}", "CONTAINS", f"{_ARTIFACT}{artifact}")
                for package, artifacts in inventory.contains.items()
                for artifact in artifacts
            ),
        ],
    }
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": inventory.name,
        "documentNamespace": f"urn:uuid:{content_id([inventory.name, rest])}",
        **rest,
    }


def content_id(content: object) -> uuid.UUID:
    """The same UUID for the same content."""
    return uuid.uuid5(uuid.UUID(int=0), hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest())


def _relation(of: str, kind: str, to: str) -> dict:
    return {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}


def _package(item: Item, prefix: str, file_name: str) -> dict:
    found: dict = {"SPDXID": f"{prefix}{item.ident}", "name": item.name, "versionInfo": item.version}
    if file_name:
        found["packageFileName"] = file_name
    if item.supplier:
        found["supplier"] = f"Organization: {item.supplier}"
    found["downloadLocation"] = item.address or NOASSERTION
    found["filesAnalyzed"] = False
    if item.sha256:
        found["checksums"] = [{"algorithm": "SHA256", "checksumValue": item.sha256}]
    found["licenseConcluded"] = item.concluded or NOASSERTION
    found["licenseDeclared"] = item.licence.expression or NOASSERTION
    if item.comment:
        found["licenseComments"] = item.comment
    found["copyrightText"] = "\n".join(item.licence.notices) or NOASSERTION
    if item.purl:
        found["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": item.purl}
        ]
    return found
