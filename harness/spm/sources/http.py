"""An HTTP or HTTPS server that holds artifacts below a base address."""

from __future__ import annotations

from harness.spm.transfer import transport


def open_source(fields: dict, settings):
    return HttpSource([fields["base"]], settings.offline)


class HttpSource:
    def __init__(self, bases: list[str], offline: bool):
        self._bases, self._offline = bases, offline

    def addresses(self, artifact) -> list[str]:
        return [transport.join(base, artifact.path) for base in self._bases]

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        return transport.open_address(address, self._offline, offset, validator)
