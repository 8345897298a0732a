"""The pictures' sources, CMake and the code are compared; each way to disagree is found in a changed copy."""

import io
import os
import re
import shutil
import tempfile
import unittest
from contextlib import redirect_stdout

from harness.make import paths, structure
from harness.make.console import MakeError
from harness.make.drawing import WIDTH, Arrow, Box, DrawingError, draw, rows
from harness.make.structure import CMAKE, HOUSE, SPM

SMALL = """title Three boxes
module top  the first
  calls middle bottom
  includes bottom
module middle
  calls bottom
module bottom
"""


class Sources(unittest.TestCase):
    def test_a_picture_leaves_out_what_a_longer_path_reaches(self) -> None:
        text = structure.svg(structure.parse(SMALL, "small.txt"))
        self.assertEqual(re.findall(r'<path class="(calls|includes)"', text),
                         ["calls", "includes", "calls", "calls", "includes"])  # three arrows and a legend of two
        self.assertIn(">calls</text>", text)
        self.assertIn(">includes its headers only</text>", text)

    def test_what_cannot_be_read_is_an_error_with_its_line(self) -> None:
        for text, what in (("modul base\n", "x.txt:1: expected a title, a box or its arrows, found 'modul base'"),
                           ("module\n", "x.txt:1: expected a title, a box or its arrows, found 'module'"),
                           ("  calls base\n", "x.txt:1: expected a title, a box or its arrows, found 'calls base'"),
                           ("module a\n  calls b\n", "x.txt: a points to 'b', which is no box")):
            with self.assertRaises(MakeError) as caught:
                structure.parse(text, "x.txt")
            self.assertEqual(caught.exception.what, what)


class Drawings(unittest.TestCase):
    def test_a_box_is_below_all_that_point_to_it_and_near_the_lowest(self) -> None:
        arrows = [Arrow(each[0], each[1], "calls") for each in ("ab", "bc", "cd", "ae", "bf")]
        self.assertEqual(rows("abcdef", arrows), {"a": 3, "b": 2, "c": 1, "d": 0, "e": 2, "f": 1})

    def test_a_circle_and_a_row_that_is_too_wide_are_errors(self) -> None:
        with self.assertRaisesRegex(DrawingError, "^a circle of arrows: a -> b -> a$"):
            rows("ab", [Arrow("a", "b", "calls"), Arrow("b", "a", "calls")])
        with self.assertRaisesRegex(DrawingError, "^too wide a row: "):
            draw("wide", [Box("x" * 30 + str(each), "module") for each in range(4)], [], [])

    def test_boxes_of_the_committed_pictures_do_not_overlap_and_lie_within_the_page(self) -> None:
        for source, _, text in structure.drawings(paths.ROOT):
            boxes = [tuple(map(float, each)) for each in
                     re.findall(r'<rect class="\w+" x="(.+?)" y="(.+?)" width="(.+?)" height="(.+?)"', text)]
            with open(os.path.join(paths.ROOT, source), encoding="utf-8") as file:
                self.assertEqual(len(boxes), len(structure.parse(file.read(), source).boxes))
            for place, (x, y, width, height) in enumerate(boxes):
                self.assertTrue(0 <= x and x + width <= WIDTH, (source, x, width))
                for other_x, other_y, other_width, other_height in boxes[:place]:
                    self.assertTrue(x >= other_x + other_width or other_x >= x + width or
                                    y >= other_y + other_height or other_y >= y + height, (source, x, y))


