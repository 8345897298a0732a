"""packages.json: every pin. Reads and checks it, reports the place of each mistake, and computes versions.

    { "schema": 1,
      "sources":  { "<source>": {"type": "debian"} | {"type": "http", "base": URL} | ... },  all: source_fields.py
      "packages": { "<package>": { "groups": [...], "platforms": [...], "lib": "<name>-<version>", "license": "...",
          "artifacts": [ { "sources": ["<source>", ...],  tried in this order
                           "path": "...",                 below the source's base
                           "size": bytes, "sha256": "...",
                           "platforms": [...],            optional: only for these
                           "strip": "usr",                optional: what is kept lies under it; it is removed
                           "keep": ["usr/include/**"],    optional: patterns of patterns.py; default everything
                           "version": "1:9.2-3",          optional: what its source calls it
                           "index": {"suite": "bookworm", "date": "2026-11-20T08:12:00Z", "signer": "<fingerprint>"},
                                                          optional: the index that it is from; signer "": not checked
                           "unsigned": true } ] } } }     optional: the pin is from an unsigned index

A package's version is the sha256 of the canonical JSON of [RULES, [[sha256, strip, keep], ...]] for a platform, keep
and artifacts sorted: it changes exactly when the unpacked tree could. It is the package's name in the store."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from harness.spm.errors import SpmError, USAGE, nearest, unknown
from harness.spm.formatting import is_address
from harness.spm.pins.source_fields import FIELDS, SUITE
from harness.spm.settings import ANY, PLATFORMS, packages_from_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RULES = 1  # the version of the unpacking rules: raised when the same archive would give another tree
SCHEMA = 1
_MOST_SIZE = (1 << 63) - 1

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]*").fullmatch
# One part of a path: no slash, backslash or control character, and neither '.' nor '..'.
_PART = r"(?!\.\.?(?:/|$))[^/\\\x00-\x1f]+"
_PATH = re.compile(rf"{_PART}(?:/{_PART})*").fullmatch
_IN_NO_PATH = re.compile("[\0\ud800-\udfff]").search
_BLANK = re.compile(r"[?#\s]").search
_SHA256 = re.compile(r"[0-9a-f]{64}").fullmatch
_VERSION = re.compile(r"[!-~]+").fullmatch
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").fullmatch
_SIGNER = re.compile(r"[0-9A-F]*").fullmatch
_SECRET_KEY = re.compile(
    r"passw|secret|token|credential|private.?key|access.?key|api.?key|^auth|^user(name)?$", re.I
).search
# The user of an ssh address, usually 'git', is no secret; a password is.
_SECRET_VALUE = (
    r"(?<!ssh)://[^/\s]*@|ssh://[^/\s@]*:[^/\s]*@"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_\w{30}|\bgithub_pat_\w{20}|\bglpat-[\w-]{20}|-----BEGIN [A-Z ]*KEY"
)
# A text without one of these marks has no secret. `\u` is a mark because an escape may hide any of them.
_SECRET_MARKS = "@ AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- -----BEGIN \\u".split()
_TOP_FIELDS = ("schema", "sources", "packages")
_PACKAGE_FIELDS = ("groups", "platforms", "lib", "license", "artifacts")
_ARTIFACT_FIELDS = ("sources", "path", "size", "sha256")
_OPTIONAL_FIELDS = ("platforms", "strip", "keep", "version", "index", "unsigned")
_INDEX_FIELDS = ("suite", "date", "signer")


class Artifact:
    """One pinned download and how it is unpacked."""

    __slots__ = ("sources", "path", "size", "sha256", "platforms", "strip", "keep", "version", "index", "unsigned")

    def __init__(self, fields: dict) -> None:
        self.sources = fields["sources"]
        self.path = fields["path"]
        self.size = fields["size"]
        self.sha256 = fields["sha256"]
        self.platforms = fields.get("platforms", (ANY,))
        self.strip = fields.get("strip", "").strip("/")
        self.keep = sorted(set(fields.get("keep", ())))
        self.version: str = fields.get("version", "")
        self.index: dict | None = fields.get("index")
        self.unsigned = fields.get("unsigned", False)

    @property
    def file_name(self) -> str:
        return self.path.rpartition("/")[2]


class Package:
    """Artifacts that install as one folder."""

    __slots__ = ("name", "groups", "platforms", "lib", "license", "artifacts", "_versions")

    def __init__(self, name: str, fields: dict) -> None:
        self.name = name
        self.groups = fields["groups"]
        self.platforms = fields["platforms"]
        self.lib = fields["lib"]
        self.license = fields["license"]
        self.artifacts = [Artifact(each) for each in fields["artifacts"]]
        self._versions: dict[str, str] = {}

    def serves(self, platform: str) -> bool:
        return platform in self.platforms or ANY in self.platforms

    def artifacts_for(self, platform: str) -> list[Artifact]:
        """The artifacts of a platform, in the order that the version uses."""
        chosen = [each for each in self.artifacts if platform in each.platforms or ANY in each.platforms]
        return sorted(chosen, key=lambda each: (each.sha256, each.strip, each.keep))

    def version(self, platform: str) -> str:
        if platform not in self._versions:
            rules = [[each.sha256, each.strip, each.keep] for each in self.artifacts_for(platform)]
            canonical = json.dumps([RULES, rules], separators=(",", ":"))
            self._versions[platform] = hashlib.sha256(canonical.encode()).hexdigest()
        return self._versions[platform]


class Manifest:
    """All of packages.json. `sources` maps a name to its fields."""

    def __init__(self, path: str, document: dict) -> None:
        self.path = path
        self.sources = document["sources"]
        for name, fields in self.sources.items():
            if fields["type"] == "debian":
                fields.setdefault("suite", name)
        self.packages = {name: Package(name, fields) for name, fields in document["packages"].items()}

    def named(self, names: list[str], platform: str | None = None) -> list[Package]:
        """The packages called `names`, each of which must exist and serve `platform`, where one is given."""
        chosen = {}
        for name in names:
            if name not in self.packages:
                raise unknown("package", name, self.packages, "python3 make.py spm list")
            package = self.packages[name]
            if platform and not package.serves(platform):
                found = ", ".join(package.platforms)
                raise SpmError(
                    f"package '{name}' is for {found}, not for {platform}", "python3 make.py spm list", USAGE
                )
            chosen[name] = package
        return list(chosen.values())

    def grouped(self, groups: Iterable[str], platform: str) -> list[Package]:
        """The packages of `groups` that serve `platform`; each group must exist and have one."""
        known, serving = self.groups(), self.serving(platform)
        for group in groups:
            if group not in known:
                raise unknown("group", group, known, "python3 make.py spm list")
            if not any(group in each.groups for each in serving):
                raise SpmError(f"group '{group}' has no package for {platform}", "python3 make.py spm list", USAGE)
        wanted = set(groups)
        return [each for each in serving if wanted.intersection(each.groups)]

    def serving(self, platform: str) -> list[Package]:
        return [each for each in self.packages.values() if each.serves(platform)]

    def groups(self) -> list[str]:
        return sorted({group for each in self.packages.values() for group in each.groups})


def load(path: str) -> Manifest:
    """Reads and checks packages.json; an SpmError names the place, what was expected and what was found."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise SpmError(f"{path}: expected a file, found none", _named(path), USAGE) from None
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) else error
        raise SpmError(f"{path}: cannot be read: {found}", _named(path), USAGE) from None
    return parse(text, path)


