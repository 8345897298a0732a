"""The index of one suite of a Debian archive: which packages and source files it has now, and their hashes.

    dists/<suite>/InRelease                          signed; has the size and SHA256 of every file below it
    dists/<suite>/<component>/binary-<arch>/Packages  stanzas of binary packages, compressed
    dists/<suite>/<component>/source/Sources          stanzas of source packages, compressed

A wrong signature, an expired index (Valid-Until, as in apt), an index of another suite and a file with a wrong hash are
errors; the caller decides whether a missing signature is one. So is a date more than a day ahead. Indexes of Debian's
releases do not expire, so an attacker can replay an old one: update never goes back to an older version
(verbs/update.py), and an old index is said to be old."""

from __future__ import annotations

import email.utils
import hashlib
import lzma
import threading
import time
import zlib
from collections.abc import Iterator

from harness.spm.errors import SpmError
from harness.spm.sources import deb822, debian_version, reading, signature, Source, transport
from harness.spm.sources.transport import TransferError

_MOST_RELEASE = 1 << 24
_MOST_INDEX = 1 << 29  # Debian's largest has 58 MB
_MOST_AHEAD_S = 86400
_OLD_DAYS = 180  # Debian's stable release gets a new index at least every few months
_ENDINGS = (".xz", ".gz", "")
_FIRST = b"Package: "  # how every stanza of Debian's begins
_NETWORK_HINT = "check the network, or set SPM_DEBIAN_MIRROR to another Debian mirror's address, the part before /pool"
_OFFLINE_HINT = "leave out --offline, or unset SPM_OFFLINE"
_SUITE_HINT = "give the source in packages.json its 'suite': the name of a release that the mirror has, like bookworm"
_MIRROR_HINT = "ask another mirror: set SPM_DEBIAN_MIRROR to its address, the part before /pool"


class SuiteIndex:
    """The index of `suite` on `mirrors`, read through `source` at the first query; raises SpmError."""

    def __init__(self, source: Source, mirrors: list[str], suite: str) -> None:
        self._source, self._mirrors, self._suite = source, mirrors, suite
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._files: dict[str, _Stanzas] = {}
        self._release: _ReleaseFile | None = None

    def release(self) -> _ReleaseFile:
        with self._lock:
            if not self._release:
                self._release = _ReleaseFile(self._fetch("InRelease", _MOST_RELEASE), self._suite)
            return self._release

    def newest_package(self, component: str, architecture: str, name: str) -> dict[str, str] | None:
        """The fields of a binary package's newest version, or None where the suite has none."""
        # A package of architecture `all` stands in the list of every architecture.
        architecture = self.release().architecture(architecture)
        return self._stanzas(f"{component}/binary-{architecture}/Packages").newest(name)

    def newest_source(self, component: str, name: str) -> dict[str, str] | None:
        """The same of a source package."""
        return self._stanzas(f"{component}/source/Sources").newest(name)

    def _stanzas(self, path: str) -> _Stanzas:
        release = self.release()
        with self._lock:
            lock = self._locks.setdefault(path, threading.Lock())
        with lock:
            if path not in self._files:
                self._files[path] = _Stanzas(self._listed(path, release))
            return self._files[path]

    def _listed(self, path: str, release: _ReleaseFile) -> bytes:
        """A file that InRelease lists, decompressed."""
        for ending in _ENDINGS:
            if path + ending in release.files:
                size, digest = release.files[path + ending]
                break
        else:
            raise SpmError(f"the index of {self._suite} has no {path}", "correct the artifact's path in packages.json")
        places = [path + ending]
        if release.by_hash:  # always fits InRelease; the plain name may be newer
            places.insert(0, f"{path.rpartition('/')[0]}/by-hash/SHA256/{digest}")
        raw = self._fetch(path + ending, size, places, digest)
        try:
            return _decompressed(raw, ending)
        except (lzma.LZMAError, zlib.error, EOFError) as error:
            raise SpmError(f"the index of {self._suite}: {path}{ending}: {error}", _MIRROR_HINT) from None

    def _fetch(self, what: str, most: int, places: list[str] | None = None, sha256: str = "") -> bytes:
        """The first of `places` below dists/<suite> that some mirror delivers, with the given hash if there is one."""
        failures, absent, offline = {}, True, False
        for base in self._mirrors:
            for place in places or [what]:
                address = transport.join(base, f"dists/{self._suite}/{place}")
                try:
                    data = reading.read(self._source, address, most)
                    found = hashlib.sha256(data).hexdigest()
                    if not sha256 or found == sha256:
                        return data
                    failures[f"{transport.shown(address)}: expected sha256 {sha256}, found {found}"] = True
                    absent = False
                except TransferError as error:
                    where = transport.place(address) if error.host else transport.shown(address)
                    failures[f"{where}: {error.reason}"] = True
                    absent = absent and error.status == 404
                    offline = offline or error.reason == transport.OFFLINE
        hint = _SUITE_HINT if absent and not sha256 else _OFFLINE_HINT if offline else _NETWORK_HINT
        raise SpmError(f"could not fetch {what} of {self._suite}: " + "; ".join(failures), hint)


