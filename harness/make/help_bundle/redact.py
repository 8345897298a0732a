"""Takes names and paths out of texts.

A text may write a name in many ways: `/home/a%20b`, `\\/home\\/a b`, `\\u0061`. So each line is also decoded, up to four
times, and where that shows a name, the decoded line replaces it."""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import unquote

from harness.make.help_bundle.patterns import SECRET, without_addresses, without_keys

_ROUNDS = 4
_DISTINCTIVE = 5
"""From this length on, a name that is in no word of the laboratory's own texts is also found inside of words."""

_SYSTEM_WORDS = frozenset("root nobody daemon user admin ubuntu debian fedora centos arch linux docker runner localhost test "
                          "build builder home work lab farm node host machine".split())
_FIELDS = (r"user|username|login|logname|owner|who|by|uid|host|hostname|host_name|node|nodename|machine|id|name|"
           r"lab_machine|slurmd_nodename|linux|process \d+ on|ssh")
_ADDRESS = re.compile(r"\b([a-z][a-z0-9+.-]{0,20}:(?:\\?/){2}(?:[^/\s@\"']{0,500}@)?)([\w-]+(?:\.[\w-]+)*)", re.I)
_SSH_PLACE = re.compile(r"(?<![\w/])(ssh:)([\w.-]+)(?=:)")
_PLACE = re.compile(r"\b((?:https?|ftps?|wss?|s3|ssh|git|svn|rsync|gs|az|socks\w*|amqps?|redis|postgres\w*|mysql|mongodb[\w+]*|smb|ldaps?)"
                    r":(?:\\?/){2}(?:<SECRET>@)?)(<SERVER-\d+>|<[A-Z][A-Z0-9-]*>|[\w.-]+)(:\d+)?(\\?/)([^\s\"'<>)\],;]+)", re.I)
_TOP = (r"internal|intern|intra|intranet|corp|corporate|lan|local|home|private|localdomain|site|priv|arpa|cluster|consul|onion|test|invalid|"
        r"com|net|org|edu|gov|mil|info|biz")
_MORE_TOP = r"io|dev|cloud|app|de|uk|fr|nl|se|fi|no|dk|ch|at|eu|it|es|jp|cn|kr|us|ca|au|ru|cz|be|br|co|tech|online|ac|nz|pt|ie|hu|ro|gr|il|za|mx|in"
_FULL_HOST = re.compile(rf"(?<![\w.@<>/\\-])()((?:[a-z0-9][a-z0-9-]*\.)+(?:{_TOP})|(?:[a-z0-9][a-z0-9-]*\.){{2,}}(?:{_MORE_TOP}))(?![\w(/]|[.-]\w|\.?\w*\()",
                        re.I)
_SAID_HOST = re.compile(r"(\b(?:resolve(?: the)?(?: host| hostname| address| name)?|host(?:name)?|unknown host|server|ssh|scp|sftp|ping|telnet|"
                        r"connect(?:ing|ed)? to(?: host)?|connection (?:to|from)|nslookup|getaddrinfo|gethostbyname|lookup|SSLHost|peer|proxy|mountd?|nfs)"
                        r"[ \t]*[:=(]?[ \t]*[\"']?(?:\w+@)?)"
                        r"([a-z0-9][\w-]*(?:\.[\w-]+)+|[a-z][a-z-]*\d[\w-]*)(?![\w(/]|\.\w)", re.I)
_SHARE = re.compile(r"((?<![\\\w])(?:\\\\){1,2})([A-Za-z][\w.-]+)(?=\\{1,2}[\w$])")
_AFTER_HOST = re.compile(r"(<(?:HOST|USER|PERSON|MACHINE|SERVER|DOMAIN)[\w-]*>)((?:\.[a-z][\w-]*)+)(?![\w(])", re.I)
_ENDING = re.compile(r"json|zst|log|out|txt|why|lock|journal|so|a|o|d|c|h|hpp|cc|cpp|py|sh|gz|xz|tar|zip|exhibits|yaml|yml|cmake|md|csv|html|svg|dir|cfg|\d.*",
                     re.I).fullmatch
