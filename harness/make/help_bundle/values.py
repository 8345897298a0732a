"""Values that stand after a name such as api_key, in the notations of shells, JSON, YAML, XML and options: all of the value goes."""

from __future__ import annotations

import re

SECRET = "<SECRET>"

_ALONE = frozenset("pass pwd pw tok psk pin auth credential credentials cred creds secret secrets token tokens sig signature otp "
                   "passcode kennwort wachtwoord senha clave hmac".split())
_INSIDE = re.compile(r"passw|passphrase|secret|token(?!i)|credential|apikey|accesskey|accountkey|privatekey|contrase", re.I).search
_KEYS_OF_NO_SECRET = frozenset("sort depth sorting cache bucket draw command hash map lookup primary foreign index group by make of "
                               "material render state radix series row packed composite public object the a each arrow".split())
_OF_COMPILERS = re.compile(r"(?:^|[-=])(?:f?pass-plugin|pass-through|pass-remarks\w*)$").search
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SOURCE = re.compile(r"\.(?:c|cc|cpp|cxx|h|hh|hpp|inl|ipp|py|o|d|obj|cmake|s|ii|i|a|so|js|ts|rsp)$", re.I).search


def names_secret(name: str) -> bool:
    """Whether a value of this name is a secret: one part of it says so, between marks or humps of a camel. A file of source
    code has no value."""
    if _SOURCE(name) or _OF_COMPILERS(name):
        return False
    name = re.sub(r"^-D", "", name)
    parts = [part.lower() for part in _PART.findall(name)]
    if any(part in _ALONE for part in parts) or _INSIDE(name):
        return True
    return any(part == "key" and before not in _KEYS_OF_NO_SECRET for before, part in zip(parts, parts[1:])
               if not before.isdigit())


_STEM = re.compile(r"pass|pwd|pw|tok|secret|key|auth|cred|psk|pin|sig|otp|kenn|senha|clave|hmac|contrase|wacht", re.I)
_NAME = re.compile(r"[\w.-]{1,100}")
_BEFORE = re.compile(r"[\w.-]*\Z")
_MARK = re.compile(r"(?P<quote>\\*[\"'`])?\]?(?P<mark>[ \t]*(?:\\t)*(?:=>|:=|={1,2}|:)[ \t]*)").match
_NEXT = re.compile(r"\\*[\"']\s{0,20},\s{0,20}(?=\\*[\"'])(?!\\*[\"'](?:value|content|default|type)\\*[\"'])", re.I).match
_AFTER_OPTION = re.compile(r"\\*[\"']?[ \t]+(?![-=:|])").match
_HEADER = re.compile(r"X-[\w-]+|[A-Za-z][\w-]*[_-](?:password|passwd|passphrase|token|secret|credentials?|key)", re.I).fullmatch
_AFTER_HEADER = re.compile(r"[ \t]+(?![-=:|<])(?=\S*[\dA-Z])").match
_IS_NAMED = re.compile(r"\b(?:name|key|id|variable)\\*[\"']?\s*[:=]\s*\\*[\"']?\Z", re.I).search
_ITS_VALUE = re.compile(r"\\*[\"']?[\s,]{1,40}(?:-\s)?\\*[\"']?(?:value|content|default)\\*[\"']?\s{0,9}[:=][ \t]*", re.I).match
_IN_KEY = re.compile(r"<(?:key|name)>\s*\Z", re.I).search
_ITS_STRING = re.compile(r"\s{0,9}</(?:key|name)>\s{0,40}<(?:string|value)>", re.I).match
_OPENS = re.compile(r"<(?:[\w.-]+:)?\Z").search
_OPENED = re.compile(r"(?:\s[^<>\n]{0,200})?>").match
_FIRST = re.compile(r"(?:\s|export |set |setenv |env |- |[\"'{]|\[[^\]\n]*\]|[\w./-]*[|>] )*").fullmatch
_BLOCK_MARK = re.compile(r"[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?(?=\n|\Z)").match
_TRIPLE = re.compile(r'\\*("""|\'\'\')').match
_QUOTED = re.compile(r"(\\+)([\"'])(?:(?!(?<!\\)\1\2)[^\n])*(\1\2)?|\"(?:\\.|[^\"\\\n])*(\")?|'(?:\\.|[^'\\\n])*(')?|`[^`\n]*(`)?").match
_BARE = re.compile(r"(?:\\.|[^\s\\])+").match
_IN_JSON = re.compile(r"[^\s,}\]]+").match
_MOST = 5000
"""How long a value of several lines may be."""


def without_values(text: str) -> str:
    """The text without the values of names that say that they are secret."""
    parts: list[str] = []
    at = seen = 0
    for hit in _STEM.finditer(text):
        if hit.start() < seen:
            continue
        name = hit.start() - len(_BEFORE.search(text[max(at, hit.start() - 80):hit.start()])[0])  # type: ignore[index]
        seen = _NAME.match(text, hit.start()).end()  # type: ignore[union-attr]
        if not names_secret(text[name:seen]):
            continue
        start, end = _value(text, name, seen)
        if end > start:
            parts += [text[at:start], SECRET]
            at = seen = end
    return "".join([*parts, text[at:]])


