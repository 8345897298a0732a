"""Finds and reads the files of an archive that state its licence, without unpacking it.

    Debian packages    share/doc/<package>/copyright; the folder, or the file, may be a link to another package's
    everything else    LICENSE, COPYING, COPYRIGHT and similar in the top folder, and the texts in its folder LICENSES
    both               share/licenses/<package>/*

`LicenceFiles` is what one archive has of these: texts, and links by name."""

from __future__ import annotations

import re

from harness.spm.archives.contents import FILE, LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.spm.archives.rules import Member

MOST_BYTES = 4 << 20  # of one file; the largest of the pinned ones has 180 kB
MOST_FILES, MOST_OF_ALL = 500, 16 << 20  # of one archive
_DOC = r"(?:.+/)?share/doc/[^/]+"
_FILE = re.compile(
    rf"{_DOC}/copyright|(?:.+/)?share/licenses/[^/]+/[^/]+"
    # Not license.py and copyright.h, which are code.
    r"|(?:[^/]+/)?(?i:(?:un)?licen[cs]es?|copying|copyright|notice)(?:[-_.][A-Za-z0-9+._-]*?)?(?<!\.py)(?<!\.[chm])"
    r"(?<!\.(?:in|js|cc|sh))(?<!\.(?:cpp|htm|hpp|svg|xml))(?<!\.(?:html|json|yaml))"
    r"|(?:[^/]+/)?(?i:licenses)/[^/]+"
).fullmatch
_LINK = re.compile(rf"{_DOC}(?:/copyright)?").fullmatch


class LicenceFiles:
    """`texts` maps a path in the archive to the text there, `links` a path to the link's target."""

    def __init__(self, texts: dict[str, str], links: dict[str, str]) -> None:
        self.texts, self.links = dict(sorted(texts.items())), dict(sorted(links.items()))


def is_licence_file(path: str) -> bool:
    # The expression alone was a tenth of the time of unpacking many small files.
    return (path.count("/") < 3 or "share/" in path) and _FILE(path) is not None


def is_licence_link(path: str) -> bool:
    """Whether a link of this name may lead to a licence file of another Debian package."""
    return "share/doc/" in path and _LINK(path) is not None


class Collector:
    """Collects the licence files among the members of one archive, which are passed in their order.

    Afterwards it is not `whole` if something was too large, or was not passed to its end."""

    def __init__(self) -> None:
        self.whole = True
        self._bytes = 0
        self._texts: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._kept: dict[str, str] = {}

    def passed(self, name: str, member: Member) -> None:
        """A member that nobody else reads."""
        if member.kind == FILE and is_licence_file(name):
            self._bytes += member.size
            if member.size > MOST_BYTES or self._bytes > MOST_OF_ALL or len(self._texts) >= MOST_FILES:
                self.whole = False
            else:
                self._texts[name] = decoded(_contents(member))
        elif member.kind == LINK and is_licence_link(name):
            self._links[name] = member.target

    def unpacked(self, name: str, member: Member, path: str) -> None:
        """A member that is a file of the tree now, at `path`."""
        if member.kind == FILE and is_licence_file(name):
            self._kept[name] = path
        elif member.kind == LINK:
            self.passed(name, member)

    def has_copyright(self, package: str) -> bool:
        """Whether the copyright file of a Debian package was there, or the link to that of another."""
        folder = f"usr/share/doc/{package}"
        return folder in self._links or f"{folder}/copyright" in self._links or f"{folder}/copyright" in self._texts

    def has_any_copyright(self) -> bool:
        return any(name.endswith("/copyright") for name in (*self._texts, *self._kept))

    def result(self, tree: str = "") -> LicenceFiles | None:
        """What was found, with the texts of unpacked files from the folder `tree`; None if it may not be all."""
        for name, path in self._kept.items():
            try:
                with open(f"{tree}/{path}", "rb") as file:
                    data = file.read(MOST_BYTES + 1)
            except OSError:
                return None
            if len(data) > MOST_BYTES:
                return None
            self._texts[name] = decoded(data)
        return LicenceFiles(self._texts, self._links) if self.whole else None


def _contents(member: Member) -> bytes:
    data = b""
    while len(data) < member.size and (piece := bytes(member.take(member.size - len(data)))):
        data += piece
    return data


def decoded(data: bytes) -> str:
    """A licence as text. What is not UTF-8 is from before it and Latin-1, which every byte is. Control characters other
    than line ends and tabs, such as the page breaks of the GPL, are dropped: they are no part of a licence."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(each for each in text if each in "\n\t" or not _is_control(each))


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character < "\xa0"
