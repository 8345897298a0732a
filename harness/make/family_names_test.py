"""Names of families are found in code and not in comments, tests and other words."""

import os
import tempfile
import unittest

from harness.make import paths
from harness.make.family_names import families, named_families, pattern_of, without_comments

NAMED = ("paper_shelf", "run paper_shelf/plain/put", "PaperShelf", "two paper shelfs", "add_paper_shelf_family",
         "kPaperShelf2", "variants/paper_shelf/family/paper_shelf.h", "PAPER_SHELF", "loadPaperShelfs()")
OTHER_WORDS = ("papershelf", "paper_shelfing", "newspaper_shelf", "PaperShelfing", "paper + shelf", "shelf")
CODE = {
    ".cpp": ('a // x\n"// y" /* x\n x */ \'"\' b // "x"\nR"(// y)" 1\'000 // x\n',
             'a \n"// y" \n \'"\' b \nR"(// y)" 1\'000 \n'),
    ".py": ('a  # x\n"# y" \'# y\'\n"""y\n# y"""\n# it\'s x\nb\n', 'a  \n"# y" \'# y\'\n"""y\n# y"""\n\nb\n'),
    ".html": ("<a>y<!-- x\n x --></a>\n", "<a>y\n</a>\n"),
    ".json": ('{"a": "// y # y"}\n', '{"a": "// y # y"}\n'),
}
"""By suffix: a source, and the same without its comments."""


class FamilyNames(unittest.TestCase):
    def test_a_name_is_found_as_words_of_a_text_or_of_an_identifier(self) -> None:
        pattern = pattern_of("paper_shelf")
        self.assertEqual([text for text in NAMED + OTHER_WORDS if pattern.search(text)], list(NAMED))

    def test_comments_are_left_out_and_lines_keep_their_numbers(self) -> None:
        for suffix, (text, expected) in CODE.items():
            self.assertEqual(without_comments(text, suffix), expected, suffix)

    def test_each_line_of_the_harness_that_names_a_family_is_reported_but_not_in_tests_and_their_data(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            for name, text in (("variants/shelf/family.json", "{}"), ("variants/common/heaps/growth.h", "no family"),
                               ("harness/base/a.cpp", '// shelf\nauto name = "shelf";\nauto other = "common";\n'),
                               ("harness/make/b.py", "# shelf\nSHELF = 1\n"), ("harness/base/c.md", "shelf"),
                               ("harness/base/a_test.cpp", '"shelf"'), ("harness/base/testdata/d.json", '"shelf"'),
                               ("harness/spm_testing/e.py", "'shelf'"), ("harness/bench/sample_case.h", '"shelf"')):
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(families(root), ["shelf"])
            self.assertEqual(named_families(root),
                             ["harness/base/a.cpp:2: names the family shelf; the harness knows no family",
                              "harness/make/b.py:2: names the family shelf; the harness knows no family"])

    def test_this_harness_names_none_of_its_families(self) -> None:
        self.assertNotEqual(families(paths.ROOT), [])
        self.assertEqual(named_families(paths.ROOT), [])


if __name__ == "__main__":
    unittest.main()
