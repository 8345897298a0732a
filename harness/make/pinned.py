"""Packages by spm's Python interface, with make.py's errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from harness.make import paths, toolchain
from harness.make.console import MakeError
from harness.spm.errors import SpmError
from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm import api
else:
    api = late("harness.spm.api")  # a verb that finds its binary does without


def pending(groups: Sequence[str], compiler: str = "pinned") -> tuple[list[str], int]:
    """(packages of `groups` that are not in the store, bytes to fetch for them)"""
    return _converted(lambda: api.pending(groups, packages=paths.PACKAGES, quiet=True), compiler)


def install(groups: Sequence[str], compiler: str = "pinned", quiet: bool = False) -> dict[str, str]:
    """Installs groups of packages; returns {package: real folder}. With the pinned compiler this machine must be one that
    runs pinned programs."""
    installed = _converted(lambda: api.install_groups(groups, packages=paths.PACKAGES, quiet=quiet), compiler)
    return {name: os.path.realpath(path) for name, (_, path) in installed.items()}


def active(group: str, compiler: str) -> bool:
    """Whether lib has a link for each package of `group`."""
    return _converted(lambda: api.active(group, packages=paths.PACKAGES), compiler)


def _converted(call: Callable[[], Any], compiler: str) -> Any:
    """Calls spm and converts its errors to MakeError."""
    toolchain.check_serves(compiler)
    try:
        return call()
    except SpmError as error:
        raise MakeError(error.what, error.hint, error.status) from error