_FILE_OF_SOURCE = re.compile(r"\.(?:py|cpp|so|h|json|log|txt|cc|c|o|d|md|sh|cmake|hpp|yaml|in)\Z", re.I).search
_CONTINUED = re.compile(r"(?:[^\n]*\\\n){1,20}[^\n]*")
_OTHER_HOME = re.compile(r"((?:/home|/Users|/export/home|/media|/run/media|/var/mail|/var/spool/mail)(?:\\?/)+)"
                         r"(?!<|linuxbrew\b|runner\b|shared\b)[^\\/\s\"'<>:,;)]+", re.I)


_ONE_SLASH = r"(?:\\?/|%(?:25)*2[Ff]|\\u002[fF]|&#(?:47|x2[fF]);)"
_SLASH = rf"{_ONE_SLASH}+(?:\.{_ONE_SLASH}+)*"
_BLANK = r"(?:\\?\s|%(?:25)*20|\\u0020|&#(?:32|x20);|\+)+"


class Known(NamedTuple):
    """What must be in no text: `value`, and the `word` that replaces it. A path is found as the beginning of longer ones
    too; a secret is found anywhere; a name, which is neither, as a word."""

    value: str
    word: str
    kind: str  # "path", "name" or "secret"


class Redactor:
    """Replaces what is known, and what looks like a key or an address. `common_text`: the laboratory's own texts. A name
    that is a plain word of them is only replaced where a name stands, such as after `user=`. `public_hosts` may stay, and so
    may `hashes` and what stands in an address before and in `public_paths`' places: the path of an address may be a key.

    `counts` has how often each word was put in place of something."""

    def __init__(self, known: Iterable[Known], common_text: str = "", public_hosts: Iterable[str] = (),
                 hashes: Iterable[str] = (), public_paths: Iterable[str] = ()) -> None:
        self._hashes = frozenset(hashes)
        self._paths = tuple(public_paths)
        self._encoded: list[tuple[str, re.Pattern[str], str]] = []
        self._common = common_text.lower()
        self._words = frozenset(re.findall(r"[^\W\d_]+", self._common)) | _SYSTEM_WORDS
        self._public = frozenset(host.lower() for host in public_hosts) | {"localhost"}
        self._servers: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        self._parts: list[tuple[str, re.Pattern[str], str]] = []
        self._set(known)

    def _set(self, known: Iterable[Known]) -> None:
        self._known: dict[str, Known] = {}
        for each in known:
            # Upper case makes two letters of some.
            texts = (each.value, each.value.upper(), each.value.lower(), _decoded(each.value))
            for value in {written for text in texts
                          for written in (text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))}:
                if value.strip("/ "):
                    self._known.setdefault(value, each._replace(value=value))
        # A machine's name may only be known as one by the folder before it.
        ordered = sorted(self._known.values(), key=lambda each: (each.kind == "name", -len(each.value), each.value))
        self._encoded = [each for known_value in ordered for each in self._encodings(known_value)]
        self._parts = [(each.value.lower(), self._pattern(each), each.word) for each in ordered]

    def add(self, known: Iterable[Known]) -> None:
        """Replaces these, too."""
        self._set([*self._known.values(), *known])

    def add_servers(self, text: str) -> None:
        """Replaces the hosts of the addresses in `text`, also where they stand alone, unless they are public."""
        new = []
        for host in [each[2] for each in _ADDRESS.finditer(text)] + [each[2] for each in _SSH_PLACE.finditer(text)]:
            if not self._is_public(host) and host not in self._known and not re.fullmatch(r"[\d.]+", host):
                new.append(Known(host, self._server(host), "name"))
        if new:
            self.add(new)

    def word_for(self, name: str) -> str:
        """The word that replaces exactly this text; the text itself where none does."""
        known = self._known.get(name)
        return known.word if known else self(name)

    def __call__(self, text: str) -> str:
        """The text without them. What is no text (NUL and the like) is removed, too."""
        text = _plain_text(text)
        text = self._without_encoded(text)
        text = self._whole(text)
        if "\\\n" in text:
            text = _CONTINUED.sub(self._continued, text)
        text = "\n".join(self._line(line) if _ESCAPES(line) else line for line in text.split("\n"))
        return _OTHER_HOME.sub(r"\1<OTHER-USER>", text)

    def _continued(self, found: re.Match[str]) -> str:
        """Lines that a backslash joins; as one, where a name is in two of them."""
        joined = found[0].replace("\\\n", "")
        clean = self._whole(joined)
        return clean if clean != joined else found[0]

    def _encodings(self, known: Known) -> list[tuple[str, re.Pattern[str], str]]:
        """How base64, at each of its three places, and hexadecimal digits write a name: (what a text must have, pattern, word)."""
        value = known.value.strip("/")
        if len(value) < 4 or known.kind != "path" and self._is_ordinary(value.lower()):
            return []
        found = []
        data = value.encode("utf-8", "surrogateescape")
        for before in range(3):
            # The first and last letters have bits of what is beside the name, too.
            text = base64.b64encode(bytes(before) + data).decode().rstrip("=")
            core = text[(0, 2, 3)[before]:len(text) - (1 if (before + len(data)) % 3 else 0)]
            if len(core) >= 5:
                found.append((core, re.compile(rf"[A-Za-z0-9+/_-]*{re.escape(core)}[A-Za-z0-9+/_-]*={{0,2}}"), known.word))
        hexadecimal = "".join(f"{byte:02x}" for byte in data)
        between = r"(?:[\s,:]{0,2}(?:0x|\\x)?)"
        pattern = re.compile(rf"(?:\b|(?<=[xX]))(?:[0-9a-f]{{2}})*?{between.join(f'{byte:02x}' for byte in data)}(?:[0-9a-f]{{2}})*", re.I)
        return [*found, (hexadecimal[:2], pattern, known.word)]

    def _without_encoded(self, text: str) -> str:
        digits = re.search(r"[0-9a-f]{2}(?:[\s,:]{0,2}(?:0x|\\x)?[0-9a-f]{2}){3}", text, re.I)
        for core, pattern, word in self._encoded:
            if len(core) > 2 and core in text or len(core) == 2 and digits:
                text = pattern.sub(word, text)
        return text

    def _line(self, line: str) -> str:
        shown = probe = line
        for _ in range(_ROUNDS):
            decoded = _decoded(probe)
            if decoded == probe:
                break
            probe = self._whole(decoded)
            if probe != decoded:
                shown = probe
        return shown

    def _whole(self, text: str) -> str:
        text = self._counted(text, without_keys, SECRET)
        for value, pattern, word in self._parts:
            if word == SECRET:
                text = self._replaced(text, value, pattern, word)
        text = self._counted(text, lambda each: without_addresses(each, self._hashes), "address")
        for pattern in (_ADDRESS, _SSH_PLACE, _FULL_HOST, _SAID_HOST, _SHARE):
            text = pattern.sub(self._without_server, text)
        text = _PLACE.sub(self._without_place, text)
        for value, pattern, word in self._parts:
            if word != SECRET:
                text = self._replaced(text, value, pattern, word)
        return _AFTER_HOST.sub(_without_domain, text)

    def _replaced(self, text: str, value: str, pattern: re.Pattern[str], word: str) -> str:
        first = re.split(r"[\s/]+", value.strip("/"))[-1]
        if first not in text.lower():  # much faster than the pattern, which is rarely there
            return text
        text, count = pattern.subn(lambda found: (found.groupdict().get("before") or "") + word, text)
        if count:
            self.counts[word] = self.counts.get(word, 0) + count
        return text

    def _counted(self, text: str, function: Callable[[str], str], word: str) -> str:
        found = function(text)
        if found != text:
            self.counts[word] = self.counts.get(word, 0) + 1
        return found

    def _is_public(self, host: str) -> bool:
        host = host.lower()
        return any(host == each or host.endswith("." + each) for each in self._public)

    def _server(self, host: str) -> str:
        return self._servers.setdefault(host.lower(), f"<SERVER-{len(self._servers) + 1}>")

    def _without_server(self, found: re.Match[str]) -> str:
        host = found[2]
        if _FILE_OF_SOURCE(host) and ":/" not in found[1]:
            return found[0]
        if self._is_public(host) or host.startswith("127.") or found[1].lower().startswith("file:"):
            return found[0]
        known = self._known.get(host) or self._known.get(host.lower())
        return found[1] + (known.word if known else self._server(host))

    def _without_place(self, found: re.Match[str]) -> str:
        """An address without its path, which may be a key, unless a package lies there."""
        before, host, port, slash, path = found.groups()
        if self._is_public(host) or host.startswith("127."):
            return found[0]
        public = next((each for each in self._paths if path == each or path.endswith("/" + each)), "")
        if public == path:
            return found[0]
        return f"{before}{host}{port or ''}{slash}<PATH>" + (f"/{public}" if public else "")

    def _pattern(self, known: Known) -> re.Pattern[str]:
        parts = [re.escape(part) for part in re.split(r"\s+|/+", known.value.strip("/"))]
        marks = [_BLANK if mark.strip() == "" else _SLASH for mark in re.findall(r"\s+|/+", known.value.strip("/"))]
        value = "".join(part + mark for part, mark in zip(parts, [*marks, ""]))
        if known.kind == "secret":
            return re.compile(value, re.I)
        if known.kind == "path":
            slash = _SLASH if known.value.startswith("/") else ""
            if len(parts) > 1:
                return re.compile(slash + value, re.I)
            # /work is not the end of /a/work, but -I/work is a path.
            return re.compile(rf"(?P<before>(?<![\w.>-])|(?<=-[A-Z])){slash}{value}(?![^\W_])", re.I)
        low = known.value.lower()
        if self._is_ordinary(low):
            return re.compile(
                rf"(?P<before>(?:/home/|/Users/|/media/|/mail/|/run/user/|<RESULTS>/(?:[\w-]+/)*|\bspm-|\blab-|~)|//|@|"
                rf"[{{\[,]\s*\\*[\"']|"
                rf"(?<![^\W_])(?:{_FIELDS})\\*[\"']?(?:\s*[:=(]\s*|\s+)\\*[\"']?(?:\d+\()?){value}(?![^\W_])"
                rf"|(?<![^\W_]){value}(?=@)", re.I)
        if len(low) >= _DISTINCTIVE and low not in self._common:
            return re.compile(value, re.I)
        return re.compile(rf"(?<![^\W_]){value}(?![^\W_])", re.I)

    def _is_ordinary(self, name: str) -> bool:
        return len(name) < 3 or name.isdigit() or name in self._words


