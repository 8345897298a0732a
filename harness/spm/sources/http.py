"""An HTTP or HTTPS server that holds artifacts below a base address, and takes them by PUT where it is set up to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.spm.pins.manifest import Artifact
from harness.spm.settings import Settings
from harness.spm.sources import Source, transport


def open_source(fields: dict, settings: Settings) -> HttpSource:
    return HttpSource([fields["base"]], settings.offline)


class HttpSource(Source):
    def __init__(self, bases: list[str], offline: bool) -> None:
        self._bases, self._offline = bases, offline

    def addresses(self, artifact: Artifact) -> list[str]:
        return [transport.join(base, artifact.path) for base in self._bases]

    def address(self, path: str) -> str:
        return transport.join(self._bases[0], path)

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        return transport.open_address(address, self._offline, offset, validator, self._headers())

    def put(self, address: str, path: str, sha256: str, advanced: Callable[..., Any] | None = None) -> None:
        transport.put_file(address, path, self._offline, self._headers(), advanced)

    def _headers(self) -> dict[str, str]:
        """What every request carries: credentials, for a kind that has some."""
        return {}
