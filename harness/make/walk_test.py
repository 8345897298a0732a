"""The walk "Add a family" shows pieces of the made-up family that CI builds, and fits on two pages."""

import os
import re
import unittest

from harness.make import paths

WALK = os.path.join(paths.ROOT, "harness", "docs", "add_a_family.md")
FAMILY = os.path.join(paths.ROOT, ".ci", "made_up_families", "sketch")
MOST_LINES = 120
"""Two printed pages."""


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def snippets(text: str) -> list[tuple[str, str]]:
    """(file, piece) of every block of code that names its file; a line with three dots separates two pieces."""
    return [(name, piece) for name, block in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.M | re.S)
            for piece in block.split("...\n")]


class Walk(unittest.TestCase):
    def test_every_snippet_is_a_piece_of_the_family_that_ci_builds(self) -> None:
        found = snippets(read(WALK))
        self.assertEqual({name for name, _ in found},
                         {"family.json", "articles/discs.json", "exact.cpp", "family/sketch.h", "family/sketch.cpp"})
        self.assertEqual([(name, piece) for name, piece in found if piece not in read(os.path.join(FAMILY, name))], [])

    def test_every_block_is_a_snippet_or_commands(self) -> None:
        text = read(WALK)
        self.assertEqual(len(re.findall(r"^```(?:\w+ \S+|sh)$", text, re.M)), text.count("```") / 2)

    def test_it_has_at_most_two_pages(self) -> None:
        self.assertLessEqual(len(read(WALK).splitlines()), MOST_LINES)


if __name__ == "__main__":
    unittest.main()
