"""spm's Python interface, for make.py's other verbs. It does what the command line does."""

import os
import sys
from collections.abc import Iterable
from typing import Any

from harness.spm.errors import SpmError
from harness.spm.pins import manifest as manifests
from harness.spm.settings import Settings
from harness.spm.store import lib
from harness.spm.verbs.install import activate


def _settings(**settings: Any) -> Settings:
    # make.py restarts itself with UTF-8 (utf8.py); another program's process must not be restarted from here.
    if sys.getfilesystemencoding() != "utf-8":
        raise SpmError(
            f"expected a Python whose file names are UTF-8, found {sys.getfilesystemencoding()}", "export PYTHONUTF8=1"
        )
    return Settings(**settings)


def install_groups(groups: Iterable[str], **settings: Any) -> dict[str, tuple[str, str]]:
    """Makes the packages of `groups` active; {package: (version, path of its link in lib)}.

    `settings` are the fields of settings.Settings, such as quiet=True. Reports on standard error; raises SpmError."""
    chosen = _settings(**settings)
    manifest = manifests.load(chosen.packages)
    items, _ = activate(manifest.grouped(groups, chosen.platform), manifest, chosen)
    return {item.package.name: (item.entry.version, item.link) for item in items}


def active(group: str, **settings: Any) -> bool:
    """Whether lib has a link for each package of `group`, in any version. False for a group that is not pinned here."""
    chosen = _settings(**settings)
    packages = manifests.load(chosen.packages).serving(chosen.platform)
    links = [os.path.join(chosen.lib_folder(), each.lib) for each in packages if group in each.groups]
    return bool(links) and all(lib.is_ours(link) for link in links)


def versions(**settings: Any) -> dict[str, str]:
    """{package: version} of everything that packages.json pins for the platform: a result's `pins`."""
    chosen = _settings(**settings)
    packages = manifests.load(chosen.packages).serving(chosen.platform)
    return {each.name: each.version(chosen.platform) for each in packages}


def pending(groups: Iterable[str], **settings: Any) -> tuple[list[str], int]:
    """(names of the packages of `groups` that the store lacks, bytes to fetch for them); changes nothing."""
    chosen = _settings(dry_run=True, **settings)
    manifest = manifests.load(chosen.packages)
    _, plan = activate(manifest.grouped(groups, chosen.platform), manifest, chosen)
    missing = plan.missing if plan else []
    fetched = sum(artifact.size for item in missing for artifact in item.package.artifacts_for(item.platform))
    return [item.package.name for item in missing], fetched
