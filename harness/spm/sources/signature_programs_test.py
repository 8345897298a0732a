from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from harness.spm.sources import signature_message, signature_programs
from harness.spm.sources.signature_programs import BadSignature, UnknownKey
from harness.spm_testing.debian import HAS_GPG, HAS_SQV, IN_2020, Keys
from harness.spm_testing.interrupt import PATIENCE_S
from collections.abc import Callable
from typing import Any

VALID = "VALIDSIG SUBKEY 2026-07-11 1783765031 0 4 0 1 {1} 01 {0}"
NONE = "expected a signature that gpgv accepts, found none"
CHANGED = "the signature does not fit the text: one of them was changed"
GPGV_GOOD = [
    ("one", ["NEWSIG", "GOODSIG K Debian", VALID.format("A", 8)], "A"),
    ("one of two known", ["NEWSIG", "ERRSIG K", "NO_PUBKEY K", "NEWSIG", "GOODSIG K x", VALID.format("B", 10)], "B"),
    ("the first of two", ["GOODSIG K x", VALID.format("A", 8), "NEWSIG", "GOODSIG L y", VALID.format("B", 8)], "A"),
    (
        "one beside an expired key's",
        ["NEWSIG", "EXPKEYSIG K x", VALID.format("A", 8), "NEWSIG", "GOODSIG L y", VALID.format("B", 8)],
        "B",
    ),
    ("one beside SHA-1", ["GOODSIG K x", VALID.format("A", 2), "NEWSIG", "GOODSIG L y", VALID.format("B", 8)], "B"),
]
GPGV_BAD = [
    ("nothing", [], NONE),
    ("no signature", ["NODATA 4"], NONE),
    ("an expired key", ["NEWSIG", "EXPKEYSIG K x", VALID.format("A", 8)], "its signature is expired, by key K"),
    ("an expired signature", ["NEWSIG", "EXPSIG K x", VALID.format("A", 8)], "its signature is expired, by key K"),
    ("a revoked key", ["NEWSIG", "REVKEYSIG K x", VALID.format("A", 8)], "its signature is revoked, by key K"),
    (
        "an expired key beside an unknown one",
        ["NEWSIG", "EXPKEYSIG K x", VALID.format("A", 8), "NEWSIG", "ERRSIG L", "NO_PUBKEY L"],
        "its signature is expired, by key K",
    ),
    ("one good and one that does not fit", ["GOODSIG K x", VALID.format("A", 8), "NEWSIG", "BADSIG L y"], CHANGED),
    ("SHA-1", ["NEWSIG", "GOODSIG K x", VALID.format("A", 2)], "its signature rests on SHA-1, by key A"),
    ("a hash that nobody knows", ["GOODSIG K x", VALID.format("A", 99)], "its signature rests on hash 99, by key A"),
    ("a good signature that is not confirmed", ["GOODSIG K x"], NONE),
    (
        "that and an expired one that is",
        ["GOODSIG K x", "NEWSIG", "EXPKEYSIG L y", VALID.format("A", 8)],
        "its signature is expired, by key L",
    ),
]
MISSING = "Missing key 2E2F4424, which is needed to verify signature.\n"
MANIPULATED = "Verifying signature:\n           Message has been manipulated\n"
SQV_GOOD = [("one", "A\n", ""), ("the first of two", "A\nB\n", ""), ("one of two known", "A\n", MISSING)]
SQV_BAD = [
    ("nothing", 1, "", "", "sqv says: nothing"),
    ("nothing, and content with it", 0, "", "", "sqv says: nothing"),
    ("a text that was changed", 1, "", MANIPULATED, CHANGED),
    ("one good and one that does not fit", 0, "A\n", MANIPULATED, CHANGED),
    ("one that it names and then refuses", 1, "A\n", "", "sqv says: nothing"),
    (
        "a trace of its stack",
        1,
        "",
        "Error: Malformed packet: Truncated packet\n\nStack backtrace:\n   0: <unknown>\n",
        "sqv says: Error: Malformed packet: Truncated packet",
    ),
    (
        "an unknown key and an expired signature",
        1,
        "",
        MISSING + "Verifying signature:\n           Expired on 2020-06-02T00:00:00Z\n",
        "sqv says: Missing key 2E2F4424, which is needed to verify signature. Verifying signature: "
        "Expired on 2020-06-02T00:00:00Z",
    ),
]


def ended(status: int, out: str, err: str) -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], status, out, err)


