"""Changes pins in packages.json and keeps every other byte of the file.

The new file is written to a temporary file, checked like any packages.json, and renamed. Concurrent runs lose no
change: each reads the file again under a lock before it writes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]

from harness.spm import atomic, lock
from harness.spm.errors import SpmError, system_error
from harness.spm.pins import manifest as manifests
from collections.abc import Callable, Iterator


class PinChange:
    """Gives the artifact `old` ({field: value}, with path and sha256) of `package` the fields `new`; None removes a
    field."""

    def __init__(self, package: str, old: dict, new: dict) -> None:
        self.package, self.old, self.new = package, old, new


def write(path: str, changes: list[PinChange]) -> None:
    """Makes all `changes` in the file `path` or none; raises SpmError, also if the pins have changed meanwhile."""
    path = os.path.realpath(path)  # a symbolic link is kept
    try:
        with _locked(os.path.dirname(path)):
            with open(path, "rb") as file:
                text = file.read().decode()
            changed = apply(text, changes, path)
            _check(changed, path)
            _replace(path, changed.encode())
    except OSError as error:
        raise system_error(f"writing {path}", error) from None


def _check(text: str, path: str) -> None:
    try:
        manifests.parse(text, path)
    except SpmError as error:
        raise SpmError(f"the new pins make packages.json invalid: {error.what}", "look at them with --dry-run") from None


def apply(text: str, changes: list[PinChange], path: str = "packages.json") -> str:
    """The text of packages.json with the changes in it."""
    spans: dict[tuple[int, int, str], int] = {}  # (begin, end, new text) -> its number, as more may begin at one place
    document = json.loads(text)
    for change in changes:
        for index in _indexes(document, change, path):
            begin, _ = span(text, ("packages", change.package, "artifacts", index))
            for name, value in change.new.items():
                spans.setdefault(_edit(text, begin, name, value), len(spans))
    for begin, end, value in sorted(spans, key=lambda each: (each[:2], spans[each]), reverse=True):
        text = text[:begin] + value + text[end:]
    return text


def _indexes(document: dict, change: PinChange, path: str) -> list[int]:
    """The artifact's indexes in its package: several if its parts are unpacked to different places."""
    artifacts = document["packages"].get(change.package, {}).get("artifacts", [])
    found = [
        index
        for index, artifact in enumerate(artifacts)
        if all(artifact.get(name) == value for name, value in change.old.items())
    ]
    if not found:
        raise SpmError(
            f"{path}: packages.{change.package}: expected the artifact {change.old['path']}, found that another program has "
            "changed it meanwhile",
            f"python3 make.py spm update {change.package}",
        )
    return found


def _edit(text: str, begin: int, name: str, value: object) -> tuple[int, int, str]:
    """(begin, end, new text) that sets or removes a field of the object at `begin`, which has at least two fields.

    A new field comes last, with the layout of the field before it; a removed field takes its comma along."""
    fields = list(_members(text, begin, json.JSONDecoder().raw_decode))
    for number, (each, at, end) in enumerate(fields):
        if each == name and value is not None:
            return at, end, json.dumps(value)
        if each == name and number:
            return fields[number - 1][2], end, ""
        if each == name:
            return _skip(text, begin + 1), _next_name(text, end), ""
    if value is None:
        return end, end, ""
    before = fields[-2][2]
    name_at = _next_name(text, before)
    name_end = scanstring(text, name_at + 1)[1]
    return end, end, text[before:name_at] + json.dumps(name) + text[name_end:at] + json.dumps(value)


def _next_name(text: str, end: int) -> int:
    """The position of the next field's name after the value that ends at `end`."""
    return _skip(text, _skip(text, end) + 1)  # the comma


def span(text: str, place: tuple) -> tuple[int, int]:
    """(begin, end) of the value at `place` (names and indexes from the top) in a JSON text."""
    decode = json.JSONDecoder().raw_decode
    at = _skip(text, 0)
    for step in place:
        for name, begin, end in _members(text, at, decode):
            if name == step:
                at = begin
                break
        else:
            raise KeyError(step)
    return at, decode(text, at)[1]


def _members(text: str, at: int, decode: Callable) -> Iterator[tuple[int | str, int, int]]:
    """(name or index, begin and end of the value) of each member of the object or list that begins at `at`."""
    is_object, closing = text[at] == "{", "}" if text[at] == "{" else "]"
    at, index = _skip(text, at + 1), 0
    while text[at] != closing:
        name = index
        if is_object:
            name, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)  # the colon
        end = decode(text, at)[1]
        yield name, at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1


def _skip(text: str, at: int) -> int:
    return WHITESPACE.match(text, at).end()


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Prevents other runs from writing in `folder`. The file itself cannot be locked, because it is replaced."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # a network file system may not support locks on folders
            lock.wait_for(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(path: str, data: bytes) -> None:
    atomic.replace(path, data, os.stat(path).st_mode & 0o7777)  # people edit this file: a power cut must not lose it
