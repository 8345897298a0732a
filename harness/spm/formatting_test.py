import unittest

from harness.spm import formatting
from harness.spm.errors import SpmError


class WordsTest(unittest.TestCase):
    def test_sizes_and_times_read_well(self) -> None:
        sizes = {
            0: "0 B",
            999: "999 B",
            1000: "1.0 kB",
            99_949: "99.9 kB",
            134_996: "135 kB",
            999_600: "1.0 MB",
            163_000_000: "163 MB",
            2_500_000_000: "2.5 GB",
            4_000_000_000_000: "4000 GB",
        }
        self.assertEqual({size: formatting.size(size) for size in sizes}, sizes)
        times = {0.04: "0.0 s", 9.94: "9.9 s", 12: "12 s", 61: "1 min 01 s", 3600: "1 h 00 min", 7390: "2 h 03 min"}
        self.assertEqual({time: formatting.seconds(time) for time in times}, times)
        ages = {0: "0 s", 59: "59 s", 61: "1 m", 7300: "2 h", 86400 * 3: "3 d", 86400 * 15: "2 w"}
        self.assertEqual({time: formatting.age(time) for time in ages}, ages)

    def test_sizes_and_ages_are_understood(self) -> None:
        sizes = {"0": 0, "10GB": 10**10, "500MB": 5 * 10**8, "1.5 GiB": 3 << 29, "2k": 2000, "7b": 7, "1G": 10**9}
        self.assertEqual({text: formatting.parse_size(text, "--x") for text in sizes}, sizes)
        ages = {"30d": 30 * 86400, "12h": 43200, "0d": 0, "1.5m": 90, "10s": 10, "2w": 14 * 86400}
        self.assertEqual({text: formatting.parse_age(text, "--x") for text in ages}, ages)

    def test_anything_else_is_not(self) -> None:
        for text in ("", "GB", "-1GB", "10XB", "1e9", "10 G B", "1ib"):
            with self.subTest(text), self.assertRaisesRegex(
                SpmError, "^--x: expected a size like 10GB or 500MB, found "
            ):
                formatting.parse_size(text, "--x")
        for text in ("", "30", "d", "-1d", "30 days", "1y"):
            with self.subTest(text), self.assertRaisesRegex(SpmError, "^--x: expected an age like 30d or 12h, found "):
                formatting.parse_age(text, "--x")


if __name__ == "__main__":
    unittest.main()
