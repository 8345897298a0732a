"""Everything that users start runs with Python 3.9, and make.py can be read by 3.6, to say so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import unittest
from collections.abc import Iterator

from harness.make import paths
from harness.make.lint import tracked

OLDEST = (3, 9)

NEWER = {
    "import": {"tomllib", "wsgiref.types", "importlib.resources.abc"},
    "name": {"aiter", "anext", "ExceptionGroup", "BaseExceptionGroup", "EncodingWarning", "PythonFinalizationError"},
    "attribute": {
        "Concatenate", "KW_ONLY", "LiteralString", "Never", "NoneType", "NotRequired", "ParamSpec", "ReprEnum", "Required",
        "Self", "StrEnum", "TaskGroup", "TypeAlias", "TypeAliasType", "TypeGuard", "TypeVarTuple", "UTC", "UnionType",
        "Unpack", "aclosing", "add_note", "assertNoLogs", "assert_never", "assert_type", "batched",
        "bit_count", "cbrt", "chdir", "correlation", "covariance", "dataclass_transform", "doModuleCleanups",
        "enterClassContext", "enterContext", "enterModuleContext", "eventfd", "exp2", "file_digest", "fma",
        "get_annotations", "get_overloads", "getLevelNamesMapping", "hardlink_to", "is_junction", "linear_regression",
        "login_tty", "orig_argv", "override", "pairwise", "process_cpu_count", "reveal_type", "setns", "splice",
        "stdlib_module_names", "sumprod", "unshare", "walk_up", "with_segments",
    },
}
"""What the standard library did not have in 3.9; of two meanings (os.chdir) the old one is written as OLD_MEANING."""

OLD_MEANING = {"os.chdir"}
NEWER_ARGUMENTS = {
    "glob": {"root_dir", "include_hidden"}, "iglob": {"root_dir", "include_hidden"}, "zip": {"strict"},
    "dataclass": {"slots", "kw_only", "weakref_slot"}, "field": {"kw_only"}, "catch_warnings": {"action", "category"},
    "Popen": {"process_group"}, "run": {"process_group"}, "check_output": {"process_group"}, "call": {"process_group"},
    "TemporaryDirectory": {"ignore_cleanup_errors", "delete"}, "NamedTemporaryFile": {"delete_on_close"},
    "rmtree": {"onexc", "dir_fd"}, "write_text": {"newline"}, "read_text": {"newline"}, "open": {"encoding_errors"},
    "extract": {"filter"}, "extractall": {"filter"}, "bisect_left": {"key"}, "bisect_right": {"key"}, "bisect": {"key"},
    "insort": {"key"}, "fmean": {"weights"}, "relative_to": {"walk_up"}, "exists": {"follow_symlinks"},
    "realpath": {"strict"}, "create_connection": {"all_errors"}, "add_argument": {"deprecated"},
}


def program_files() -> list[str]:
    """Every tracked file of Python, those without an ending included."""
    return [name for name in tracked(paths.ROOT) if name.endswith(".py") or _names_python(name)]


def _names_python(name: str) -> bool:
    if os.path.splitext(name)[1]:
        return False
    with open(os.path.join(paths.ROOT, name), "rb") as file:
        return bool(re.match(rb"#!.*python3", file.readline(200)))


def findings(text: str) -> list[str]:
    """One sentence for each thing in the text that Python 3.9 does not have."""
    try:
        tree = ast.parse(text, feature_version=OLDEST)
    except SyntaxError as error:
        return [f"{error.lineno}: {error.msg}"]
    later = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    # ast accepts these with any feature_version.
    newer = {getattr(ast, name, None) for name in ("TryStar", "TypeAlias")}
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if type(node) in newer:
            found.append((line, f"syntax of {type(node).__name__}"))
        found += ((line, f"name {name}") for name in _newer_names(node))
        if not later:
            found += ((line, "X | Y is evaluated; add from __future__ import annotations")
                      for each in _annotations(node) if _has_union(each))
    return [f"{line}: {what}" for line, what in sorted(set(found))]


def _newer_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if each.name in NEWER["import"])
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] != "harness":
        if node.module in NEWER["import"]:
            yield str(node.module)
        yield from (each.name for each in node.names if each.name in NEWER["attribute"])
    elif isinstance(node, ast.Name) and node.id in NEWER["name"]:
        yield node.id
    elif isinstance(node, ast.Attribute) and node.attr in NEWER["attribute"] and ast.unparse(node) not in OLD_MEANING:
        yield node.attr
    elif isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        yield from (f"{called}({each.arg}=)" for each in node.keywords if each.arg in NEWER_ARGUMENTS.get(called, ()))


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        if isinstance(each := getattr(node, name, None), ast.AST):
            yield each


def _has_union(annotation: ast.AST) -> bool:
    return any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) for node in ast.walk(annotation))


class OldPython(unittest.TestCase):
    def test_no_file_needs_a_newer_python(self) -> None:
        for name in program_files():
            with self.subTest(name), open(os.path.join(paths.ROOT, name), encoding="utf-8") as file:
                self.assertEqual(findings(file.read()), [])

    def test_the_check_finds_what_is_newer(self) -> None:
        for text, expected in (
            ("def f(a: int | None): pass", "1: X | Y is evaluated; add from __future__ import annotations"),
            ("def f() -> int | None: pass", "1: X | Y is evaluated; add from __future__ import annotations"),
            ("a: list[int | str] = []", "1: X | Y is evaluated; add from __future__ import annotations"),
            ("import tomllib", "1: name tomllib"),
            ("from itertools import pairwise", "1: name pairwise"),
            ("datetime.UTC", "1: name UTC"),
            ("contextlib.chdir('/')", "1: name chdir"),
            ("zip(a, b, strict=True)", "1: name zip(strict=)"),
            ("subprocess.Popen(a, process_group=0)", "1: name Popen(process_group=)"),
        ):
            with self.subTest(text):
                self.assertEqual(findings(text), [expected])

    def test_newer_syntax_is_found_in_the_words_of_this_python(self) -> None:
        for text in ("match x:\n case 1: pass", "try: pass\nexcept* OSError: pass"):
            with self.subTest(text):
                self.assertEqual(len(findings(text)), 1)

    def test_the_check_accepts_what_is_old(self) -> None:
        for text in ("from __future__ import annotations\ndef f(a: int | None) -> str | None: pass", "a = 1 | 2",
                     "os.chdir('/')", "def f(a: 'int | None'): pass", "def f(a: list[int]): pass", "path.resolve(strict=True)"):
            with self.subTest(text):
                self.assertEqual(findings(text), [])

    def test_make_py_can_be_read_by_3_6(self) -> None:
        with open(os.path.join(paths.ROOT, "make.py"), encoding="utf-8") as file:
            text = file.read()
        ast.parse(text, feature_version=(3, 6))
        self.assertNotIn("from __future__", text)

    def test_an_older_python_says_what_it_is(self) -> None:
        code = "import runpy, sys; sys.version_info = (3, 8, 1); runpy.run_path('make.py', run_name='__main__')"
        done = subprocess.run([sys.executable, "-c", code], cwd=paths.ROOT, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "make.py: error: expected Python 3.9 or newer, found 3.8\n"))


if __name__ == "__main__":
    unittest.main()
