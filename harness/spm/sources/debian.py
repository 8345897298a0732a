"""A Debian archive. Its address is set per machine: SPM_DEBIAN_MIRROR, else the user's file, else the mirror that apt
uses."""

from __future__ import annotations

import os
import re
import threading

from harness.spm import user_file
from harness.spm.errors import SpmError
from harness.spm.late import late
from harness.spm.pins.manifest import Artifact
from harness.spm.settings import Settings
from harness.spm.sources import NewestVersion, Unavailable, Unlisted, apt, ask, debian_version, transport
from harness.spm.sources.http import HttpSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm.sources import debian_index
    from harness.spm.sources.debian_index import SuiteIndex, _ReleaseFile
else:
    debian_index = late("harness.spm.sources.debian_index")  # a download does without

HINT = (
    "set SPM_DEBIAN_MIRROR to a Debian mirror's address, the part before /pool, or write 'debian-mirror = ADDRESS' into "
    "~/.config/spm/config"
)
_BINARY = re.compile(r"([^_]+)_([^_]+)_([^_]+)\.u?deb").fullmatch
_SOURCE = re.compile(
    r"([^_]+)_([^_]+?)(\.dsc|\.diff\.gz|(?:\.orig(?:-[A-Za-z0-9-]+)?|\.debian)?\.tar)(\.[a-z0-9]+)?"
).fullmatch


def open_source(fields: dict, settings: Settings) -> DebianSource:
    return DebianSource(settings, fields["suite"])


class DebianSource(HttpSource):
    def __init__(self, settings: Settings, suite: str) -> None:
        super().__init__([], settings.offline)
        self._settings, self._mirror, self._suite = settings, settings.debian_mirror, suite
        self._index: SuiteIndex | None = None
        self._lock = threading.Lock()

    def addresses(self, artifact: Artifact) -> list[str]:
        """In the pool, then in the snapshot of the time of the pin's index: a pool drops a version some time after its
        next one came."""
        dated = self._dated(artifact)
        try:
            self._mirrors()
        except Unavailable:
            if not dated:
                raise
        return super().addresses(artifact) + dated

    def prepare(self) -> None:
        """Asks for a mirror where none is known, once: the answer is kept in the user's file."""
        try:
            self._mirrors()
        except Unavailable as error:
            if os.environ.get("SPM_DEBIAN_SNAPSHOT") or user_file.value("debian-snapshot"):
                return
            if ask.has_person(self._settings):
                self._mirror = self._settings.debian_mirror = ask.debian_mirror(error.reason, self._suite)

    def _dated(self, artifact: Artifact) -> list[str]:
        base = os.environ.get("SPM_DEBIAN_SNAPSHOT") or user_file.value("debian-snapshot")
        if not base or not artifact.index:
            return []
        base = transport.base_address(base, "SPM_DEBIAN_SNAPSHOT")
        stamp = artifact.index["date"].replace("-", "").replace(":", "")
        return [transport.join(base, f"{stamp}/{artifact.path}")]

    def newest(self, artifact: Artifact, unsigned: bool) -> NewestVersion:
        """The suite's newest version of an artifact of the pool. The pinned version is that of the pin, else of its file's
        name."""
        parts = artifact.path.split("/")
        binary, source = _BINARY(artifact.file_name), _SOURCE(artifact.file_name)
        if len(parts) < 5 or parts[0] != "pool" or not (binary or source):
            raise Unlisted("its path is not that of a file in a Debian archive's pool")
        index, component = self._opened(), parts[-4]
        release = index.release()
        if release.unchecked and not unsigned:
            raise SpmError(
                f"expected a signed index, found the {release.unchecked}",
                f"{release.hint}; --unsigned accepts an unsigned index, and packages.json records that",
            )
        if binary:
            name, pinned, architecture = binary.groups()
            stanza = index.newest_package(component, architecture, name)
            pin = stanza and _package_pin(stanza)
        else:
            assert source
            name, pinned, kind = source.groups()[:3]
            stanza = index.newest_source(component, name)
            pin = stanza and _source_pin(stanza, kind)
        if not pin:
            absent = artifact.file_name.replace(f"_{pinned}", "", 1)
            raise Unlisted(f"{self._suite} has no {absent}", release.signed_by, release.unchecked, release.warning)
        assert stanza
        epoch = debian_version.split(stanza.get("version", ""))[0]
        return self._compared(name, artifact.version or _with_epoch(pinned, epoch), pin, epoch, release)

    def _compared(self, name: str, pinned: str, pin: dict, epoch: str, release: _ReleaseFile) -> NewestVersion:
        """Compares by Debian's order. A file's name has no epoch; a pin that does not record its own has the index's."""
        file_name = pin["path"].rpartition("/")[2]
        found = _BINARY(file_name) or _SOURCE(file_name)
        assert found
        version = _with_epoch(found.group(2), epoch)
        ours, theirs = debian_version.key(pinned), debian_version.key(version)
        order = (ours > theirs) - (ours < theirs)
        return NewestVersion(
            name, pinned, version, order, pin, release.signed_by, release.unchecked, release.record, release.warning
        )

    def _opened(self) -> SuiteIndex:
        with self._lock:
            if not self._index:
                self._index = debian_index.SuiteIndex(self, self._mirrors(), self._suite)
            return self._index

    def _mirrors(self) -> list[str]:
        if not self._bases:
            self._mirror = self._mirror or user_file.value("debian-mirror")
            self._bases = [transport.base_address(self._mirror, "SPM_DEBIAN_MIRROR")] if self._mirror else _configured()
        return self._bases


def _with_epoch(version: str, epoch: str) -> str:
    return f"{epoch}:{version}" if epoch not in ("", "0") else version


def _package_pin(stanza: dict[str, str]) -> dict | None:
    path, size, sha256 = (stanza.get(name, "") for name in ("filename", "size", "sha256"))
    return _pin(path, size, sha256) if _BINARY(path.rpartition("/")[2]) else None


def _source_pin(stanza: dict[str, str], kind: str) -> dict | None:
    """The pin of the package's file of the same kind, such as `.orig.tar` or `.dsc`."""
    for line in stanza.get("checksums-sha256", "").splitlines():
        sha256, size, file_name = (line.split() + ["", "", ""])[:3]
        match = _SOURCE(file_name)
        if match and match.group(3) == kind:
            return _pin(f"{stanza.get('directory', '')}/{file_name}", size, sha256)
    return None


def _pin(path: str, size: str, sha256: str) -> dict:
    return {"path": path, "size": int(size) if size.isascii() and size.isdigit() else 0, "sha256": sha256}


def _configured() -> list[str]:
    mirrors, reason = apt.debian_mirrors()
    if not mirrors:
        raise Unavailable(f"no Debian mirror is known: {reason}", HINT)
    return mirrors
