"""Words that mean one thing each, in code, help and documents (HACKING.md, Glossary)."""

import glob
import os
import re
import unittest

from harness.make import paths

ALARMS = {
    "harness/stats/change_points.cpp", "harness/stats/change_points.h", "harness/judge/changes.cpp",
    "harness/judge/changes.h", "harness/judge/history.cpp", "harness/report/history.cpp", "harness/cli/changepoints.cpp",
    "harness/judge/farm.cpp", "harness/judge/farm.h", "harness/report/farm_text.cpp",
    "harness/judge/detector_memory.cpp",
}
"""Where "confidence" is that of an alarm."""

NOT_CONFIDENCE = (
    r'"Confidence intervals [^"]*',  # the title of an article
    r"`?--confidence\b`?",  # the option of bisect, a probability
    r"`confidence` is another quantity",
)


def sources() -> list[str]:
    found = []
    for kind in ("cpp", "h", "md", "js"):
        found += glob.glob(os.path.join(paths.ROOT, "harness", "**", f"*.{kind}"), recursive=True)
    names = sorted(os.path.relpath(name, paths.ROOT) for name in found)
    return [name for name in names if not re.search(r"_test\.|/testdata/|harness/spm/|sample_test", name)]


def text_of(name: str) -> str:
    with open(os.path.join(paths.ROOT, name), encoding="utf-8") as file:
        return file.read()


class Words(unittest.TestCase):
    def test_confidence_is_that_of_an_alarm(self) -> None:
        # Those of the search for a culprit call the probability that it needs by the name of its option.
        search = re.compile(r"harness/(app|cli|simulate|stats)/(bisect|culprit)")
        for name in sources():
            if name in ALARMS or search.match(name) or name == "harness/docs/formats.md":
                continue
            text = text_of(name)
            for pattern in NOT_CONFIDENCE:
                text = re.sub(pattern, "", text)
            with self.subTest(name):
                self.assertEqual(re.findall(r"(?i).*confidence.*", text), [])

    def test_nothing_would_have_been_seen(self) -> None:
        for name in sources():
            with self.subTest(name):
                self.assertEqual(re.findall(r".*would\s+have\s+(?:been\s+)?seen.*", text_of(name)), [])


if __name__ == "__main__":
    unittest.main()