def _value(text: str, name: int, after: int) -> tuple[int, int]:
    """Where the value begins and ends of the name that does so; twice the same without one."""
    start, end = _raw_value(text, name, after)
    return (start, start) if text.startswith(SECRET, start) else (start, end)


def _raw_value(text: str, name: int, after: int) -> tuple[int, int]:
    word, before = text[name:after], text[max(0, name - 60):name]
    if before.endswith("<") and word == "SECRET":
        return after, after
    if _OPENS(before) and (opened := _OPENED(text, after)):
        return _element(text, name, opened.end())
    named = _IS_NAMED(before) and _ITS_VALUE(text, after) or _IN_KEY(before) and _ITS_STRING(text, after)
    if named:
        return named.end(), _end(text, named.end(), False, False)
    if marked := _MARK(text, after):
        return _marked(text, name, marked)
    found = _NEXT(text, after) or word.startswith("-") and _AFTER_OPTION(text, after) or _HEADER(word) and _AFTER_HEADER(text, after)
    return (found.end(), _end(text, found.end(), False, False)) if found else (after, after)


def _element(text: str, name: int, start: int) -> tuple[int, int]:
    """What stands between <password> and its end."""
    word = _NAME.match(text, name)[0]  # type: ignore[index]
    end = re.compile(rf"</(?:[\w.-]+:)?{re.escape(word)}").search(text, start, start + _MOST)
    if end:
        return start, end.start()
    begins = text.rfind("\n", 0, name) + 1
    return start, _line_end(text, start) if text[begins:name].strip() == "<" else start


def _marked(text: str, name: int, found: re.Match[str]) -> tuple[int, int]:
    """The value after a mark such as `=`."""
    start, mark, quote = found.end(), found["mark"], found["quote"]
    begins = text.rfind("\n", 0, name) + 1
    is_first = _FIRST(text, begins, name) is not None
    if re.compile(r"(?:OLD)?PWD=[/~.<]").match(text, name):
        return start, start
    if re.compile(rf"\s{{0,200}}{SECRET}").match(text, start):
        return start, start
    if start == len(text) or text[start] == "\n":
        if following := re.compile(r"\s{1,200}(?=\\*[\"'\[{])").match(text, start) if quote else None:
            return following.end(), _end(text, following.end(), True, False)
        return start, _block_end(text, begins, name, start) if ":" in mark and is_first else start
    if block := _BLOCK_MARK(text, start):
        return start, _block_end(text, begins, name, block.end())
    is_line = mark[-1] in " \t" and ":" in mark or is_first
    return start, _end(text, start, bool(quote), is_line)


def _end(text: str, start: int, in_json: bool, is_line: bool) -> int:
    """Of a value that begins at `start`. `is_line`: without quotes it has all of the line."""
    if triple := _TRIPLE(text, start):
        end = text.find(triple[1], triple.end(), start + _MOST)
        return _line_end(text, start) if end < 0 else end + 3
    if text[start:start + 1] in ("[", "{"):
        return _bracket_end(text, start)
    if quoted := _QUOTED(text, start):
        end = quoted.end()
        if not any(quoted.groups()[2:]):
            # Perhaps it has more lines.
            mark = quoted[0].lstrip("\\")[0]
            closing = text.find(mark, end, start + _MOST // 5)
            return closing + 1 if closing >= 0 else end
        # A shell's 'a'"b"c is one value.
        while rest := (_QUOTED(text, end) or _BARE(text, end)) if text[end:end + 1] not in (*",;:)]}>&\\<", "") else None:
            end = rest.end()
        return end
    if is_line and not in_json:
        return _line_end(text, start)
    bare = (_IN_JSON if in_json else _BARE)(text, start)
    return bare.end() if bare else start


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _bracket_end(text: str, start: int) -> int:
    """After the bracket that closes the one at `start`; without one, the end of the line."""
    depth, at = 0, start
    for token in re.compile(r"\\*\"(?:\\(?!\")[^\n]|[^\"\\\n])*\\*\"|[\[\]{}]").finditer(text, start, start + _MOST):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        at = token.end()
        if depth == 0:
            return at
    return _line_end(text, start)


def _block_end(text: str, begins: int, name: int, end: int) -> int:
    """After the lines below a name that are further in, as YAML has them. What a tool puts before each line may stay."""
    before = text[begins:name]
    prefix = before.rstrip(" \t\"'-{")
    indent = len(before) - len(prefix)
    limit = min(len(text), end + _MOST)
    while end < limit:
        line_end = text.find("\n", end + 1)
        line_end = len(text) if line_end < 0 else line_end
        line = text[end + 1:line_end]
        line = line[len(prefix):] if prefix and line.startswith(prefix) else line
        inner = line.lstrip(" \t")
        if inner and len(line) - len(inner) <= indent and not (inner.startswith("- ") and len(line) - len(inner) == indent):
            break
        end = line_end
    return end
