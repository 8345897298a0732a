"""What ships imports nothing that only tests it, and there is one lock."""

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


def tree(path: str) -> ast.AST:
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


class ImportsTest(unittest.TestCase):
    def test_no_module_that_ships_imports_what_tests_it(self) -> None:
        wrong = {path for path in ["make.py", *modules()] if ships(path) and any(
            name.startswith(TESTING) or name.endswith("_test") for name in imported(tree(path)))}
        self.assertEqual(wrong, set())

    def test_the_imports_of_a_function_count(self) -> None:
        self.assertEqual(imported(ast.parse("def f():\n    from harness.spm_testing import faults\n    import os\n")),
                         {"harness.spm_testing.faults", "os"})

    def test_one_module_takes_locks_on_files(self) -> None:
        def locks(path: str) -> bool:
            return any(isinstance(node, ast.Attribute) and node.attr == "flock" for node in ast.walk(tree(path)))

        self.assertEqual([path for path in modules() if ships(path) and locks(path)], ["harness/spm/lock.py"])


if __name__ == "__main__":
    unittest.main()
