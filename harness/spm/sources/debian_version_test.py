import itertools
import shutil
import subprocess
import unittest

from harness.spm.sources import debian_version

# Every version is below the next; those of one row are equal.
ORDER = [
    ["0~~"],
    ["0~"],
    ["0", "0-0", "00", "0:0"],
    ["0-0.1"],
    ["0.0~1"],
    ["1.0~~"],
    ["1.0~beta1~svn1245"],
    ["1.0~beta1"],
    ["1.0", "1.0-0", "1.00", "01.0"],
    ["1.0-1~bpo12+1"],
    ["1.0-1"],
    ["1.0-1+b1"],
    ["1.0-1+b10"],
    ["1.0-1+deb12u1"],
    ["1.0-1+deb12u2"],
    ["1.0-1.1"],
    ["1.0-2"],
    ["1.0-10"],
    ["1.0a-1"],
    ["1.0+dfsg-1"],
    ["1.0+dfsg1-1"],
    ["1.0-1-1"],  # the revision is what follows the last dash
    ["1.0.1-1"],
    ["1.2.13-1"],
    ["1.10-1"],
    ["2025.04.26-1"],
    ["20221030-2"],
    ["1:0.1"],
    ["1:0.1-1"],
    ["2:0"],
    ["10:0"],
]
PARTS = [
    ("1", ("", "1", "")),
    ("4:12.2.0-3", ("4", "12.2.0", "3")),
    ("5.28.0+ds+~cs5.3.0-1", ("", "5.28.0+ds+~cs5.3.0", "1")),
    ("3.1-20221030-2", ("", "3.1-20221030", "2")),
]


class DebianVersionTest(unittest.TestCase):
    def test_each_version_is_in_its_place(self) -> None:
        rows = [[debian_version.key(each) for each in row] for row in ORDER]
        for (low, row), (high, other) in itertools.combinations(enumerate(rows), 2):
            with self.subTest(low=ORDER[low], high=ORDER[high]):
                self.assertTrue(all(a < b for a in row for b in other))
        for row in rows:
            self.assertEqual(len(set(row)), 1)

    @unittest.skipUnless(shutil.which("dpkg"), "needs dpkg")
    def test_dpkg_agrees(self) -> None:
        claims = [(row[0], "lt", after[0]) for row, after in zip(ORDER, ORDER[1:])]
        claims += [(row[0], "eq", each) for row in ORDER for each in row[1:]]
        script = 'while read -r a op b; do dpkg --compare-versions "$a" "$op" "$b" || echo "$a $op $b"; done'
        lines = "".join(f"{a} {op} {b}\n" for a, op, b in claims)
        refuted = subprocess.run(["sh", "-c", script], input=lines, capture_output=True, text=True, check=True)
        self.assertEqual(refuted.stdout, "")

    def test_a_version_has_three_parts(self) -> None:
        for version, expected in PARTS:
            self.assertEqual(debian_version.split(version), expected)


if __name__ == "__main__":
    unittest.main()
