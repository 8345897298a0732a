"""Draws the modules, the folders of spm and the data flow from their sources in harness/docs, and checks them against
CMake and the code.

A picture's source names boxes, one a line, and below each, indented, the boxes that it points to:

    title What the picture shows
    module cli  command line to use cases
      calls app measure
      includes bench
      starts variants

`calls` is what a module links (USES of lab_module) or, of a Python package or folder, imports, wherever a file does.
`includes` is HEADERS of lab_module: headers without a link. `starts` is another process and is not checked. The sources
of the house and of spm have every arrow that CMake or the imports have, and no other. No arrow points up, so there is no
circle. A picture leaves out an arrow to what a longer path of calls reaches anyway.

The check also finds the names of families in the code of the harness (family_names.py).
"""

import ast
import functools
import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from harness.make import family_names, paths
from harness.make.arguments import Parser
from harness.make.console import MakeError, print_error
from harness.make.drawing import Arrow, Box, DrawingError, draw

DOCS = os.path.join("harness", "docs")
HOUSE, SPM, DATA_FLOW = (os.path.join(DOCS, f"{name}.txt") for name in ("house", "spm", "data_flow"))
CMAKE = os.path.join("harness", "CMakeLists.txt")
KINDS = ("python", "module", "variants", "file", "stage")
RELATIONS = {"calls": "calls", "includes": "includes its headers only", "starts": "starts as a process", "gives": ""}
CHECKED = ("calls", "includes")


@dataclass
class Picture:
    """A picture's source; boxes in its order, upper ones first."""
    title: str = ""
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)

    def points_up(self, source: str, target: str) -> bool:
        """Whether the box `target` is `source` or above it."""
        names = [box.name for box in self.boxes]
        return target in names and names.index(target) <= names.index(source)


def parse(text: str, name: str) -> Picture:
    """The picture that `text` describes. Raises MakeError with the line that cannot be read."""
    picture = Picture()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if line.startswith("title "):
            picture.title = line[6:].strip()
        elif words[0] in KINDS and len(words) > 1 and not line[0].isspace():
            picture.boxes.append(Box(words[1], words[0], " ".join(words[2:])))
        elif words[0] in RELATIONS and line[0].isspace() and picture.boxes:
            picture.arrows += [Arrow(picture.boxes[-1].name, target, words[0]) for target in words[1:]]
        else:
            raise MakeError(f"{name}:{number}: expected a title, a box or its arrows, found '{line.strip()}'")
    known = [box.name for box in picture.boxes]
    for arrow in picture.arrows:
        if arrow.target not in known:
            raise MakeError(f"{name}: {arrow.source} points to '{arrow.target}', which is no box")
    return picture


def svg(picture: Picture) -> str:
    """The drawing, without the arrows that a longer path of calls makes superfluous."""
    called: dict[str, set[str]] = {box.name: set() for box in picture.boxes}
    for arrow in picture.arrows:
        if arrow.kind == "calls":
            called[arrow.source].add(arrow.target)

    def reachable(name: str) -> set[str]:
        return called[name].union(*(reachable(each) for each in called[name]))

    shown = [arrow for arrow in picture.arrows if arrow.kind != "calls" or
             not any(arrow.target in reachable(each) for each in called[arrow.source])]
    used = {arrow.kind for arrow in shown}
    return draw(picture.title, picture.boxes, shown,
                [(kind, meaning) for kind, meaning in RELATIONS.items() if meaning and kind in used])


