"""Repairs damaged packages: only the paths that differ from their list, with only the artifacts that hold them.

An entry is first marked as damaged, and marked as valid when it is whole. After a killed repair it stays damaged, and
the next repair hashes every file. Folders, links, modes, times and unexpected files need no artifact. A file is written
to a temporary file and renamed, so that other users of the tree never see a partial file. An entry without a usable
list, or with an old list that does not name each file's artifact, is made again as a whole."""

from __future__ import annotations

import contextlib
import copy
import os
import stat
from collections.abc import Iterator
from typing import Any

from harness.spm import trees
from harness.spm.archives import abilities, contents
from harness.spm.archives.tree import Tree
from harness.spm.archives.unpack import unpack
from harness.spm.errors import Refused, system_error
from harness.spm.pins.manifest import Manifest
from harness.spm.settings import Settings
from harness.spm.store import prune
from harness.spm.store.durable import Disk, mark
from harness.spm.store.install import install
from harness.spm.store.lib import WantedPackage
from harness.spm.store.store import Store, StoreEntry
from harness.spm.transfer.fetch import Fetcher
from harness.spm.transfer.progress import Report


def repair(items: list, deep: bool, manifest: Manifest, settings: Settings, store: Store, report: Report) -> list:
    """Repairs and activates `items`; returns the artifacts that were needed. With settings.dry_run it changes nothing.

    `deep` hashes every file to find damage. Entries that were already marked as damaged are always hashed."""
    try:
        # A valid entry that lib does not link to needs only its link; other checkouts may use it.
        repairs = [_EntryRepair(item, deep, store) for item in items if item.linked() or not item.entry.exists()]
        if settings.dry_run:
            for entry_repair in repairs:
                entry_repair.examine()
            return list(_artifacts(repairs).values())
        with prune.locked(store, report):
            for entry_repair in repairs:
                with entry_repair.locked(report):
                    entry_repair.begin()
            artifacts = _artifacts(repairs)
            listed = [entry_repair for entry_repair in repairs if entry_repair.listed]
            archives = _fetch(listed, manifest, settings, store, report)
            with Disk(store.root) as disk:
                for entry_repair in listed:
                    with entry_repair.locked(report):
                        if entry_repair.apply(archives):
                            mark([entry_repair.item.entry], disk, report)
        install(items, manifest, settings, store, report)  # the links, and what is to be made anew
        return list(artifacts.values())
    except OSError as error:
        raise system_error("repairing", error) from None


def _artifacts(repairs: list[_EntryRepair]) -> dict:
    return {artifact.sha256: artifact for entry_repair in repairs for artifact in entry_repair.artifacts()}


def _fetch(
    repairs: list[_EntryRepair], manifest: Manifest, settings: Settings, store: Store, report: Report
) -> dict[str, Any]:
    """{sha256: path of the archive}"""
    artifacts = _artifacts(repairs)
    if not artifacts:
        return {}
    report.started(len(repairs), len(artifacts), sum(each.size for each in artifacts.values()))
    with report, Fetcher(manifest, settings, store.archive, store.lock, report) as fetcher:
        found = {artifact.sha256: path for artifact, path in fetcher.fetch_all(artifacts.values())}
        for artifact in artifacts.values():
            fetcher.release(artifact)
    return found


