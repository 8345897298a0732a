"""Recognises the texts of common licences: word by word, with SPDX's rules of what may differ.

Not compared are case, punctuation, line breaks, the lines with titles and copyright notices before the text, and names of
holders where SPDX's template has room for one. Any other word makes it another licence. The GPL and its relatives are
not here: their text alone does not tell whether later versions apply."""

import hashlib
import re

# Words that SPDX's templates let differ, as what they are replaced by.
_VARIABLE = [
    (r"neither the names? of .{1,200}? may be used to endorse", "neither the name of x may be used to endorse"),
    (r"is provided by .{1,200}? as is", "is provided by x as is"),
    (r"in no event shall .{1,200}? be liable", "in no event shall x be liable"),
    (r"is provided as is and .{1,200}? disclaims", "is provided as is and x disclaims"),
    (r" including the next paragraph\b", ""),
    (r"\band or distribute\b", "and distribute"),
    (r"\bend of terms and conditions appendix how to apply .*", "end of terms and conditions"),
    (r"\bhttps\b", "http"),
]
_NUMBERING = re.compile(r"(?m)^\s*(?:[0-9]+[.)]|\([0-9a-z]\)|[*\u2022o-])\s+")
# A line before the text that says nothing about what is allowed.
_ABOUT = re.compile(
    r"copyright\W*(?:\(c\)|\u00a9|[0-9<]|by\b)|^\W*(?:\(c\)|\u00a9)|all rights reserved\W*$|^[^a-z]*$"
    r"|licen[cs]e[sd]?\W*(?:\(.*\)\W*)?$|^\W*version [0-9.]+",
    re.I,
).search
_WORD = re.compile(r"[a-z0-9]+").findall
_MOST_BYTES = 20_000
_MOST_LINES_BEFORE = 40

# identifier -> (the first words, the sha256 of all words)
_TEXTS: dict[str, tuple[str, str]] = {
    "0BSD": ("permission to use copy modify", "3aed346b4b83dedd720c24a0ac6fd85fcd47c234114aa3b00fc8ce7b65f15b9b"),
    "Apache-2.0": ("terms and conditions for use", "d9b58b41697ed332965500971594097d6a0295599e1291e5b34314458709d9b7"),
    "BSD-2-Clause": ("redistribution and use in source", "3373f22374984cb2fafaf33cd346960e6a23c83b1bc39a27e566ec3b95466f6f"),
    "BSD-3-Clause": ("redistribution and use in source", "08177be9d708fcebb10a6ee64e12ff3cfe7837a159b3f5f2b78c1fbe2a4af212"),
    "BSL-1.0": ("permission is hereby granted free", "b1a060e7cb25871a94a120fd4560cff5868cff5f6313d9a9657f2242d23f30ec"),
    "ISC": ("permission to use copy modify", "3449de9d447f150926b14c207941582308d62bac5c81437a70cc3a8a8a7c421d"),
    "MIT": ("permission is hereby granted free", "e96a772a2b32f84008fa11ae15fc05c62ab3f043f067bca85f9171de371b276e"),
    "MIT-0": ("permission is hereby granted free", "8a0f79e5f255c63d3115ba5ef2be72b3891a8ed89aabfe84ede24e60d07b94b4"),
    "Unlicense": ("this is free and unencumbered", "007f5a8ead44aa183b09e1188d10bc5a0de555951444d8083d5283b60a08b585"),
    "Zlib": ("this software is provided as", "9ddc78a5797b5008d488969fd959f4281a97821e07ddc5d19ca9c163fdbeeb73"),
    "BSD-1-Clause": ("redistribution and use in source", "4f17473e7f74b3ede6972e0421e099d7d2fa38713102d73fee0abe084a836f5d"),
    "curl": ("permission to use copy modify", "4611a303e8dbd2aa6cdb3c452c55dbbbd585d3654b817f19a0e982188749f933"),
    "X11": ("permission is hereby granted free", "f1345c42b1e3cd7108593e180aac477ae9ea369859bc4902e296cc71a9250a64"),
}


def recognised(text: str) -> str:
    """The identifier of the licence whose text this is, else ''."""
    if len(text) > _MOST_BYTES:
        return ""
    lines = [line for line in _NUMBERING.sub("", text).split("\n") if line.strip()]
    for skipped in range(min(len(lines), _MOST_LINES_BEFORE)):
        words = _words("\n".join(lines[skipped:]))
        for identifier, (first, digest) in _TEXTS.items():
            if words.startswith(first) and hashlib.sha256(words.encode()).hexdigest() == digest:
                return identifier
        if not _ABOUT(lines[skipped]):
            break
    return ""


def _words(text: str) -> str:
    words = " ".join(_WORD(text.lower().replace("licence", "license")))
    for pattern, replacement in _VARIABLE:
        words = re.sub(pattern, replacement, words)
    return words
