"""Finds names of the standard library, of fmt and of boost::json in files that do not include their header, themselves or
through a header of ours. The fast compiles forgive that, because their precompiled headers have it
(harness/cmake/precompiled.cmake); other builds fail."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

_NAMES = {
    "fmt::": {"fmt/format.h": r"\w+"},
    "boost::json::": {"boost/json.hpp": r"(?!value\s*[&*])\w+"},
    "std::": {
        "algorithm": r"(?:stable_)?sort|find_if|(?:any|all|none)_of|(?:max|min)_element|nth_element|(?:lower|upper)_bound|"
                     r"ranges::(?:sort|find|find_if|any_of|all_of|none_of|max|min|copy)",
        "array": "array", "atomic": r"atomic\w*", "chrono": "chrono",
        "cmath": r"sqrt|pow|log2?|log10|exp|fabs|ceil|floor|l?l?round|hypot|isnan|isfinite|isinf|trunc|cos|sin|tan|erfc?|lgamma",
        "filesystem": "filesystem", "fstream": "[io]?fstream", "functional": "function", "map": "(?:multi)?map",
        "memory": "unique_ptr|shared_ptr|make_unique|make_shared",
        "mutex": "mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once",
        "numeric": "accumulate|iota|reduce|gcd|lcm|inner_product|partial_sum|transform_reduce|midpoint",
        "optional": "optional|nullopt", "set": "(?:multi)?set", "span": "span", "sstream": "[io]?stringstream",
        "string": "string", "string_view": "string_view", "thread": "jthread|thread|this_thread",
        "variant": "variant|visit|holds_alternative", "vector": "vector"}}
"""By namespace and header: a pattern of names."""

_USES = [(re.compile(rf"(?<![\w:]){namespace}(?:{names})\b"), header)
         for namespace, headers in _NAMES.items() for header, names in headers.items()]

_PARTS = {"fmt/format.h": "fmt/", "boost/json.hpp": "boost/json"}
"""Libraries of which any header will do."""

_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)
_INCLUDE = re.compile(r'^#include (?:<([^>]+)>|"([^"]+)")', re.M)


def findings(names: Iterable[str], read: Callable[[str], str | None]) -> list[str]:
    """One line for each name without its header: the first of each header in each of the C++ files `names`. `read` gives the
    text of a file of the checkout, None if there is none."""
    texts: dict[str, str | None] = {}

    def text_of(name: str) -> str | None:
        if name not in texts:
            texts[name] = read(name)
        return texts[name]

    found = []
    for name in names:
        code = _NOT_CODE.sub(lambda part: "\n" * part[0].count("\n"), text_of(name) or "")
        headers = _headers_of(name, text_of)
        for pattern, header in _USES:
            use = pattern.search(code)
            if not use or header in headers or header in _PARTS and any(each.startswith(_PARTS[header]) for each in headers):
                continue
            line = code.count("\n", 0, use.start()) + 1
            found.append(f"{name}:{line}: {use[0]} without #include <{header}>")
    return found


def _headers_of(name: str, text_of: Callable[[str], str | None]) -> set[str]:
    """The headers in angle brackets that a file includes, also through files of the checkout."""
    seen, left, headers = set(), [name], set()
    while left:
        each = left.pop()
        if each in seen:
            continue
        seen.add(each)
        for angled, quoted in _INCLUDE.findall(text_of(each) or ""):
            headers.add(angled)
            left += [path for path in (quoted, os.path.join(os.path.dirname(each), quoted)) if quoted]
    return headers - {""}
