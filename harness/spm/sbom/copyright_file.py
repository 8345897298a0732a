"""Reads a Debian copyright file of the machine-readable format (copyright format 1.0, DEP 5).

Paragraphs of fields; a line that begins with a blank belongs to the field above it, and a '.' alone is an empty line. A
paragraph with `Files` has the licence of these files, one without it the text of a licence that others name. The first
line of a License field is a name, or several with and, or and commas; further lines are the text."""

from __future__ import annotations

import re

from harness.spm.sbom import expressions, licence_names, licence_texts
from harness.spm.sbom.statement import Licence, reference

_IS_FORMAT = re.compile(r"copyright-format|\bdep-?5", re.I).search
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*:(.*)").fullmatch
_OPERATORS = ((re.compile(r"\s*,\s*or\s+"), re.compile(r"\s*,\s*and\s+")), (re.compile(r"\s+or\s+|\s*\|\|?\s*"), re.compile(r"\s+and\s+")))


class _Paragraph:
    def __init__(self, fields: dict[str, str]) -> None:
        self.fields = fields
        self.licence, _, self.text = fields.get("license", fields.get("licence", "")).partition("\n")
        self.licence, self.text = self.licence.strip(), self.text.strip("\n")


def parse(text: str) -> Licence | None:
    """What the file states, or None if it is no such file or names no licence."""
    paragraphs = _paragraphs(text)
    if not paragraphs or not _IS_FORMAT(" ".join(paragraphs[0].fields.get(name, "") for name in ("format", "format-specification"))):
        return None
    texts: dict[str, str] = {}
    for each in paragraphs:
        if each.text and (key := _key(each.licence)):
            texts.setdefault(key, each.text)
    stated = [each for each in paragraphs if "files" in each.fields or each is paragraphs[0]]
    extracted: dict[str, tuple[str, str]] = {}
    found = expressions.all_of(
        _expression(each.licence, each.text, texts, extracted, 0) for each in stated if each.licence or each.text
    )
    if not found:
        return None
    notices = {line.strip() for each in stated for line in each.fields.get("copyright", "").split("\n") if line.strip()}
    return Licence(found, extracted, sorted(notices))


def _paragraphs(text: str) -> list[_Paragraph]:
    found: list[_Paragraph] = []
    fields: dict[str, list[str]] = {}
    name = ""
    for line in [*text.split("\n"), ""]:
        line = line.rstrip()
        if line.startswith("#"):
            continue
        if not line:
            if fields:
                found.append(_Paragraph({each: "\n".join(lines) for each, lines in fields.items()}))
            fields, name = {}, ""
        elif line[0] in " \t":
            if name:
                fields[name].append("" if line.strip() == "." else line[1:])
        elif match := _FIELD(line):
            name = match[1].lower()
            fields[name] = [match[2].strip()]
    return found


def _key(name: str) -> str:
    return " ".join(name.lower().split())


def _expression(name: str, text: str, texts: dict[str, str], extracted: dict[str, tuple[str, str]], level: int) -> str:
    """The expression of a License field's first line. `A or B, and C` is (A or B) and C; without the comma, `and` binds."""
    own = texts.get(_key(name), "") or text
    if meant := licence_names.meaning(name):
        return expressions.normal(meant)
    for kind in _OPERATORS[level:]:
        level += 1
        for operator, join in zip(kind, (expressions.any_of, expressions.all_of)):
            parts = [part for part in operator.split(name) if part]
            if len(parts) > 1:
                return join(_expression(part, "", texts, extracted, level - 1) for part in parts)
    if known := licence_texts.recognised(own):
        return known
    said = own or f"The copyright file names the licence '{name}' and has no text of it."
    ref = reference(name or "unnamed", said)
    extracted[ref] = name or "unnamed", said
    return ref
