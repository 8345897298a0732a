from __future__ import annotations

import contextlib
import io
import os
import unittest
from unittest import mock

from harness.spm import formatting
from harness.spm.settings import Settings
from harness.spm.verbs import table
from collections.abc import Callable
from typing import Any

ROWS = [
    {"name": "gcc", "groups": ["toolchain"], "version": "0123456789ab"},
    {"name": "vulkan-validationlayers", "groups": ["toolchain", "vulkan"], "version": "ba9876543210"},
]
WHOLE = """\
name                     groups             version
gcc                      toolchain          0123456789ab
vulkan-validationlayers  toolchain, vulkan  ba9876543210
"""
FITTED = {
    0: WHOLE,  # no terminal, or one that nobody has measured
    56: WHOLE,
    55: """\
name                     groups
gcc                      toolchain
vulkan-validationlayers  toolchain, vulkan
""",
    34: """\
name              groups
gcc               toolchain
vulkan-           toolchain,
validationlayers  vulkan
""",
}


class TableTest(unittest.TestCase):
    def show(
        self,
        rows: list[dict[str, list[str] | str]],
        width: int,
        briefly: dict[str, Callable[..., Any] | None] | None = None,
        **switches: bool,
    ) -> str:
        with mock.patch.object(table, "_terminal_width", return_value=width):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                table.show(rows, tuple(rows[0]), Settings(**switches), briefly=briefly)
        return out.getvalue()

    def test_a_table_fits_the_terminal(self) -> None:
        for width, expected in FITTED.items():
            with self.subTest(width):
                self.assertEqual(self.show(ROWS, width, {"version": None}), expected)

    def test_no_width_loses_a_letter_or_a_line_too_wide(self) -> None:
        whole = {letter: WHOLE.count(letter) for letter in WHOLE if letter.isalnum()}
        for width in range(29, 60):
            found = self.show(ROWS, width)
            self.assertEqual([line for line in found.splitlines() if len(line) > width], [])
            self.assertEqual({letter: found.count(letter) for letter in whole}, whole, width)

    def test_a_briefer_text_comes_only_where_it_must(self) -> None:
        briefly = {"groups": lambda groups: str(len(groups)), "version": None}
        self.assertIn(" toolchain, vulkan  ba", self.show(ROWS, 56, briefly))
        self.assertIn(" 2       ba", self.show(ROWS, 55, briefly))
        self.assertTrue(self.show(ROWS, 31, briefly).endswith(" 2\n"))

    def test_what_a_later_field_makes_room_for_stays(self) -> None:
        briefly = {"version": None, "groups": lambda groups: str(len(groups))}
        self.assertIn(" toolchain, vulkan\n", self.show(ROWS, 45, briefly))
        self.assertIn(" 1\n", self.show(ROWS, 40, briefly))
        long = [{**ROWS[0], "groups": ["x" * 50]}]
        self.assertEqual(self.show(long, 40, briefly), "name  groups  version\ngcc   1       0123456789ab\n")

    def test_wide_characters_take_two_columns(self) -> None:
        rows = [{"path": "\u6f22\u5b57" * 8, "state": "whole"}, {"path": "a", "state": "damaged"}]
        for width in (0, 20, 21):
            lines = self.show(rows, width).splitlines()
            self.assertEqual(len({formatting.columns(line[: line.index(state)]) for line in lines
                                  for state in ("state", "whole", "damaged") if state in line}), 1)
            self.assertTrue(not width or max(map(formatting.columns, lines)) <= width)

    def test_a_terminal_that_no_table_fits_gets_a_wider_one(self) -> None:
        self.assertEqual(self.show([{"a": "12345", "b": "6"}], 2), "a  b\n1  6\n2\n3\n4\n5\n")

    def test_programs_get_every_field_whole(self) -> None:
        self.assertEqual(self.show(ROWS, 20, {"version": None}, json=True).count("version"), 2)

    def test_a_file_is_no_terminal(self) -> None:
        with open(os.devnull, "w") as out, contextlib.redirect_stdout(out):
            self.assertEqual(table._terminal_width(), 0)


if __name__ == "__main__":
    unittest.main()
