"""The key of an object: a hash of everything that its bytes follow from, and of no path and no time.

That is the compile command, the compiler, the source, every file that the source includes from the checkout or the
build folder, what ninja lists as further inputs, and the pins, which stand in commands as folders of the store. Includes
are found by reading, not by a preprocessor: a file too many costs at most an object that could have been fetched.

A header that a custom command makes need not exist yet. The inputs of its command stand for it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

SCHEMA = 1
"""Part of every key: another value of it makes all keys new."""

_WORD = re.compile(r"""(?:[^\s"'\\]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+""")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|([^\n]*))', re.M)
_HAS_INCLUDE = re.compile(rb'__has_include\s*\(\s*"([^"\n]+)"')
_DIRECTIVE_PATH = re.compile(r'(#[ \t]*include[ \t]*"|\.incbin \\*")(/[^"\\\n]+)')
_IN_STORE = re.compile(r"\.dir/.*/packages/([^/]+)/([0-9a-f]+)/tree/")
_INCBIN = b".incbin"

_DROPPED = ("-MD", "-MMD")
_DROPPED_WITH_VALUE = ("-MF", "-MT", "-MQ")
_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
_JOINED_PATHS = ("-Wa,-I", "-I")
_PREFIX_MAP = "-fmacro-prefix-map="

_KEEPS_PATHS = ("-g", "-fsanitize", "--coverage", "-fprofile", "-fcoverage", "-ftest-coverage")
"""Beginnings of options with which an object holds the paths of its sources."""

_UNKEYED = ("-march=native", "-mtune=native", "-mcpu=native", "-save-temps")
"""Options with which an object depends on what no key holds."""

_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "SOURCE_DATE_EPOCH")
"""Environment variables that change what GCC makes."""


class Inputs(NamedTuple):
    """What an object is made of: its key, its `name` for other checkouts, and the files that it must be rebuilt after."""

    key: str
    name: str
    files: list[str]


class Roots:
    """The folders of this checkout and this store, and the words that stand for them in keys."""

    def __init__(self, source: str, build: str, packages: Mapping[str, str]) -> None:
        self.source, self.build = source, build
        # <store>/packages/<name>/<version>/tree: the store goes, the name and the version stay.
        pinned = {folder: f"<{name} {os.path.basename(os.path.dirname(folder))}>" for name, folder in packages.items()}
        known = {**pinned, build: "<build>", source: "<source>"}
        self._words = sorted(known.items(), key=lambda each: (-len(each[0]), each[0]))
        self._pinned = tuple(folder + os.sep for folder in pinned)
        self._anywhere = re.compile("|".join(re.escape(folder) for folder, _ in self._words))

    def absolute(self, path: str) -> str:
        """`path` as the compiler sees it, which runs in the build folder."""
        return os.path.normpath(os.path.join(self.build, path))

    def named(self, path: str) -> str:
        """`path`, with a word for the folder that differs between checkouts. Unchanged outside of those folders."""
        whole = self.absolute(path)
        for folder, word in self._words:
            if whole == folder or whole.startswith(folder + os.sep):
                return word + whole[len(folder):]
        return whole

    def is_own(self, path: str) -> bool:
        """Whether `path` lies in the checkout or the build folder. What lies in a package never changes."""
        return path.startswith((self.source + os.sep, self.build + os.sep)) and not path.startswith(self._pinned)

    def in_text(self, text: str) -> str:
        """`text` with a word for each such folder anywhere in it."""
        words = dict(self._words)
        return self._anywhere.sub(lambda found: words[found[0]], text)

    def object_name(self, name: str) -> str:
        """An object's name. That of a package's source holds the path of the store, possibly from the checkout."""
        return _IN_STORE.sub(r".dir/<\1 \2>/", name)


class Made(NamedTuple):
    """A file that a custom command makes."""

    command: str
    inputs: list[str]


class Graph(NamedTuple):
    """What build.ninja says: the inputs of each object, and the files of custom commands by their absolute paths."""

    inputs: dict[str, list[str]]
    made: dict[str, Made]


def split(line: str) -> list[str]:
    """The words of a shell command. shlex alone takes seconds for all commands of a build."""
    return [shlex.split(word)[0] if re.search(r"""["'\\]""", word) else word for word in _WORD.findall(line)]


def compile_commands(lines: Iterable[str], compilers: Collection[str]) -> dict[str, list[str]]:
    """{object: the words of its command from the compiler on}; a launcher before the compiler changes no object."""
    found = {}
    for line in lines:
        if " -c " not in line or not any(each in line for each in compilers):
            continue
        words = split(line)
        begin = next((number for number, word in enumerate(words) if word in compilers), None)
        if begin is None or "-o" not in words:
            continue
        output = words[words.index("-o") + 1]
        if output.endswith(".o"):
            found[output] = words[begin:]
    return found


