"""What README says in figures is what the files that it speaks of say."""

import glob
import json
import os
import re
import tempfile
import unittest

from harness.make import build, paths
from harness.spm import api


def readme() -> str:
    with open(os.path.join(paths.ROOT, "README.md"), encoding="utf-8") as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_the_button_fetches_as_much_as_it_says(self) -> None:
        found = re.search(r"It fetches (\d+) MB of\s+pinned artifacts", readme())
        self.assertIsNotNone(found)
        with tempfile.TemporaryDirectory() as new:
            _, size = api.pending(build.groups_of(build.BuildOptions()), quiet=True, store=os.path.join(new, "store"),
                                  lib=os.path.join(new, "lib"), packages=paths.PACKAGES)
        assert found
        self.assertEqual(int(found[1]), round(size / 1e6))

    def test_it_names_author_and_year_of_every_article_with_figures(self) -> None:
        text = readme()
        for pattern in ("results/published/*.json", "variants/*/articles/*.json"):
            for name in sorted(glob.glob(os.path.join(paths.ROOT, pattern))):
                with open(name, encoding="utf-8") as file:
                    source = json.load(file)["source"]
                author = source["author"].split(",")[0]
                self.assertRegex(text, rf"{author}, \*[^*]+\*\s\({source['year']}\)", name)


if __name__ == "__main__":
    unittest.main()
