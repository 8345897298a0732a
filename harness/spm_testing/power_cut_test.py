"""Power cuts during and after an install, on file systems of their own."""

import contextlib
import io
import unittest

from harness.spm_testing import power_cut


@unittest.skipIf(power_cut.missing_requirement(), f"a power cut {power_cut.missing_requirement()}")
class PowerCutTest(unittest.TestCase):
    def cut(self, *arguments: str) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = power_cut.main(list(arguments))
        self.assertEqual(status, 0, out.getvalue())

    def test_ext4(self) -> None:
        self.cut("--file-system", "ext4", "--during", "6", "--after", "0,4", "--packages", "12")

    def test_xfs(self) -> None:
        self.cut("--file-system", "xfs", "--during", "4", "--after", "0", "--packages", "12")


if __name__ == "__main__":
    unittest.main()
