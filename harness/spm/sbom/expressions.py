"""SPDX licence expressions: built from parts, and read.

An expression is a text; the precedence is WITH, AND, OR."""

import re
from collections.abc import Iterable

from harness.spm.sbom.licence_names import DEPRECATED, KNOWN, KNOWN_EXCEPTIONS

NOASSERTION = "NOASSERTION"
_TOKENS = re.compile(r"\s*([()]|[^\s()]+)").findall
_REFERENCE = re.compile(r"LicenseRef-[A-Za-z0-9.-]+").fullmatch


def all_of(parts: Iterable[str]) -> str:
    """The expression under which all of `parts` apply, each named once, in a fixed order; '' for none."""
    found: set[str] = set()
    for each in parts:
        found.update(_split(each, "AND") if " OR " not in _outer(each) else [each])
    found.discard("")
    return " AND ".join(f"({each})" if " OR " in _outer(each) and len(found) > 1 else each for each in sorted(found, key=_order))


def any_of(parts: Iterable[str]) -> str:
    """The expression that lets one choose among `parts`."""
    found: set[str] = set()
    for each in parts:
        found.update(_split(each, "OR"))
    found.discard("")
    return " OR ".join(sorted(found, key=_order))


def normal(text: str) -> str:
    """An expression of known identifiers and LicenseRefs in its usual form, '' for any other text. Identifiers that SPDX
    has replaced are replaced."""
    tokens = _TOKENS(text)
    tokens.append("")
    at = 0

    def take() -> str:
        nonlocal at
        at += 1
        return tokens[at - 1]

    def choice() -> str:
        parts = [both()]
        while tokens[at].upper() == "OR":
            take()
            parts.append(both())
        return " OR ".join(parts)

    def both() -> str:
        parts = [one()]
        while tokens[at].upper() == "AND":
            take()
            parts.append(one())
        return " AND ".join(f"({each})" if " OR " in _outer(each) and len(parts) > 1 else each for each in parts)

    def one() -> str:
        token = take()
        if token == "(":
            inner = choice()
            if take() != ")":
                raise ValueError
            return inner
        token = DEPRECATED.get(token, token)
        if token not in KNOWN and not _REFERENCE(token):
            raise ValueError
        if tokens[at].upper() == "WITH":
            take()
            exception = take()
            if exception not in KNOWN_EXCEPTIONS:
                raise ValueError
            return f"{token} WITH {exception}"
        return token

    try:
        found = choice()
        return found if at == len(tokens) - 1 else ""
    except (ValueError, IndexError, RecursionError):
        return ""


def references(expression: str) -> list[str]:
    """The LicenseRefs of an expression."""
    return sorted({each for each in _TOKENS(expression) if _REFERENCE(each)})


def is_identifier(expression: str) -> bool:
    """Whether the expression is one identifier of SPDX's list."""
    return expression in KNOWN


def _order(text: str) -> tuple[str, str]:
    return text.lower(), text


def _outer(expression: str) -> str:
    """The expression without what stands in brackets."""
    out, depth = [], 0
    for each in expression:
        depth += each == "("
        if not depth:
            out.append(each)
        depth -= each == ")"
    return "".join(out)


def _split(expression: str, operator: str) -> list[str]:
    """The operands of an expression's outermost `operator`, without their brackets where they need none."""
    parts, depth, last = [], 0, 0
    for found in re.finditer(rf"[()]| {operator} ", expression):
        if found[0] in "()":
            depth += 1 if found[0] == "(" else -1
        elif not depth:
            parts.append(expression[last : found.start()])
            last = found.end()
    parts.append(expression[last:])
    return [each[1:-1] if each.startswith("(") and _outer(each) == "" else each for each in parts]
