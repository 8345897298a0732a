"""Fetches the objects that a build would make, before ninja runs.

They come into a folder of the build folder. The compiler launcher (toolchain.py) puts each in place of its compile step,
so ninja does all that it would do: it links, records dependencies, and builds what did not come. Every doubt ends with an
object that is built here."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.make.build_cache import signing
from harness.make.build_cache.inputs import Inputs
from harness.make.build_cache.options import CacheOptions
from harness.make.build_cache.place import Entry, Place, Refused
from harness.make.build_cache.record import Origins, signed
from harness.make.console import MakeError, StatusLine
from harness.spm import formatting, parallel
from harness.spm.settings import timeout_s
from harness.spm.sources.transport import TransferError
from harness.spm.transfer.host_slots import PER_HOST

FOLDER = "fetched"
"""In the build folder: the objects, each with its `.d`, while ninja runs."""

PATIENCE_S = 4.0
"""How long a place may be silent."""

SLOW_S = 4.0
"""How long a place may be slower than building."""

FAILURES = 3
"""A place is left after so many failed objects, if they are more than a tenth of those it was asked for."""


class Taken(NamedTuple):
    """What one place delivered: the number of objects and their compressed bytes."""

    place: str
    signer: str
    objects: int
    size: int


class Fetched(NamedTuple):
    """`sentences` say what came, what was refused and what is left."""

    origins: Origins
    sentences: list[str]


def fetch(wanted: Mapping[str, Inputs], count: int, cache: CacheOptions, folder: str, build_s: float) -> Fetched:
    """Fetches what places have of `wanted` {object: Inputs} into `folder`, for a build that makes `count` objects, in
    about `build_s` seconds each."""
    keys = [signing.public_key(path) for path in cache.keys]
    left, origins = dict(wanted), {}
    taken: list[Taken] = []
    refused: list[tuple[str, str]] = []
    with _patient():
        for place in map(Place, cache.places):
            if not left:
                break
            try:
                manifest = place.manifest(keys, cache.trust)
                if manifest is None:
                    raise Refused("nothing was published there")
            except Refused as reason:
                refused.append((place.name, str(reason)))
                continue
            except MakeError as error:
                refused.append((place.name, f"{error.what} ({error.hint})" if error.hint else error.what))
                continue
            offered = {name: manifest.entries[each.key] for name, each in left.items() if each.key in manifest.entries}
            arrived = _Arrivals(place, offered, left, folder, build_s)
            arrived.take()
            if arrived.names or not arrived.problem:
                taken.append(Taken(place.name, manifest.signer, len(arrived.names), arrived.size))
            refused += [(place.name, arrived.problem)] if arrived.problem else []
            for name in arrived.names:
                origins[name] = {"place": place.name, "sha256": offered[name].sha256, "signer": manifest.signer}
                del left[name]
    return Fetched(origins, sentences(count, taken, refused))


def sentences(count: int, taken: Sequence[Taken], refused: Sequence[tuple[str, str]]) -> list[str]:
    """What is printed: a line for each place that was used, one for each refusal, and what is left to build."""
    lines = [f"{each.objects} of {count} objects from {each.place}, {signed(each.signer)} ({formatting.size(each.size)})"
             for each in taken]
    lines += [f"{place}: {reason}" for place, reason in refused]
    left = count - sum(each.objects for each in taken)
    if lines and left:
        lines[-1] += f"; {left} {'is' if left == 1 else 'are'} built here"
    return [f"build cache: {line}" for line in lines]


@contextlib.contextmanager
def _patient() -> Iterator[None]:
    """spm waits up to half a minute for an answer: a place of objects is not worth that."""
    before = os.environ.get("SPM_TIMEOUT")
    os.environ["SPM_TIMEOUT"] = str(min(timeout_s(), PATIENCE_S))
    try:
        yield
    finally:
        os.environ.pop("SPM_TIMEOUT")
        os.environ.update({"SPM_TIMEOUT": before} if before is not None else {})


class _Arrivals:
    """The transfer of `offered` from one place: the `names` that arrived, their `size`, and the `problem` of others."""

    def __init__(self, place: Place, offered: Mapping[str, Entry], wanted: Mapping[str, Inputs], folder: str,
                 build_s: float) -> None:
        self._place, self._offered, self._wanted, self._folder = place, offered, wanted, folder
        self._build_s = build_s * len(offered)
        self._total = sum(each.size for each in offered.values())
        self._started, self._done, self._mutex = time.monotonic(), 0, threading.Lock()
        self.names: list[str] = []
        self.size, self.problem, self._failed = 0, "", 0

    def take(self) -> None:
        """Fetches until all came or the place is not worth it."""
        progress = StatusLine()
        arriving = parallel.each(self._fetch, list(self._offered), PER_HOST)
        try:
            with contextlib.closing(arriving):  # type: ignore[type-var]
                for name, (data, problem, is_silent) in arriving:
                    if data is not None:
                        _write(self._folder, name, data, self._wanted[name].files)
                        self.names.append(name)
                        self.size += self._offered[name].size
                        progress.update(f"fetch object {len(self.names)}/{len(self._offered)}")
                        continue
                    self._failed += 1
                    self.problem = self.problem or problem
                    if is_silent or self._failed >= FAILURES and 10 * self._failed > self._failed + len(self.names):
                        break
        except OSError as error:
            self.problem = f"{error.strerror} ({error.filename or self._folder})"
        finally:
            progress.close()

    def _fetch(self, name: str) -> tuple[bytes | None, str, bool]:
        """(the object or None, else the reason, whether to ask this place no more)"""
        entry = self._offered[name]
        if entry.name != self._wanted[name].name:
            return None, f"its manifest gives the key of {self._wanted[name].name} to {entry.name}", False
        began = time.monotonic()
        try:
            return self._place.object(entry, self._advanced), "", False
        except TransferError as error:
            return None, error.reason, error.host or time.monotonic() - began > 0.9 * timeout_s()

    def _advanced(self, size: int) -> None:
        with self._mutex:
            self._done += size
            elapsed = time.monotonic() - self._started
            expected = elapsed * self._total / self._done if self._done else 0
        if elapsed > SLOW_S and expected > max(self._build_s, SLOW_S):
            speed = formatting.size(self._done / elapsed)
            raise TransferError(f"it sends {speed}/s, so that building is faster", host=True)


def _write(folder: str, name: str, data: bytes, files: Sequence[str]) -> None:
    """Writes an object, then its depfile, without which the launcher does not take it."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    with open(path + ".d", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{_escaped(name)}: \\\n" + " \\\n".join(f" {_escaped(each)}" for each in files) + "\n")


def _escaped(path: str) -> str:
    """A path as a compiler writes it into a depfile."""
    return re.sub(r"([ #])", r"\\\1", path.replace("$", "$$"))


@contextlib.contextmanager
def folder_in(build: str) -> Iterator[str]:
    """An empty folder for objects, which is removed afterwards."""
    folder = os.path.join(build, FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
