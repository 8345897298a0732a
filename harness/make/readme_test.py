"""What README and the guide say in figures is what the files that they speak of say, and their links lead somewhere.

`python3 -m harness.make.readme_test --write` writes README anew: its figures, its plot's title and its list of articles.
"""

import fnmatch
import functools
import json
import math
import os
import re
import statistics
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness.make import build, doctor, paths
from harness.make.simulated_devices import GROUP as SIMULATED
from harness.spm import api
from harness.spm.store import prune

README, GUIDE, SPM = "README.md", "harness/docs/guide.md", "harness/spm/README.md"
REPORT = "reports/reference"
"""The report of the reference result."""


def text_of(name: str) -> str:
    with open(os.path.join(paths.ROOT, name), encoding="utf-8") as file:
        return file.read()


def constant(file: str, name: str) -> float:
    """The value of a constant of C++ or Python: a number, or a product of two."""
    found = re.search(rf"\b{name}(?:\{{\}})? = ([^;#\n]+)", text_of(file))
    assert found, f"{file} has no {name}"
    return math.prod(float(factor.replace("**9", "e9")) for factor in re.split(r" \* (?!\*)", found[1].replace("10**9", "1e9")))


def simulated_devices() -> list[str]:
    """The chips of the simulated devices, one for each column."""
    drivers = json.loads(text_of("harness/probe/simulated_devices.json"))["drivers"]
    return [device["chip"] for driver in drivers for device in driver.get("devices", ())]


def articles() -> list[dict[str, Any]]:
    """Every file of articles."""
    names = [name for pattern in ("results/published/*.json", "variants/*/articles/*.json")
             for name in paths.globbed(pattern)]
    return [json.loads(text_of(name)) for name in names]


def listed_articles() -> list[str]:
    """README's line for each article, the oldest first. Two families may share one."""
    sources = sorted((one["source"] for one in articles()), key=lambda source: (source["year"], source["title"]))
    return list(dict.fromkeys(f"- [{source['title']}]({source['address']}), {source['author']}, {source['year']}"
                              for source in sources))


def buckets() -> dict[str, Any]:
    """The article of README's question."""
    found, = (one for one in articles() if one["source"]["author"].startswith("Stefan Reinalter"))
    return found


def published(variant: str) -> float:
    """The article's time to add a command."""
    found, = (row["values"]["add"] for row in buckets()["table"] if variant in row["variants"])
    assert isinstance(found, float)
    return found


@functools.cache
def reference(*globs: str) -> dict[str, Any]:
    """The newest reference result that has all these benchmarks."""
    for name in reversed(paths.globbed("results/reference/*.json")):
        result: dict[str, Any] = json.loads(text_of(name))
        if all(fnmatch.filter((process["run_name"] for process in result["benchmarks"]), each) for each in globs):
            return result
    raise AssertionError(f"no reference result has {' and '.join(globs)}")


def ratio(over: str, under: str, phase: str) -> float:
    """The time of one benchmark by that of another: the median over the blocks of the reference result."""
    medians: dict[str, dict[int, float]] = {over: {}, under: {}}
    for process in reference(over, under)["benchmarks"]:
        for each, blocks in medians.items():
            if process["arm"] == "head" and fnmatch.fnmatch(process["run_name"], each):
                blocks[process["block"]] = statistics.median(process["samples"][phase])
    logarithms = [math.log(medians[over][block] / medians[under][block]) for block in medians[over].keys() & medians[under]]
    return math.exp(statistics.median(logarithms))


def interval(median: float) -> tuple[str, str]:
    """What the reference report says of a ratio with this median: harness/stats alone computes intervals."""
    found = re.search(rf"\b{re.escape(f'{median:#.3g}')}(?: \(| \| )(\d[\d.]*) to (\d[\d.]*)", text_of(f"{REPORT}/summary.md"))
    assert found, f"{REPORT}/summary.md has no ratio of {median:#.3g}: is it the report of the reference result?"
    return f"{float(found[1]):.2f}", f"{float(found[2]):.2f}"


def atomic_by_malloc() -> float:
    """How many times as fast the atomic linear allocator is as malloc, at adding on all threads."""
    return ratio("*/v3_mt_new/frame_work", "*/v4_mt_linear_atomic/frame_work", "add")


def plot_title(plot: str) -> str:
    """The title of a plot of the reference report, as its summary has it."""
    found = re.search(rf"^!\[(.*)\]\({re.escape(plot)}\)$", text_of(f"{REPORT}/summary.md"), re.M)
    assert found, f"{REPORT}/summary.md has no {plot}"
    return found[1].replace("\\", "")


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(number: float) -> str:
    return WORDS[round(number)]


def percent(share: float) -> str:
    return f"{100 * share:g} %"


