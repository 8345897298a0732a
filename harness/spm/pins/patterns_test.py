import unittest

from harness.spm.pins.patterns import KeepFilter

# pattern, paths it chooses, paths it leaves
TABLE = [
    ("usr/bin/cmake", ["usr/bin/cmake"], ["usr/bin/cmake2", "usr/bin", "usr/bin/cmake/x", "xusr/bin/cmake"]),
    ("usr/*.so*", ["usr/a.so", "usr/.so", "usr/a.so.1.2"], ["usr/lib/a.so", "usr/so", "usr/aso"]),
    ("usr/**", ["usr/a", "usr/a/b/c", "usr/a\nb"], ["usr", "usrx/a"]),
    ("**/x.h", ["x.h", "a/x.h", "a/b/x.h"], ["ax.h", "a/bx.h"]),
    ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
    ("a**b", ["ab", "axb", "a/x/b"], ["a/bx"]),
    ("**", ["a", "a/b"], []),
    ("a?c", ["abc"], ["a/c", "ac", "abbc"]),
    ("g++-12", ["g++-12"], ["g+-12", "ggg-12"]),
    ("a[b].(c)|d", ["a[b].(c)|d"], ["ab.c", "d"]),
]


class KeepTest(unittest.TestCase):
    def test_each_pattern_chooses_what_it_says(self) -> None:
        for pattern, chosen, left in TABLE:
            with self.subTest(pattern=pattern):
                self.assertEqual([path for path in chosen if not KeepFilter([pattern])(path)], [])
                self.assertEqual([path for path in left if KeepFilter([pattern])(path)], [])

    def test_what_is_left_out_is_left_out_whatever_else_chooses_it(self) -> None:
        for patterns, chosen, left in (
            (["!a/**"], ["a", "b/a/c"], ["a/b", "a/b/c"]),
            (["a/**", "!a/b"], ["a/c", "a/b/c"], ["a/b", "c"]),
            (["!a/*", "a/b", "**/x"], ["c/x", "a/y/x"], ["a/b", "a/x", "c"]),
        ):
            keep = KeepFilter(patterns)
            self.assertEqual([path for path in [*chosen, *left] if keep(path)], chosen)

    def test_no_pattern_chooses_everything(self) -> None:
        self.assertTrue(KeepFilter([])("any/thing"))
        self.assertFalse(KeepFilter([]).satisfied())

    def test_it_knows_which_patterns_have_chosen_nothing(self) -> None:
        keep = KeepFilter(["a/*", "a/b", "c"])
        keep("a/b")
        self.assertEqual(keep.idle(), ["c"])

    def test_a_pattern_that_leaves_nothing_out_is_idle_too(self) -> None:
        keep = KeepFilter(["a/*", "!a/b", "!c"])
        keep("a/b")
        self.assertEqual(keep.idle(), ["a/*", "!c"])
        self.assertTrue(keep("a/d"))
        self.assertEqual(keep.idle(), ["!c"])

    def test_only_plain_paths_can_be_satisfied(self) -> None:
        plain, wild, rest = KeepFilter(["a", "b"]), KeepFilter(["a", "b*"]), KeepFilter(["!b"])
        for keep in (plain, wild, rest):
            keep("a")
            self.assertFalse(keep.satisfied())
            keep("b")
        self.assertTrue(plain.satisfied())
        self.assertFalse(wild.satisfied())
        self.assertFalse(rest.satisfied())


if __name__ == "__main__":
    unittest.main()
