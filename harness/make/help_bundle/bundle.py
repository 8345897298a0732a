"""One archive for whoever helps: what it holds, the list that is shown first, and writing it.

Everything is read and cleaned before the list is shown, so that the list has the sizes, and what is written is what was
shown."""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import time
from collections.abc import Callable
from typing import NamedTuple

from harness.make import paths
from harness.make.help_bundle import files, known, logs, machine, sessions
from harness.make.help_bundle.files import MOST_BYTES, Unreadable
from harness.make.help_bundle.redact import Redactor
from harness.spm.atomic import atomic_file

MOST_TOTAL_BYTES = 6_000_000
"""Of all files together, before they are packed."""

_MOST_LINE = 4000
_README = """What this is: a report on one installation of the allocation laboratory, made by `python3 make.py doctor --bundle`.

findings.txt     what this machine has and lacks
failed.txt       what went wrong in the last builds, and how to repeat them
failures.txt     the last failures of benchmarks with their output, and how to repeat them
sessions.txt     the newest sessions: seed, command, what was unusual
machine.txt, drivers.txt, versions.txt, environment.txt, packages.json
results.txt      the results folder: machines, unfinished sessions, locks; results/ has the files of nights and jobs
build/           the logs of configuring and building, each its last 200 lines

Names were replaced: <HOME>, <CHECKOUT>, <STORE>, <RESULTS>, <LIB>, <WORK>, <CACHE>, <DATA>, <TMP>, <FOLDER> are folders;
<USER>, <OTHER-USER>, <PERSON-1>, <HOST>, <HOST-1>, <DOMAIN>, <MACHINE-1>, <SERVER-1>, <IP>, <MAC>, <MAIL>, <UUID> are names
and addresses; <SECRET> looked like a key or password. One name has the same word everywhere. File names here have these words
without < and >.
"""


class Entry(NamedTuple):
    """One file of the archive. `what` says in the list what it is."""

    name: str
    what: str
    content: bytes


class Bundle(NamedTuple):
    """What would be written. `left_out`: (name, why) of files that could not be read or are too much. `machines`: (word,
    name) of what the maker has to know to read an answer."""

    entries: list[Entry]
    left_out: list[tuple[str, str]]
    machines: list[tuple[str, str]]


def collect(findings: str) -> Bundle:
    """Reads and cleans everything. No failure of a part stops the rest."""
    redactor = known.redactor()
    found = _Collection(redactor)
    newest = sessions.newest_sessions()
    texts: list[tuple[str, str, Callable[[], str]]] = [
        ("README.txt", "what is what in here", lambda: _README),
        ("findings.txt", "the lines above", lambda: findings),
        ("failed.txt", "errors of the last builds, how to repeat them", logs.failed_text),
        ("failures.txt", "the last failures of benchmarks", lambda: sessions.failures_text(newest)),
        ("sessions.txt", "the newest sessions: command, seed, what was unusual", lambda: sessions.sessions_text(newest)),
        ("machine.txt", "processor, memory, kernel, C library, limits", machine.machine_text),
        ("drivers.txt", "graphics devices and Vulkan drivers", machine.drivers_text),
        ("versions.txt", "laboratory, commit, packages, tools", machine.versions_text),
        ("environment.txt", "variables for the laboratory and compilers", machine.environment_text),
        ("results.txt", "the results folder: unfinished sessions, locks", lambda: sessions.state_text(newest)),
    ]
    for name, what, text in texts:
        found.add_text(name, what, text)
    found.add_file("packages.json", paths.PACKAGES, "the pins", paths.ROOT, whole=True)
    for path in logs.logs():
        found.add_file(os.path.relpath(path, paths.ROOT), path, "log", paths.BUILD)
    for name, path in sessions.state_files():
        found.add_file(name, path, "state of nights and jobs", known.results_folder())
    return found.cleaned()


