"""usage: new_family_check.py RESULT REPORT HISTORY COMPARISON
Checks what .ci/new_family measured of the made-up family `sketch`: that each thing a family may say reached the result,
the comparison, the history and the report."""

import json
import pathlib
import sys


def problems(result: dict, page: str, histories: list[dict], comparison: dict) -> list[str]:
    """What is missing, a sentence each."""
    found = []

    def expect(what: str, condition: bool) -> None:
        if not condition:
            found.append(what)

    processes = {process["name"]: process for process in result["benchmarks"]}
    sweep = processes.get("sketch/blocks/sizes", {})
    expect("no point of the sweep", [point["at"] for point in sweep.get("points", [])] == [16, 64, 256])
    error = processes.get("sketch/blocks/disc", {}).get("counters", {}).get("error", 0)
    expect(f"expected an error within the tolerance, found {error}", 0 < error <= 0.2)
    expect("the reference is not exact", processes["sketch/exact/disc"]["counters"]["error"] == 0)
    kinds = {exhibit["kind"] for exhibit in result["exhibits"]}
    expect(f"expected all kinds of exhibits, found {sorted(kinds)}", len(kinds) == 4)
    rows = {row["benchmark"] for row in comparison["rows"]}
    expect("compare has no row of the quality metric", "sketch/blocks/disc:sharpness" in rows)
    series = {history["benchmark"] for history in histories}
    expect("history has no series of the quality metric", "sketch/blocks/disc:sharpness" in series)
    for what in ("Sketches", "3 published claims", "sketch-sizes-sweep", "sketch-disc-stroke", "sketch-disc-ink",
                 "sketch-disc-picture", "sketch-disc-strokes", "pictures-sketch-The-disc-of-each-variant", "figure-sketch-cost", "reproduced", "Time of a disc"):
        expect(f"the report lacks '{what}'", what in page)
    return found


def main(argv: list[str]) -> int:
    result, page, histories, comparison = [pathlib.Path(path).read_text() for path in argv]
    found = problems(json.loads(result), page, [json.loads(line) for line in histories.splitlines()],
                     json.loads(comparison))
    for problem in found:
        print(f"new_family: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