class _ReleaseFile:
    """The contents of InRelease. `record` is the `index` of sources.NewestVersion; `signed_by`, `unchecked`, `warning` and
    `hint` are as there; `files` maps a path
    below the suite's folder to (size, sha256)."""

    def __init__(self, message: bytes, suite: str) -> None:
        try:
            signed = signature.signed_text(message)
        except signature.BadSignature as error:
            raise _wrong(suite, str(error)) from None
        fields = deb822.fields(signed.text.decode("utf-8", "replace"))
        self.by_hash = fields.get("acquire-by-hash") == "yes"
        self._architectures = fields.get("architectures", "").split()
        dated = _time(fields.get("date", ""), suite)
        now = time.time()
        if dated > now + _MOST_AHEAD_S:
            raise _wrong(
                suite,
                f"it is dated {fields['date']}, and now is {email.utils.formatdate()}",
                f"check this machine's clock, or {_MIRROR_HINT}",
            )
        self.record = {"suite": suite, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(dated)), "signer": signed.signer}
        days = int((now - dated) / 86400)
        self.warning = (
            f"the index of {suite} is {days} days old. If Debian still updates that suite, this mirror is behind: {_MIRROR_HINT}"
            if days > _OLD_DAYS
            else ""
        )
        index = f"index of {suite} of {self.record['date'][:10]}"
        self.signed_by = f"{index}, signed by {signed.signer}" if signed.signer else ""
        self.unchecked = f"{index}, which was not checked: {signed.unchecked}" if signed.unchecked else ""
        self.hint = signed.hint
        names = {fields.get("suite"), fields.get("codename")}
        if suite not in names:
            found = " or ".join(sorted(filter(None, names))) or "none"
            raise _wrong(suite, f"expected that suite's, found {found}")
        until = fields.get("valid-until")
        if until and _time(until, suite) < now:
            raise _wrong(
                suite,
                f"it is valid until {until}, and now is {email.utils.formatdate()}",
                f"check this machine's clock, or {_MIRROR_HINT}",
            )
        self.files = {}
        for line in fields.get("sha256", "").splitlines():
            words = line.split()
            if len(words) == 3 and words[1].isascii() and words[1].isdigit():
                self.files[words[2]] = int(words[1]), words[0]

    def architecture(self, wanted: str) -> str:
        """The architecture in whose list `wanted` is found."""
        real = [each for each in self._architectures if each != "all"]
        return wanted if wanted != "all" or not real else "amd64" if "amd64" in real else real[0]


class _Stanzas:
    """A Packages or Sources file: tens of megabytes, of which a few stanzas are read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._places: dict[bytes, list[int]] = {}
        for at in self._starts():
            name = data[at + len(_FIRST) : data.find(b"\n", at)]
            self._places.setdefault(name, []).append(at)

    def _starts(self) -> Iterator[int]:
        if self._data.startswith(_FIRST):
            yield 0
        at = self._data.find(b"\n" + _FIRST)
        while at >= 0:
            yield at + 1
            at = self._data.find(b"\n" + _FIRST, at + 1)

    def newest(self, name: str) -> dict[str, str] | None:
        stanzas = [self._fields(at) for at in self._places.get(name.encode(), ())]
        return max(stanzas, key=lambda each: debian_version.key(each.get("version", ""))) if stanzas else None

    def _fields(self, at: int) -> dict[str, str]:
        end = self._data.find(b"\n\n", at)
        return deb822.fields(self._data[at : end if end >= 0 else None].decode("utf-8", "replace"))


def _wrong(suite: str, reason: str, hint: str = _MIRROR_HINT) -> SpmError:
    return SpmError(f"the index of {suite} (InRelease): {reason}", hint)


def _time(text: str, suite: str) -> float:
    try:
        parsed = email.utils.parsedate_tz(text)
        if parsed and 1990 <= parsed[0] <= 9999:
            return email.utils.mktime_tz(parsed)
    except (ValueError, OverflowError):
        pass
    raise _wrong(suite, f"expected a date, found '{text[:60]}'")


def _decompressed(data: bytes, ending: str) -> bytes:
    if not ending:
        return data
    decompressor = lzma.LZMADecompressor() if ending == ".xz" else zlib.decompressobj(wbits=31)
    whole = decompressor.decompress(data, _MOST_INDEX)
    if not decompressor.eof:
        raise EOFError(f"expected a file that ends within {_MOST_INDEX:,} bytes")
    return whole
