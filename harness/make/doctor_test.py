import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from harness.make import doctor, paths
from harness.make.console import MakeError


class Doctor(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def test_unreadable_pins_are_a_failed_check_and_the_bundle_is_written(self) -> None:
        pins, bundle = f"{self.folder}/packages.json", f"{self.folder}/bundle.tar.gz"
        paths.write_if_changed(pins, "{")
        output = io.StringIO()
        with mock.patch.multiple(paths, PACKAGES=pins, BUILD=f"{self.folder}/build"), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(doctor.main(["--bundle", bundle, "--yes"]), 1)
        self.assertRegex(output.getvalue(), rf"\nFAIL  packages +{pins}: line 1 column \d+: expected JSON, .*\n      do: ")
        self.assertTrue(os.path.exists(bundle))

    def test_a_bundle_that_cannot_be_written_is_refused_before_any_check(self) -> None:
        for path, what in (("", "expected a file, found nothing"), (self.folder, "expected a file, found a folder"),
                           (f"{self.folder}/no/a.tgz",
                            f"expected a file in an existing folder, found no folder '{self.folder}/no'")):
            with self.assertRaises(MakeError) as caught:
                doctor.main(["--bundle", path])
            self.assertEqual((caught.exception.what, caught.exception.status), (f"--bundle: {what}", 2))

    def test_the_store_s_disk_is_checked_too(self) -> None:
        asked = []
        free = mock.Mock(free=1)
        with mock.patch("shutil.disk_usage", side_effect=lambda path: asked.append(path) or free), \
                mock.patch.dict(os.environ, SPM_STORE=f"{self.folder}/deep/er"):
            checks = [doctor._disk(), doctor._store_disk()]
        self.assertEqual(asked, [paths.ROOT, self.folder])
        self.assertEqual([check.good for check in checks], [False, False])


if __name__ == "__main__":
    unittest.main()
