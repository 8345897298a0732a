"""Makes the reference anew: results/reference and reports/reference, the finished report that README shows.

    python3 -m harness.make.reference [--budget SECONDS] [--rest SECONDS] [--result FILE]...

It builds, measures a session of the core workloads and of what else has time, one of what waited, and one of what the
claims without a verdict ask for then, such as exact figures that the first two had no time for; writes the pages of all,
and the figures in README. Where its control could have found nothing in a family, a session gives no times of it, and the
pages say so. The files of the reference are replaced at
the end, and only by sessions of commits without changes in which nothing failed and some time is judged. Stop what
else runs on the machine first. --result takes sessions of one machine that were measured before, in any order; times
of workloads that have a newer version now are left out, and named."""

from __future__ import annotations

import argparse
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from harness.make import paths
from harness.make.packed_page import packed
from harness.make.console import MakeError, print_error, print_line

LARGEST_PLAIN = 200_000
"""Bytes of a page that is kept as it is."""

LEFT_OUT = ("All figures as tables", "Unsupported pairs")
"""Sections of the kept summary, which would otherwise be too long for a web site to show. The pages have them."""

RESULTS = "results/reference"
REPORT = "reports/reference"
MEASURED = "results/for_reference"

LAST_PROCESSES = 7
"""Of each benchmark in the last session: for an interval, and for all exact figures."""

BUDGET_S = 2160
"""Of the first session."""

REST_S = 3600
"""Of the second, which has the longest workloads."""


def files() -> list[str]:
    """The paths of the reference results, the newest first."""
    return sorted(glob.glob(os.path.join(paths.ROOT, RESULTS, "*.json")), reverse=True)


