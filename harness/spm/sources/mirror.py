"""SPM_MIRROR: a folder or an HTTP base that holds artifacts by content, at <base>/<sha256> or, where one folder would
hold too many files, at <base>/<first two digits>/<sha256>.

`SPM_MIRROR=BASE` is asked before an artifact's own sources, `SPM_MIRROR=last:BASE` after them."""

from __future__ import annotations

from harness.spm.transfer import transport

LAST = "last:"


def open_mirror(setting: str, offline: bool):
    """(the mirror or None, whether it comes last)"""
    last = setting.startswith(LAST)
    base = setting.removeprefix(LAST)
    return (Mirror(base, offline) if base else None), last


class Mirror:
    def __init__(self, base: str, offline: bool):
        self._base = transport.base_address(base)
        self._offline = offline

    def addresses(self, artifact) -> list[str]:
        digest = artifact.sha256
        return [transport.join(self._base, digest), transport.join(self._base, f"{digest[:2]}/{digest}")]

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        return transport.open_address(address, self._offline, offset, validator)
