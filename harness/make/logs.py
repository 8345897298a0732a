"""What of a tool's log is printed when the tool fails."""

import re


def tail(path: str, lines: int = 25) -> str:
    """The log's last lines; "" if it cannot be read."""
    return "\n".join(_lines(path)[-lines:])


def failures(path: str, limit: int = 60) -> str:
    """ninja's log without the steps that succeeded; "" if it cannot be read."""
    return "\n".join([line for line in _lines(path) if not re.match(r"\[\d+/\d+\] ", line)][:limit])


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []
