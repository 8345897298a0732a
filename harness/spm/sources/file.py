"""A folder that holds artifacts; a relative one is below packages.json's own folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from harness.spm.settings import Settings
from harness.spm.sources import Source, transport


def open_source(fields: dict, settings: Settings) -> FileSource:
    return FileSource(os.path.join(os.path.dirname(settings.packages), fields["base"]))


class FileSource(Source):
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def address(self, path: str) -> str:
        return transport.file_address(os.path.join(self._folder, path))

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        return transport.open_address(address, False, offset)

    def put(self, address: str, path: str, sha256: str, advanced: Callable[..., Any] | None = None) -> None:
        transport.put_file(address, path, False, None, advanced)