def load(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            result: dict[str, Any] = json.load(file)
    except (OSError, ValueError) as error:
        if path.endswith(".zst"):
            raise MakeError(f"{path}: expected a result as run wrote it, found a packed one",
                            "python3 make.py results unpack --results DIR") from error
        raise MakeError(f"{path}: {error}", "--result takes the file of a session as run wrote it; the reference is as it was")
    return result


def measured_in(result: dict[str, Any]) -> set[str]:
    """The names of head's benchmarks."""
    return {process["name"].split(":")[0] for process in result["benchmarks"] if process["arm"] == "head"}


def _versions(result: dict[str, Any]) -> dict[str, int]:
    """The version of each of head's workloads that has times."""
    head, = (arm for arm in result["arms"] if arm["name"] == "head")
    timed = {_workload(name) for name in measured_in(result)}
    return {workload: version for workload, version in head["versions"].items() if workload in timed}


def _workload(benchmark: str) -> str:
    family, _, workload = benchmark.split("/", 2)
    return f"{family}/{workload}"


def _versions_now(listed: list[dict[str, Any]]) -> dict[str, int]:
    return {_workload(each["benchmark"]): each["version"] for each in listed}


def without_superseded(text: str, listed: list[dict[str, Any]]) -> str:
    """A session's file without times of workloads that have a newer version now, since that says that the older measured
    something else; the report says that they wait. Other lines stay as they are. `listed`: of `list --json`. MakeError if a
    process is not a line of its own, as `run` writes it."""
    result, now = json.loads(text), _versions_now(listed)
    old = {workload for workload, version in _versions(result).items() if now.get(workload, version) != version}
    if not old:
        return text
    waits = sorted(name for name in measured_in(result) if _workload(name) in old)
    session = result["session"]
    session["waiting"] += [{"benchmark": name, "process_seconds": None} for name in waits]
    kept: list[str] = []
    for line in text.splitlines():
        process = re.match(r' {4}\{"name":"([^":]+)[^"]*","run_name":', line)
        if process and _workload(process[1]) in old:
            continue
        if line.startswith('  "session": '):
            line = f'  "session": {json.dumps(session, separators=(",", ":"))},'
        if line.startswith("  ]"):
            kept[-1] = kept[-1].removesuffix(",")
        kept.append(line)
    left = "\n".join(kept) + "\n"
    if old & set(_versions(json.loads(left))):
        raise MakeError("expected a session's file with one process a line, found another form",
                        "give --result the file as run wrote it; the reference is as it was")
    for workload in sorted(old):
        print_line(f"left out, because it has version {now[workload]} now: {workload}")
    return left


def lacks(results: list[dict[str, Any]], listed: list[dict[str, Any]]) -> list[str]:
    """Why the reference is out of date, a sentence each. `listed`: of `list --json`, of this build."""
    measured = {name for result in results for name in measured_in(result)}
    known: dict[str, int] = {}  # the version of each workload
    for result in reversed(results):
        known |= _versions(result)
    sentences = []
    for family in sorted({each["benchmark"].split("/")[0] for each in listed}):
        if not any(name.startswith(f"{family}/") for name in measured):
            sentences.append(f"the family {family} is missing")
            continue
        now = {workload: version for workload, version in _versions_now(listed).items() if workload.startswith(f"{family}/")}
        sentences += [f"{workload} has version {version}, the reference has {known[workload]}"
                      for workload, version in sorted(now.items()) if known.get(workload, version) != version]
        core = {each["benchmark"].split("/", 2)[2] for each in listed
                if each["core"] and each["benchmark"].startswith(f"{family}/") and not each.get("unsupported")}
        sentences += [f"the core workload {family}/{workload} is missing" for workload in sorted(core)
                      if not any(name.startswith(f"{family}/") and name.endswith(f"/{workload}") for name in measured)]
    return sentences


def refusal(result: dict[str, Any]) -> str:
    """Why a session cannot be the reference, whatever its times; "" if it can. That a benchmark takes too long is a finding;
    a crash is none."""
    if result["source"]["state"] != "clean":
        return f"expected a session of a commit without changes, found '{result['source']['state']}' sources"
    failed = sorted({failure["benchmark"] for failure in result["failures"] if failure["kind"] != "timeout"})
    return f"expected a session without failures, found {len(failed)}: {', '.join(failed[:3])}" if failed else ""


def _run(*words: str, statuses: tuple[int, ...] = (0,), environment: dict[str, str] | None = None) -> None:
    done = subprocess.run([sys.executable, "make.py", *words], cwd=paths.ROOT, check=False,
                          env={**os.environ, **(environment or {})})
    if done.returncode not in statuses:
        raise MakeError(f"python3 make.py {words[0]} ended with status {done.returncode}; the reference is as it was", "")


def _listed() -> list[dict[str, Any]]:
    done = subprocess.run([sys.executable, "make.py", "list", "--json"], cwd=paths.ROOT, check=False,
                          stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise MakeError(f"python3 make.py list ended with status {done.returncode}; the reference is as it was", "")
    listed: list[dict[str, Any]] = json.loads(done.stdout)
    return listed


def waiting(result: dict[str, Any]) -> list[str]:
    """The filters that select what the session had no time for."""
    parts = (each["benchmark"].split("/", 2) for each in result["session"]["waiting"])
    return sorted({f"{family}/*/{workload}" for family, _, workload in parts})


def _measured(budget: float, rest: float) -> list[str]:
    """Measures into MEASURED, from where an hour's work can still be taken if the pages cannot be made."""
    folder = os.path.join(paths.ROOT, MEASURED)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    _run("build")
    first, second = (os.path.join(folder, name) for name in ("first.json", "second.json"))
    # 1 is a failure, which refusal() tells from a timeout; 4 an unfit session, which the report of both decides.
    _run("run", "--budget", f"{budget:g}", "--out", first, statuses=(0, 1, 4))
    left = waiting(load(first))
    if not left:
        return [first]
    filters = [word for each in left for word in ("--filter", each)]
    _run("run", "--budget", f"{rest:g}", *filters, "--out", second, statuses=(0, 1, 4))
    with tempfile.TemporaryDirectory() as made:
        with open(os.path.join(_report([first, second], made)[1], "summary.md"), encoding="utf-8") as file:
            asked = asked_for(file.read())
    if not asked:
        return [first, second]
    third = os.path.join(folder, "third.json")
    _run("run", "--processes", f"{LAST_PROCESSES}", *[word for each in asked for word in ("--filter", each)], "--out", third,
         statuses=(0, 1, 4))
    return [first, second, third]


def asked_for(summary: str) -> list[str]:
    """The filters of the commands which a report names for its claims without a verdict."""
    commands: list[str] = re.findall(r"make\.py run((?: --filter '[^']+')+)", summary)
    return sorted({each for command in commands for each in re.findall(r"--filter '([^']+)'", command)})


def renamed(text: str, exhibits: str, to: str) -> str:
    """A session's file whose exhibits lie in the folder `to`, which was `exhibits`; both beside their file."""
    before, after = (json.dumps(os.path.basename(folder) + "/")[:-1] for folder in (exhibits, to))
    return text.replace(f'"file":{before}', f'"file":{after}')


def _report(sessions: list[str], folder: str) -> tuple[str, str]:
    """The pages of these sessions: where their results lie together in `folder`, as a machine's, and the pages."""
    results, pages = os.path.join(folder, "results"), os.path.join(folder, "pages")
    loaded = [(path, load(path)) for path in sessions]
    # The report puts together the results of a machine's folder, with the drivers' answers beside them.
    machine = os.path.join(results, loaded[0][1]["machine"]["id"])
    shutil.copytree(os.path.join(paths.ROOT, RESULTS, "atlas"), os.path.join(machine, "atlas"))
    listed = _listed()
    for path, result in loaded:
        stem = os.path.join(machine, result["session"]["id"])
        exhibits, kept_exhibits = f"{os.path.splitext(path)[0]}.exhibits", f"{stem}.exhibits"
        with open(path, encoding="utf-8") as file, open(f"{stem}.json", "w", encoding="utf-8") as kept:
            kept.write(renamed(without_superseded(file.read(), listed), exhibits, kept_exhibits))
        if os.path.isdir(exhibits):
            shutil.copytree(exhibits, kept_exhibits)
    # By its folder, because it may be another machine than this. The status is 4 if no time can be judged.
    _run("report", machine, "--out", pages, environment={"LAB_RESULTS": results})
    shutil.rmtree(os.path.join(machine, "state"), ignore_errors=True)
    return machine, pages


def _kept_plots(folder: str, readme: str) -> dict[str, tuple[str, str]]:
    """The plots that are kept as files, each with its title and its page: the first of each page, and README's."""
    wanted = set(re.findall(rf"\({re.escape(REPORT)}/([^)]+)\.svg\)", readme))
    plots: dict[str, tuple[str, str]] = {}
    for page in sorted(set(paths.globbed("*.html", folder)) - {"history.html"}):
        with open(os.path.join(folder, page), encoding="utf-8") as file:
            found = re.findall(r'<figure[^>]* data-chart="([^"]+)".*?<strong>(.*?)\s*(?:<a |</strong>)', file.read(), re.S)
        for number, (name, title) in enumerate(found):
            if (number == 0 or name in wanted) and os.path.isfile(os.path.join(folder, f"{name}.svg")):
                plots[f"{name}.svg"] = (html.unescape(re.sub(r"<[^>]+>", "", title)).strip(), page)
    return plots


def shrink(folder: str, readme: str) -> None:
    """Makes the pages small enough to keep: large ones are compressed, and of the plots as files a gallery is left."""
    plots = _kept_plots(folder, readme)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.endswith(".html"):
            with open(path, encoding="utf-8") as file:
                page = file.read()
            # The table of all drivers' answers can be written again from results/reference.
            page = re.sub(r'<a href="[^"]*\.csv"[^>]*>(.*?)</a>', r"\1, which <code>python3 make.py report</code> writes", page)
            with open(path, "w", encoding="utf-8") as file:
                file.write(packed(page) if len(page) > LARGEST_PLAIN else page)
        elif name.endswith((".svg", ".png", ".csv")) and name not in plots:
            os.unlink(path)
    path = os.path.join(folder, "summary.md")
    with open(path, encoding="utf-8") as file:
        summary = file.read()
    with open(path, "w", encoding="utf-8") as file:
        for title in LEFT_OUT:
            summary = re.sub(rf"^(#+) {title}\n.*?(?=^#{{1,3}} |\Z)", "", summary, flags=re.M | re.S)
        summary = re.sub(r"\[([^]]+\.csv)\]\(\1\)", r"\1, which `python3 make.py report` writes", summary)
        file.write(re.sub(r"^!\[.*\]\((.*)\)\n\n?", lambda plot: plot[0] if plot[1] in plots else "", summary, flags=re.M))
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("# The reference\nA finished report. Clone the repository and open `index.html`, which needs no server; its "
                   "larger pages are compressed\nand need scripts. [summary.md](summary.md) has the figures as text. One "
                   "plot of each page:\n")
        for name, (title, page) in plots.items():
            file.write(f"\n**{title}** ([{page}]({page}))\n\n![{title}]({name})\n")


def _replace(made: str, folder: str) -> None:
    """Puts the folder `made` where `folder` is in the checkout."""
    place = os.path.join(paths.ROOT, folder)
    shutil.rmtree(place)
    shutil.copytree(made, place)


def make(budget: float, rest: float, given: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sessions = [(path, load(path)) for path in given or _measured(budget, rest)]
        for path, result in sessions:
            if why := refusal(result):
                raise MakeError(f"{path}: {why}", "measure again, on a quiet machine, after a commit; the reference is as it was")
        if len({result["machine"]["id"] for _, result in sessions}) > 1:
            raise MakeError("expected sessions of one machine, found several", "give --result files of one machine")
        machine, pages = _report([path for path, _ in sessions], folder)
        with open(os.path.join(paths.ROOT, "README.md"), encoding="utf-8") as file:
            shrink(pages, file.read())
        _replace(machine, RESULTS)
        _replace(pages, REPORT)
    subprocess.run([sys.executable, "-m", "harness.make.readme_test", "--write"], cwd=paths.ROOT, check=True)
    print_line(f"{RESULTS} and {REPORT}/index.html are made; look at both before you commit them")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m harness.make.reference", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="seconds of the first session (default: %(default)d)")
    parser.add_argument("--rest", type=float, default=REST_S, help="seconds of the second (default: %(default)d)")
    parser.add_argument("--result", metavar="FILE", action="append", help="a session that was measured before")
    given = parser.parse_args()
    try:
        make(given.budget, given.rest, given.result or [])
        if not given.result:
            shutil.rmtree(os.path.join(paths.ROOT, MEASURED))
    except MakeError as error:
        print_error(error)
        kept = [] if given.result else paths.globbed(f"{MEASURED}/*.json")
        if kept:
            print_line("what was measured is kept: " + " ".join(f"--result {name}" for name in kept))
        sys.exit(error.status)


if __name__ == "__main__":
    main()
