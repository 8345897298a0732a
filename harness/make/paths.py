"""Where things are in this checkout."""

import os

from harness.spm.store.atomic import atomic_file

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
PACKAGES = os.path.join(ROOT, "packages.json")
"""The pins of this checkout's build, whatever SPM_PACKAGES has spm look at."""
LIB = os.environ.get("SPM_LIB") or os.path.join(ROOT, "lib")


def build_dir(toolchain: str, config: str) -> str:
    """build/<toolchain>-<config>"""
    return os.path.join(BUILD, f"{toolchain}-{config}")


def write_if_changed(path: str, text: str, mode: int = 0o644) -> None:
    """Writes `text` to a temporary file and renames it, unless it is there already: time stamps are what ninja goes by."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with atomic_file(path) as name:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, mode)
