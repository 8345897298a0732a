"""The compile steps of a configured build folder, and what the build cache does before and after ninja runs them."""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.make import ninja, paths
from harness.make.build_cache import record
from harness.make.build_cache.inputs import Graph, Inputs, Keys, Roots, compile_commands, read_graph
from harness.make.build_cache.options import CacheOptions
from harness.make.console import print_line
from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.make.build_cache import fetching
else:
    fetching = late("harness.make.build_cache.fetching")  # a build without a place does without

VARIABLE = "LAB_FETCHED_OBJECTS"
"""Tells the compiler launcher (toolchain.LAUNCHER) where fetched objects are."""


class Taken(NamedTuple):
    """What a build takes from the build cache."""

    environment: dict[str, str] | None
    """In which ninja takes it; None where nothing came."""
    objects: frozenset[str]
    """Relative to the build folder."""


class Steps:
    """The compile steps in `folder`, whose `compiler` is a script of toolchain.py."""

    def __init__(self, folder: str, ninja_command: Sequence[str], compiler: str, packages: Mapping[str, str]) -> None:
        self.folder = folder
        self._ninja = [*ninja_command, "-C", folder]
        self._compilers = [os.path.join(os.path.dirname(compiler), name) for name in ("g++", "gcc")]
        self._packages = packages

    def pending(self, targets: Sequence[str]) -> dict[str, list[str]]:
        """{object: the words of its command} of what a build of `targets` would compile now."""
        return compile_commands(ninja.pending_commands(self._ninja, targets), self._compilers)

    def all(self, targets: Sequence[str]) -> dict[str, list[str]]:
        """{object: the words of its command} of everything that belongs to `targets`."""
        return compile_commands(ninja.commands(self._ninja, targets), self._compilers)

    @functools.cached_property
    def graph(self) -> Graph:
        """What build.ninja says."""
        return read_graph(paths.read_if_there(os.path.join(self.folder, "build.ninja")), self.folder)

    def inputs(self, commands: Mapping[str, list[str]]) -> dict[str, Inputs]:
        """The inputs of each object that has a key."""
        keys = Keys(Roots(paths.ROOT, self.folder, self._packages), self.graph)
        found = {name: keys.of(name, words) for name, words in commands.items()}
        return {name: each for name, each in found.items() if each}

    @contextlib.contextmanager
    def taking(self, cache: CacheOptions, targets: Sequence[str], step_s: float) -> Iterator[Taken]:
        """Fetches what a build of `targets` would compile. `step_s` is about how long a compile step takes. Records
        afterwards what was taken."""
        pending = self.pending(targets) if cache.places else {}
        origins: record.Origins = {}
        inputs: dict[str, Inputs] = {}
        started = time.time()
        with fetching.folder_in(self.folder) if pending else contextlib.nullcontext("") as folder:
            if pending:
                inputs = self.inputs(pending)
                fetched = fetching.fetch(inputs, len(pending), cache, folder, step_s)
                origins = fetched.origins
                for sentence in fetched.sentences:
                    print_line(sentence)
            try:
                yield Taken({**os.environ, VARIABLE: folder} if origins else None, frozenset(origins))
            finally:
                self._remove_outdated({name: inputs[name] for name in origins}, started)
                record.record(self.folder, origins, lambda: list(self.graph.inputs))

    def _remove_outdated(self, taken: Mapping[str, Inputs], since: float) -> None:
        """Removes the objects whose sources were edited after their keys were computed. They are newer than the edit, so
        ninja would keep them; without them the next build compiles."""
        sources = {path for each in taken.values() for path in each.files if not path.startswith(self.folder + os.sep)}
        edited = {path for path in sources if _time_of(path) > since}
        for name, each in taken.items() if edited else ():
            if not edited.isdisjoint(each.files):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(self.folder, name))


def _time_of(path: str) -> float:
    """When a file was changed; infinity if it is gone."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return float("inf")
