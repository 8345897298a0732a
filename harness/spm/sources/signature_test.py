import os
import tempfile
import unittest
from unittest import mock

from harness.spm.errors import SpmError
from harness.spm.sources import signature

class KeyringsTest(unittest.TestCase):
    def test_debians_keys_are_taken_but_what_it_has_withdrawn(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("keyring.gpg", "removed-keys.gpg", "trixie.asc", "trixie.gpg~"):
                open(f"{folder}/debian-archive-{name}", "w").close()
            with mock.patch.object(signature, "_PLACES", (f"{folder}/debian-archive-*",)):
                names = [os.path.basename(path) for path in signature.keyrings()]
        self.assertEqual(names, ["debian-archive-keyring.gpg", "debian-archive-trixie.asc"])

    def test_armour_that_cannot_be_read_and_a_folder_are_errors(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/keys.asc", "w") as file:
                file.write("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n")
            with self.assertRaisesRegex(signature.BadSignature, "^expected keys in .*/keys.asc, found armour "):
                signature._binary(f"{folder}/keys.asc", f"{folder}/0.gpg")
            with self.assertRaisesRegex(SpmError, "^reading a keyring: Is a directory "):
                signature._binary(folder, f"{folder}/0.gpg")


if __name__ == "__main__":
    unittest.main()
