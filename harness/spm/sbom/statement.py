"""What a file or a package states about its licence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable


class Licence:
    """`expression` is SPDX's, '' if nothing is known; `extracted` maps its LicenseRefs to (name, text); `notices` are the
    copyright notices."""

    def __init__(
        self, expression: str, extracted: dict[str, tuple[str, str]] | None = None, notices: Iterable[str] = ()
    ) -> None:
        self.expression, self.extracted, self.notices = expression, extracted or {}, list(notices)


def reference(name: str, text: str) -> str:
    """The LicenseRef of a text: the same text has the same one in every document."""
    safe = re.sub("[^A-Za-z0-9.-]+", "-", name)[:60].strip("-.") or "text"
    return f"LicenseRef-{safe}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
