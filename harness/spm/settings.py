"""Paths and switches: from the command line, else the environment, else the defaults."""

from __future__ import annotations

import contextlib
import os
import pwd

from harness.spm.errors import SpmError, USAGE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLATFORMS = ("linux-x86_64", "linux-aarch64")
ANY = "any"


class Settings:
    """One run's paths and switches."""

    def __init__(
        self,
        packages: str | None = None,
        lib: str | None = None,
        store: str | None = None,
        offline: bool = False,
        frozen: bool = False,
        dry_run: bool = False,
        jobs: int = 8,
        json: bool = False,
        quiet: bool = False,
        platform: str | None = None,
    ) -> None:
        self.packages = os.path.abspath(
            packages or os.environ.get("SPM_PACKAGES") or os.path.join(ROOT, "packages.json")
        )
        self.lib = os.path.abspath(
            lib or os.environ.get("SPM_LIB") or os.path.join(os.path.dirname(self.packages), "lib")
        )
        stores = store or os.environ.get("SPM_STORE") or default_store()
        # The store that is written, and those whose packages are used as they are.
        self.store, *self.stores_behind = [os.path.realpath(each) for each in stores.split(":") if each] or [default_store()]
        self.mirror = os.environ.get("SPM_MIRROR", "")
        self.debian_mirror = os.environ.get("SPM_DEBIAN_MIRROR", "")
        self.offline = offline or os.environ.get("SPM_OFFLINE", "") not in ("", "0")
        self.frozen, self.dry_run, self.jobs, self.json, self.quiet = frozen, dry_run, jobs, json, quiet
        self.platform = platform or native_platform()

    def lib_folder(self) -> str:
        """The folder of this platform's links: lib/ itself for the machine's own, lib/<platform>/ for another's."""
        return self.lib if self.platform == native_platform() else os.path.join(self.lib, self.platform)


def packages_from_environment(path: str) -> bool:
    """Whether SPM_PACKAGES names the file of pins, so that the mistake may be in the variable."""
    given = os.environ.get("SPM_PACKAGES", "")
    return bool(given) and os.path.abspath(given) == path


def timeout_s() -> float:
    """The time limit of all transfers in seconds (SPM_TIMEOUT), for a response to begin and for each read of it."""
    text = os.environ.get("SPM_TIMEOUT", "")
    try:
        seconds = float(text or 30)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise SpmError(
            f"SPM_TIMEOUT: expected seconds, above 0 and up to 3600, found '{text}'",
            "correct or unset SPM_TIMEOUT",
            USAGE,
        )
    return seconds


def native_platform() -> str:
    system = os.uname()
    return f"{system.sysname.lower()}-{system.machine}"


def default_store() -> str:
    """The user's cache folder; where there is no writable home, a folder of the user's own under /var/tmp, and where that
    cannot be, in the checkout."""
    candidates = [os.environ.get("XDG_CACHE_HOME"), _cache_of(os.environ.get("HOME"))]
    if not candidates[1]:
        with contextlib.suppress(KeyError):  # a container's user may have no entry
            candidates.append(_cache_of(pwd.getpwuid(os.getuid()).pw_dir))
    for folder in candidates:
        if folder and os.path.isabs(folder) and _writable(folder):
            return os.path.join(folder, "spm")
    in_checkout = os.path.join(ROOT, "build", "store")
    if not _writable("/var/tmp") and _writable(in_checkout):
        return in_checkout
    return _fallback(f"/var/tmp/spm-{os.getuid()}")


def _cache_of(home: str | None) -> str | None:
    return os.path.join(home, ".cache") if home else None


def _writable(folder: str) -> bool:
    folder = existing_parent(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK)


def existing_parent(path: str) -> str:
    """The path itself, or its nearest existing parent."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def _fallback(folder: str) -> str:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise SpmError(
            f"no writable home and no {folder}: {error.strerror}", "set SPM_STORE to a folder", USAGE
        ) from None
    # Any user can make a folder in /var/tmp, so only our own is trusted.
    facts = os.lstat(folder)
    if facts.st_uid != os.getuid() or not os.path.isdir(folder) or os.path.islink(folder):
        raise SpmError(f"no writable home, and {folder} belongs to another user", "set SPM_STORE to a folder", USAGE)
    return folder
