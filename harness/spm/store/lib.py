"""The lib folder: one link per active package, under its stable name, into the store."""

from __future__ import annotations

import contextlib
import os
import time

from harness.spm import atomic
from harness.spm.errors import SpmError, USAGE
from harness.spm.pins.manifest import Package
from harness.spm.settings import existing_parent, Settings
from harness.spm.store import lease
from harness.spm.store.store import into_a_store, Store


class WantedPackage:
    """A package that should be active: its place in the store and its link."""

    __slots__ = ("package", "platform", "entry", "link")

    def __init__(self, package: Package, platform: str, store: Store, lib_folder: str) -> None:
        self.package, self.platform = package, platform
        self.entry = store.entry(package.name, package.version(platform))
        self.link = os.path.join(lib_folder, package.lib)

    def linked(self) -> bool:
        try:
            return os.readlink(self.link) == self.entry.tree
        except OSError:
            return False

    def settled(self) -> bool:
        """Whether there is nothing to do. Needs three system calls and reads no file."""
        return self.linked() and self.entry.exists()


def wanted(packages: list[Package], settings: Settings, store: Store) -> list[WantedPackage]:
    folder = settings.lib_folder()
    return [WantedPackage(package, settings.platform, store, folder) for package in packages]


def is_registered(store: Store, lib: str) -> bool:
    """Whether the store knows that `lib` uses it, and needs no renewal of that now."""
    return lease.is_current(store, lib)


def register(store: Store, lib: str, items: list[WantedPackage] | None = None) -> None:
    """Makes the store, and those behind it that this user may write to, keep the entries that `lib` links to; with
    `items`, also those to which it will, until the next call without. Needs the store's shared lock."""
    more = None if items is None else [item.entry for item in items]
    lease.renew(store, lib, more)
    for other in map(Store, store.behind):
        if other.writable() and os.path.isdir(other.root):
            with other.lock("store") as lock:
                lock.take(shared=True)
                lease.renew(other, lib, more)
    link = store.root_link(lib)
    if not (os.path.islink(link) and os.readlink(link) == lib):
        replace_link(lib, link)


def prepare(lib: str, folder: str) -> None:
    """Makes the lib folder and a platform's folder in it."""
    for each in (lib, folder):
        try:
            os.makedirs(each, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise not_a_folder(each) from None
    for name in os.listdir(folder):
        pid = name.split(".")[-2] if name.startswith(".") and name.endswith(".new") else ""
        if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            # Left by a killed run in the middle of a switch, or in use by one of another container.
            with contextlib.suppress(FileNotFoundError):
                left = os.path.join(folder, name)
                if time.time() - os.lstat(left).st_mtime > atomic.LEFT_S:
                    os.unlink(left)


def not_a_folder(path: str) -> SpmError:
    kind = "a broken link" if os.path.islink(path) else "a file"
    return SpmError(
        f"lib: expected a folder, found {kind}: {path}", f"remove {path}, or name a folder with --lib DIR", USAGE
    )


def check(lib: str, folder: str, items: list[WantedPackage]) -> None:
    """Raises SpmError before any download if a link could not be made."""
    for each in (lib, folder):
        if os.path.lexists(each) and not os.path.isdir(each):
            raise not_a_folder(each)
    for item in items:
        if os.path.lexists(item.link) and not is_ours(item.link):
            kind = "link" if os.path.islink(item.link) else "folder" if os.path.isdir(item.link) else "file"
            raise SpmError(
                f"lib: expected nothing at {item.link}, or a link into a store, found a {kind} that spm did not make",
                f"move {item.link} away, or name another folder with --lib DIR",
                USAGE,
            )


def is_ours(path: str) -> bool:
    """Whether a path is a link made by spm, into this store or another one."""
    return os.path.islink(path) and into_a_store(os.readlink(path)) is not None


def check_writable(folder: str, items: list[WantedPackage]) -> None:
    """Raises SpmError before any download if the folder of the links is not writable."""
    above = existing_parent(folder)
    if not os.access(above, os.W_OK | os.X_OK) and not all(item.linked() for item in items):
        raise SpmError(
            f"lib: expected a writable folder, found one without write permission: {above}",
            "name another with --lib DIR, or SPM_LIB",
        )


def replace_link(target: str, link: str) -> None:
    """Makes or switches a link with one rename."""
    folder, name = os.path.split(link)
    # A process id is not unique: containers that share the folder may have equal ones.
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.{os.getpid()}.new")
    os.symlink(target, temporary)
    os.rename(temporary, link)
