"""What looks like a key, a password or an address, whoever's it is. Each function takes a text and returns it without
them. Doubtful cases are removed: a word less in a log costs little."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection

from harness.make.help_bundle.values import SECRET, names_secret, without_values

_LOOKS_SECRET = re.compile(r"passw|secret|token|credential|auth|cookie|session|signature|key|pwd|cert|_pat$", re.I).search

_KEY_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}?(?:KEY|CERTIFICATE|MESSAGE)[A-Z0-9 ]{0,40}-{4,5}"
_KEY_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}?(?:KEY|CERTIFICATE|MESSAGE)[A-Z0-9 ]{0,40}-{4,5}"
_KEY_BLOCK = re.compile(rf"{_KEY_BEGIN}.*?(?:{_KEY_END}|\Z)|PuTTY-User-Key-File-.*?(?:Private-MAC:[^\n]*|\Z)", re.S)
_ENDS_KEY = re.compile(rf"{_KEY_END}|Private-MAC:[^\n]*").search
_KEY_LINE = re.compile(r"(?:[^\n]*[\s|>\]\"':])?[A-Za-z0-9+/=]{16,}[\s\"',\\]*|\s*|(?:[^\n]*[|>\]]\s*)?(?:Proc-Type|DEK-Info|Comment|Public-Lines|"
                       r"Private-Lines|Encryption|Key-Derivation|Argon2-[\w-]+|Version|Hash|Subject|X-[\w-]+|Charset): .*").fullmatch
_LAST_KEY_LINE = re.compile(r"(?:[^\n]*[\s|>\]\"':])?[A-Za-z0-9+/=]{1,80}[\s\"',\\]*").fullmatch
_MOST_KEY_LINES = 100
_BASE64 = re.compile(r"(?<![\w+/=.-])(?!_Z)[A-Za-z0-9+/_-]{40,}={0,2}(?![\w+/-])")
_AFTER_BASE64 = re.compile(r"(?<=<SECRET>\n)([^\n]{0,80}[|>\]][ \t]*)?(?=[A-Za-z0-9+/]*[\d=+/])[A-Za-z0-9+/]{4,63}={0,2}(?=\n|\Z)")
_ENCODED_KEY = re.compile(r"LS0tLS1CRUdJT[\w+/-]*={0,2}|(?:0tLS1CRUdJT|tLS0tQkVHSU4|LS0tLUJFR0lO)[\w+/-]*={0,2}")

_TOKENS = re.compile(
    r"\b(?:A(?:KIA|SIA|IDA|ROA|GPA)[0-9A-Z]{12,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|gl(?:pat|ptt|dt|rt|cbt|soat|agent|oas|imt|ft|ffct|sat)-[\w-]{8,}|xox[a-z]-[\w-]{8,}"
    r"|[sr]k[-_](?:live|test|ant|proj)[-_][\w-]{8,}|sk-[\w-]{16,}|AIza[\w-]{20,}|ya29\.[\w-]{8,}|npm_\w{16,}|pypi-[\w-]{16,}"
    r"|hf_\w{16,}|dckr_pat_[\w-]{8,}|dop_v1_\w{16,}|SG\.[\w-]{8,}\.[\w-]{8,}|AKC[A-Za-z0-9]{16,}|cmVmd[A-Za-z0-9+/]{16,}={0,2}"
    r"|eyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?|AGE-SECRET-KEY-\w+|ssh-(?:rsa|dss|ed25519) [A-Za-z0-9+/]{16,}={0,2}"
    r"|(?:ecdsa|sk)-[\w@.-]+ AAAA[A-Za-z0-9+/]{16,}={0,2}|hooks\.slack\.com/[\w/]+"
    r"|(?:SK|AC)[0-9a-f]{32}\b|SHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])=?|bot\d{6,}:[\w-]{16,}|(?<=/)\d{6,}:AA[\w-]{20,})"
    r"|\$(?:1|2[abxy]?|5|6|7|y|gy|P|H|apr1|md5|sha1|scrypt|argon2\w{0,3}|pbkdf2[\w-]{0,10})\$[^\s:\"'<]{4,}|\{S?SHA\d*\}[A-Za-z0-9+/]{16,}={0,2}"
    r"|\{CRYPT\}[^\s:\"'<]+")
_HOOKS = re.compile(r"(://[^\s\"'<>]{0,200}?(?:web)?hooks?/)[^\s\"'<>]+", re.I)
_QUERY = re.compile(r"(\?)(?=[\w.~%-]{1,60}=)([^\s\"'<>]+)")

_HEADERS = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,30}(?:token|key|auth|api|signature|credential)[a-z-]{0,30})"
    r"(\\*[\"']?\s*[:=]\s*)(?!\s*<SECRET>)[^\n]+", re.I)
_SCHEMES = re.compile(r"\b(bearer|basic|digest|negotiate|ntlm)(\s+)(?=[\w.~+/=-]*[\d=A-Z])[\w.~+/=-]{6,}", re.I)
_VALUE = r"(?:\"[^\"\n]*\"?|'[^'\n]*'?|\S+)"
_LOGIN_OPTION = re.compile(rf"(?<![^\s\"'\[(,;])((?:-[uU][ \t]*|(?:--(?:proxy-)?user|--login)\\*[\"']?[=\s,]\s*)\\*[\"']?[^\s:\"'%<]+[:%])(?!\s)(?:[^\s\"']*[\"'](?=\s|\Z)|{_VALUE})", re.I)
_TOOL_OPTION = re.compile(rf"\b((?:sshpass[ \t]+(?:-[^\sp]\S*[ \t]+)*-p[ \t]*|(?:mysql|mariadb)[\w-]*(?:[ \t]+[^\s;|]+)*?[ \t]+-p(?=\S)|"
                          rf"(?:redis-cli|ldap\w+|unzip|zip|7z\w?|sqlcmd|smbclient)(?:[ \t]+[^\s;|]+)*?[ \t]+-(?:a|w|P|p)[ \t]*))(?!<){_VALUE}")
_PGPASS = re.compile(r"(?<![^\s\"'|])((?:[\w.*-]+|\[[0-9a-fA-F:]+\]|/[\w./-]+):(?:\d{1,5}|\*):[^:\s]+:[^:\s]+:)(?!<)(?=\S*[^\s\d:])\S+")
_PROMPT = re.compile(r"\b((?:pass(?:word|wort|wd|phrase|code)|passwd|kennwort|wachtwoord|mot de passe|(?:api|access|account|private|secret|license|auth|pass) (?:key|phrase|word|code))s?\b"
                     r"[^\n:=<]{0,60}(?::(?!//)|=)[ \t]*|\b(?:pass|secret|token|pin|credentials?)[ \t]+(?:for|of|from|to)\b[^\n:=<]{0,60}[:=][ \t]*)(?=\S)[^\n]+", re.I)
_IS = re.compile(r"\b((?:pass(?:word|wort|wd|phrase|code)|passwd|kennwort|secret|token|pin|psk|(?:api|access|account|private) key)[ \t]+(?:is|was|ist|war|now|set to|changed to)(?:[ \t]+(?:now|set to))?[ \t]+)"
                 rf"(?!(?:not|wrong|invalid|missing|required|expired|incorrect|empty|unset|a|an|the|too|no)\b|[<']?[\w ]*'? before\b){_VALUE}", re.I)
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
_MAC_DOTTED = re.compile(r"(?<![\w.])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.]*\w)", re.I)
_HEX = re.compile(r"(?<![0-9A-Za-z_-])(?<!\.\.)(?:[0-9a-f]{12}|[0-9A-F]{12}|[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})(?![0-9A-Za-z_-]|\.\.)")
_HASH_BEFORE = re.compile(r"(?:commit|sha-?(?:1|224|256|384|512)?(?:sum)?|digest|hash|tree|revision|head|bundle|artifact|checksum|merge|base|against|build[_ -]?id|"
                          r"packages/[\w.+-]+|bundles|by-hash/\w+|at|HEAD is now|\"(?:from|to|first|last|before|after|good|bad|head)\\*\":\s?\\*)[\"'\s:=@(/]{1,5}$", re.I).search
_HOST_OF_IP = re.compile(r"(?<![\w.-])(?:[\w-]{1,60}[.-])?(?:\d{1,3}-){3}\d{1,3}(?:\.[\w-]+)+|(?<![\w.-])ip-(?:\d{1,3}-){3}\d{1,3}(?![\w-])|"
                         r"(?<![\w.-])[\w-]+(?:\.[\w-]+){0,40}\.(?:in-addr|ip6)\.arpa\.?", re.I)
_VERSION_BEFORE = re.compile(r"(?:(?:version|conformance|release|revision|mesa|driver|api|ver|v|[<>=]=|[A-Za-z]{2,}[-_])[\"'\s:=(]{0,6})$", re.I)
_VERSION_AFTER = re.compile(r"(?:[-+~][a-z0-9]|\.(?:tar|zip|so|deb|whl)\b)", re.I)
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?(?:%\w+)?(?![\w:])")
_MAC = re.compile(r"(?<![0-9A-Fa-f:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4,18}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:-])")
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9A-Za-z])", re.I)
_PRIVATE = [ipaddress.ip_network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
                                                     "100.64.0.0/10")]
_NOBODYS = ("127.", "0.0.0.0", "255.")


def looks_secret(name: str) -> bool:
    """Whether the name of a variable says that its value is secret."""
    return names_secret(name) or _LOOKS_SECRET(name) is not None


def without_keys(text: str) -> str:
    """Without keys, passwords and the logins of addresses. Keys of several lines need the whole text."""
    if "BEGIN " in text or "END " in text or "PuTTY" in text or "Private-MAC" in text:
        text = _without_cut_keys(_KEY_BLOCK.sub(SECRET, text))
    text = _ENCODED_KEY.sub(SECRET, text)
    text = _AFTER_BASE64.sub(rf"\1{SECRET}", _BASE64.sub(lambda found: SECRET if _is_base64(found[0]) else found[0], text))
    text = _TOKENS.sub(SECRET, text)
    if "@" in text:
        text = _LOGIN_OF_ADDRESS.sub(rf"\1{SECRET}@", text)
    text = _HOOKS.sub(rf"\1{SECRET}", text)
    text = _HEADERS.sub(rf"\1\2{SECRET}", text)
    text = _SCHEMES.sub(rf"\1\2{SECRET}", text)
    text = _LOGIN.sub(rf"\1\2{SECRET}\3{SECRET}", text)
    text = without_values(text)
    text = _LOGIN_OPTION.sub(rf"\1{SECRET}", text)
    text = _TOOL_OPTION.sub(rf"\1{SECRET}", text)
    if text.count(":") >= 4:
        text = _PGPASS.sub(rf"\1{SECRET}", text)
    text = _PROMPT.sub(rf"\1{SECRET}", text)
    text = _IS.sub(rf"\1{SECRET}", text)
    text = _SAID.sub(rf"\1\2{SECRET}", text)
    if "?" in text:
        text = _QUERY.sub(_without_query, text)
    return "\n".join(_without_long(line) if _BESIDE.search(line) else line for line in text.split("\n"))


def _without_cut_keys(text: str) -> str:
    """Without keys that began before the first line of this text, of which the end is here. Lines of others may be between."""
    kept: list[str] = []
    last_end = 0  # how many lines were kept at the last such end: no line is looked at twice
    for line in text.split("\n"):
        if end := _ENDS_KEY(line):
            first = max(last_end, len(kept) - _MOST_KEY_LINES)
            # The last line of a key may be short.
            last = next((at for at in range(len(kept) - 1, first - 1, -1) if _LAST_KEY_LINE(kept[at])), -1)
            block = [each for at, each in enumerate(kept[first:], first) if not _KEY_LINE(each) and at != last]
            kept[first:] = block
            line = (SECRET if not line[:end.start()].strip() else line[:end.start()] + SECRET) + line[end.end():]
            last_end = len(kept) + 1
        kept.append(line)
    return "\n".join(kept)


def _is_base64(text: str) -> bool:
    """Whether a long word is data, as lines of keys are, and no path or name."""
    if is_random(text):
        parts = re.split(r"[/_-]", text.rstrip("="))
        return any(len(part) >= 12 and re.search(r"[a-z]", part) and re.search(r"[A-Z]", part) and re.search(r"\d", part)
                   and not _WORDLIKE(part) for part in parts)
    return False


def _without_query(found: re.Match[str]) -> str:
    """An address without what its fields are, which may be keys under any name."""
    return found[1] + re.sub(r"=[^&;#\s]+", f"={SECRET}", found[2])


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


def without_addresses(text: str, hashes: Collection[str] = ()) -> str:
    """Without addresses of mail and of network interfaces, and UUIDs and the like, which name disks, devices and machines.
    Loopback stays, and so do these `hashes` and what is said to be one."""
    if "@" in text:
        text = _AT_HOST.sub("<USER>@<HOST>", _MAIL.sub("<MAIL>", text))
    text = _MAC.sub("<MAC>", text)
    text = _UUID.sub("<UUID>", _MAC_DOTTED.sub("<MAC>", text))
    text = _HOST_OF_IP.sub("<HOST>", text)
    text = _HEX.sub(lambda found: _without_hex(found, hashes), text)
    return _IPV4.sub(_without_ipv4, _IPV6.sub(_without_ipv6, text))


def _without_hex(found: re.Match[str], hashes: Collection[str]) -> str:
    text = found[0]
    if not re.search(r"\d", text) or not re.search(r"[A-Fa-f]", text) or text in hashes:
        return text
    if len(text) != 32 and _HASH_BEFORE(found.string[max(0, found.start() - 60):found.start()]):
        return text
    return "<MAC>" if len(text) == 12 else "<ID>"


def _without_ipv4(found: re.Match[str]) -> str:
    try:
        address = ipaddress.IPv4Address(found[0])
    except ValueError:
        return "<IP>" if all(int(part) < 256 for part in found[0].split(".")) else found[0]  # 010.1.2.3
    if found[0].startswith(_NOBODYS):
        return found[0]
    line = found.string[max(0, found.start() - 40):found.start()]
    stands_as_version = _VERSION_BEFORE.search(line) or _VERSION_AFTER.match(found.string, found.end())
    # Versions have small numbers; a name with larger ones is that of a host.
    parts = [int(part) for part in found[0].split(".")]
    is_version = stands_as_version and parts[0] < 40 and (max(parts) < 100 or max(parts[:2]) < 10)
    return found[0] if is_version and not any(address in network for network in _PRIVATE) else "<IP>"


def _without_ipv6(found: re.Match[str]) -> str:
    text = found[0].partition("%")[0]
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return found[0]
    # Names of C++ such as fed::ad have no digit, and are no beginning of four digits.
    is_local = re.match(r"(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]|ff0[1-8e]):", text, re.I)
    return found[0] if address.is_loopback or not (is_local or re.search(r"\d", text)) else "<IP>"
