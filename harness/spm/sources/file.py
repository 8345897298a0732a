"""A folder that holds artifacts; a relative one is below packages.json's own folder."""

from __future__ import annotations

import os

from harness.spm.transfer import transport


def open_source(fields: dict, settings):
    return FileSource(os.path.join(os.path.dirname(settings.packages), fields["base"]))


class FileSource:
    def __init__(self, folder: str):
        self._folder = folder

    def addresses(self, artifact) -> list[str]:
        return [transport.file_address(os.path.join(self._folder, artifact.path))]

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        return transport.open_address(address, False, offset)