def read_graph(text: str, build: str) -> Graph:
    """The Graph of the text of a build.ninja."""
    inputs, made, lines = {}, {}, text.replace("${cmake_ninja_workdir}", "").splitlines()
    pattern = re.compile(r"build ((?:\$.|[^:$])+): (\S+) ?(.*)$")
    for number, line in enumerate(lines):
        is_made = line.startswith("build ") and ": CUSTOM_COMMAND" in line  # which may copy objects
        is_object = line.startswith("build ") and ".o: " in line and not is_made
        if not is_object and not is_made:
            continue
        found = pattern.match(line)
        if not found:
            continue
        needs = list(_ninja_words(found[3].split("||")[0]))
        if is_object:
            inputs[next(_ninja_words(found[1]))] = needs
            continue
        command = next((each[12:] for each in lines[number + 1:number + 3] if each.startswith("  COMMAND = ")), "")
        # CMake's last step is about the depfile, which is named by a hash of a path.
        command = command.partition(" -E cmake_transform_depfile ")[0]
        for output in _ninja_words(found[1]):
            made[os.path.normpath(os.path.join(build, output))] = Made(command, needs)
    return Graph(inputs, made)


def _ninja_words(text: str) -> Iterator[str]:
    for word in re.findall(r"(?:\$.|[^\s$])+", text):
        if word != "|":
            yield re.sub(r"\$(.)", r"\1", word)


class _Scanned(NamedTuple):
    quoted: tuple[str, ...]
    angled: tuple[str, ...]
    is_known: bool  # no include names its file by a macro
    has_incbin: bool