class _Collection:
    """Texts as they are on this machine, until `cleaned`."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._raw: list[tuple[str, str, str]] = []
        self._left_out: list[tuple[str, str]] = []

    def add_text(self, name: str, what: str, text: Callable[[], str]) -> None:
        try:
            self._raw.append((name, what, text()))
        except Exception as error:  # pylint: disable=broad-except
            # Who needs help has a machine that is strange in some way: the rest of the bundle is all the more wanted.
            self._left_out.append((name, f"failed: {type(error).__name__}: {error}"))

    def add_file(self, name: str, path: str, what: str, within: str, whole: bool = False) -> None:
        try:
            text, part = (files.read(path, within=within)[0], "whole") if whole else files.tail(path, within)
        except Unreadable as problem:
            self._left_out.append((name, str(problem) if str(problem) == files.LINK else f"not readable: {problem}"))
            return
        if name.endswith(".json"):
            text = sessions.without_cut_words(text)
        self._raw.append((name, f"{what}, {part}", text))

    def cleaned(self) -> Bundle:
        """Without names and secrets; what would be too much is left out."""
        for name, _, text in self._raw:
            self._redactor.add_servers(text)
        entries: list[Entry] = []
        left_out = [(self._name(name), self._redactor(why)) for name, why in self._left_out]
        total = 0
        taken: set[str] = set()
        for name, what, text in self._raw:
            clean = "\n".join(_shortened(line) for line in self._redactor(text).split("\n"))
            content = clean.encode("utf-8", "replace")
            if len(content) > MOST_BYTES:
                content = content[:MOST_BYTES // 2] + b"\n(...)\n" + content[-MOST_BYTES // 2:]
            member = self._name(name)
            if total + len(content) > MOST_TOTAL_BYTES:
                left_out.append((member, "the bundle is full"))
                continue
            while member in taken:
                stem, ending = os.path.splitext(member)
                member = f"{stem}-2{ending}"
            taken.add(member)
            total += len(content)
            entries.append(Entry(member, what, content))
        if left_out:
            text = "".join(f"{name}: {why}\n" for name, why in left_out)
            entries.append(Entry("left_out.txt", "what could not be read", text.encode("utf-8", "replace")))
        return Bundle(entries, left_out, self._machines())

    def _name(self, name: str) -> str:
        """A file's name that every system can have."""
        # In front of the folder's own name, also a machine that has a plain word as its name is one.
        top, _, rest = name.partition("/")
        clean = self._redactor(f"<{top.upper()}>/{rest}")[len(top) + 3:] if rest else self._redactor(name)
        parts = [re.sub(r"[^\w.@+-]", "_", re.sub(r"[<>]", "", part), flags=re.A).lstrip(".")[:80] or "_"
                 for part in ([top] if rest else []) + clean.split("/")]
        return "/".join(parts)

    def _machines(self) -> list[tuple[str, str]]:
        words = ((self._redactor.word_for(name).strip("<>"), name) for name in known.machines_in(known.results_folder()))
        return [(word, name) for word, name in words if word.startswith("MACHINE-")]


def _shortened(line: str) -> str:
    return line if len(line) <= _MOST_LINE else f"{line[:_MOST_LINE]} (... {len(line) - _MOST_LINE} more)"


def listing(bundle: Bundle) -> str:
    """What would be written, a line for each file."""
    lines = [f"  {len(entry.content):>8}  {entry.name:<44} {entry.what}" for entry in bundle.entries]
    lines += [f"  {'-':>8}  {name:<44} left out: {why}" for name, why in bundle.left_out]
    total = sum(len(entry.content) for entry in bundle.entries)
    return "\n".join([f"{len(bundle.entries)} files, {total} bytes:", *lines, ""])


def write(path: str, bundle: Bundle) -> int:
    """Writes the archive, whole or not at all; returns its size. Raises OSError."""
    now = int(time.time())
    with atomic_file(path) as name:
        with open(name, "xb") as file:
            os.fchmod(file.fileno(), 0o600)
            # The name of a gzip's content would be that of the temporary file.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed, \
                    tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for entry in bundle.entries:
                    archive.addfile(files.member(f"doctor/{entry.name}", now, len(entry.content)), io.BytesIO(entry.content))
            file.flush()
            os.fsync(file.fileno())
            return os.fstat(file.fileno()).st_size
