"""What a document lists, apart from its format: packages of packages.json, the artifacts that each holds, and what these
state about their licences.

An artifact that two packages hold is listed once. A Debian package whose folder of documents is a link has the licence
of that other package, if a pin has it in the same suite, else that of another package made from the same source in the
same version: Debian's copyright file is about the source."""

from __future__ import annotations

import hashlib
import posixpath
import re
from urllib.parse import quote

from harness.spm.archives.licence_files import LicenceFiles
from harness.spm.pins.manifest import Artifact, Manifest, Package
from harness.spm.sbom import expressions, licence
from harness.spm.sbom.statement import Licence

_BINARY = re.compile(r"([^_]+)_([^_]+)_([^_]+)\.u?deb").fullmatch
_SOURCE = re.compile(r"([^_]+)_([^_]+?)(?:\.dsc|\.diff\.gz|(?:\.orig(?:-[A-Za-z0-9-]+)?|\.debian)?\.tar(?:\.[a-z0-9]+)?)").fullmatch
_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9+~]*(?:[-_.][A-Za-z][A-Za-z0-9+~]*)*?)[-_.]v?(\d.*?)(?:\.tar(?:\.[a-z0-9]+)?|\.t[gbx]z2?|\.zip|\.deb)?").fullmatch
_MOST_LINKS = 8
UNREAD = "which the store lacks"


class Item:
    """A package or an artifact. `ident` is unique in a document and made of letters, digits, '.' and '-'; `concluded` is
    the expression that packages.json gives; `address` and `purl` are '' where they are not known."""

    def __init__(self, name: str, version: str, key: str) -> None:
        self.name, self.version = name, version
        safe = re.sub("[^A-Za-z0-9.]+", "-", name).strip("-")
        self.ident = f"{safe}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
        self.file_name = self.sha256 = self.address = self.purl = self.supplier = self.concluded = self.comment = ""
        self.licence = Licence("")


class Inventory:
    """`contains` maps a package's ident to those of its artifacts. `unstated` has the artifacts that have no licence of
    their own, each with the reason."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.packages: list[Item] = []
        self.artifacts: list[Item] = []
        self.contains: dict[str, list[str]] = {}
        self.unstated: list[tuple[Item, str]] = []

    def extracted(self) -> dict[str, tuple[str, str]]:
        """{LicenseRef: (name, text)} of all artifacts."""
        return dict(sorted((ref, said) for each in self.artifacts for ref, said in each.licence.extracted.items()))


def made(
    name: str, packages: list[Package], manifest: Manifest, platform: str, found: dict[str, LicenceFiles]
) -> Inventory:
    """`found` has the licence files of the artifacts that were read, by sha256."""
    inventory = Inventory(name)
    artifacts: dict[str, Item] = {}
    files = _DebianFiles(manifest, found)
    for package in sorted(packages, key=lambda each: each.name):
        item = Item(package.name, _version(package), f"{package.name}\0{package.version(platform)}")
        item.concluded = expressions.normal(package.license)
        if not item.concluded:
            item.comment = f"The licence in packages.json: {package.license}"
        held = []
        for artifact in sorted(package.artifacts_for(platform), key=lambda each: (each.path, each.sha256)):
            if artifact.sha256 not in artifacts:
                artifacts[artifact.sha256] = each = _item(artifact, package, manifest)
                each.licence, each.comment, reason = files.licence(artifact)
                if reason:
                    inventory.unstated.append((each, reason))
            if artifacts[artifact.sha256] not in held:  # two entries may unpack different parts of one archive
                held.append(artifacts[artifact.sha256])
        if all(each.licence.expression for each in held):
            item.licence = Licence(expressions.all_of(each.licence.expression for each in held))
        inventory.packages.append(item)
        inventory.contains[item.ident] = [each.ident for each in held]
    inventory.artifacts = sorted(artifacts.values(), key=lambda each: (each.file_name, each.sha256))
    return inventory


def _version(package: Package) -> str:
    """The part of the folder's name in lib behind the package's name, else its last part."""
    if package.lib.startswith(package.name + "-"):
        return package.lib[len(package.name) + 1 :]
    return package.lib.rpartition("-")[2]


def _item(artifact: Artifact, package: Package, manifest: Manifest) -> Item:
    fields = [manifest.sources[name] for name in artifact.sources]
    debian = next((each for each in fields if each["type"] == "debian"), None)
    parsed = _BINARY(artifact.file_name) or _SOURCE(artifact.file_name) if debian else _NAMED(artifact.file_name)
    name, version = (parsed[1], parsed[2]) if parsed else (artifact.file_name, _version(package))
    git = next((each for each in fields if each["type"] == "git"), None)
    if git and not debian:
        name, version = package.name, artifact.path
    item = Item(name, artifact.version or version, artifact.sha256)
    item.file_name, item.sha256 = artifact.file_name, artifact.sha256
    item.address = _address(artifact, fields)
    if debian and parsed:
        item.supplier = "Debian"
        arch = parsed[3] if _BINARY(artifact.file_name) else "source"
        item.purl = _purl("deb/debian", item, {"arch": arch, "distro": debian["suite"]})
    else:
        more = {"checksum": f"sha256:{artifact.sha256}"}
        if item.address:
            more["vcs_url" if git else "download_url"] = item.address
        item.purl = _purl("generic", item, more)
    return item


def _address(artifact: Artifact, fields: list[dict]) -> str:
    """Where everyone can fetch it, '' if packages.json does not know: Debian's mirrors are set per machine, and folders
    and buckets are not everyone's."""
    for each in fields:
        base = each.get("base", "").rstrip("/")
        if each["type"] in ("http", "artifactory"):
            return f"{base}/{quote(artifact.path)}"
        if each["type"] == "git" and base.startswith(("https://", "ssh://")):
            return f"git+{base}@{artifact.path}"
    return ""


