"""The store is in the user's cache, else where this user may write and others may not."""

import os
import tempfile
import unittest
from unittest import mock

from harness.spm import settings


class DefaultStore(unittest.TestCase):
    def store(self, *writable: str) -> str:
        """The default store where only these folders can be written, and home is a folder that cannot."""
        fallback = mock.patch.object(settings, "_fallback", side_effect=lambda folder: folder)
        with mock.patch.dict(os.environ, {"HOME": "/nothing/home"}), fallback, \
                mock.patch.object(settings, "_writable", side_effect=lambda folder: folder.startswith(writable)):
            os.environ.pop("XDG_CACHE_HOME", None)
            return settings.default_store()

    def test_it_is_in_the_home_else_in_the_machines_folder_else_in_the_checkout(self) -> None:
        own = f"/var/tmp/spm-{os.getuid()}"
        self.assertEqual(self.store("/nothing/home", "/var/tmp", settings.ROOT), "/nothing/home/.cache/spm")
        self.assertEqual(self.store("/var/tmp", settings.ROOT), own)
        self.assertEqual(self.store(settings.ROOT), f"{settings.ROOT}/build/store")
        self.assertEqual(self.store("/nowhere"), own)  # whose error says what to set

    def test_a_folder_of_another_user_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch("os.getuid", return_value=os.getuid() + 1), \
                self.assertRaises(settings.SpmError) as caught:
            settings._fallback(folder)
        self.assertEqual(caught.exception.what, f"no writable home, and {folder} belongs to another user")


if __name__ == "__main__":
    unittest.main()