class AnswerTest(unittest.TestCase):
    def gpgv(self, lines: list[str], status: int = 0) -> str:
        out = "".join(f"[GNUPG:] {line}\n" for line in lines) + "gpgv: VALIDSIG A\n"
        return signature_programs.gpgv_signer(ended(status, out, ""))

    def assert_bad(self, expected: str, signer: Callable[..., Any], *arguments) -> None:
        with self.assertRaises(BadSignature) as raised:
            signer(*arguments)
        self.assertEqual(str(raised.exception), expected)

    def test_a_good_signature_names_its_key(self) -> None:
        for what, lines, expected in GPGV_GOOD:
            with self.subTest(what):
                self.assertEqual(self.gpgv(lines), expected)
                self.assertEqual(self.gpgv(lines, 2), expected)
                self.assert_bad(NONE, self.gpgv, ["GOODSIG K x", VALID.format("A", 8)], 1)
        for what, out, err in SQV_GOOD:
            with self.subTest(what):
                self.assertEqual(signature_programs.sqv_signer(ended(0, out, err)), "A")

    def test_any_other_says_what_is_wrong_with_it(self) -> None:
        for what, lines, expected in GPGV_BAD:
            with self.subTest(what):
                self.assert_bad(expected, self.gpgv, lines)
        for what, status, out, err, expected in SQV_BAD:
            with self.subTest(what):
                self.assert_bad(expected, signature_programs.sqv_signer, ended(status, out, err))

    def test_an_unknown_key_is_told_from_a_bad_signature(self) -> None:
        with self.assertRaisesRegex(UnknownKey, "^K$"):
            self.gpgv(["NEWSIG", "ERRSIG K", "NO_PUBKEY K"], 2)
        with self.assertRaisesRegex(UnknownKey, "^2E2F4424$"):
            signature_programs.sqv_signer(ended(1, "", MISSING * 2))


# what stands in the program's place, what is said of it
BROKEN = [
    ("one that crashes", "#!/bin/sh\nkill -SEGV $$\n", "{0} ended with signal 11"),
    ("one that crashes after a good word", "#!/bin/sh\n{1}\nkill -KILL $$\n", "{0} ended with signal 9"),
    ("one that cannot be found by its shell", "#!/bin/sh\n{1}\nexec /nowhere\n", "{0} ended with status 127"),
    ("one that hangs", "#!/bin/sh\n{1}\nexec sleep 1000\n", "{0} did not answer within 0.5 s"),
    ("one for another machine", "\x7fELF\x02\x01\x01", "FOLDER/{0} cannot be run: Exec format error"),
    ("one whose interpreter has gone", "#!/nowhere\n", "FOLDER/{0} cannot be run: No such file or directory"),
    ("one that always succeeds", "#!/bin/sh\n", "{2}"),
    ("one that always fails", "#!/bin/sh\n{1}\nexit 1\n", "{2}"),
]
WORDS = {
    "gpgv": (f"echo '[GNUPG:] GOODSIG K'; echo '[GNUPG:] {VALID.format('A', 8)}'", NONE),
    "sqv": ("echo A", "sqv says: nothing"),
}


