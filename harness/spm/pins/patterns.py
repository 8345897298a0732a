"""Path patterns of `keep`: `*` and `?` match within one folder, `**` crosses folders, a trailing `/**` matches all
below. A leading `!` excludes its matches, with priority over other patterns; if all patterns exclude, everything else
is kept.

All other characters are literal, also brackets, which occur in pinned file names."""

import re
from collections.abc import Callable, Iterable

# token -> its regular expression
_MEANINGS = {"**/": "(?:[^/]+/)*", "/**/": "/(?:[^/]+/)*", "/**": "/.+", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_TOKENS = re.compile(r"(^|/)\*\*/|/\*\*$|\*\*|\*|\?|[^*?/]+|/")


def expression(pattern: str) -> str:
    """The regular expression of one pattern, for fullmatch."""
    tokens = (token.group() for token in _TOKENS.finditer(pattern))
    return "".join(_MEANINGS.get(token) or re.escape(token) for token in tokens)


class KeepFilter:
    """Selects members by patterns and records which patterns have not matched yet; without patterns, selects all."""

    def __init__(self, patterns: Iterable[str]) -> None:
        chosen = [pattern for pattern in patterns if not pattern.startswith("!")]
        left_out = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
        self._chosen = _any(chosen) if chosen else lambda path: True
        self._left_out = _any(left_out) if left_out else lambda path: False
        self._literal = bool(chosen) and not any(re.search("[*?]", pattern) for pattern in patterns)
        self._idle = {pattern: _any([pattern.removeprefix("!")]) for pattern in patterns}

    def __call__(self, path: str) -> bool:
        left_out = self._left_out(path)
        if not left_out and not self._chosen(path):
            return False
        if self._idle:
            self._idle = {
                pattern: matches
                for pattern, matches in self._idle.items()
                if bool(left_out) != pattern.startswith("!") or not matches(path)
            }
        return not left_out

    def satisfied(self) -> bool:
        """Whether no further path can match: every pattern is a plain path that has been seen."""
        return self._literal and not self._idle

    def idle(self) -> list[str]:
        """The patterns without a match so far."""
        return list(self._idle)


def _any(patterns: list[str]) -> Callable[[str], object]:
    """A predicate: whether a path fully matches one of `patterns`."""
    return re.compile("|".join(map(expression, patterns)), re.DOTALL).fullmatch
