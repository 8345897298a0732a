"""A family's fuzz corpus: variants/<family>/corpus.txt, one input a line, in lower-case hexadecimal digits, sorted and
without duplicates. A line has 2,048 digits at most, so every tool for text can show the file.

Hexadecimal rather than base64: two digits are a byte, so a line can be read beside the family's fuzz.h, a change of one
byte is a change of two digits, and an input has one spelling. The file is larger, but git stores it in a quarter less,
because inputs that share bytes share text. Sorted as text, so that `LC_ALL=C sort -u` makes the same file.

git merges two branches that added inputs by keeping the lines of both (variants/.gitattributes). Such a file may be
unsorted and have duplicates: every reader accepts that, and `tidy` mends it."""

import hashlib
import os
from collections.abc import Iterable

from harness.make import paths
from harness.make.console import MakeError
from harness.spm.atomic import atomic_file

LONGEST = 1024
"""Bytes of the longest input: libFuzzer would cut a longer one."""

_SHOWN = 40
"""How much of a wrong line an error shows."""

_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
"""How the lines begin that git writes into a file that it could not merge."""


def path_of(family: str) -> str:
    """The file of a family's corpus."""
    return os.path.join(paths.ROOT, "variants", family, "corpus.txt")


def families() -> list[str]:
    """The families that have a corpus, sorted."""
    folder = os.path.join(paths.ROOT, "variants")
    return sorted(name for name in os.listdir(folder) if os.path.isfile(path_of(name)))


def read(path: str) -> list[bytes]:
    """The inputs of a corpus, sorted and without duplicates. A line that is no input is a MakeError."""
    with open(path, "rb") as file:
        return _parsed(file.read(), _shown_path(path))


def text_of(inputs: Iterable[bytes]) -> str:
    """A corpus as the text of its file. The empty input has no line: libFuzzer runs it without one."""
    return "".join(f"{each.hex()}\n" for each in sorted(set(inputs)) if each)


def tidy(path: str) -> bool:
    """Sorts a corpus and removes duplicates, after a merge; returns whether the file changed. Does nothing for a user
    who may not write there."""
    with open(path, "rb") as file:
        before = file.read()
    after = text_of(_parsed(before, _shown_path(path)))
    if after.encode() == before or not paths.is_writable(os.path.dirname(path)):
        return False
    _write(path, after)
    return True


def add(path: str, inputs: Iterable[bytes]) -> int:
    """Adds inputs to a corpus and returns how many it did not have. After a failure the file is as it was."""
    before = read(path)
    after = {*before, *inputs} - {b""}
    if len(after) > len(before):
        _write(path, text_of(after))
    return len(after) - len(before)


def unpack(inputs: Iterable[bytes], folder: str) -> None:
    """Writes inputs to a new folder, a file each, with the names that libFuzzer gives them."""
    try:
        os.makedirs(folder)
        for each in inputs:
            with open(os.path.join(folder, hashlib.sha1(each, usedforsecurity=False).hexdigest()), "wb") as file:
                file.write(each)
    except OSError as error:
        raise MakeError(f"unpacking inputs into {folder}: {error.strerror}",
                        "set TMPDIR to a folder on a disk with free space") from error


def inputs_in(folder: str) -> list[bytes]:
    """The inputs in a folder of libFuzzer, sorted."""
    found = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found.append(file.read())
    return sorted(found)


def _shown_path(path: str) -> str:
    return os.path.relpath(path, paths.ROOT)


def _parsed(content: bytes, name: str) -> list[bytes]:
    lines = content.split(b"\n")
    rest = lines.pop()
    inputs = {_input_of(line, f"{name}:{number}", name) for number, line in enumerate(lines, 1)}
    if rest:
        where = f"{name}:{len(lines) + 1}"
        raise MakeError(f"{where}: expected a line break after the last input, found the end of the file",
                        f"if that input is complete, echo >> {name}; else git checkout -- {name}", 2)
    return sorted(inputs)


def _input_of(line: bytes, where: str, name: str) -> bytes:
    """The input of a line; a MakeError that begins with `where` if it is none."""
    if line.startswith(_MARKERS):
        hint = f"delete git's conflict markers from {name} and keep the inputs of both sides"
    else:
        hint = f"git diff -- {name} shows what changed; a line that is no input can be deleted"
    if not line or line.strip(b"0123456789abcdef"):
        expected, found = "an input in digits 0-9 and a-f", _shown(line)
    elif len(line) % 2:
        expected, found = "two digits for each byte", f"{len(line)} digits"
    elif len(line) > 2 * LONGEST:
        expected, found = f"at most {2 * LONGEST} digits ({LONGEST} bytes)", f"{len(line)} digits"
    else:
        return bytes.fromhex(line.decode())
    raise MakeError(f"{where}: expected {expected}, found {found}", hint, 2)


def _shown(line: bytes) -> str:
    """A line in an error."""
    if not line:
        return "an empty line"
    # repr shows a carriage return, and any other byte, in characters that a terminal can print.
    text = repr(line.decode(errors="replace"))[1:-1]
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}...'"


def _write(path: str, text: str) -> None:
    """Writes a temporary file, then renames it."""
    try:
        with atomic_file(path) as name, open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise MakeError(f"writing {_shown_path(path)}: {error.strerror}",
                        "the file is as it was; free some space, or see who may write there") from error
