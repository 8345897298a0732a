#!/usr/bin/env python3
"""Checks that one variant of a result failed the given conformance check and has no numbers, while others have some."""

import json
import sys


def main(path: str, variant: str, check: str) -> None:
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    failed = [failure["detail"] for failure in result["failures"]
              if failure["benchmark"] == variant and failure["kind"] == "conformance"]
    measured = {entry["run_name"].rsplit("/", 1)[0] for entry in result["benchmarks"]}
    if not any(detail.startswith(f"{check}: ") for detail in failed):
        sys.exit(f"check_failure: error: {variant}: expected a failure of '{check}', found {failed}")
    if variant in measured or not measured:
        sys.exit(f"check_failure: error: expected numbers for other variants than {variant}, found {sorted(measured)}")
    print(f"check_failure: {variant}: {'; '.join(failed)}", file=sys.stderr)


main(*sys.argv[1:])