def _named(path: str) -> str:
    """The hint for a missing or unreadable file."""
    variable = "correct or unset SPM_PACKAGES, or " if packages_from_environment(path) else ""
    return f"{variable}name it with --packages FILE"


def parse(text: str, path: str = "packages.json") -> Manifest:
    names: set[str] = set()

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            every = [name for name, _ in pairs]
            raise _Duplicate(next(name for name in every if every.count(name) > 1))
        names.update(found)
        return found

    try:
        document = json.loads(text, object_pairs_hook=build)
    except json.JSONDecodeError as error:
        raise _mistake(
            path, f"line {error.lineno} column {error.colno}", f"expected JSON, found: {error.msg}"
        ) from None
    except (ValueError, RecursionError):
        raise _mistake(path, "the file", "expected JSON, found a number or a nesting beyond the limits") from None
    except _Duplicate as error:
        raise _mistake(path, f"'{error}'", "expected each name once in an object, found it twice") from None
    try:
        _check(document, text, names)
    except _Mistake as mistake:
        raise _mistake(path, *mistake.args) from None
    return Manifest(path, document)


class _Duplicate(Exception):
    pass


class _Mistake(Exception):
    """(place, sentence)"""


def _mistake(path: str, place: str, sentence: str) -> SpmError:
    variable = ", or set SPM_PACKAGES if you mean another file" if packages_from_environment(path) else ""
    return SpmError(f"{path}: {place}: {sentence}", f"correct that line of {path}{variable}", USAGE)