def length(name: str) -> float:
    """Minutes that a session of this name measures."""
    found = re.search(rf'"{name}", (\d+),', text_of("harness/measure/plan.cpp"))
    assert found
    return int(found[1]) / 60


FIGURES: list[tuple[str, Callable[[], str]]] = [
    # (the text with a figure, as a pattern with one group; the figure)
    (r"An article of (\d+) says", lambda: str(buckets()["source"]["year"])),
    (r"with (\w+)\s+threads, \d", lambda: in_words(int(buckets()["machine"].split(" worker threads")[0].split()[-1]))),
    (r"threads, (\S+) times as fast at adding",
     lambda: f"{published('v3_mt_new') / published('v4_mt_linear_atomic'):.2f}"),
    (r"With (\w+) threads on our reference machine",
     lambda: in_words(reference("*/v4_mt_linear_atomic/frame_work")["machine"]["logical_cores"])),
    (r"reference machine it is (\S+) times as", lambda: f"{atomic_by_malloc():.2f}"),
    (r"\(95 % interval (\S+) to", lambda: interval(atomic_by_malloc())[0]),
    (r"\(95 % interval \S+ to (\S+)\)", lambda: interval(atomic_by_malloc())[1]),
    (r"the core workloads: (\d+) minutes", lambda: f"{length('quick'):g}"),
    (r"everything: (\d+) minutes", lambda: f"{length('default'):g}"),
    (r"\*\*Disk\*\*: (\S+) GB in", lambda: f"{doctor.NEEDED_BYTES / 1e9:g}"),
    (r"and Python (\S+), and nothing else", lambda: required_python()),
    (r"(\d+) MB of\s+pinned artifacts", lambda: megabytes(build.groups_of(build.BuildOptions()))),
    (r"It fetches Python \((\d+) MB\)", lambda: megabytes(("starter",))),
    (r"spm install-group simulated-devices` \((\d+) MB\)", lambda: megabytes((SIMULATED,))),
    (r"does\s+not\s+have: (\d+) columns of", lambda: str(len(simulated_devices()))),
    (r"columns of (\d+) chips", lambda: str(len(set(simulated_devices())))),
    (r"repeats what (\w+)\s+well-known texts", lambda: in_words(len(listed_articles()))),
    (r"the errors in all (\w+)\.", lambda: in_words(len(listed_articles()))),
    (r"allocations where that is ([\d,]+) or less",
     lambda: f"{constant('harness/probe/memory/limit_part.cpp', 'kMostTried'):,.0f}"),
    (r"A difference below `--threshold` \(([^)]+)\)",
     lambda: percent(constant("harness/judge/comparison.h", "kThreshold"))),
    (r"in less\s+than `--alpha` \(([^)]+)\)", lambda: percent(constant("harness/stats/strata.h", "kAlpha"))),
    (r"because (\w+) layouts\s+tell little", lambda: in_words(constant("harness/measure/code_layouts.h", "kLayouts"))),
    (r"is linked in (\w+) random layouts", lambda: in_words(constant("harness/measure/code_layouts.h", "kLayouts"))),
    (r"could not have detected (\d+ %)",
     lambda: percent(constant("harness/judge/fitness.h", "kMaxDetectableChange"))),
    (r"on the next nights, (\w+) at most", lambda: in_words(constant("harness/judge/alarms.h", "kMostTries"))),
    (r"the level of their last (\w+) nights", lambda: in_words(constant("harness/judge/night.h", "kRecent"))),
    (r"A benchmark needs (\d+) nights of one seed", lambda: f"{kept('kFewest') + kept('kPlain'):g}"),
    (r"within its first (\d+) nights raises no alarm", lambda: f"{kept('kFewest'):g}"),
    (r"within the last (\d+) nights may not", lambda: f"{kept('kPlain') - 1:g}"),
    (r"keeps (\d+) days and", lambda: f"{prune.OLDER_THAN_S / 86400:g}"),
    (r"days and (\d+) GB by default", lambda: f"{prune.MAX_BYTES / 1e9:g}"),
]

NO_FIGURES = (
    r"`[^`]*`|\]\([^)]*\)",  # commands, names and links
    r"io7m|x86-64|A/A|Debian 12 and 13|Debian 1\d|SHA-256|\bS3\b|Vulkan \d",  # names
    r"\(95 % interval|(?i:(exit )?status \d)|\bends?\s+with\s+\d\b|^- \d: |\b1 is a crash or a wrong answer|\b4 is an unfit",  # exit statuses
    r"requests of 0 bytes",
)
"""Numbers that were not counted or measured."""


def kept(name: str) -> float:
    return constant("harness/stats/change_points.h", name)


def required_python() -> str:
    with open(os.path.join(paths.ROOT, "make.py"), encoding="utf-8") as file:
        found = re.search(r"version_info < \((\d+), (\d+)\)", file.read())
    assert found
    return f"{found[1]}.{found[2]}"


