"""What one package states about its licence, whatever file it is in."""

from __future__ import annotations

import re

from harness.spm.sbom import copyright_file, expressions, licence_names, licence_texts
from harness.spm.sbom.statement import Licence, reference


def of_files(texts: dict[str, str]) -> Licence:
    """The licence of a package with these licence files; all of them apply."""
    found = [copyright_file.parse(text) or _of_text(path, text) for path, text in sorted(texts.items()) if text.strip()]
    extracted = {ref: said for each in found for ref, said in each.extracted.items()}
    notices = {notice for each in found for notice in each.notices}
    return Licence(expressions.all_of(each.expression for each in found), dict(sorted(extracted.items())), sorted(notices))


def _of_text(path: str, text: str) -> Licence:
    parts = path.split("/")
    stem = re.sub(r"\.(txt|md|rst)$", "", parts[-1])
    if len(parts) > 1 and parts[-2].lower() == "licenses" and stem in licence_names.KNOWN:
        return Licence(stem)  # the folder LICENSES has one text for each identifier, under its name
    if known := licence_texts.recognised(text):
        return Licence(known)
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    ref = reference(parts[-1], text)
    return Licence(ref, {ref: (parts[-1], text)})
