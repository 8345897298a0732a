"""Finds the names of families in the code of the harness, which knows no family.

The name of a family `paper_shelf` counts in a string, an include or an identifier, also in the plural and as a type:
`paper_shelf_test`, `paper shelfs`, `PaperShelf`, `kPaperShelf`. Comments may name a family. So may tests
and their data.
"""

import functools
import os
import re
from collections.abc import Iterator

TESTS = re.compile(r"_test\.|fixture|sample|/testdata/|^harness/spm_testing/")
"""Paths of what may name a family."""

_C_LIKE = r'//[^\n]*|/\*.*?\*/|R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\''
_HASH_LIKE = r'#[^\n]*|""".*?"""|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\\n])*\''
SYNTAX = {**dict.fromkeys((".h", ".c", ".cpp", ".js", ".css"), (_C_LIKE, ("//", "/*"))),
          **dict.fromkeys((".py", ".cmake", ".txt"), (_HASH_LIKE, ("#",))),
          ".html": (r"<!--.*?-->", ("<!--",)),
          ".json": (r'"(?:\\.|[^"\\])*"', ())}
"""By suffix: its comments and strings, and how a comment begins."""


def families(root: str) -> list[str]:
    """The names of the folders of variants/ that have a family.json, sorted."""
    folder = os.path.join(root, "variants")
    return sorted(name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "family.json")))


@functools.cache
def without_comments(text: str, suffix: str) -> str:
    """`text` with the same lines, but nothing in place of its comments."""
    pattern, begins = SYNTAX[suffix]
    return re.sub(pattern, lambda found: "\n" * found[0].count("\n") if found[0].startswith(begins) else found[0], text,
                  flags=re.S)


def pattern_of(family: str) -> re.Pattern[str]:
    """Finds the name as a whole word, or as whole words of an identifier."""
    words = family.split("_")
    lower = "[_ -]".join(map(re.escape, words))
    return re.compile(rf"(?<![A-Za-z])(?:{lower}|{lower.upper()})s?(?![A-Za-z])|"
                      rf"{''.join(re.escape(word.capitalize()) for word in words)}s?(?![a-z])")


def sources(root: str) -> Iterator[str]:
    """The sources of the harness that may name no family, sorted."""
    for folder, folders, names in os.walk(os.path.join(root, "harness")):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if os.path.splitext(name)[1] in SYNTAX and not TESTS.search(path):
                yield path


@functools.cache  # a test checks the same files again and again
def _lines_with(family: str, text: str, suffix: str) -> list[int]:
    """The numbers of the lines that name the family, comments apart."""
    code = without_comments(text, suffix)
    begins = [found.start() for found in pattern_of(family).finditer(code)]
    return sorted({code.count("\n", 0, begin) + 1 for begin in begins})


def named_families(root: str) -> list[str]:
    """A sentence for each line of the harness's code that names a family."""
    known = families(root)
    found = []
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text, suffix = file.read(), os.path.splitext(path)[1]
        named = [(number, place, family) for place, family in enumerate(known)
                 for number in _lines_with(family, text, suffix)]
        found += [f"{path}:{number}: names the family {family}; the harness knows no family"
                  for number, _, family in sorted(named)]
    return found
