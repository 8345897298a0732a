"""`lint`: checks the format and the includes of all C++ and the names and types of all Python, with pinned tools."""

from __future__ import annotations

import collections
import concurrent.futures
import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable

from harness.make import includes, paths, pinned, toolchain
from harness.make.arguments import Parser
from harness.make.console import MakeError, how_ended, print_line

GROUP = "lint"
CXX = (".cpp", ".h")
TEST_EXEMPT = tuple(f"[{code}]" for code in ("arg-type", "func-returns-value", "no-untyped-def"))
"""mypy codes that tests need not satisfy: fakes replace types, and an unexpected None fails the test anyway."""

MYPY_CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mypy.ini")
CACHE = os.path.join(paths.BUILD, "lint")


def tracked(root: str) -> list[str]:
    """The files in `root` that git tracks or does not ignore, but not a rival's, which is somebody else's; sorted."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MakeError(f"starting git: {error.strerror}",
                        "install git: lint checks the files that git tracks") from error
    if done.returncode != 0:
        raise MakeError(f"git ls-files: {done.stderr.strip()}", "run lint in a checkout")
    return sorted({name for name in done.stdout.split("\0")
                   if name and "/rivals/" not in name and os.path.isfile(os.path.join(root, name))})


def clang_format(tool: list[str], environment: dict[str, str], files: list[str], root: str, fix: bool) -> list[str]:
    """One line for each wrongly formatted file; with `fix` the files are formatted and the list is empty."""
    mode = ["-i"] if fix else ["--dry-run"]
    output = _output([*tool, *mode, "--style=file", *files], environment, root)
    lines = collections.defaultdict(set)
    for found in re.finditer(r"^(.+?):(\d+):\d+: (?:warning|error): .*\[-Wclang-format-violations\]$", output, re.M):
        lines[found[1]].add(int(found[2]))
    if output.strip() and not lines:
        raise MakeError(f"clang-format: {output.strip()}")
    return [f"{name}:{min(each)}: {len(each)} line{'s'[:len(each) != 1]} not formatted as .clang-format says"
            for name, each in sorted(lines.items())]


def pyflakes(environment: dict[str, str], files: list[str], root: str) -> list[str]:
    """Findings of pyflakes: unused and undefined names."""
    output = _output([sys.executable, "-m", "pyflakes", *files], environment, root)
    found = [f"{name}:{line}: {what}" for name, line, what in
             re.findall(r"^(.+?):(\d+):(?:\d+:)? (.+)$", output, re.M)]
    return _all_or_error("pyflakes", output, found)


def mypy(environment: dict[str, str], files: list[str], root: str) -> list[str]:
    """Findings of mypy: types that are missing or wrong."""
    output = _output([sys.executable, "-m", "mypy", "--config-file", MYPY_CONFIG, "--no-error-summary", "--no-pretty",
                      "--cache-dir", os.path.join(CACHE, "mypy"), *files], environment, root)
    found = [f"{name}:{line}: {what}" for name, line, what in
             re.findall(r"^(.+?):(\d+):(?:\d+:)? error: (.+)$", output, re.M)]
    _all_or_error("mypy", output, found)
    return [line for line in found if not (line.split(":", 1)[0].endswith("_test.py") and line.endswith(TEST_EXEMPT))]


def _all_or_error(tool: str, output: str, found: list[str]) -> list[str]:
    if output.strip() and not found:
        raise MakeError(f"{tool}: {output.strip()}")
    return found


def _output(command: list[str], environment: dict[str, str], root: str) -> str:
    done = subprocess.run(command, cwd=root, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode not in (0, 1):
        raise MakeError(f"{os.path.basename(command[0])} ended with {how_ended(done.returncode)}: "
                        f"{done.stdout.strip()}")
    return done.stdout


def findings(packages: dict[str, str], names: Iterable[str], root: str, fix: bool) -> list[str]:
    """All findings about the files `names` of `root`, sorted by file and line."""
    cxx = [name for name in names if name.endswith(CXX)]
    python = [name for name in names if name.endswith(".py")]
    libraries = toolchain.library_path(packages["runtime"], packages["clang-format"])
    tool = [os.path.join(packages["clang-format"], "clang-format")]
    # The store is read-only, so the tools' compiled Python files go to the build folder.
    modules = {"PYTHONPATH": os.pathsep.join((packages["mypy"], packages["pyflakes"])),
               "PYTHONPYCACHEPREFIX": os.path.join(CACHE, "pycache"), "PYTHONDONTWRITEBYTECODE": ""}
    work: list[Callable[[], list[str]]] = []
    if python:
        work += [lambda: mypy(modules, python, root), lambda: pyflakes(modules, python, root)]
    work.append(lambda: includes.findings(cxx, functools.partial(_read, root)))
    parts = max(1, min(os.cpu_count() or 1, len(cxx)))
    work += [functools.partial(clang_format, tool, libraries, cxx[first::parts], root, fix)
             for first in range(parts if cxx else 0)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return sorted((line for found in pool.map(lambda each: each(), work) for line in found), key=_place)


def _read(root: str, name: str) -> str | None:
    path = os.path.join(root, name)
    return paths.read_if_there(path) if os.path.isfile(path) else None


def _place(finding: str) -> tuple[str, int, str]:
    name, line, what = finding.split(":", 2)
    return name, int(line), what


def main(argv: list[str]) -> int:
    """python3 make.py lint"""
    parser = Parser(prog="make.py lint", description="Check the format and the includes of all C++ and the names and "
                    "types of all Python. Prints one line per finding; the last line counts them.")
    parser.add_argument("--fix", action="store_true", help="format the C++ files")
    arguments = parser.parse_args(argv)
    toolchain.check_machines_libc("the pinned clang-format")
    packages = pinned.install((GROUP,))
    names = [name for name in tracked(paths.ROOT) if name.endswith((*CXX, ".py"))]
    found = findings(packages, names, paths.ROOT, arguments.fix)
    for line in found:
        print(line)
    if any("not formatted as" in line for line in found):
        print_line("hint: python3 make.py lint --fix")
    print(f"{len(names)} files, {len(found)} findings", flush=True)
    return 1 if found else 0