def _purl(kind: str, item: Item, qualifiers: dict[str, str]) -> str:
    name = item.name.lower() if kind.startswith("deb/") else item.name
    more = "&".join(f"{key}={quote(value, safe='/:')}" for key, value in sorted(qualifiers.items()))
    return f"pkg:{kind}/{quote(name, safe='')}@{quote(item.version, safe=':')}?{more}"


class _DebianFiles:
    """Finds an artifact's licence files, also those of another Debian package."""

    def __init__(self, manifest: Manifest, found: dict[str, LicenceFiles]) -> None:
        self._found, self._manifest = found, manifest
        self._by_name: dict[tuple[str, str], Artifact] = {}
        self._by_source: dict[tuple[str, str, str], list[Artifact]] = {}
        for package in manifest.packages.values():
            for each in package.artifacts:
                match = _BINARY(each.file_name)
                if match and each.sha256 in found:
                    suite = self._suite(each)
                    self._by_name.setdefault((suite, match[1]), each)
                    self._by_source.setdefault((suite, posixpath.dirname(each.path), match[2]), []).append(each)

    def licence(self, artifact: Artifact) -> tuple[Licence, str, str]:
        """(its licence, a comment on where that is from, why there is none)"""
        if artifact.sha256 not in self._found:
            return Licence(""), "Its licence files were not read.", UNREAD
        own = self._found[artifact.sha256]
        if (stated := licence.of_files(own.texts)).expression:
            return stated, "", ""
        at, suite = artifact, self._suite(artifact)
        match = _BINARY(artifact.file_name)
        name = ""
        for _ in range(_MOST_LINKS):
            name = _target(self._found[at.sha256].links, name or (match[1] if match else ""))
            other = self._by_name.get((suite, name))
            if not name or other is None:
                break
            at = other
            if (stated := licence.of_files(self._found[at.sha256].texts)).expression:
                return stated, f"Its folder of documents is that of {name}, so the licence is, too.", ""
        if match:
            for other in self._by_source.get((suite, posixpath.dirname(artifact.path), match[2]), ()):
                if (stated := licence.of_files(self._found[other.sha256].texts)).expression:
                    of = f"{other.file_name}, made from the same source"
                    return stated, f"It has no copyright file of its own; the licence is that of {of}.", ""
        if name:
            return Licence(""), f"Its copyright file is in {name}, which no pin has.", f"their copyright file is in {name}, which no pin has"
        return Licence(""), "It has no licence file.", "which have no licence file"

    def _suite(self, artifact: Artifact) -> str:
        fields = [self._manifest.sources[name] for name in artifact.sources]
        return next((each["suite"] for each in fields if each["type"] == "debian"), artifact.sources[0])


def _target(links: dict[str, str], package: str) -> str:
    """The Debian package that has the documents of `package`, by the links of its archive; '' if none says so."""
    for path, target in links.items():
        parts = path.split("/")
        full = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), target)).split("/")
        if parts[-1] == "copyright" and parts[-2] == package and len(full) > 1:
            return full[-2]
        if parts[-1] == package:
            return full[-1]
    return ""
