"""The user's own file of settings that no project may hold: ~/.config/spm/config, or below XDG_CONFIG_HOME.

    # a comment
    debian-mirror = http://host/debian        where debian sources are, the part before /pool
    debian-snapshot = http://host/archive/debian    the same by date, for versions that the mirror has dropped"""

import functools
import os

from harness.spm.atomic import write_file
from harness.spm.errors import SpmError, USAGE

NAMES = ("debian-mirror", "debian-snapshot")


def path() -> str:
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return os.path.join(folder if os.path.isabs(folder) else os.path.expanduser("~/.config"), "spm", "config")


def value(name: str) -> str:
    """What the file says for `name`; "" if there is nothing. Raises SpmError for a line that says nothing known."""
    return _read(path()).get(name, "")


def keep(name: str, text: str) -> None:
    """Adds a line to the file. An OSError comes from the disk."""
    try:
        with open(path(), encoding="utf-8", errors="surrogateescape") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    if before and not before.endswith("\n"):
        before += "\n"
    os.makedirs(os.path.dirname(path()), mode=0o700, exist_ok=True)
    write_file(path(), f"{before}{name} = {text}\n")
    _read.cache_clear()


@functools.cache
def _read(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:  # there is none, or it is not for this user
        return {}
    found = {}
    for number, line in enumerate(lines, 1):
        name, equals, text = (part.strip() for part in line.partition("="))
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals or name not in NAMES or not text:
            expected = " or ".join(f"'{each} = ADDRESS'" for each in NAMES)
            raise SpmError(f"{path}: line {number}: expected {expected}, found something else (not shown)", "correct that line", USAGE)
        found[name] = text
    return found
