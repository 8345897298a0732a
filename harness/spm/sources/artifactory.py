"""A repository of JFrog Artifactory: HTTP with a token from the environment, else the user and password of netrc.

SPM_ARTIFACTORY_TOKEN has priority over the variables of JFrog's own tools. Their token is sent only to the server in
their URL variable."""

from __future__ import annotations

import os
from collections.abc import Callable
from urllib.parse import urlsplit

from harness.spm.settings import Settings
from harness.spm.sources import transport
from harness.spm.sources.http import HttpSource

# token -> the variable with the address that it is for
_TOKENS = {"SPM_ARTIFACTORY_TOKEN": "", "JF_ACCESS_TOKEN": "JF_URL", "JFROG_ACCESS_TOKEN": "JFROG_URL"}


def open_source(fields: dict, settings: Settings) -> ArtifactorySource:
    return ArtifactorySource([fields["base"]], settings.offline)


class ArtifactorySource(HttpSource):
    def put(self, address: str, path: str, sha256: str, advanced: Callable[[int], None] | None = None) -> None:
        transport.put_file(address, path, self._offline, {**self._headers(), "X-Checksum-Sha256": sha256}, advanced)

    def _headers(self) -> dict[str, str]:
        token = _token(urlsplit(self._bases[0]).hostname or "")
        return {"Authorization": f"Bearer {token}"} if token else {}


def _token(host: str) -> str:
    for name, server in _TOKENS.items():
        if os.environ.get(name) and urlsplit(os.environ.get(server, "")).hostname in (None, host):
            return os.environ[name]
    return ""
