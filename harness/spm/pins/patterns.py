"""Path patterns of `keep`: `*` and `?` stay within one folder, `**` crosses folders, a trailing `/**` is all below.

Everything else stands for itself, brackets too: pinned file names hold them, and sets of characters are not missed."""

from __future__ import annotations

import re

_TOKENS = re.compile(r"(^|/)\*\*/|/\*\*$|\*\*|\*|\?|[^*?/]+|/")


def expression(pattern: str) -> str:
    """The regular expression of one pattern, for a full match."""
    return "".join(_translate(token.group()) for token in _TOKENS.finditer(pattern))


def _translate(token: str) -> str:
    match token:
        case "**/":
            return "(?:[^/]+/)*"
        case "/**/":
            return "/(?:[^/]+/)*"
        case "/**":
            return "/.+"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _:
            return re.escape(token)


class Keep:
    """Chooses members by patterns and remembers which patterns have chosen none; no pattern at all chooses all."""

    def __init__(self, patterns):
        self._any = (
            re.compile("|".join(map(expression, patterns)), re.DOTALL).fullmatch if patterns else lambda path: True
        )
        self._literal = bool(patterns) and not any(re.search("[*?]", pattern) for pattern in patterns)
        self._idle = {pattern: re.compile(expression(pattern), re.DOTALL).fullmatch for pattern in patterns}

    def __call__(self, path: str) -> bool:
        if not self._any(path):
            return False
        if self._idle:
            self._idle = {pattern: matches for pattern, matches in self._idle.items() if not matches(path)}
        return True

    def satisfied(self) -> bool:
        """Whether nothing further can match: every pattern is a plain path, and each has been seen."""
        return self._literal and not self._idle

    def idle(self) -> list[str]:
        """The patterns that have matched nothing so far."""
        return list(self._idle)