class _EntryRepair:
    """One entry's repair."""

    def __init__(self, item: WantedPackage, deep: bool, store: Store) -> None:
        self.item, self._store = item, store
        self._tree = item.entry.tree
        self._deep = deep or not item.entry.exists()
        self.listed: Any = _usable_list(item.entry)
        self._problems: dict[str, str] = {}
        self._needed: dict[int, set[str]] = {}  # number of an artifact -> the files whose contents it must bring

    @contextlib.contextmanager
    def locked(self, report: Report) -> Iterator[None]:
        with self._store.entry_lock(self.item.entry) as lock:
            lock.take(waiting=lambda holder: report.event("waiting", what=f"package {self.item.package.name}", holder=holder))
            yield

    def begin(self) -> None:
        """Marks the entry as damaged, repairs its folders and finds the remaining damage."""
        self.item.entry.mark_damaged()
        if self.listed:
            self._repair_folders()
            self.examine()

    def examine(self) -> None:
        if not self.listed:
            return
        self._problems = contents.problems(self._tree, self.listed, self._deep)
        lost = set()
        for (path, mode, size, _, digest), owner in zip(self.listed["files"], self.listed["owners"]):
            if path in self._problems and not self._has_contents(path, size, digest):
                lost.add((owner, digest))
        # With a file all of the same contents, for one may be in the archive as a hard link to another.
        for (path, _, _, _, digest), owner in zip(self.listed["files"], self.listed["owners"]):
            if (owner, digest) in lost:
                self._needed.setdefault(owner, set()).add(path)

    def _has_contents(self, path: str, size: int, digest: str) -> bool:
        try:
            return contents.read(f"{self._tree}/{path}", size)[1] == digest
        except OSError:
            return False

    def artifacts(self) -> list:
        """The artifacts that must be downloaded."""
        every = self.item.package.artifacts_for(self.item.platform)
        return [every[owner] for owner in sorted(self._needed)] if self.listed else every

    def apply(self, archives: dict[str, str]) -> bool:
        """Repairs everything; returns whether the entry is whole now. If not, it stays damaged, to be made again."""
        if self.item.entry.exists():
            return False  # another process was faster
        staging = self._store.staging(self.item.entry)
        trees.remove(staging)
        os.mkdir(staging)
        try:
            fresh = self._unpack(staging + "/tree", archives)
            self._repair_folders()
            with self._writable({os.path.dirname(path) for path in (*self._problems, *fresh)}):
                self._repair_links(staging + "/link")
                self._repair_files(staging + "/tree", fresh)
            return not contents.problems(self._tree, self.listed)
        except Refused:
            return False  # the list says what no archive holds
        finally:
            trees.remove(staging)

    def _unpack(self, folder: str, archives: dict[str, str]) -> set[str]:
        """Unpacks the missing files into `folder`; returns their paths. Refused if list and archives disagree."""
        tree = Tree(folder)
        every = self.item.package.artifacts_for(self.item.platform)
        for owner, paths in self._needed.items():
            part = copy.copy(every[owner])
            names = [f"{part.strip}/{path}".lstrip("/") for path in sorted(paths)]
            part.keep = [f"**/{name}" if name.startswith("!") else name for name in names]  # or it would be left out
            unpack(archives[part.sha256], part, tree, owner)
        digests = {path: digest for path, *_, digest in self.listed["files"]}
        fresh = set().union(*self._needed.values())
        for path in fresh:
            if tree.nodes[path].content != digests[path]:
                raise Refused(f"{path} differs from the list of the tree")
        return fresh

    def _repair_folders(self) -> None:
        # First of all, because a link in place of a folder may lead anywhere.
        for folder in ("", *self.listed["folders"]):
            path = f"{self._tree}/{folder}".rstrip("/")
            mode = os.lstat(path).st_mode if os.path.lexists(path) else 0
            if not stat.S_ISDIR(mode):
                with self._writable({os.path.dirname(folder)} if folder else set()):
                    trees.remove(path)
                    os.mkdir(path)
            if stat.S_IMODE(mode) != contents.FOLDER_MODE:
                abilities.set_mode(path, contents.FOLDER_MODE)

    def _repair_links(self, fresh: str) -> None:
        links = dict(self.listed["links"])
        known = {*links, *self.listed["folders"], *(path for path, *_ in self.listed["files"])}
        for path in self._problems:
            place = f"{self._tree}/{path}"
            if path not in known or path not in self.listed["folders"] and _is_folder(place):
                trees.remove(place)
            if path in links:
                os.symlink(links[path], fresh)
                os.rename(fresh, place)

    def _repair_files(self, folder: str, fresh: set[str]) -> None:
        for path, mode, _, time, _ in self.listed["files"]:
            if path in fresh or path in self._problems:
                place = f"{self._tree}/{path}"
                if path in fresh:
                    os.rename(f"{folder}/{path}", place)
                abilities.set_mode(place, mode)
                abilities.set_time(place, time)

    @contextlib.contextmanager
    def _writable(self, folders: set[str]) -> Iterator[None]:
        paths = [f"{self._tree}/{folder}" for folder in folders]
        paths = [path for path in paths if _is_folder(path)]
        for path in paths:
            os.chmod(path, 0o755)
        yield
        for path in paths:
            if _is_folder(path):  # it may have been one of those that should not be there
                os.chmod(path, contents.FOLDER_MODE)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _usable_list(entry: StoreEntry) -> dict | None:
    try:
        found = entry.files()
        return found if len(found["owners"]) == len(found["files"]) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
