"""What README says in figures is what the files that it speaks of say."""

import glob
import json
import math
import os
import re
import tempfile
import unittest
from collections.abc import Callable, Sequence

from harness.make import build, paths, toolchain
from harness.make.simulated_devices import GROUP as SIMULATED
from harness.spm import api
from harness.spm.store import prune


def readme() -> str:
    with open(os.path.join(paths.ROOT, "README.md"), encoding="utf-8") as file:
        return file.read()


def constant(file: str, name: str) -> float:
    """The value of a constant of C++ or Python: a number, or a product of two."""
    with open(os.path.join(paths.ROOT, file), encoding="utf-8") as opened:
        found = re.search(rf"\b{name}(?:\{{\}})? = ([^;#\n]+)", opened.read())
    assert found, f"{file} has no {name}"
    return math.prod(float(factor.replace("**9", "e9")) for factor in re.split(r" \* (?!\*)", found[1].replace("10**9", "1e9")))


def simulated_devices() -> list[str]:
    """The chips of the simulated devices, one for each column."""
    with open(os.path.join(paths.ROOT, "harness/probe/simulated_devices.json"), encoding="utf-8") as file:
        return [device["chip"] for driver in json.load(file)["drivers"] for device in driver.get("devices", ())]


def articles() -> list[dict[str, str]]:
    """The source of every file of articles."""
    sources = []
    for pattern in ("results/published/*.json", "variants/*/articles/*.json"):
        for name in sorted(glob.glob(os.path.join(paths.ROOT, pattern))):
            with open(name, encoding="utf-8") as file:
                sources.append(json.load(file)["source"])
    return sources


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(number: float) -> str:
    return WORDS[round(number)]


def percent(share: float) -> str:
    return f"{100 * share:g} %"


FIGURES: list[tuple[str, Callable[[], str]]] = [
    # (README's text with a figure, as a pattern with one group; the figure)
    (r"with glibc (\S+) ", lambda: ".".join(map(str, toolchain.OLDEST_LIBC))),
    (r"and Python (\S+), and nothing else", lambda: required_python()),
    (r"It fetches (\d+) MB of\s+pinned artifacts", lambda: megabytes(build.groups_of(build.BuildOptions()))),
    (r"spm install-group simulated-devices` \((\d+) MB\)", lambda: megabytes((SIMULATED,))),
    (r"does not have: (\d+) columns of", lambda: str(len(simulated_devices()))),
    (r"columns of (\d+) chips", lambda: str(len(set(simulated_devices())))),
    (r"It repeats what (\w+)\s+well-known texts claimed", lambda: in_words(len(titles()))),
    (r"the errors in all (\w+)\.", lambda: in_words(len(titles()))),
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
    r"\(20\d\d\)|\bpart \d\b|Adventures 3\b",  # articles
    r"`[^`]*`|\]\([^)]*\)",  # commands, names and links
    r"io7m|x86-64|A/A|Debian 12 and 13|Debian 1\d|SHA-256|\bS3\b|Vulkan \d",  # names
    r"(?i)(exit )?status \d|\bends? with \d\b|^- \d: |\b1 is a crash or a wrong answer|\b4 is an unfit",  # exit statuses
    r"requests of 0 bytes",
)
"""Numbers that were not counted or measured."""


def kept(name: str) -> float:
    return constant("harness/stats/change_points.h", name)


def titles() -> set[str]:
    return {source["title"] for source in articles()}


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


class Readme(unittest.TestCase):
    maxDiff = None

    def test_every_figure_is_what_this_commit_has(self) -> None:
        for pattern, figure in FIGURES:
            found = re.search(pattern, readme())
            with self.subTest(pattern):
                self.assertIsNotNone(found)
                assert found
                self.assertEqual(found[1], figure())

    def test_there_is_no_other_figure(self) -> None:
        text = re.sub(r"^```.*?^```", "", readme(), flags=re.M | re.S)
        for pattern, _ in FIGURES:
            if found := re.search(pattern, text):
                text = text[:found.start(1)] + text[found.end(1):]
        for pattern in NO_FIGURES:
            text = re.sub(pattern, "", text, flags=re.M)
        self.assertEqual(re.findall(r"^.*\d.*$", text, re.M), [])

    def test_it_names_author_and_year_of_every_article_with_figures(self) -> None:
        text = readme()
        for source in articles():
            author = source["author"].split(",")[0]
            self.assertRegex(text, rf"{author}, \*[^*]+\*\s\({source['year']}\)", source["title"])

    def test_an_article_that_is_called_by_its_number_is_the_one_of_that_place_in_the_list(self) -> None:
        listed = re.findall(r"^- (.+), \*", readme().split("## Two commands")[0], re.M)
        self.assertEqual(len(listed), len(titles()))
        ordinals = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
        for ordinal, link in re.findall(r"\[(\w+) article's\]\(variants/(\w+)/README.md\)", readme()):
            name, = glob.glob(os.path.join(paths.ROOT, "variants", link, "articles", "*.json"))
            with open(name, encoding="utf-8") as file:
                author = json.load(file)["source"]["author"].split(",")[0]
            self.assertEqual(listed[ordinals.index(ordinal)], author)


if __name__ == "__main__":
    unittest.main()
