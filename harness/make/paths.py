"""Where things are in this checkout."""

import os

from harness.spm.atomic import atomic_file
from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    import glob
else:
    glob = late("glob")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
PACKAGES = os.path.join(ROOT, "packages.json")
"""The pins that this checkout is built with; SPM_PACKAGES has no effect on them."""
LIB = os.environ.get("SPM_LIB") or os.path.join(ROOT, "lib")


def globbed(pattern: str, folder: str = "") -> list[str]:
    """The paths below `folder` (default: the checkout) that the pattern matches, relative to it, sorted; hidden ones only
    if it names them."""
    folder = folder or ROOT
    found = glob.iglob(os.path.join(glob.escape(folder), pattern), recursive=True)
    return sorted(os.path.relpath(path, folder) for path in found)


def is_writable(folder: str) -> bool:
    """Whether this user may write in `folder`, or make it."""
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK | os.X_OK)


def work_dir() -> str:
    """Where a user who may not write in this checkout has results and reports: LAB_WORK, or a folder of the user's data
    that is named after the checkout."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.environ.get("LAB_WORK") or os.path.join(data, "allocation-laboratory", ROOT.strip(os.sep).replace(os.sep, "-"))


def place_for(what: str) -> str:
    """Where this user makes `what`, a path below the checkout (harness/base/layout.h)."""
    own = os.path.join(ROOT, what)
    return own if is_writable(own) else os.path.join(work_dir(), what)


def unreadable_store() -> str:
    """The first package in lib/ that this user may not read, because the store is the builder's own; "" if there is
    none."""
    try:
        links = [os.path.join(LIB, name) for name in sorted(os.listdir(LIB))]
    except OSError:
        return ""
    return next((os.path.realpath(link) for link in links if os.path.islink(link) and not os.access(link, os.R_OK)), "")


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
