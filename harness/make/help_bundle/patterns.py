"""What looks like a key, a password or an address, whoever's it is. Each function takes a text and returns it without
them. Doubtful cases are removed: a word less in a log costs little."""

from __future__ import annotations

import ipaddress
import re

SECRET = "<SECRET>"
LOOKS_SECRET = re.compile(r"passw|secret|token|credential|auth|cookie|session|signature|key|pwd|cert|_pat$", re.I).search
"""In the name of a variable or field."""

_KEY_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]*?(?:KEY|CERTIFICATE|MESSAGE)[A-Z0-9 ]*-{4,5}"
_KEY_END = r"-{4,5} ?END [A-Z0-9 ]*?(?:KEY|CERTIFICATE|MESSAGE)[A-Z0-9 ]*-{4,5}"
_KEY_BLOCK = re.compile(rf"{_KEY_BEGIN}.*?(?:{_KEY_END}|\Z)", re.S)
_KEY_LINE = re.compile(r"\s*[\w+/=-]{16,}\s*|\s*|[\w-]+: .*").fullmatch

_TOKENS = re.compile(
    r"\b(?:A(?:KIA|SIA|IDA|ROA|GPA)[0-9A-Z]{12,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|gl(?:pat|ptt|dt|rt|cbt|soat|agent|oas|imt|ft|ffct|sat)-[\w-]{8,}|xox[a-z]-[\w-]{8,}"
    r"|[sr]k[-_](?:live|test|ant|proj)[-_][\w-]{8,}|sk-[\w-]{16,}|AIza[\w-]{20,}|ya29\.[\w-]{8,}|npm_\w{16,}|pypi-[\w-]{16,}"
    r"|hf_\w{16,}|dckr_pat_[\w-]{8,}|dop_v1_\w{16,}|SG\.[\w-]{8,}\.[\w-]{8,}|AKC[A-Za-z0-9]{16,}|cmVmd[A-Za-z0-9+/]{16,}={0,2}"
    r"|eyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?|AGE-SECRET-KEY-\w+|ssh-(?:rsa|dss|ed25519) [A-Za-z0-9+/]{16,}={0,2}"
    r"|(?:ecdsa|sk)-[\w@.-]+ AAAA[A-Za-z0-9+/]{16,}={0,2}|hooks\.slack\.com/[\w/]+)")

_HEADERS = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,30}(?:token|key|auth|api|signature|credential)[a-z-]{0,30})"
    r"(\\*[\"']?\s*[:=]\s*)(?!\s*<SECRET>)[^\n]+", re.I)
_SCHEMES = re.compile(r"\b(bearer|basic|digest|negotiate|ntlm)(\s+)(?=[\w.~+/=-]*[\d=A-Z])[\w.~+/=-]{6,}", re.I)
_WORD = r"(?:pass(?:wor[dt]|wd|phrase|code)|passwd|secret|token|credentials?|api[_-]?key|access[_-]?key|private[_-]?key|signature)"
_VALUE = r"(?:\\*\"[^\"\n]*\"?|\\*'[^'\n]*'?|[^\s\"'\\&;,<>()]+)"
_ASSIGNED = re.compile(rf"({_WORD}[\w.-]{{0,40}}\\{{0,4}}[\"']?(?:\s|\\t)*(?:=>|:=|[:=])(?:\s|\\t)*)(?!<)({_VALUE})", re.I)
_PWD = re.compile(rf"(?<![A-Za-z])((?:pwd|pw|sig|auth)\\*[\"']?\s*=\s*)(?![<.~/])({_VALUE})")
_OPTION = re.compile(rf"((?<![\w-])--?(?:[\w-]{{1,30}}-)?(?:{_WORD}|pass|pw|user:pass)\s+)(?![<-]){_VALUE}", re.I)
_LOGIN = re.compile(r"\b(login|account)(\s+)(?!<)\S+(\s+password\s+)\S+", re.I)
_SAID = re.compile(r"\b(pass(?:word|wd|phrase|code)|passwd|secret|token)(\s+(?:is\s+|was\s+)?[\"'`]?)(?!<)(?=[\w$!@#%^&*+./=-]*\d)[^\s\"'`<]{4,}",
                   re.I)
_BESIDE = re.compile(r"(?<![A-Za-z])(?:pass(?:word|wd|phrase)|secret|token|credentials?|key|hmac|nonce|otp)s?(?![A-Za-z])", re.I)
_LONG = re.compile(r"(?<![\w+/=-])(?:[0-9a-fA-F]{16,}|[\w+/-]{20,}={0,2})(?![\w+/-])")
_WORDLIKE = re.compile(r".{0,3}|[A-Z]{0,4}[a-z]*(?:[A-Z][a-z]+)*\d{0,4}|[A-Z]+").fullmatch  # a part of a path or name
_BESIDE_CHARACTERS = 80
"""How far from such a word a long number or text is taken for a key."""

