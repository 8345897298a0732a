"""The order of Debian's versions, as deb-version(7) defines it: [epoch:]upstream[-revision].

Digits compare as numbers. Otherwise letters sort before other characters, and a tilde before everything, even the end."""

import re

_PARTS = re.compile(r"([^0-9]*)([0-9]*)").findall
_ASCII_LETTERS = re.compile(r"[A-Za-z]").match


def key(version: str) -> tuple:
    """The sort key of a version; equal for versions that differ only in spelling, like 1.0 and 1.00."""
    epoch, upstream, revision = split(version)
    return _number(epoch), _key(upstream), _key(revision or "0")


def split(version: str) -> tuple[str, str, str]:
    """(epoch, upstream version, revision), each '' where it is missing."""
    epoch, colon, rest = version.partition(":")
    if not (colon and epoch.isascii() and epoch.isdigit()):
        epoch, rest = "", version
    upstream, dash, revision = rest.rpartition("-")
    return (epoch, upstream, revision) if dash else (epoch, rest, "")


def _key(part: str) -> tuple:
    # The last match is empty: its 0 is the end, which is above a tilde and below everything else.
    return tuple((tuple(map(_weight, text)) + (0,), _number(digits)) for text, digits in _PARTS(part))


def _number(digits: str) -> tuple[int, str]:
    """The sort key of a number of any length."""
    digits = digits.lstrip("0")
    return len(digits), digits


def _weight(character: str) -> int:
    if character == "~":
        return -1
    return ord(character) if _ASCII_LETTERS(character) else ord(character) + 256
