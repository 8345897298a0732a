"""Where artifacts come from. A kind of source is one module here and one line in FIELDS (pins/source_fields.py).

The module has `open_source(fields, settings)`, which returns a Source; its addresses hold no secret, because they are
printed. A kind that knows what is newer than a pin has

    newest(artifact, unsigned) -> NewestVersion
                                        what to pin instead of the artifact, with `unsigned` also from an unsigned
                                        index; raises Unlisted or SpmError"""

from __future__ import annotations

import importlib
from typing import Any

from harness.spm.pins.manifest import Artifact
from harness.spm.settings import Settings

UPLOADS = ("http", "s3", "artifactory", "file")


class Source:
    """The interface of all kinds of sources."""

    def addresses(self, artifact: Artifact) -> list[str]:
        """Where the artifact may be, best first; raises Unavailable if there is no place."""
        return [self.address(artifact.path)]

    def address(self, path: str) -> str:
        """Where the file `path` of the source is; raises NotImplementedError where a source has no such places."""
        raise NotImplementedError

    def put(self, address: str, path: str, sha256: str, advanced: Any = None) -> None:
        """Uploads the file `path`, whose hash that is; raises TransferError. Only sources of UPLOADS do. `advanced` as for
        transport.put_file."""
        raise NotImplementedError

    def open(self, address: str, offset: int = 0, validator: str = "") -> Any:
        """A transport.Body: the bytes from `offset` on, or the whole; raises TransferError."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Called before downloads begin, in the main thread: may ask the user for what this machine does not say."""

    def cancel(self) -> None:
        """Ends the waits of `open` in other threads."""


class Unavailable(Exception):
    """A source that cannot be used on this machine: the `reason`, and a `hint` for the user."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


class NewestVersion:
    """What a source offers now for an artifact.

    `name` is what people call it; `pinned` and `version` are the versions of the pin and of what the source has, and
    `order` is below, at or above 0 as the pin is older, the same or newer. `pin` holds the fields of packages.json for
    it, `index` what the pin says of the index it came from. `signed_by` names the index and its signer; it is '' if the
    signature was not checked, and `unchecked` is the
    reason."""

    def __init__(
        self,
        name: str,
        pinned: str,
        version: str,
        order: int,
        pin: dict,
        signed_by: str = "",
        unchecked: str = "",
        index: dict | None = None,
        warning: str = "",
    ) -> None:
        self.name, self.pinned, self.version, self.order, self.pin = name, pinned, version, order, pin
        self.signed_by, self.unchecked, self.index, self.warning = signed_by, unchecked, index or {}, warning


class Unlisted(Exception):
    """The source does not list an artifact, for `reason`. The rest is as in NewestVersion."""

    def __init__(self, reason: str, signed_by: str = "", unchecked: str = "", warning: str = "") -> None:
        super().__init__(reason)
        self.reason, self.signed_by, self.unchecked, self.warning = reason, signed_by, unchecked, warning


def open_source(fields: dict, settings: Settings) -> Source:
    return importlib.import_module(f"harness.spm.sources.{fields['type']}").open_source(fields, settings)
