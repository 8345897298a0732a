"""Where artifacts come from. A kind of source is one module here and one line in FIELDS.

The module has `open_source(fields, settings)`, which returns an object with

    addresses(artifact) -> list[str]    where the artifact may be, best first; raises Unavailable if there is no place
    open(address, offset=0, validator="") -> transport.Body
                                        its bytes from `offset` on, or the whole (see Body); raises TransferError
    put(address, path)                  uploads a file, where the kind can take one; raises TransferError

and whose addresses hold no secret, because they are printed."""

from __future__ import annotations

# kind -> the fields that packages.json must give besides `type`, and those that it may give
FIELDS = {"debian": ((), ()), "http": (("base",), ()), "file": (("base",), ())}


class Unavailable(Exception):
    """A source that can serve nothing at all on this machine: `reason`, and as `hint` what the user can do."""

    def __init__(self, reason: str, hint: str = ""):
        super().__init__(reason)
        self.reason, self.hint = reason, hint


def open_source(fields: dict, settings):
    import importlib

    return importlib.import_module(f"harness.spm.sources.{fields['type']}").open_source(fields, settings)


def mirror_of(settings):
    """(SPM_MIRROR as a source or None, whether it is asked last)"""
    if not settings.mirror:
        return None, False
    from harness.spm.sources import mirror

    return mirror.open_mirror(settings.mirror, settings.offline)