_LOGIN_OF_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]{0,20}:(?:\\?/){2})(?:[^/\s@\"'<>]{0,500}|[^/\s:@\"'<>]{0,200}:[^\s@\"'<>]{0,500})@(?=[^\s@])", re.I)
_MAIL = re.compile(r"(?<![\w.+%-])[\w.+%'-]{1,80}@(?:[\w-]{1,63}\.){1,10}[^\W\d_]{2,}(?![\w@])")
# Not the versions of symbols (f@plt, f@@GLIBC_2.2.5), nor preloaded libraries (libmine.so@0123abcd).
_AT_HOST = re.compile(r"(?<![\w.+@%-])[\w.+-]+@(?!@|plt\b|GLIBC|GCC_|CXXABI|[0-9a-f]{8}(?![\w.])|<|latest\b)(?:\[[0-9a-fA-F:.]+\]|[\w-]+(?:\.[\w-]+)*)")

_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)(?!\.\d)")
_VERSION_BEFORE = re.compile(r"(?:(?:version|conformance|release|revision|mesa|driver|api|ver|v|[<>=]=|[A-Za-z]{2,}[-_])[\"'\s:=(]{0,6})$", re.I)
_VERSION_AFTER = re.compile(r"(?:[-+~][a-z0-9]|\.(?:tar|zip|so|deb|whl)\b)", re.I)
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?(?:%\w+)?(?![\w:])")
_MAC = re.compile(r"(?<![0-9A-Fa-f:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4,18}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:-])")
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z])", re.I)
_PRIVATE = [ipaddress.ip_network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
                                                     "100.64.0.0/10")]
_NOBODYS = ("127.", "0.0.0.0", "255.")


def without_keys(text: str) -> str:
    """Without keys, passwords and the logins of addresses. Keys of several lines need the whole text."""
    if "BEGIN " in text or "END " in text:
        text = _KEY_BLOCK.sub(SECRET, text)
        while end := re.search(_KEY_END, text):
            text = _without_key_before(text, *end.span())
    text = _TOKENS.sub(SECRET, text)
    if "@" in text:
        text = _LOGIN_OF_ADDRESS.sub(rf"\1{SECRET}@", text)
    text = _HEADERS.sub(rf"\1\2{SECRET}", text)
    text = _SCHEMES.sub(rf"\1\2{SECRET}", text)
    text = _LOGIN.sub(rf"\1\2{SECRET}\3{SECRET}", text)
    for pattern in (_ASSIGNED, _PWD):
        text = pattern.sub(rf"\1{SECRET}", text)
    text = _OPTION.sub(rf"\1{SECRET}", text)
    text = _SAID.sub(rf"\1\2{SECRET}", text)
    return "\n".join(_without_long(line) if _BESIDE.search(line) else line for line in text.split("\n"))


def _without_key_before(text: str, start: int, end: int) -> str:
    """Without a key that began before the first line of this text, and ends at `start`."""
    lines = text[:start].split("\n")
    lines.pop()
    while lines and _KEY_LINE(lines[-1]):
        lines.pop()
    return "\n".join([*lines, SECRET]) + text[end:]


def _without_long(line: str) -> str:
    words = [each.span() for each in _BESIDE.finditer(line)]

    def replaced(found: re.Match[str]) -> str:
        is_near = any(found.start() - end <= _BESIDE_CHARACTERS and start - found.end() <= _BESIDE_CHARACTERS
                      for start, end in words)
        return SECRET if is_near and is_random(found[0]) else found[0]

    return _LONG.sub(replaced, line)


def is_random(text: str) -> bool:
    """Whether a long word looks like drawn by chance, as keys are: hexadecimal digits, or letters in both cases and digits that
    are no words."""
    if re.search(r"\d", text) and re.search(r"[A-Za-z]", text) and \
            re.fullmatch(r"[0-9a-f]{16,}|[0-9A-F]{16,}|[0-9a-fA-F]{32,}", text):
        return True
    has_cases = re.search(r"[a-z]", text) and re.search(r"[A-Z]", text)
    return bool(has_cases) and len(text) >= 20 and not all(map(_WORDLIKE, re.split(r"[/_+-]", text.rstrip("="))))


def looks_like_key(text: str) -> bool:
    """Whether the value of a variable looks like a key."""
    if without_keys(text) != text:
        return True
    for word in re.split(r"[:;,=\s]", text):
        path = re.match(r"(?:-\w*)?([/~.].*)", word)
        parts = path[1].split("/") if path else [word]
        if any(is_random(found[0]) for part in parts for found in _LONG.finditer(part)):
            return True
    return False


def without_addresses(text: str) -> str:
    """Without addresses of mail and of network interfaces, and UUIDs, which name disks and devices. Loopback stays."""
    if "@" in text:
        text = _AT_HOST.sub("<USER>@<HOST>", _MAIL.sub("<MAIL>", text))
    text = _MAC.sub("<MAC>", text)
    text = _UUID.sub("<UUID>", text)
    return _IPV4.sub(_without_ipv4, _IPV6.sub(_without_ipv6, text))


def _without_ipv4(found: re.Match[str]) -> str:
    try:
        address = ipaddress.IPv4Address(found[0])
    except ValueError:
        return "<IP>" if all(int(part) < 256 for part in found[0].split(".")) else found[0]  # 010.1.2.3
    if found[0].startswith(_NOBODYS):
        return found[0]
    line = found.string[max(0, found.start() - 40):found.start()]
    is_version = _VERSION_BEFORE.search(line) or _VERSION_AFTER.match(found.string, found.end())
    return found[0] if is_version and not any(address in network for network in _PRIVATE) else "<IP>"


def _without_ipv6(found: re.Match[str]) -> str:
    text = found[0].partition("%")[0]
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return found[0]
    # Names of C++ such as fed::ad have no digit.
    return found[0] if address.is_loopback or not re.search(r"\d", text) else "<IP>"
