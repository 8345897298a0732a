"""Formats and parses numbers, sizes and durations for people."""

import re

from harness.spm.errors import SpmError, USAGE
from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ipaddress
    import unicodedata
    from urllib import parse
else:
    ipaddress = late("ipaddress")
    parse = late("urllib.parse")
    unicodedata = late("unicodedata")

_PREFIXES = "KMGT"
_SIZES = {
    **{"": 1, "B": 1},
    **{f"{prefix}B": 1000**power for power, prefix in enumerate(_PREFIXES, 1)},
    **{f"{prefix}IB": 1024**power for power, prefix in enumerate(_PREFIXES, 1)},
}
_HELP = "python3 make.py spm cache prune --help"
_TIMES = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def seconds(count: float) -> str:
    if count < 60:
        return f"{count:.1f} s" if count < 10 else f"{count:.0f} s"
    minutes, rest = divmod(round(count), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def age(seconds_ago: float) -> str:
    """An age in its largest unit, such as '3 d'."""
    for unit, length in reversed(_TIMES.items()):
        if seconds_ago >= length:
            return f"{seconds_ago // length:.0f} {unit}"
    return "0 s"


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def is_address(text: str) -> bool:
    """Whether an address has a host and, if it has a port, a numeric one."""
    try:
        parts = parse.urlsplit(text)
        if "[" in parts.netloc:  # Python 3.9 accepts anything in brackets
            ipaddress.IPv6Address(parts.hostname or "")
        return parts.scheme == "file" or bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        return False


def parse_size(text: str, option: str) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)\s*([kKmMgGtT]?[iI]?[bB]?)", text)
    unit = match and match.group(2).upper()
    if match and unit and not unit.endswith("B"):
        unit += "B"
    if not match or unit not in _SIZES:
        raise SpmError(f"{option}: expected a size like 10GB or 500MB, found '{text}'", _HELP, USAGE)
    return int(float(match.group(1)) * _SIZES[unit])


def parse_age(text: str, option: str) -> float:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)([smhdw])", text)
    if not match:
        raise SpmError(f"{option}: expected an age like 30d or 12h, found '{text}'", _HELP, USAGE)
    return float(match.group(1)) * _TIMES[match.group(2)]


def printable(text: str) -> str:
    """The text as one printable line; control characters are escaped."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def columns(text: str) -> int:
    """The width of a printable text in terminal columns."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def fit(text: str, most: int) -> str:
    """The text, cut with an ellipsis if it is wider than `most` columns."""
    if columns(text) <= most:
        return text
    kept, left = "", most - 1
    for each in text:
        left -= _columns(each)
        if left < 0:
            break
        kept += each
    return kept + "\u2026" if most > 0 else ""


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
