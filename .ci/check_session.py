#!/usr/bin/env python3
"""Checks the files of one run of `make.py`: the report, its plots, the result and the atlas. Prints their counts."""

import csv
import glob
import json
import os
import re
import subprocess
import sys
from typing import NoReturn

IMAGE_ROWS = 169
MOST_FIRST, MOST_BYTES = 1_500_000, 4_000_000  # of the first page and of any other


def fail(sentence: str) -> NoReturn:
    sys.exit(f"check_session: error: {sentence}")


def check_questions() -> None:
    """Every question of a family is about benchmarks that there are."""
    listed = subprocess.run([sys.executable, "make.py", "list", "--json"], check=True, capture_output=True, text=True)
    benchmarks = {one["benchmark"] for one in json.loads(listed.stdout)}
    workloads = {(name.split("/")[0], name.split("/")[2]) for name in benchmarks}
    for path in glob.glob("variants/*/family.json"):
        family = path.split(os.sep)[1]
        for question in json.load(open(path, encoding="utf-8")).get("questions", []):
            missing = [name for name in question["workloads"] if (family, name) not in workloads]
            missing += [f"{variant}/{name}" for variant in question.get("between", []) for name in question["workloads"]
                        if f"{family}/{variant}/{name}" not in benchmarks]
            if missing:
                fail(f"{path}: '{question['question']}' asks of {missing}, which there are not")


def main(report: str) -> None:
    folder = os.path.dirname(report)
    for page in sorted(glob.glob(os.path.join(folder, "*.html"))):
        html, most = open(page, encoding="utf-8").read(), MOST_FIRST if page == report else MOST_BYTES
        if len(html.encode()) > most:
            fail(f"{page}: expected at most {most} bytes, found {len(html.encode())}")
        print(f"{page}: {len(html.encode())} bytes", file=sys.stderr)
        loads = re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=[\"']?(https?:)?//", html)
        if loads:
            fail(f"{page} loads {len(loads)} things from the network")
    plots = sorted(glob.glob(os.path.join(folder, "*.svg")))
    if not plots:
        fail(f"no SVG in the folder of {report}")
    for plot in plots:
        marks = len(re.findall(r"<(?:path|rect|line|circle)\b", open(plot, encoding="utf-8").read()))
        if marks < 10:
            fail(f"{plot}: an empty plot, {marks} marks")
    if not os.path.exists(os.path.join(folder, "summary.md")):
        fail(f"no summary.md in the folder of {report}")

    newest = max((path for path in glob.glob("results/*/*.json")
                  if path.split(os.sep)[1] not in ("published", "reference")), key=os.path.getmtime)
    result = json.load(open(newest, encoding="utf-8"))
    state = result["session"]["state"]
    if state not in ("complete", "out of time") or result["failures"]:
        fail(f"{newest}: state {state}, failures {result['failures']}")
    processes: dict[str, int] = {}
    for entry in result["benchmarks"]:
        processes[entry["run_name"]] = processes.get(entry["run_name"], 0) + 1
    # On a machine that is too slow for the mode, the state is "out of time" and the result holds what was finished.
    few = {name: count for name, count in processes.items() if count < 6 and state == "complete"}
    if few or not processes:
        fail(f"{newest}: expected at least 6 processes for an interval, found {few or 'none'}")

    layouts: dict[str, set[int]] = {}
    for entry in result["benchmarks"]:
        layouts.setdefault(f"{entry['run_name']} in {entry['arm']}", set()).add(entry["layout"])
    narrow = {name: found for name, found in layouts.items() if 0 in found or (len(found) < 4 and state == "complete")}
    if narrow:
        fail(f"{newest}: expected processes of each benchmark in four layouts, found {narrow}")

    check_questions()
    columns = glob.glob(os.path.join(os.path.dirname(newest), "atlas", "*", "images.csv"))
    for column in columns:
        rows = list(csv.DictReader(open(column, encoding="utf-8")))
        if len(rows) != IMAGE_ROWS:
            fail(f"{column}: expected {IMAGE_ROWS} rows, found {len(rows)}")
    if not columns:
        fail("no driver answered; expected at least the pinned lavapipe")
    print(f"check_session: {len(plots)} plots, {len(processes)} benchmarks of at least {min(processes.values())} "
          f"processes, {len(columns)} driver columns; {state}", file=sys.stderr)


if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit("usage: .ci/check_session.py REPORT\n" + str(__doc__))
main(sys.argv[1])