def megabytes(groups: Sequence[str]) -> str:
    """What is fetched for the groups into an empty store."""
    with tempfile.TemporaryDirectory() as new:
        _, size = api.pending(groups, quiet=True, store=os.path.join(new, "store"), lib=os.path.join(new, "lib"),
                              packages=paths.PACKAGES)
    return str(round(size / 1e6))


def figures(name: str) -> Iterator[tuple[str, re.Match[str], Callable[[], str]]]:
    """The figures that a document has, of those in the table."""
    text = text_of(name)
    for pattern, figure in FIGURES:
        if found := re.search(pattern, text):
            yield pattern, found, figure


def image(text: str) -> re.Match[str]:
    """README's plot."""
    found = re.search(rf"!\[([^\]]*)\]\({REPORT}/([^)]+)\)", text)
    assert found, f"README shows no plot of {REPORT}"
    return found


def article_lines(text: str) -> re.Match[str]:
    """README's list of articles."""
    found = re.search(r"(?<=## The articles\n)(?:- .*\n)*", text)
    assert found, "README has no list of articles"
    return found


def write() -> None:
    """Writes README's figures, its plot's title and its list of articles."""
    changes = [(*found.span(1), figure()) for _, found, figure in figures(README)]
    text = text_of(README)
    plot, lines = image(text), article_lines(text)
    changes += [(*plot.span(1), plot_title(plot[2])), (*lines.span(), "".join(f"{line}\n" for line in listed_articles()))]
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    paths.write_if_changed(os.path.join(paths.ROOT, README), text)


def anchors(text: str) -> set[str]:
    """The ids that GitHub gives headings."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    titles = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.+)$", plain, re.M))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def documents() -> list[str]:
    found = [name for pattern in ("*.md", ".ci/*.md", "harness/**/*.md", "variants/**/*.md", "results/**/*.md")
             for name in paths.globbed(pattern)]
    return sorted(name for name in found if "/rivals/" not in name and "/testdata/" not in name)


def broken_links(name: str) -> list[str]:
    """The links of a document to files, folders and headings that do not exist."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text_of(name), flags=re.M | re.S)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if re.match(r"https?://", link):
            continue
        if not os.path.exists(os.path.join(paths.ROOT, target)) or anchor and anchor not in anchors(text_of(target)):
            broken.append(link)
    return broken


class Readme(unittest.TestCase):
    maxDiff = None

    def test_every_figure_is_what_this_commit_has(self) -> None:
        seen = set()
        for name in (README, GUIDE, SPM):
            for pattern, found, figure in figures(name):
                seen.add(pattern)
                with self.subTest(f"{name}: {pattern}"):
                    self.assertEqual(found[1], figure())
        self.assertEqual(seen, {pattern for pattern, _ in FIGURES})

    def test_there_is_no_other_figure(self) -> None:
        for name in (README, GUIDE):
            text = text_of(name)
            for start, end in sorted((found.span(1) for _, found, _ in figures(name)), reverse=True):
                text = text[:start] + text[end:]
            text = re.sub(r"^```.*?^```|^!\[[^\]]*\]", "", text, flags=re.M | re.S)
            text = text.replace(article_lines(text)[0], "") if name == README else text
            for pattern in NO_FIGURES:
                text = re.sub(pattern, "", text, flags=re.M)
            with self.subTest(name):
                self.assertEqual(re.findall(r"^.*\d.*$", text, re.M), [])

    def test_its_finding_is_one(self) -> None:
        self.assertGreater(published("v3_mt_new"), published("v4_mt_linear_atomic"))
        self.assertLess(float(interval(atomic_by_malloc())[1]), 1, "no longer refuted: README needs another question")

    def test_it_lists_exactly_the_articles_that_are_data(self) -> None:
        self.assertEqual(article_lines(text_of(README))[0].splitlines(), listed_articles())

    def test_its_plot_has_the_title_of_the_reference_report(self) -> None:
        plot = image(text_of(README))
        self.assertEqual(plot[1], plot_title(plot[2]))

    def test_a_reader_sees_the_plot_and_both_commands_before_line_25(self) -> None:
        lines = text_of(README).splitlines()
        self.assertLess(len(lines), 120)
        start = "\n".join(lines[:25])
        image(start)
        for command in ("git clone", "python3 make.py --quick", "python3 make.py "):
            self.assertIn(f"\n{command}", start)


class Links(unittest.TestCase):
    def test_each_leads_to_a_file_or_a_heading(self) -> None:
        named = set(re.findall(r"\]\(variants/(\w+)/", text_of("variants/README.md"))) | {"allocator"}
        if not any(os.path.isdir(os.path.join(paths.ROOT, "variants", family)) for family in named):
            self.skipTest("the families have other names here")
        for name in documents():
            with self.subTest(name):
                self.assertEqual(broken_links(name), [])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
