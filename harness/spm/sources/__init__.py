"""Where artifacts come from. A kind of source is one module here and one line in FIELDS.

The module has `open_source(fields, settings)`, which returns an object with

    addresses(artifact) -> list[str]    where the artifact may be, best first; raises Unavailable if there is no place
    open(address, offset=0, validator="") -> transport.Body
                                        its bytes from `offset` on, or the whole (see Body); raises TransferError
    put(address, path)                  uploads a file, where the kind can take one; raises TransferError

and whose addresses hold no secret, because they are printed. A kind that knows what is newer than a pin has besides

    newest(artifact) -> Newest          what to pin in the artifact's place; raises Unlisted or SpmError"""

from __future__ import annotations

# kind -> the fields that packages.json must give besides `type`, and those that it may give
FIELDS = {"debian": ((), ("suite",)), "http": (("base",), ()), "file": (("base",), ())}


class Unavailable(Exception):
    """A source that can serve nothing at all on this machine: `reason`, and as `hint` what the user can do."""

    def __init__(self, reason: str, hint: str = ""):
        super().__init__(reason)
        self.reason, self.hint = reason, hint


class Newest:
    """What a source offers now for an artifact.

    `name` is what people call it; `pinned` and `version` are the versions of the pin and of what the source has, and
    `order` is below, at or above 0 as the pin is older, the same or newer. `pin` holds the fields of packages.json for
    it. `vouched` says who vouches for this, or is '' where nobody does, and then `unchecked` says why."""

    def __init__(self, name, pinned, version, order, pin: dict, vouched: str = "", unchecked: str = ""):
        self.name, self.pinned, self.version, self.order, self.pin = name, pinned, version, order, pin
        self.vouched, self.unchecked = vouched, unchecked


class Unlisted(Exception):
    """The source has no word on an artifact: `reason`."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def open_source(fields: dict, settings):
    import importlib

    return importlib.import_module(f"harness.spm.sources.{fields['type']}").open_source(fields, settings)


def mirror_of(settings):
    """(SPM_MIRROR as a source or None, whether it is asked last)"""
    if not settings.mirror:
        return None, False
    from harness.spm.sources import mirror

    return mirror.open_mirror(settings.mirror, settings.offline)
