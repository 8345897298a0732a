import random
import unittest

from harness.spm.archives.links import LinkResolver
from harness.spm.archives.tree import DryRunTree
from harness.spm.errors import Refused

LENGTHS = (41, 400, 100_000)
RANDOM_TREES = 3000


def chain(length: int, end: str) -> dict[str, str]:
    """Links l0 -> l1 -> ... of which the last leads to `end`."""
    return {f"l{n}": f"l{n + 1}" for n in range(length - 1)} | {f"l{length - 1}": end}


def outward(targets: dict[str, str], fold=str) -> list[str]:
    links = LinkResolver(targets, fold)
    return [path for path in targets if links.lead_out(path)]


def parts(targets: dict[str, str]) -> int:
    return sum(target.count("/") + 1 for target in targets.values())


def followed(targets: dict[str, str], path: str, most: int) -> bool:
    """Whether a link leads out within so many links, told as plainly as can be."""
    at, ahead = path.split("/")[:-1], targets[path].split("/")[::-1]
    while ahead:
        part = ahead.pop()
        if part == "..":
            if not at:
                return True
            at.pop()
        elif part != ".":
            at.append(part)
            if target := targets.get("/".join(at)):
                most -= 1
                if not most:
                    return False
                at.pop()
                ahead += target.split("/")[::-1]
    return False


class LinksTest(unittest.TestCase):
    def test_a_chain_of_any_length_leads_where_its_end_does(self) -> None:
        for length in LENGTHS:
            targets = {"d/up": ".."} | chain(length, "d/up/..")
            self.assertEqual(outward(targets), [path for path in targets if path != "d/up"], length)
            self.assertEqual(outward({"d/up": ".."} | chain(length, "d/up/d")), [], length)

    def test_the_order_of_a_chain_makes_no_difference(self) -> None:
        for length in LENGTHS:
            targets = dict(reversed(chain(length, "..").items()))
            self.assertEqual(len(outward(targets)), length)

    def test_a_tree_with_a_long_chain_out_is_refused(self) -> None:
        for length in LENGTHS:
            for end, refused in (("d/up/..", "the link l0 -> l1 leads out of the package"), ("d/up/d", "")):
                tree = DryRunTree()
                tree.folder("d", 0)
                for path, target in ({"d/up": ".."} | chain(length, end)).items():
                    tree.link(path, target, 0)
                try:
                    tree.seal()
                    found = ""
                except Refused as error:
                    found = error.what
                self.assertEqual(found, refused, length)

    def test_what_goes_round_leads_nowhere(self) -> None:
        for targets in (
            {"a": "a"},
            {"a": "b", "b": "a"},
            {"a": "a/b"},
            {"a": "a/../../.."},
            {"a": "b/x/../../..", "b": "a/y"},
            {"d/a": "../e/b", "e/b": "../d/a/.."},
            {"a": "b/../..", "b": "b"},
        ):
            self.assertEqual(outward(targets), [], targets)
        self.assertEqual(outward({"a": "../a"}), ["a"])  # out before it would go round
        self.assertEqual(outward({"a": "b", "b": "a", "c": "d/..", "d": "."}), ["c"])

    def test_every_target_is_gone_through_once(self) -> None:
        count = 20_000
        doubling = {f"l{n}": f"l{n + 1}/l{n + 1}" for n in range(count)} | {f"l{count}": "."}
        growing = {f"l{n}": f"l{n + 1}/x" for n in range(count)}
        for targets in (doubling, growing, chain(count, "."), {"a": "a/b"}):
            links = LinkResolver(targets)
            self.assertFalse(any(links.lead_out(path) for path in targets))
            self.assertLessEqual(links.steps, parts(targets))
        self.assertEqual(outward(doubling | {"d/up": "..", "e": "l0/d/up/.."}), ["e"])

    def test_what_comes_back_out_of_nothing_is_followed_on(self) -> None:
        for targets, expected in (
            ({"e": "none/at/../../d", "d": ".."}, ["e", "d"]),
            ({"e": "none/../../x"}, ["e"]),
            ({"d/e": "none/../../x"}, []),
            ({"e": "d/..", "d": "x/y"}, []),
            ({"e": "d/../../..", "d": "x/y"}, ["e"]),
        ):
            self.assertEqual(outward(targets), expected, targets)

    def test_a_target_in_other_letters_is_followed_where_they_may_be_the_same(self) -> None:
        targets = {"x/y/e": "D/..", "x/y/d": "../.."}
        self.assertEqual((outward(targets), outward(targets, str.lower)), ([], ["x/y/e"]))

    def test_random_links_lead_where_a_plain_walk_does(self) -> None:
        chance = random.Random(3)
        folders, words = ("", "a/", "a/b/", "c/"), ("..", ".", "a", "b", "c", "x", "y", "z", "n")
        out = 0
        for number in range(RANDOM_TREES):
            targets = {}
            for _ in range(chance.randint(1, 6)):
                path = chance.choice(folders) + chance.choice("xyz")
                targets[path] = "/".join(chance.choices(words, k=chance.randint(1, 5)))
            found = outward(targets)
            self.assertEqual(found, [path for path in targets if followed(targets, path, 3000)], (number, targets))
            out += bool(found)
        self.assertTrue(RANDOM_TREES / 10 < out < RANDOM_TREES * 9 / 10, out)


if __name__ == "__main__":
    unittest.main()