def _show(value: Any) -> str:
    """A found value as JSON, truncated to one line."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _expect(good: Any, place: str, expected: str, found: Any) -> None:
    if not good:
        raise _Mistake(place, f"expected {expected}, found {_show(found)}")


def _fields(value: Any, place: str, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Checks that an object has the required fields. Unknown fields are allowed unless they look misspelt."""
    _expect(type(value) is dict, place, "an object", value)
    known = {*required, *optional}
    for name in required:
        if name not in value:
            raise _Mistake(place, f"expected the field '{name}', found none")
    for name in value.keys() - known if not value.keys() <= known else ():
        if near := nearest(name, sorted(known), 0.75):
            raise _Mistake(f"{place}.{name}", f"expected a known field, found '{name}'{near}")


def _texts(value: list[str] | str, place: str, what: str) -> None:
    _expect(type(value) is list and value, place, f"a list of {what}", value)
    for index, each in enumerate(value):
        _expect(type(each) is str and each, f"{place}[{index}]", what, each)
        if value.index(each) != index:
            raise _Mistake(f"{place}[{index}]", f"expected each once, found '{each}' twice")


def _matches(value: int | str, place: str, pattern: str, what: str) -> None:
    _expect(type(value) is str and re.fullmatch(pattern, value), place, what, value)


def _relative(value: str, place: str, what: str) -> None:
    _expect(type(value) is str and value, place, what, value)
    _expect(_PATH(value), place, f"{what} without '.', '..', '//' or a leading '/'", value)


def _check(document: Any, text: str, names: set[str]) -> None:
    _fields(document, "the file", _TOP_FIELDS)
    _expect(document["schema"] == SCHEMA and type(document["schema"]) is int, "schema", f"{SCHEMA}", document["schema"])
    _check_texts(document, text, names)
    _expect(type(document["sources"]) is dict, "sources", "an object", document["sources"])
    for name, source in document["sources"].items():
        _check_source(source, f"sources.{name}")
    _expect(type(document["packages"]) is dict, "packages", "an object", document["packages"])
    libs: dict[str, str] = {}
    for name, package in document["packages"].items():
        _expect(_NAME(name), "packages", "a package's name of letters, digits and . _ + ~ -", name)
        _check_package(package, f"packages.{name}", document["sources"])
        other = libs.setdefault(package["lib"], name)
        if other != name:
            raise _Mistake(
                f"packages.{name}.lib", f"expected a folder of its own, found that of '{other}': {package['lib']}"
            )


def _check_source(source: Any, place: str) -> None:
    _expect(type(source) is dict, place, "an object", source)
    kind = source.get("type")
    if kind not in FIELDS:
        found = _show(kind) if kind is not None else "none"
        near = nearest(kind, FIELDS) if type(kind) is str else ""
        raise _Mistake(f"{place}.type", f"expected one of {', '.join(FIELDS)}, found {found}{near}")
    required, optional, _ = FIELDS[kind]
    _fields(source, place, ("type", *required), optional)
    for name, (pattern, words) in {**required, **optional}.items():
        if name in source:
            _matches(source[name], f"{place}.{name}", pattern, words)
            _expect(_has_host(source[name]), f"{place}.{name}", words, source[name])


def _has_host(text: str) -> bool:
    """False for an address without a valid host or port; True for texts that are not addresses."""
    if not {":", "[", "]"}.intersection(text.partition("://")[2]):
        return True
    return is_address(text)


def _check_package(package: Any, place: str, sources: dict[str, Any]) -> None:
    _fields(package, place, _PACKAGE_FIELDS)
    _texts(package["groups"], f"{place}.groups", "group names")
    for index, group in enumerate(package["groups"]):
        _expect(_NAME(group), f"{place}.groups[{index}]", "letters, digits and . _ + ~ -", group)
    _check_platforms(package["platforms"], f"{place}.platforms")
    lib = package["lib"]
    good = type(lib) is str and _NAME(lib) and lib not in PLATFORMS
    _expect(good, f"{place}.lib", "a folder's name of letters, digits and . _ + ~ - that is no platform's", lib)
    licence = package["license"]
    _expect(type(licence) is str and licence, f"{place}.license", "a licence's name", licence)
    artifacts = package["artifacts"]
    _expect(type(artifacts) is list and artifacts, f"{place}.artifacts", "a list of artifacts", artifacts)
    seen: dict[Any, Any] = {}
    for index, artifact in enumerate(artifacts):
        _check_artifact(artifact, f"{place}.artifacts[{index}]", sources)
        first = seen.setdefault((artifact["sha256"], artifact.get("strip"), tuple(artifact.get("keep", ()))), index)
        if first != index:
            raise _Mistake(f"{place}.artifacts[{index}]", f"expected another artifact, found artifacts[{first}] again")
    for platform in PLATFORMS if ANY in package["platforms"] else package["platforms"]:
        if not any({platform, ANY}.intersection(each.get("platforms", (ANY,))) for each in artifacts):
            raise _Mistake(f"{place}.artifacts", f"expected an artifact for {platform}, found none")


