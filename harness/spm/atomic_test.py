import os
import tempfile
import unittest

from harness.spm.atomic import write_file


class AtomicFile(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_only_a_file_is_replaced(self) -> None:
        pipe = f"{self.folder}/pipe"
        os.mkfifo(pipe)
        os.symlink("pipe", f"{self.folder}/link")
        for path, found in ((pipe, "a pipe"), (f"{self.folder}/link", "a pipe"), (self.folder, "a folder"),
                            ("/dev/full", "a device")):
            with self.subTest(path), self.assertRaises(OSError) as caught:
                write_file(path, "text")
            self.assertEqual((caught.exception.strerror, caught.exception.filename), (f"expected a file, found {found}", path))
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "pipe"])

    def test_a_link_stays_and_its_file_is_replaced(self) -> None:
        os.mkdir(f"{self.folder}/real")
        os.symlink("real/file", f"{self.folder}/link")  # the file is made by the first write
        for text in ("one", "two"):
            write_file(f"{self.folder}/link", text)
            with open(f"{self.folder}/real/file", encoding="utf-8") as file:
                self.assertEqual(file.read(), text)
        self.assertEqual(os.readlink(f"{self.folder}/link"), "real/file")
        self.assertEqual(os.listdir(f"{self.folder}/real"), ["file"])


if __name__ == "__main__":
    unittest.main()
