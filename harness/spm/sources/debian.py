"""A Debian archive. Its address is the machine's affair: SPM_DEBIAN_MIRROR, else what apt is set up to use."""

from __future__ import annotations

from harness.spm.sources import apt
from harness.spm.transfer import transport
from harness.spm.sources import Unavailable
from harness.spm.sources.http import HttpSource

HINT = "set SPM_DEBIAN_MIRROR to a Debian mirror's address, the part before /pool"


def open_source(fields: dict, settings):
    return DebianSource(settings)


class DebianSource(HttpSource):
    def __init__(self, settings):
        super().__init__([], settings.offline)
        self._mirror = settings.debian_mirror

    def addresses(self, artifact) -> list[str]:
        if not self._bases:
            self._bases = [transport.base_address(self._mirror)] if self._mirror else _configured()
        return super().addresses(artifact)


def _configured() -> list[str]:
    found = apt.debian_mirrors()
    if not found.mirrors:
        raise Unavailable(f"no Debian mirror is known: {found.reason}", HINT)
    return found.mirrors
