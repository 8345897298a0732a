"""What of a build folder was fetched, and from where: fetched.json in it."""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from harness.make import paths
from harness.spm.hashing import sha256_of

RECORD = "fetched.json"
Origins = dict[str, dict[str, str]]
"""{object: {place, sha256, signer}}; `signer` is "" where no signature was checked."""


def signed(signer: str) -> str:
    """By whom something was signed, in words."""
    return f"signed by {signer}" if signer else "signature not checked"


def recorded(build: str) -> Origins:
    """{object: its origin} of the objects in a build folder that are still the fetched ones."""
    try:
        objects = json.loads(paths.read_if_there(os.path.join(build, RECORD)))["objects"]
    except (ValueError, TypeError, KeyError):
        return {}
    return {name: origin for name, origin in objects.items() if is_object(os.path.join(build, name), origin["sha256"])}


def record(build: str, new: Origins, objects: Callable[[], Sequence[str]]) -> None:
    """Writes what of a build folder was fetched. `objects` gives the names of all objects that it may hold."""
    path = os.path.join(build, RECORD)
    if not new and not os.path.exists(path):
        return
    origins = {**recorded(build), **{name: origin for name, origin in new.items()
                                     if is_object(os.path.join(build, name), origin["sha256"])}}
    if not origins:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return
    count = sum(os.path.exists(os.path.join(build, name)) for name in objects())
    facts: dict[str, Any] = {"schema": 1, "summary": summary(origins, count), "objects": dict(sorted(origins.items()))}
    paths.write_if_changed(path, json.dumps(facts, indent=1) + "\n")


def summary(origins: Origins, count: int) -> str:
    """The origins in a few words, for a result's provenance."""
    sources: dict[tuple[str, str], int] = {}
    for origin in origins.values():
        source = origin["place"], origin["signer"]
        sources[source] = sources.get(source, 0) + 1
    parts = [f"{number} of {count} objects fetched from {place}, {signed(signer)}"
             for (place, signer), number in sorted(sources.items())]
    return "; ".join(parts)


def is_object(path: str, sha256: str) -> bool:
    """Whether the file at `path` has that hash."""
    try:
        with open(path, "rb") as file:
            return sha256_of(file).hexdigest() == sha256
    except OSError:
        return False
