import os
import tempfile
import unittest
from unittest import mock

from harness.spm.sources import signature

VALID = "VALIDSIG {} 2026-07-11 1783765031 0 4 0 1 {} 01 PRIMARY"
GOOD = [
    ("one", ["NEWSIG", "GOODSIG K Debian", VALID.format("A", 8)], "A"),
    ("one of two known", ["NEWSIG", "ERRSIG K", "NO_PUBKEY K", "NEWSIG", "GOODSIG K x", VALID.format("B", 10)], "B"),
    ("the first of two", ["NEWSIG", "GOODSIG K x", VALID.format("A", 8), "NEWSIG", "GOODSIG L y", VALID.format("B", 8)], "A"),
    (
        "one beside an expired key's",
        ["NEWSIG", "EXPKEYSIG K x", VALID.format("A", 8), "NEWSIG", "GOODSIG L y", VALID.format("B", 8)],
        "B",
    ),
]
BAD = [
    ("nothing", [], "expected a signature that gpgv takes for good, found none"),
    ("no signature", ["NODATA 4"], "expected a signature that gpgv takes for good, found none"),
    ("an expired key", ["NEWSIG", "EXPKEYSIG K x", VALID.format("A", 8)], "its signature is expired, by key K"),
    ("an expired signature", ["NEWSIG", "EXPSIG K x", VALID.format("A", 8)], "its signature is expired, by key K"),
    ("a revoked key", ["NEWSIG", "REVKEYSIG K x", VALID.format("A", 8)], "its signature is revoked, by key K"),
    (
        "an unknown key",
        ["NEWSIG", "ERRSIG K", "NO_PUBKEY K"],
        "it is signed by a key that is not Debian's as this machine knows it, K",
    ),
    (
        "one good and one that does not fit",
        ["NEWSIG", "GOODSIG K x", VALID.format("A", 8), "NEWSIG", "BADSIG L y"],
        "the signature does not fit the text: one of them was changed",
    ),
    (
        "a hash that is broken (SHA-1)",
        ["NEWSIG", "GOODSIG K x", VALID.format("A", 2)],
        "expected a signature that gpgv takes for good, found none",
    ),
    ("a good signature that is not confirmed", ["GOODSIG"], "expected a signature that gpgv takes for good, found none"),
]


class SignerTest(unittest.TestCase):
    def signer(self, lines: list[str]) -> str:
        return signature._signer("".join(f"[GNUPG:] {line}\n" for line in lines) + "gpgv: VALIDSIG A\n")

    def test_a_good_signature_names_its_key(self):
        for what, lines, expected in GOOD:
            with self.subTest(what):
                self.assertEqual(self.signer(lines), expected)

    def test_any_other_says_what_is_wrong_with_it(self):
        for what, lines, expected in BAD:
            with self.subTest(what), self.assertRaises(signature.BadSignature) as raised:
                self.signer(lines)
            self.assertEqual(raised.exception.reason, expected)


class KeyringsTest(unittest.TestCase):
    def test_debians_keys_are_taken_but_what_it_has_withdrawn(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("keyring.gpg", "removed-keys.gpg", "trixie.asc", "trixie.gpg~"):
                open(f"{folder}/debian-archive-{name}", "w").close()
            with mock.patch.object(signature, "_PLACES", (f"{folder}/debian-archive-*",)):
                names = [os.path.basename(path) for path in signature.keyrings()]
        self.assertEqual(names, ["debian-archive-keyring.gpg", "debian-archive-trixie.asc"])


if __name__ == "__main__":
    unittest.main()