def cmake_arrows(root: str) -> set[tuple[str, str, str]]:
    """(module, target, relation) of each arrow that CMake states between modules; `variants` is all families."""
    listed = re.findall(r"^lab_module\(\s*(\w+)([^)]*)\)", _read(root, CMAKE), re.M)
    modules = {name for name, _ in listed} | {"designs", "variants"}
    found: set[tuple[str, str, str]] = set()

    def add(module: str, relation: str, words: Iterable[str]) -> None:
        found.update((module, word, relation) for word in words if word in modules and word != module)

    for module, rest in listed:
        relation = ""
        for word in rest.split():
            if word in ("USES", "HEADERS", "OBJECTS"):
                relation = {"USES": "calls", "HEADERS": "includes"}.get(word, "")
            elif relation:
                add(module, relation, [word])
        if os.path.exists(os.path.join(root, "harness", module, "module.cmake")):
            add(module, "calls", _linked(_read(root, f"harness/{module}/module.cmake")))
    for library, words in re.findall(r"target_link_libraries\((designs|common|vulkan_common)([^)]*)\)",
                                     _read(root, "variants/CMakeLists.txt")):
        add("designs" if library == "designs" else "variants", "calls", words.split())
    functions = _read(root, "harness/cmake/lab.cmake")
    for body in re.findall(r"^function\(lab_(?:family|add_variant) .*?^endfunction", functions, re.M | re.S):
        add("variants", "calls", _linked(body))
    for exceptions in glob.glob(os.path.join(root, "variants", "*", "variants.cmake")):
        for words in re.findall(r"^\s*lab_variant\(([^)]*)\)", _read(root, os.path.relpath(exceptions, root)), re.M):
            add("variants", "calls", words.partition("USES")[2].split())
    return found


def _linked(text: str) -> Iterator[str]:
    for words in re.findall(r"target_link_libraries\(\S+([^)]*)\)", text):
        yield from words.split()


def included(root: str) -> Iterator[tuple[str, str]]:
    """(file, what it includes) of every include of a file of this project, tests and their fixtures apart."""
    for name in _files(root, (".h", ".c", ".cpp")):
        if not re.search(r"_(test|fixture)\.(h|c|cpp)$|/testing/", name):
            for header in re.findall(r'^\s*#\s*include\s+"((?:harness|variants)/[^"]+)"', _read(root, name), re.M):
                yield name, header


def foreign_to_designs(root: str) -> Iterator[tuple[str, str]]:
    """(file, what it includes) of every include of a design that is neither a design nor of the standard library, whose
    headers have no dot and no slash in their names. Those of this project are left to the arrows."""
    for name in _files(root, (".h", ".cpp")):
        if module_of(name) == "designs" and not name.endswith(("_test.cpp", "_test.h")):
            for header in re.findall(r'^\s*#\s*include\s+(["<][^">]+[">])', _read(root, name), re.M):
                if not re.match(r'<[a-z_0-9]+>$|"(harness|variants)/', header):
                    yield name, header


def imported(root: str) -> Iterator[tuple[str, int, str]]:
    """(file, line, module) of every import of a module, wherever the file does it, also of importlib.import_module with
    a name that begins literally; tests apart."""
    for name in _files(root, (".py",)):
        if not name.endswith("_test.py"):
            yield from ((name, line, module) for line, module in _imports_in(name, _read(root, name)))


@functools.cache  # a test checks the same files again and again
def _imports_in(name: str, text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, ast.ImportFrom):
            folder = name.split("/")[:-node.level] if node.level else []
            module = ".".join([*folder, *filter(None, [node.module])])
            found += ((node.lineno, f"{module}.{each.name}") for each in node.names)
        elif isinstance(node, ast.Import):
            found += ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.Call) and node.args and getattr(node.func, "attr", "") == "import_module":
            if literal := re.match(r"""f?['"]([\w.]*\w)""", ast.unparse(node.args[0])):
                found.append((node.lineno, literal[1]))
    return found


def module_of(path: str) -> str:
    """The module that a file or a Python module belongs to: `base` of 'harness/base/error.h' or 'harness.base.x'."""
    top, *rest = re.split(r"[/.]", path)
    return "variants" if top == "variants" and rest[0] != "designs" else rest[0]


def imports_against(source: str, picture: Picture, box_of: Callable[[str], str],
                    imports: Iterable[tuple[str, int, str]]) -> list[str]:
    """One sentence for each arrow of Python boxes that no import makes, and for each import without an arrow.

    `box_of` gives the box of a file or of a Python module."""
    python = [box.name for box in picture.boxes if box.kind == "python"]
    stated = {(arrow.source, arrow.target) for arrow in picture.arrows if arrow.kind == "calls" and arrow.source in python}
    made = [(f"{name}:{line}: imports {target}", (box_of(name), box_of(target))) for name, line, target in imports]
    found = [f"{source}: {upper} -> {lower}, but no file of {upper} imports it"
             for upper, lower in sorted(stated - {arrow for _, arrow in made})]
    return found + [f"{what}, and {upper} -> {lower} {'points up' if picture.points_up(upper, lower) else 'is not'} in {source}"
                    for what, (upper, lower) in made if upper != lower and (upper, lower) not in stated]


