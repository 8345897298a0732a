"""The lib folder: one link per active package, under its stable name, into the store."""

import os
import re

from harness.spm.errors import SpmError, USAGE
from harness.spm.pins.manifest import Package
from harness.spm.settings import existing_parent, PLATFORMS, Settings
from harness.spm.store.store import Store, StoreEntry


_into_a_store = re.compile(r"/(?:.*/)?packages/[^/]+/[0-9a-f]{64}/tree", re.DOTALL).fullmatch


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


def is_root(store: Store, lib: str) -> bool:
    try:
        return os.readlink(store.root_link(lib)) == lib
    except OSError:
        return False


def register(store: Store, lib: str) -> None:
    """Registers `lib` in the store, so that pruning keeps the entries it links to."""
    if not is_root(store, lib):
        replace_link(lib, store.root_link(lib))


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
            os.unlink(os.path.join(folder, name))  # left by a killed run in the middle of a switch


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
    return os.path.islink(path) and _into_a_store(os.readlink(path)) is not None


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


def links(store: Store, lib: str) -> list[tuple[str, StoreEntry]]:
    """All links of a lib folder and of its platforms' folders that lead into the store."""
    found = []
    for folder in (lib, *(os.path.join(lib, platform) for platform in PLATFORMS)):
        try:
            names = sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in names:
            path = os.path.join(folder, name)
            entry = store.entry_of(os.readlink(path)) if os.path.islink(path) else None
            if entry and not name.startswith("."):
                found.append((path, entry))
    return found