class Check(unittest.TestCase):
    root: str
    before: list[str]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = folder.name
        for top in ("harness", "variants"):
            shutil.copytree(os.path.join(paths.ROOT, top), os.path.join(cls.root, top),
                            ignore=shutil.ignore_patterns("testdata", "*_test.*", "__pycache__"))
        cls.before = structure.check(cls.root)

    def change(self, name: str, old: str, new: str) -> None:
        """Replaces `old` until this test ends."""
        text = self.read(name)
        self.assertIn(old, text)
        self.addCleanup(self.write, name, text)
        self.write(name, text.replace(old, new, 1))

    def add(self, name: str, text: str) -> None:
        """A new file in a new folder, until this test ends."""
        folder = os.path.join(self.root, os.path.dirname(name))
        os.makedirs(folder)
        self.addCleanup(shutil.rmtree, folder)
        self.write(name, text)

    def write(self, name: str, text: str) -> None:
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name: str) -> str:
        with open(os.path.join(self.root, name), encoding="utf-8") as file:
            return file.read()

    def new_findings(self) -> list[str]:
        return [each for each in structure.check(self.root) if each not in self.before]

    def test_an_arrow_that_only_cmake_has(self) -> None:
        self.change(CMAKE, "lab_module(stats   USES base", "lab_module(stats   USES base bench")
        self.assertEqual(self.new_findings(), [f"{CMAKE}: stats -> bench is not in {HOUSE}"])

    def test_an_arrow_that_a_module_cmake_adds(self) -> None:
        self.change("harness/report/module.cmake", "PRIVATE lab_quickjs", "PRIVATE lab_quickjs probe")
        self.assertEqual(self.new_findings(), [f"{CMAKE}: report -> probe is not in {HOUSE}"])

    def test_an_arrow_that_a_variant_adds(self) -> None:
        self.add("variants/shelf/variants.cmake", "lab_variant(oak USES results)\n")
        self.assertEqual(self.new_findings(), [f"{CMAKE}: variants -> results is not in {HOUSE}"])

    def test_an_arrow_that_only_the_picture_has(self) -> None:
        self.change(HOUSE, "module stats", "module stats \n  calls designs\nmodule other")
        self.assertIn(f"{HOUSE}: stats -> designs is not in {CMAKE}", self.new_findings())

    def test_an_arrow_of_python_without_an_import_and_an_import_without_an_arrow(self) -> None:
        self.change(HOUSE, "  calls spm\n  starts cli", "  starts cli")
        self.assertIn("harness/make/arguments.py:11: imports harness.spm.invocation.as_invoked, and make -> spm is not in "
                      + HOUSE, self.new_findings())
        self.change(HOUSE, "python spm", "python spm \n  calls make\npython other")
        self.assertIn(f"{HOUSE}: spm -> make, but no file of spm imports it", self.new_findings())

    def test_a_circle_of_folders_of_spm_wherever_a_file_imports(self) -> None:
        name = "harness/spm/pins/planted/__init__.py"
        self.add(name, """import harness.spm.transfer.fetch
from ...store import lib
if TYPE_CHECKING:
    from harness.spm.sources.git import GitSource
class Late:
    def late(self, verb):
        from harness.spm import cli
        return importlib.import_module(f"harness.spm.verbs.{verb}")
""")
        self.assertEqual(self.new_findings(), [
            f"{name}:{line}: imports harness.spm.{target}, and pins -> {target.split('.')[0]} points up in {SPM}"
            for line, target in ((1, "transfer.fetch"), (2, "store.lib"), (4, "sources.git.GitSource"), (7, "cli"),
                                 (8, "verbs"))])

    def test_what_all_folders_of_spm_import_imports_none_of_them_and_no_other_package(self) -> None:
        self.change("harness/spm/errors.py", "    import difflib", "    from harness.spm.pins import edit\n"
                    "    from harness.make import paths")
        self.assertEqual([re.sub(r":\d+:", ":", each) for each in self.new_findings()], [
            f"harness/spm/errors.py: imports harness.make.paths, and spm -> make points up in {HOUSE}",
            f"harness/spm/errors.py: imports harness.spm.pins.edit, and foundation -> pins points up in {SPM}"])

    def test_an_import_that_only_the_picture_of_spm_has(self) -> None:
        self.change(SPM, "  calls archives transfer pins", "  calls archives transfer sources pins")
        self.assertIn(f"{SPM}: store -> sources, but no file of store imports it", self.new_findings())
        self.change(SPM, "python foundation", "python foundation \n  calls pins\npython other")
        self.assertIn(f"{SPM}: foundation -> pins points up", self.new_findings())

    def test_an_include_without_an_arrow(self) -> None:
        self.change("harness/stats/spread.cpp", "#include", '#include "harness/judge/compare.h"\n#include')
        self.change("variants/designs/addresses/linear.h", "#include", '#include "variants/vulkan/device.h"\n#include')
        self.assertEqual(self.new_findings(),
                         ["harness/stats/spread.cpp: includes harness/judge/compare.h, which stats may not call",
                          "variants/designs/addresses/linear.h: includes variants/vulkan/device.h, which designs may not call"])

    def test_a_design_that_includes_more_than_the_standard_library(self) -> None:
        self.change("variants/designs/addresses/linear.h", "#include <cassert>",
                    '#include <cassert>\n#include <sched.h>\n#include "fmt/format.h"\n#include <boost/json.hpp>')
        self.assertEqual(self.new_findings(),
                         [f"variants/designs/addresses/linear.h: includes {header}; a design includes the standard library "
                          "alone" for header in ("<sched.h>", '"fmt/format.h"', "<boost/json.hpp>")])

    def test_a_name_of_a_family_in_the_harness(self) -> None:
        self.add("variants/wooden_cupboard/family.json", "{}")
        self.change("harness/stats/spread.cpp", "#include",
                    '// wooden_cupboard\nconst char* name = "wooden_cupboard";\n#include')
        self.assertEqual([re.sub(r":\d+:", ":", each) for each in self.new_findings()],
                         ["harness/stats/spread.cpp: names the family wooden_cupboard; the harness knows no family"])

    def test_an_arrow_that_points_up(self) -> None:
        self.change(HOUSE, "module base", "module base \n  calls stats\nmodule other")
        self.assertIn(f"{HOUSE}: base -> stats points up", self.new_findings())

    def test_a_drawing_that_its_source_does_not_give(self) -> None:
        self.change("harness/docs/data_flow.svg", "fetches", "brings")
        self.assertEqual(self.new_findings(), ["harness/docs/data_flow.svg: not what harness/docs/data_flow.txt gives; "
                                               "python3 -m harness.make.structure draws it"])

    def test_the_command_prints_each_finding_and_ends_with_1_and_writes_drawings(self) -> None:
        os.unlink(os.path.join(self.root, "harness/docs/house.svg"))
        output = io.StringIO()
        with redirect_stdout(output):
            self.assertEqual(structure.main(["--check"], self.root), 1)
        self.assertEqual(output.getvalue().splitlines()[-1], "harness/docs/house.svg: not what harness/docs/house.txt "
                         "gives; python3 -m harness.make.structure draws it")
        self.assertEqual(structure.main([], self.root), 0)
        self.assertEqual(structure.check(self.root), self.before)


if __name__ == "__main__":
    unittest.main()
