"""What ships imports nothing that only tests it, functions import nothing, and there is one lock."""

import ast
import os
import unittest

from harness.spm.settings import ROOT

TESTING = "harness.spm_testing"


def modules() -> list[str]:
    """Every module of harness, as a path from the checkout's root."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk(f"{ROOT}/harness") for name in names]
    return sorted(os.path.relpath(path, ROOT) for path in found if path.endswith(".py"))


def ships(path: str) -> bool:
    return not path.endswith("_test.py") and not path.startswith(TESTING.replace(".", "/") + "/")


def tree(path: str) -> ast.Module:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return ast.parse(file.read())


def imported(module: ast.AST) -> set[str]:
    """The full names of everything that a module imports, wherever it does."""
    names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def functions_imports(module: ast.AST) -> list[int]:
    """The lines of the imports in functions."""
    functions = [node for node in ast.walk(module) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    found = [node.lineno for each in functions for node in ast.walk(each) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return sorted(set(found))


def late_calls(module: ast.AST) -> list[str]:
    """What every call of late() imports."""
    return sorted(ast.literal_eval(node.args[0]) for node in ast.walk(module)
                  if isinstance(node, ast.Call) and ast.unparse(node.func) == "late")


def typed_late_calls(module: ast.Module) -> list[str]:
    """The same of the calls whose modules mypy knows: `x = late("a.x")` in the `else` of an `if TYPE_CHECKING` that imports
    a.x as x."""
    found = []
    for block in module.body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            known: dict[str, str] = {}
            for each in block.body:
                if isinstance(each, (ast.Import, ast.ImportFrom)):
                    folder = f"{each.module}." if isinstance(each, ast.ImportFrom) else ""
                    known.update((alias.asname or alias.name, folder + alias.name) for alias in each.names)
            for each in block.orelse:
                if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call):
                    name = ast.literal_eval(each.value.args[0])
                    found += [name] if known.get(ast.unparse(each.targets[0])) == name else []
    return sorted(found)


class ImportsTest(unittest.TestCase):
    def test_no_module_that_ships_imports_what_tests_it(self) -> None:
        wrong = {path for path in ["make.py", *modules()] if ships(path) and any(
            name.startswith(TESTING) or name.endswith("_test") for name in imported(tree(path)))}
        self.assertEqual(wrong, set())

    def test_the_imports_of_a_function_count(self) -> None:
        self.assertEqual(imported(ast.parse("def f():\n    from harness.spm_testing import faults\n    import os\n")),
                         {"harness.spm_testing.faults", "os"})

    def test_no_function_imports(self) -> None:
        found = [f"{path}:{line}" for path in ["make.py", *modules()] for line in functions_imports(tree(path))]
        self.assertEqual(found, [], "late.py says how a module is imported late")

    def test_an_import_in_a_function_is_found(self) -> None:
        text = "import os\nif x:\n    import y\nclass C:\n    def f(self):\n        import a\n        g = lambda: 0\n"
        self.assertEqual(functions_imports(ast.parse(text)), [6])

    def test_late_modules_are_named_at_the_top_with_their_types(self) -> None:
        for path in ["make.py", *modules()]:
            with self.subTest(path):
                self.assertEqual(late_calls(tree(path)), typed_late_calls(tree(path)))

    def test_a_late_module_without_its_type_is_found(self) -> None:
        good = "if TYPE_CHECKING:\n    from a import b, c as d\n    import e\nelse:\n"
        for line, count in (('b = late("a.b")', 1), ('d = late("a.c")', 1), ('e = late("e")', 1), ('c = late("a.c")', 0),
                            ('b = late("b")', 0), ('b = late("e.b")', 0)):
            with self.subTest(line):
                self.assertEqual(len(typed_late_calls(ast.parse(f"{good}    {line}\n"))), count)

    def test_one_module_takes_locks_on_files(self) -> None:
        def locks(path: str) -> bool:
            return any(isinstance(node, ast.Attribute) and node.attr == "flock" for node in ast.walk(tree(path)))

        self.assertEqual([path for path in modules() if ships(path) and locks(path)], ["harness/spm/lock.py"])


if __name__ == "__main__":
    unittest.main()