class Keys:
    """Computes the inputs of objects. Remembers what it has read, so files must not change meanwhile."""

    def __init__(self, roots: Roots, graph: Graph) -> None:
        self._roots, self._graph = roots, graph
        self._digests: dict[str, str] = {}
        self._scanned: dict[str, _Scanned] = {}
        self._exists: dict[str, bool] = {}
        self._included: dict[tuple[str, tuple[str, ...]], tuple[list[str], list[str]]] = {}
        self._compilers: dict[str, str] = {}
        self._environment = [(name, os.environ[name]) for name in _VARIABLES if name in os.environ]

    def of(self, name: str, words: list[str]) -> Inputs | None:
        """The inputs of the object `name`, which the command `words` makes. None if they cannot be told; then no
        other machine may have it."""
        if any(word in _UNKEYED or word.startswith("@") for word in words):
            return None
        keeps_paths = any(word.startswith(_KEEPS_PATHS) for word in words)
        flags, begin, folders = self._read(words, keeps_paths)
        own = tuple(folder for folder in folders if self._roots.is_own(folder + os.sep))
        listed = [self._roots.absolute(path) for path in self._graph.inputs.get(name, ())]
        # What a precompiled header is made of is in cmake_pch.hxx, which -include names, and in the flags.
        begin += [path for path in listed if not path.endswith((".gch", ".pch"))]
        begin += [value for word in words if (value := self._file_in(word))]
        files = self._closure(begin, own)
        if files is None:
            return None
        found, absent, has_incbin = files
        if has_incbin:
            found |= self._named_by(found, own)
        try:
            contents = [[self._roots.named(path), self._digest(path)] for path in found]
        except OSError:  # a file that ninja would miss, too
            return None
        own_name = self._roots.object_name(name)
        facts = [SCHEMA, self._compiler(words[0]), flags, own_name, sorted(contents), sorted(absent), self._environment,
                 [self._roots.build, name] if keeps_paths else []]
        return Inputs(hashlib.sha256(json.dumps(facts).encode()).hexdigest(), own_name, sorted(found))

    def _read(self, words: list[str], keeps_paths: bool) -> tuple[list[str], list[str], list[str]]:
        """(the flags for the key, the files that a command begins with, its include folders)"""
        named = self._roots.absolute if keeps_paths else self._roots.named
        flags, begin, folders = [], [], []
        rest = iter(words[1:])
        for word in rest:
            if word in _DROPPED:
                continue
            if word in _DROPPED_WITH_VALUE or word == "-o":
                next(rest)
            elif word in ("-c", "-include", "-imacros"):
                begin.append(self._roots.absolute(value := next(rest)))
                flags += [word, named(value)]
            elif word in _FOLDERS:
                folders.append(self._roots.absolute(value := next(rest)))
                flags += [word, named(value)]
            elif prefix := next((each for each in _JOINED_PATHS if word.startswith(each)), ""):
                folders.append(self._roots.absolute(word.removeprefix(prefix)))
                flags.append(prefix + named(word.removeprefix(prefix)))
            elif word.startswith(_PREFIX_MAP) and not keeps_paths:
                old, _, new = word.removeprefix(_PREFIX_MAP).partition("=")
                flags.append(f"{_PREFIX_MAP}{named(old)}{'/' if old.endswith('/') else ''}={new}")
            else:
                flags.append(word)
        return flags, begin, folders

    def _file_in(self, word: str) -> str:
        """The file of this checkout whose path is the value of a macro, which the source may put into the object."""
        value = word.partition("=")[2].strip('"') if word.startswith("-D") else ""
        return value if os.path.isabs(value) and self._roots.is_own(value) and self._is_there(value) else ""

    def _closure(self, begin: Iterable[str], folders: tuple[str, ...]) -> tuple[set[str], set[str], bool] | None:
        """(the files and all that they include, quoted names without a file, whether a file has an .incbin); None if
        an include names its file by a macro."""
        found: set[str] = set()
        absent: set[str] = set()
        left, has_incbin = list(begin), False
        while left:
            path = left.pop()
            if path in found or not self._roots.is_own(path):
                continue
            found.add(path)
            try:
                scanned = self._scan(path)
                files, missing = self._includes(path, folders)
            except OSError:
                return None
            if not scanned.is_known:
                return None
            has_incbin = has_incbin or scanned.has_incbin
            left += files
            absent.update(missing)
        return found, absent, has_incbin

    def _scan(self, path: str) -> _Scanned:
        if path not in self._scanned:
            data = b"" if path in self._graph.made else _read_bytes(path)
            includes = _INCLUDE.findall(data)
            quoted = [quote for quote, _, _ in includes if quote] + _HAS_INCLUDE.findall(data)
            angled = [angle for _, angle, _ in includes if angle]
            self._scanned[path] = _Scanned(tuple(map(os.fsdecode, quoted)), tuple(map(os.fsdecode, angled)),
                                           not any(macro for _, _, macro in includes), _INCBIN in data)
        return self._scanned[path]

    def _includes(self, path: str, folders: tuple[str, ...]) -> tuple[list[str], list[str]]:
        """(what a file includes from the checkout or the build folder, quoted names that are not there)"""
        known = self._included.get((path, folders))
        if known is None:
            scanned, files, absent = self._scan(path), [], []
            for name in scanned.quoted:
                places = (os.path.normpath(os.path.join(folder, name)) for folder in (os.path.dirname(path), *folders))
                place = next(filter(self._is_there, places), "")
                files += [place] if place else []
                absent += [] if place else [name]
            for name in scanned.angled:
                place = next(filter(self._is_there, (os.path.join(folder, name) for folder in folders)), "")
                files += [os.path.normpath(place)] if place else []
            known = self._included[path, folders] = files, absent
        return known

    def _named_by(self, files: Iterable[str], folders: tuple[str, ...]) -> set[str]:
        """The files of this checkout whose paths stand in `files` as text: the assembler may read them."""
        texts = {text.rstrip(b"\\") for path in files if path not in self._graph.made
                 for text in _read_bytes(path).split(b'"') if b"/" in text and len(text) < 400 and len(text.split()) == 1}
        places = (os.path.normpath(os.path.join(folder, os.fsdecode(text))) for text in texts
                  for folder in (self._roots.build, *folders))
        return {place for place in places if self._roots.is_own(place) and self._is_there(place)}

    def _is_there(self, path: str) -> bool:
        if path not in self._exists:
            self._exists[path] = path in self._graph.made or os.path.isfile(path)
        return self._exists[path]

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            if path in self._graph.made:
                data = self._facts_of_made(self._graph.made[path])
            else:
                data = _read_bytes(path)
                if path.startswith(self._roots.build + os.sep):
                    data = self._generated(data)
            self._digests[path] = hashlib.sha256(data).hexdigest()
        return self._digests[path]

    def _facts_of_made(self, made: Made) -> bytes:
        inputs = [self._roots.absolute(path) for path in made.inputs]
        files, absent, _ = self._closure(inputs, ()) or (set(inputs), set(), False)
        contents = sorted([self._roots.named(path), self._digest(path)] for path in files)
        return json.dumps([self._roots.in_text(made.command), contents, sorted(absent)]).encode()

    def _generated(self, data: bytes) -> bytes:
        """A file of the build folder for the key: the paths of what it includes differ between checkouts, and no
        object holds them."""
        text = data.decode(errors="surrogateescape")
        named = _DIRECTIVE_PATH.sub(lambda found: found[1] + self._roots.named(found[2]), text)
        return named.encode(errors="surrogateescape")

    def _compiler(self, path: str) -> str:
        """A compiler is a script that names its packages and options (toolchain.py)."""
        if path not in self._compilers:
            text = _read_bytes(self._roots.absolute(path)).decode(errors="surrogateescape")
            self._compilers[path] = self._roots.in_text(text)
        return self._compilers[path]


def _read_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
