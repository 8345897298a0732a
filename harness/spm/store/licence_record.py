"""What the store keeps of an artifact's licence files (archives/licence_files.py), by the artifact's sha256.

`keep` of packages.json leaves most of these files out of the tree, and archives are not kept. So an install notes them
while it unpacks. For what was installed before, or was not read to its end, the tree has them, or `sbom` fetches the
archive once more. A damaged record counts as missing."""

from __future__ import annotations

import contextlib
import json
import os
import time

from harness.spm.archives import licence_files
from harness.spm.archives.licence_files import LicenceFiles
from harness.spm.atomic import write_file
from harness.spm.pins.manifest import Artifact
from harness.spm.store.store import read_json, Store, StoreEntry

_RULES = 1  # raised when licence_files.py would find others in the same archive
KEPT_S = 30 * 86400  # after its last use, if no entry has the artifact


def load(store: Store, sha256: str) -> LicenceFiles | None:
    """The record of an artifact, of this store or of one behind it."""
    for root in (store.root, *store.behind):
        path = _path(root, sha256)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            found = read_json(path)
            if found["rules"] == _RULES:
                with contextlib.suppress(OSError):
                    if time.time() - os.stat(path).st_mtime > 86400:
                        os.utime(path)
                return LicenceFiles(found["texts"], found["links"])
    return None


def save(store: Store, sha256: str, found: LicenceFiles) -> None:
    """Notes what an artifact has. Without the note, on a full disk or in a read-only store, it is only read again."""
    with contextlib.suppress(OSError):
        write_file(_path(store.root, sha256), json.dumps({"rules": _RULES, "texts": found.texts, "links": found.links}))


def of_tree(entry: StoreEntry, number: int, artifact: Artifact) -> LicenceFiles | None:
    """The licence files that the tree of `entry` has of the artifact with this number in its package. None if it has
    none and `keep` may have left them out."""
    try:
        listed = entry.files()
        owners = listed.get("owners") or [0] * len(listed["files"])
        prefix = f"{artifact.strip}/" if artifact.strip else ""
        texts, links = {}, {}
        for (path, _, size, *_), owner in zip(listed["files"], owners):
            if owner == number and licence_files.is_licence_file(prefix + path) and size <= licence_files.MOST_BYTES:
                with open(f"{entry.tree}/{path}", "rb") as file:
                    texts[prefix + path] = licence_files.decoded(file.read())
        for path, target in listed["links"]:
            if licence_files.is_licence_link(prefix + path):
                links[prefix + path] = target
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return LicenceFiles(texts, links) if texts or not artifact.keep else None


def sweep(store: Store, in_use: set[str]) -> None:
    """Removes records that were not used for long and whose artifact is in no entry of the store."""
    folder = f"{store.root}/licences"
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        with contextlib.suppress(FileNotFoundError):
            if name not in in_use and time.time() - os.stat(f"{folder}/{name}").st_mtime >= KEPT_S:
                os.unlink(f"{folder}/{name}")


def _path(root: str, sha256: str) -> str:
    return f"{root}/licences/{sha256}"
