#!/usr/bin/env python3
"""usage: .ci/check_bundle.py RESULT OTHER: the result OTHER of a bundle has the origin and the exact values of RESULT, a
checkout's; both by the same seed and filters."""

import json
import sys
from typing import Any, NoReturn


def fail(sentence: str) -> NoReturn:
    sys.exit(f"check_bundle: error: {sentence}")


def read(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    return content


def exact(result: dict[str, Any]) -> dict[tuple[str, str], set[Any]]:
    """The values of each benchmark's fields that its processes, each in another layout, may agree on."""
    values: dict[tuple[str, str], set[Any]] = {}
    for one in result["benchmarks"]:
        for name, value in {"checksum": one["checksum"], "operations": one["operations"], **one["counters"]}.items():
            if name != "page_faults":  # of the C library's start too
                values.setdefault((one["name"], name), set()).add(value)
    return values


def main(own: str, other: str) -> None:
    mine, theirs = read(own), read(other)
    for name in ("source", "pins", "build"):
        if mine[name] != theirs[name]:
            fail(f"{other}: expected the checkout's {name} {mine[name]}, found {theirs[name]}")
    if not theirs["source"]["commit"]:
        fail(f"{other}: expected a commit")
    arms = {arm["name"]: arm["executables"] for arm in mine["arms"]}
    for arm in theirs["arms"]:
        if arm["executables"] != arms.get(arm["name"]):
            fail(f"{other}: expected the checkout's executables in the arm {arm['name']}")
    layouts = {one["layout"] for one in theirs["benchmarks"]}
    if layouts != set(range(1, 9)):
        fail(f"{other}: expected layouts 1 to 8, found {sorted(layouts)}")
    if theirs["failures"]:
        fail(f"{other}: expected no failure, found {theirs['failures']}")
    expected, found = exact(mine), exact(theirs)
    agreed = [key for key in sorted(expected) if len(expected[key]) == 1]
    wrong = [key for key in agreed if found.get(key) != expected[key]]
    if wrong or len(agreed) < 40:
        fail(f"{other}: expected at least 40 values on which all processes agree, found {len(agreed)}, of which other: {wrong}")
    print(f"check_bundle: {theirs['facts']['libc']} on {theirs['facts']['distribution']}: {len(agreed)} exact values are the "
          f"checkout's, {len(layouts)} layouts", file=sys.stderr)


main(*sys.argv[1:])