def _without_domain(found: re.Match[str]) -> str:
    last = found[2].rpartition(".")[2]
    return found[0] if _ENDING(last) else found[1]


_ESCAPES = re.compile(r"[%\\&$]|'\"'\"'").search
_NUMBERED = re.compile(r"(?:\\(?:x[0-9A-Fa-f]{2}|[0-3][0-7]{2}))+")
_UNICODE = re.compile(r"(?:\\u\{?[0-9A-Fa-f]{4}\}?)+|\\U[0-9A-Fa-f]{8}")


def _decoded(line: str) -> str:
    """The line after one round of what percent signs, backslashes, entities of HTML and ninja's $ stand for."""
    if "%" in line:
        line = unquote(line, errors="surrogateescape")
    if "&" in line:
        line = html.unescape(line)
    if "\\" in line:
        line = _UNICODE.sub(_of_unicode, _NUMBERED.sub(_of_numbers, line))
        line = re.sub(r"\\(.)", lambda found: " " if found[1] in "ntrfvb0" else found[1], line)
    line = line.replace("'\"'\"'", "'")  # as a shell's quoted text has it
    if "$" in line:
        line = re.sub(r"\$([ :$])", r"\1", line)
    return _plain_text(line).replace("\n", " ")


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def _of_numbers(found: re.Match[str]) -> str:
    numbers = re.findall(r"\\(?:x([0-9A-Fa-f]{2})|([0-3][0-7]{2}))", found[0])
    return _text(bytes(int(hexadecimal, 16) if hexadecimal else int(octal, 8) for hexadecimal, octal in numbers))


def _of_unicode(found: re.Match[str]) -> str:
    numbers = re.findall(r"\\[uU]\{?([0-9A-Fa-f]{4,8})", found[0])
    try:
        units = b"".join(chr(int(each, 16)).encode("utf-16-le", "surrogatepass") for each in numbers)
    except (ValueError, OverflowError):
        return found[0]
    return units.decode("utf-16-le", "replace")


_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


def _plain_text(text: str) -> str:
    """Without colours and without characters that nobody sees, which could stand inside of a name."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n")
    text = _NO_TEXT.sub("", _COLOUR.sub("", text))
    # Wide letters and the like are other letters for a program, and the same for who reads.
    return text if text.isascii() else "".join(unicodedata.normalize("NFKC", each) if "\uf900" <= each <= "\uffef" else each for each in text)
