"""A mirror: a folder, an HTTP base or s3://bucket/prefix that holds artifacts by content, at
<base>/<first two digits>/<sha256>, where `mirror push` puts them, or at <base>/<sha256>.

`SPM_MIRROR=BASE` is asked before an artifact's own sources, `SPM_MIRROR=last:BASE` after them."""

from __future__ import annotations

import os
import re

from harness.spm.errors import SpmError, USAGE
from harness.spm.formatting import is_address
from harness.spm.pins.manifest import Artifact
from harness.spm.pins.source_fields import FIELDS
from harness.spm.settings import Settings
from harness.spm.sources import open_source, Source, transport

LAST = "last:"


def mirror_of(settings: Settings) -> tuple[Mirror | None, bool]:
    """(SPM_MIRROR as a source or None, whether it is tried last)"""
    last = settings.mirror.startswith(LAST)
    base = settings.mirror.removeprefix(LAST)
    mirror = Mirror(base, settings, "SPM_MIRROR") if base else None
    # The disk of a folder with a whole path may not be mounted: then the sources serve.
    if mirror and mirror.folder and not os.path.isdir(mirror.folder) and "://" not in base and not os.path.isabs(base):
        raise transport.no_place("SPM_MIRROR", base)
    return mirror, last


class Mirror(Source):
    def __init__(self, base: str, settings: Settings, what: str = "mirror") -> None:
        """`base` as the user gave it; an error about it begins with `what`."""
        fields = _fields(base, what)
        self._base = open_source(fields, settings)
        self.folder = fields["base"] if fields["type"] == "file" else ""
        self.place = transport.shown(base) if "://" in base else base
        self.open, self.put = self._base.open, self._base.put  # type: ignore[method-assign]

    def addresses(self, artifact: Artifact) -> list[str]:
        return [self.address(artifact.sha256), self._base.address(artifact.sha256)]

    def address(self, sha256: str) -> str:
        """Where an artifact with that hash is put."""
        return self._base.address(f"{sha256[:2]}/{sha256}")


def source_at(base: str, settings: Settings, what: str) -> Source:
    """The source of a base as the user gave it, address or folder; an error begins with `what`."""
    return open_source(_fields(base, what), settings)


def _fields(base: str, what: str) -> dict:
    """What packages.json would say of such a base."""
    scheme, slashes, _ = base.partition("://")
    if scheme == "file" or not slashes and not re.match("(s3|https?|file):", base):
        return {"type": "file", "base": transport.file_path(base) if slashes else os.path.abspath(base)}
    kind = "s3" if base.startswith("s3:") else "http"
    pattern, words = FIELDS[kind][0]["base"]
    if not re.fullmatch(pattern, base) or not is_address(base):
        found = transport.shown(base)
        hint = "name such a place, as /folder or https://host/path"
        raise SpmError(f"{what}: expected a folder, or {words}, found '{found}'", hint, USAGE)
    return {"type": kind, "base": base}