def check(root: str) -> list[str]:
    """One sentence for each thing that is not as the pictures say."""
    house, spm = parse(_read(root, HOUSE), HOUSE), parse(_read(root, SPM), SPM)
    kinds = {box.name: box.kind for box in house.boxes}
    stated = {(arrow.source, arrow.target, arrow.kind) for arrow in house.arrows if arrow.kind in CHECKED}
    of_cmake = cmake_arrows(root)
    python = [box.name for box in house.boxes if box.kind == "python"]
    imports = [each for each in imported(root) if each[2].startswith("harness.") and module_of(each[0]) in python]
    of_spm = [each for each in imports if module_of(each[0]) == module_of(each[2]) == "spm"]
    boxes_in_spm = {box.name for box in spm.boxes}

    def box_in_spm(path: str) -> str:
        return next((part for part in re.split(r"[/.]", path)[2:3] if part in boxes_in_spm), "foundation")

    found = [f"{HOUSE}: {_arrow(each)} is not in {CMAKE}" for each in sorted(stated - of_cmake)
             if kinds[each[0]] != "python"]
    found += [f"{CMAKE}: {_arrow(each)} is not in {HOUSE}" for each in sorted(of_cmake - stated)]
    found += imports_against(HOUSE, house, module_of, imports)
    found += imports_against(SPM, spm, box_in_spm, of_spm)
    allowed = {(source, target) for source, target, _ in of_cmake}
    found += [f"{name}: includes {header}, which {module_of(name)} may not call" for name, header in included(root)
              if module_of(name) != module_of(header) and (module_of(name), module_of(header)) not in allowed]
    found += [f"{name}: includes {header}; a design includes the standard library alone"
              for name, header in foreign_to_designs(root)]
    found += family_names.named_families(root)
    up = [f"{source}: {arrow.source} -> {arrow.target} points up" for source, picture in ((HOUSE, house), (SPM, spm))
          for arrow in picture.arrows if picture.points_up(arrow.source, arrow.target)]
    return found + (up or stale(root))


def _arrow(arrow: tuple[str, str, str]) -> str:
    return f"{arrow[0]} -> {arrow[1]}" + (" (headers only)" if arrow[2] == "includes" else "")


def drawings(root: str) -> Iterator[tuple[str, str, str]]:
    """(source, its drawing's path, what the drawing must be) of each picture. Raises MakeError."""
    for source in (HOUSE, SPM, DATA_FLOW):
        try:
            yield source, source.removesuffix(".txt") + ".svg", svg(parse(_read(root, source), source))
        except DrawingError as error:
            raise MakeError(f"{source}: {error}") from error


def stale(root: str) -> list[str]:
    """One sentence for each drawing that is not what its source gives."""
    return [f"{path}: not what {source} gives; python3 -m harness.make.structure draws it"
            for source, path, text in drawings(root)
            if not os.path.exists(os.path.join(root, path)) or _read(root, path) != text]


def _files(root: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    for top in ("harness", "variants"):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            yield from (os.path.relpath(os.path.join(folder, name), root) for name in sorted(names)
                        if name.endswith(suffixes))


def _read(root: str, name: str) -> str:
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def main(argv: Sequence[str], root: str = paths.ROOT) -> int:
    """python3 -m harness.make.structure"""
    parser = Parser(prog="-m harness.make.structure",
                    description="Draws the modules, the folders of spm and the data flow (harness/docs).")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit status 1 where a picture, CMake and the code disagree")
    if not parser.parse_args(argv).check:
        for _, path, text in drawings(root):
            paths.write_if_changed(os.path.join(root, path), text)
        return 0
    found = check(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except MakeError as problem:
        print_error(problem)
        sys.exit(problem.status)
