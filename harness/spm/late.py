"""Modules that most runs do without. `late` stands for one and imports it at its first use, so that an install with
nothing to do starts fast. This is the only late import: functions have none, and the top of a module names all that it
uses, the late ones for mypy as well:

    if TYPE_CHECKING:
        from harness.spm.store import repair
    else:
        repair = late("harness.spm.store.repair")
"""

from __future__ import annotations

import importlib


class _LateModule:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        return getattr(importlib.import_module(self._name), attribute)


def late(name: str) -> _LateModule:
    """The module `name`, which is imported when something of it is used."""
    return _LateModule(name)
