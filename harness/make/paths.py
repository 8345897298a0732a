"""Where things are in this checkout."""

import os

from harness.spm.store.atomic import atomic_file

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
PACKAGES = os.path.join(ROOT, "packages.json")
"""The pins that this checkout is built with; SPM_PACKAGES has no effect on them."""
LIB = os.environ.get("SPM_LIB") or os.path.join(ROOT, "lib")


def build_dir(toolchain: str, config: str) -> str:
    """build/<toolchain>-<config>"""
    return os.path.join(BUILD, f"{toolchain}-{config}")


def read_if_there(path: str) -> str:
    """The text of a file; "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def write_if_changed(path: str, text: str, mode: int = 0o644) -> None:
    """Writes `text` by temporary file and rename. An equal file is left alone, because ninja compares time stamps."""
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
