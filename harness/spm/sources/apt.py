"""Reads the machine's Debian mirrors from apt's configuration.

An entry is Debian's own when it is enabled, for binary packages, has the component main, names a Debian release as its
suite (not a security suite: those have another archive), has the path of a Debian archive, and is not signed by another
key. Of several entries only the most certain kind is used: signed by Debian's own keyring, else with the plain path
/debian, else the rest. A wrong guess costs only one attempt, because every artifact is pinned."""

import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from harness.spm.sources import deb822
from collections.abc import Iterator

RELEASES = (
    *("stable", "oldstable", "oldoldstable", "testing", "unstable", "sid", "experimental"),
    *("buster", "bullseye", "bookworm", "trixie", "forky", "duke"),
)
_SUITE = re.compile(rf"({'|'.join(RELEASES)})(-updates|-proposed-updates|-backports)?/?").fullmatch
_PATH = re.compile(r"(/.*)?/debian(/\d{8}T\d{6}Z)?/?").fullmatch
_SCHEMES = ("http", "https", "file")


class AptEntry(NamedTuple):
    """One `deb` line or one stanza."""

    types: list[str]
    uris: list[str]
    suites: list[str]
    components: list[str]
    signed_by: str = ""
    enabled: bool = True


def debian_mirrors(root: str = "/") -> tuple[list[str], str]:
    """(addresses of the mirrors of the machine whose file system is `root`, best first; why there is none)"""
    system = _distribution(root)
    if system != "debian":
        return [], f"this machine runs {system or 'an unnamed system'}, not Debian"
    entries = [entry for path in _files(root) for entry in parse(path, _read(path))]
    ranked = sorted(
        {(rank, -order, uri) for order, entry in enumerate(reversed(entries)) for uri, rank in _own(entry, root)}
    )
    best = [uri for rank, _, uri in ranked if rank == ranked[0][0]]
    return list(dict.fromkeys(best)), "apt's configuration has no entry of Debian's own"


def parse(path: str, text: str) -> list[AptEntry]:
    """The entries of one file, by its name's ending: one-line format or deb822 stanzas."""
    return list(_stanzas(text) if path.endswith(".sources") else _lines(text))


def _lines(text: str) -> Iterator[AptEntry]:
    for line in text.splitlines():
        match = re.fullmatch(r"\s*(deb|deb-src)\s+(\[[^]]*\]\s*)?(\S+)\s+(\S+)((?:\s+[^\s#]+)*)\s*(#.*)?", line)
        if match:
            kind, options, uri, suite, components, _ = match.groups()
            signed = re.search(r"signed-by=([^\s\]]+)", options or "", re.I)
            yield AptEntry([kind], [uri], [suite], components.split(), signed.group(1) if signed else "")


def _stanzas(text: str) -> Iterator[AptEntry]:
    for block in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", text)):
        fields = deb822.fields(block)
        if "uris" in fields:
            words = {key: fields.get(key, "").split() for key in ("types", "uris", "suites", "components")}
            enabled = fields.get("enabled", "yes").lower() not in ("no", "false", "without", "off", "disable", "0")
            yield AptEntry(**words, signed_by=fields.get("signed-by", ""), enabled=enabled)


def _own(entry: AptEntry, root: str) -> Iterator[tuple[str, int]]:
    """(address, rank) of each of an entry's mirrors, where the entry is Debian's own; a smaller rank is more certain."""
    ours = entry.enabled and "deb" in entry.types and "main" in entry.components and any(map(_SUITE, entry.suites))
    if not ours or (entry.signed_by and "debian-archive-" not in entry.signed_by):
        return
    for uri in (each for written in entry.uris for each in _mirror_list(written, root)):
        address = urlsplit(uri)
        if address.scheme in _SCHEMES and _PATH(address.path) and "@" not in address.netloc:
            yield uri.rstrip("/"), 0 if entry.signed_by else 1 if address.path.rstrip("/") == "/debian" else 2


def _mirror_list(uri: str, root: str) -> list[str]:
    """`mirror+file:/etc/apt/mirrors/debian.list`, as cloud images have it, stands for the addresses in that file."""
    if not uri.startswith("mirror+file:"):
        return [uri]
    path = os.path.join(root, urlsplit(uri).path.lstrip("/"))
    return [line.split()[0] for line in _read(path).splitlines() if line.strip() and not line.startswith("#")]


def _files(root: str) -> list[str]:
    folder = os.path.join(root, "etc/apt/sources.list.d")
    try:
        extra = sorted(name for name in os.listdir(folder) if name.endswith((".list", ".sources")))
    except OSError:
        extra = []
    return [os.path.join(root, "etc/apt/sources.list"), *(os.path.join(folder, name) for name in extra)]


def _distribution(root: str) -> str:
    for line in _read(os.path.join(root, "etc/os-release")).splitlines():
        if line.startswith("ID="):
            return line[3:].strip().strip("\"'").lower()
    return ""


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