class BrokenTest(unittest.TestCase):
    def test_a_program_that_does_not_work_vouches_for_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, (good, nothing) in WORDS.items():
                path = f"{folder}/{name}"
                for what, script, expected in BROKEN:
                    with self.subTest(what, name=name), self.assertRaises(BadSignature) as raised:
                        with open(path, "w") as file:
                            file.write(script.replace("{1}", good))
                        os.chmod(path, 0o755)
                        # Only the one that hangs must not get the time that it could need.
                        seconds = 0.5 if "sleep" in script else PATIENCE_S
                        with mock.patch.object(signature_programs, "_TIMEOUT_S", seconds):
                            signature_programs.check(name, path, [], f"{folder}/signature", f"{folder}/text")
                    self.assertEqual(
                        str(raised.exception).replace(folder, "FOLDER"), expected.format(name, good, nothing)
                    )

    def test_gpgv_comes_first_and_a_machine_may_have_neither(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.dict(os.environ, PATH=folder):
                self.assertIsNone(signature_programs.present())
                for name in ("sqv", "gpgv"):
                    with open(f"{folder}/{name}", "w") as file:
                        os.fchmod(file.fileno(), 0o755)
                    self.assertEqual(signature_programs.present(), (name, f"{folder}/{name}"))


TEXT = "Origin: Debian\nSuite: stable\n- dash\n-----BEGIN PGP SIGNATURE-----\nblanks  \t\n\nSHA256:\n abc 1 \u00fc\n\n"


_NotATestCase: Any = object  # else unittest would run the tests of Program itself


class Program(_NotATestCase):
    """The tests of both programs; a derived class names its program."""

    keys: Keys
    name = ""
    expired_key = True  # whether it refuses one that was good when it signed

    @classmethod
    def setUpClass(cls) -> None:
        cls.keys = Keys()
        cls.addClassCleanup(cls.keys.close)
        cls.folder = tempfile.mkdtemp(prefix="spm-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.known = [cls.keyring(name) for name in ("debian", "second")]

    @classmethod
    def keyring(cls, name: str) -> str:
        return cls.keys.keyring(f"{cls.folder}/{name}.gpg", name)

    def check(self, text: bytes, signature: bytes, *keyrings: str) -> str:
        for name, data in (("text", text), ("signature", signature)):
            with open(f"{self.folder}/{name}", "wb") as file:
                file.write(data)
        path = shutil.which(self.name)
        return signature_programs.check(
            self.name, path, [*keyrings] or self.known, f"{self.folder}/signature", f"{self.folder}/text"
        )

    def checked(self, message: bytes, *keyrings: str) -> str:
        return self.check(*signature_message.split(message), *keyrings)

    def assert_refused(self, reason: str, *arguments: bytes | str) -> None:
        with self.assertRaisesRegex(BadSignature, reason):
            (self.check if isinstance(arguments[1], bytes) else self.checked)(*arguments)

    def test_the_text_that_it_takes_is_the_one_that_was_signed(self) -> None:
        text, signature = signature_message.split(self.keys.sign(TEXT, "debian"))
        self.assertEqual(text.decode(), TEXT.replace("blanks  \t", "blanks").removesuffix("\n"))
        self.assertEqual(self.check(text, signature), self.keys.fingerprint("debian"))
        for what, changed in (
            ("a line more", text + b"\nA: b"),
            ("a line less", text.rpartition(b"\n abc")[0]),
            ("another letter", text.replace(b"stable", b"Stable")),
            ("an empty line less", text.replace(b"\n\n", b"\n")),
            ("a blank at a line's begin less", text.replace(b"\n ", b"\n")),
        ):
            with self.subTest(what):
                self.assert_refused("^the signature does not fit the text: ", changed, signature)

    def test_lines_may_end_as_another_system_ends_them(self) -> None:
        message = self.keys.sign(TEXT, "debian").replace(b"\n", b"\r\n")
        self.assertEqual(self.checked(message), self.keys.fingerprint("debian"))

    def test_the_longest_line_is_read_whole(self) -> None:
        text, signature = signature_message.split(self.keys.sign("A: " + "x" * 15_997 + "\nB: c\n", "debian"))
        self.assertEqual(self.check(text, signature), self.keys.fingerprint("debian"))
        self.assert_refused("^the signature does not fit ", text.replace(b"xx\n", b"xy\n"), signature)

    def test_of_several_signers_one_who_is_known_is_enough(self) -> None:
        for others in (("stranger", "debian"), ("debian", "stranger")):
            self.assertEqual(self.checked(self.keys.sign(TEXT, *others)), self.keys.fingerprint("debian"))
        both = self.checked(self.keys.sign(TEXT, "debian", "second"))
        self.assertIn(both, map(self.keys.fingerprint, ("debian", "second")))

    def test_an_unknown_key_is_named(self) -> None:
        key = self.keys.fingerprint("stranger")
        with self.assertRaises(UnknownKey) as raised:
            self.checked(self.keys.sign(TEXT, "stranger"))
        self.assertIn(str(raised.exception), (key, key[-16:]))

    def test_a_signature_that_has_another_text_in_it_is_none(self) -> None:
        for options in (("--armor", "--sign", "--compress-algo", "none"), ("--armor", "--sign")):
            inside = self.keys.sign(TEXT, "debian", options=options).replace(b"PGP MESSAGE", b"PGP SIGNATURE")
            for text in (b"A: b", TEXT.encode()):
                self.assert_refused(f"{self.name} (accepts|says: Error: Malformed)", text, inside)

    def test_a_signature_that_is_none_is_refused(self) -> None:
        for inside in (b"", b"AAAA\n", b"iHUE\n"):
            armour = b"-----BEGIN PGP SIGNATURE-----\n\n" + inside + b"-----END PGP SIGNATURE-----\n"
            self.assert_refused(f"{self.name} (accepts|says: Error: Malformed)", b"A: b", armour)

    def test_a_broken_hash_is_refused(self) -> None:
        self.assert_refused("SHA-?1", self.keys.sign(TEXT, "debian", digest="SHA1"), *self.known)

    def test_a_signature_that_has_run_out_is_refused(self) -> None:
        self.keys.make_old("old", "never")
        brief = (*IN_2020, "--default-sig-expire", "1d", "--clearsign")
        self.assert_refused("(?i)expired", self.keys.sign(TEXT, "old", options=brief), self.keyring("old"))

    def test_a_key_that_is_revoked_is_refused(self) -> None:
        message = self.keys.sign(TEXT, "gone")
        self.keys.revoke("gone")
        self.assert_refused("revoked", message, self.keyring("gone"))

    def test_a_key_that_has_run_out(self) -> None:
        self.keys.make_old("aged", "1y")
        message = self.keys.sign(TEXT, "aged", options=(*IN_2020, "--clearsign"))
        if self.expired_key:
            self.assert_refused("expired", message, self.keyring("aged"))
        else:
            self.assertEqual(self.checked(message, self.keyring("aged")), self.keys.fingerprint("aged"))


@unittest.skipUnless(HAS_GPG, "needs gpg and gpgv")
class GpgvTest(Program, unittest.TestCase):
    name = "gpgv"


@unittest.skipUnless(HAS_SQV, "needs gpg and sqv")
class SqvTest(Program, unittest.TestCase):
    name = "sqv"
    expired_key = False


if __name__ == "__main__":
    unittest.main()