def _check_platforms(value: list[str], place: str) -> None:
    _texts(value, place, "platforms")
    for index, platform in enumerate(value):
        if platform not in PLATFORMS and platform != ANY:
            known = (*PLATFORMS, ANY)
            what = f"expected one of {', '.join(known)}, found '{platform}'{nearest(platform, known)}"
            raise _Mistake(f"{place}[{index}]", what)


def _check_artifact(artifact: Any, place: str, sources: dict[str, Any]) -> None:
    _fields(artifact, place, _ARTIFACT_FIELDS, _OPTIONAL_FIELDS)
    _texts(artifact["sources"], f"{place}.sources", "source names")
    for index, name in enumerate(artifact["sources"]):
        if name not in sources:
            raise _Mistake(
                f"{place}.sources[{index}]",
                f"expected a name of 'sources', found '{name}'{nearest(name, sources)}",
            )
    _relative(artifact["path"], f"{place}.path", "a path below the source's base")
    _expect(not _BLANK(artifact["path"]), f"{place}.path", "a path without blanks, ? and #", artifact["path"])
    for name in artifact["sources"]:
        if rule := FIELDS[sources[name]["type"]][2]:
            _matches(artifact["path"], f"{place}.path", *rule)
    size = artifact["size"]
    _expect(type(size) is int and size > 0, f"{place}.size", "a size in bytes above 0", size)
    _expect(size <= _MOST_SIZE, f"{place}.size", "a size in bytes that a disk can hold", size)
    digest = artifact["sha256"]
    _expect(type(digest) is str and _SHA256(digest), f"{place}.sha256", "64 hexadecimal digits in lower case", digest)
    if "platforms" in artifact:
        _check_platforms(artifact["platforms"], f"{place}.platforms")
    if "strip" in artifact:
        _relative(artifact["strip"], f"{place}.strip", "a folder's path inside the archive")
    if "keep" in artifact:
        _texts(artifact["keep"], f"{place}.keep", "patterns")
        for index, pattern in enumerate(artifact["keep"]):
            _relative(pattern, f"{place}.keep[{index}]", "a pattern of paths inside the archive")
    if "version" in artifact:
        version = artifact["version"]
        _expect(type(version) is str and _VERSION(version), f"{place}.version", "a version without blanks", version)
    if "index" in artifact:
        _check_index(artifact["index"], f"{place}.index")
    if "unsigned" in artifact:
        _expect(artifact["unsigned"] is True, f"{place}.unsigned", "true or no such field", artifact["unsigned"])


def _check_index(index: Any, place: str) -> None:
    _fields(index, place, _INDEX_FIELDS)
    _matches(index["suite"], f"{place}.suite", SUITE, "a suite's name")
    date = index["date"]
    _expect(type(date) is str and _DATE(date), f"{place}.date", "a time such as 2026-11-20T08:12:00Z", date)
    signer = index["signer"]
    _expect(type(signer) is str and _SIGNER(signer), f"{place}.signer", "a key's fingerprint, or '' for none", signer)


def _check_texts(document: Any, text: str, names: set[str]) -> None:
    """packages.json is public: no value may be a secret, and no field may be named like one. The error omits the value.

    NUL and lone surrogates, possible only by escapes, are refused too: no path or address can have them."""
    # Searching the whole text first avoids the walk, which would be most of the cost of checking an installed group.
    if not any(map(_SECRET_KEY, names)) and not any(mark in text for mark in _SECRET_MARKS):
        return
    is_secret = re.compile(_SECRET_VALUE).search
    pending = [("", document)]
    while pending:
        place, value = pending.pop()
        if type(value) is dict:
            for name, each in value.items():
                inner = f"{place}.{name}".lstrip(".")
                # Names of packages and sources are names, not fields.
                if place not in ("packages", "sources") and _SECRET_KEY(name):
                    raise _Mistake(inner, "expected no secret in a public file, found a field for one")
                pending.append((inner, each))
        elif type(value) is list:
            pending.extend((f"{place}[{index}]", each) for index, each in enumerate(value))
        elif type(value) is str and is_secret(value):
            raise _Mistake(place, "expected no secret in a public file, found a user or key inside the text")
        elif type(value) is str and _IN_NO_PATH(value):
            _expect(False, place, "whole characters other than NUL", value)
