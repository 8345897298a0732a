"""Which indexes update accepts: each missing requirement of a machine with each kind of index."""

import json
import os
import unittest
from unittest import mock

from harness.spm.sources import signature
from harness.spm.verbs import update_test
from harness.spm.verbs.update_test import INDEX
from harness.spm_testing.debian import CHECKERS, DAY, HAS_GPG, HAS_SQV, only_programs, recorded
from harness.spm_testing.test_case import CommandResult

NEITHER = "this machine has neither gpgv nor sqv"
NO_KEY = "this machine has no key of Debian's"
TAKES = "; --unsigned accepts an unsigned index, and packages.json records that\n"
CHANGED = "the signature does not fit the text: one of them was changed"

# index -> how it is made of InRelease's text
INDEXES = {
    "good": lambda keys, text: keys.sign(text, "debian"),
    "forged": lambda keys, text: keys.sign(text, "debian").replace(b"Origin: Debian", b"Origin: debian"),
    "a stranger's": lambda keys, text: keys.sign(text, "stranger"),
    "unsigned": lambda keys, text: text.encode(),
}
UNSIGNED, STRANGE = "it has no signature", "it is signed by a key that is not Debian's as this machine knows it, KEY"


@unittest.skipUnless(CHECKERS, "needs gpg, and gpgv or sqv")
class TrustTest(update_test.KeysTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = os.environ["PATH"]
        patch = mock.patch.object(signature, "_PLACES", (f"{self.folder}/nowhere/*",))
        patch.start()
        self.addCleanup(patch.stop)

    def publish(self, index: str) -> None:
        os.environ["PATH"] = self.path
        self.archive.publish(lambda text: INDEXES[index](self.keys, text))

    def update(self, *options: str) -> CommandResult:
        result = self.spm("update", "tool", *options, write=False)
        for name in ("stranger", "debian"):
            key = self.keys.fingerprint(name)
            result.err = result.err.replace(key, "KEY").replace(key[-16:], "KEY")
        return result

    def artifact(self) -> dict:
        return json.loads(self.file())["packages"]["tool"]["artifacts"][0]

    def missing_requirement(self, programs: tuple[str, ...], key: bool) -> None:
        """Makes this a machine with those programs alone, and with a key of Debian's or without."""
        keyring = os.environ.pop("SPM_DEBIAN_KEYRING", "") or f"{self.folder}/debian.gpg"
        if key:
            os.environ["SPM_DEBIAN_KEYRING"] = keyring
        os.environ["PATH"] = only_programs(self.folder, *programs)

    def assert_refused(self, reason: str, *options: str) -> None:
        before = self.file()
        for more in ((), ("--dry-run",), ("--frozen",), ("--json",)):
            result = self.update(*options, *more)
            self.assertEqual(result.err.partition("\n")[0], f"spm: error: bookworm: {reason}")
            self.assertEqual((result.status, result.err.count("\n")), (1, 2))
            self.assertEqual([each["event"] for each in result.objects()], ["error"] if more == ("--json",) else [])
            self.assertEqual(self.file(), before)

    def assert_taken(self, reason: str) -> None:
        before = self.file()
        result = self.update("--unsigned")
        self.assertEqual(result.err, f"spm: warning: {INDEX}{reason}\nspm: 1 of 1 artifact updated\n")
        self.assertEqual((result.status, self.artifact()), (0, {**self.old, **recorded(self.new, "1.1-1"), "unsigned": True}))
        with open(f"{self.folder}/packages.json", "wb") as file:
            file.write(before)

    def assert_as_it_should_be(self, programs: tuple[str, ...]) -> None:
        """Each index on a machine with those programs alone, with and without a key."""
        bad = f"the index of bookworm (InRelease): {CHANGED}"
        nobody = f"expected a signed index, found the {INDEX}"
        for key in (True, False):
            missing_requirement = NEITHER if not programs else NO_KEY if not key else ""
            # index -> why nobody vouches for it; '' where somebody does, None where it is bad
            outcomes = {
                "good": missing_requirement,
                "forged": missing_requirement or None,
                "a stranger's": missing_requirement or STRANGE,
                "unsigned": UNSIGNED,
            }
            for index, reason in outcomes.items():
                with self.subTest(programs=programs, key=key, index=index):
                    self.publish(index)
                    self.missing_requirement(programs, key)
                    outdated = self.spm("outdated", write=False)
                    if reason is None:
                        self.assert_refused(bad)
                        self.assert_refused(bad, "--unsigned")
                        self.assertEqual((outdated.status, outdated.out), (1, ""))
                    elif reason:
                        self.assert_refused(nobody + reason)
                        self.assert_taken(reason)
                        self.assertEqual(outdated.status, 0)
                        self.assertTrue(outdated.err.startswith(f"spm: warning: {INDEX}{reason[:20]}"), outdated.err)
                    else:
                        result = self.update("--dry-run")
                        said = f"spm: index of bookworm of {DAY}, signed by KEY\n"
                        self.assertEqual(result.err, said + "spm: 1 of 1 artifact would be updated\n")
                        self.assertEqual((result.status, outdated.status), (0, 0))

    def test_with_neither_program_no_index_is_believed(self) -> None:
        self.assert_as_it_should_be(())

    @unittest.skipUnless(HAS_GPG, "needs gpgv")
    def test_with_gpgv_alone(self) -> None:
        self.assert_as_it_should_be(("gpgv",))

    @unittest.skipUnless(HAS_SQV, "needs sqv")
    def test_with_sqv_alone(self) -> None:
        self.assert_as_it_should_be(("sqv",))

    @unittest.skipUnless(HAS_GPG and HAS_SQV, "needs gpgv and sqv")
    def test_with_gpgv_and_sqv(self) -> None:
        self.assert_as_it_should_be(("gpgv", "sqv"))

    def test_each_refusal_says_what_to_do(self) -> None:
        key_hint = "or name a file with the archive's key in SPM_DEBIAN_KEYRING"
        for programs, key, index, hint in (
            ((), True, "good", "install the package gpgv or sqv"),
            (CHECKERS, False, "good", f"install the package debian-archive-keyring, {key_hint}"),
            (CHECKERS, True, "a stranger's", f"update the package debian-archive-keyring, {key_hint}"),
            (CHECKERS, True, "unsigned", "ask another mirror (SPM_DEBIAN_MIRROR)"),
        ):
            self.publish(index)
            self.missing_requirement(programs, key)
            with self.subTest(index=index):
                self.assertEqual(self.update().err.partition("\n")[2], f"hint: {hint}{TAKES}")

    def test_a_program_that_does_not_work_is_not_passed_over(self) -> None:
        self.publish("good")
        os.environ["PATH"] = only_programs(self.folder)
        with open(f"{os.environ['PATH']}/gpgv", "w") as file:
            os.fchmod(file.fileno(), 0o755)
            file.write("#!/bin/sh\nkill -SEGV $$\n")
        for options in ((), ("--unsigned",)):
            self.assert_refused("the index of bookworm (InRelease): gpgv ended with signal 11", *options)

    def test_a_pin_taken_unsigned_is_recorded_until_a_signed_index_has_it(self) -> None:
        before = self.file()
        self.publish("unsigned")
        events = self.update("--unsigned", "--json").objects()
        self.assertEqual([(each["index_signed"], each["unsigned"]) for each in events], [(False, True)])
        taken = self.file()
        self.assertEqual(self.artifact(), {**self.old, **recorded(self.new, "1.1-1"), "unsigned": True})

        again = self.update("--unsigned")
        self.assertTrue(again.err.endswith("\nspm: nothing to update in 1 artifact\n"))
        outdated = self.spm("outdated", write=False)
        self.assertEqual(
            outdated.out,
            "package  name  source    pinned  newest  state    reason\n"
            "tool     tool  bookworm  1.1-1   1.1-1   current  taken unsigned\n",
        )
        self.assertEqual(
            outdated.err.splitlines()[1:],
            [
                "spm: warning: from an unsigned index: tool; an update from a signed index removes this mark",
                "spm: 1 artifact: 0 outdated, 1 current",
            ],
        )
        self.assertTrue(self.spm("outdated", "--json", write=False).objects()[0]["unsigned"])

        self.publish("good")
        self.assertEqual(self.update("--frozen").status, 1)
        self.assertEqual(self.file(), taken)
        # The option allows, it does not ask for it.
        result = self.update("--unsigned")
        now = recorded({}, "", self.keys.fingerprint("debian"))["index"]
        self.assertEqual(
            result.out,
            "tool: tool: 1.1-1 -> 1.1-1\n"
            f"-  index   bookworm of {now['date']}, not checked\n"
            f"+  index   bookworm of {now['date']}, signed by {now['signer']}\n-  unsigned\n",
        )
        self.assertEqual(
            result.err.splitlines()[1:],
            ["spm: tool: tool: the same pin, now with its signed index", "spm: 1 of 1 artifact updated"],
        )
        self.assertEqual(self.artifact(), {**self.old, **recorded(self.new, "1.1-1", now["signer"])})
        signed = b'"signer": "' + now["signer"].encode() + b'"'
        self.assertEqual(self.file(), taken.replace(b', "unsigned": true', b"").replace(b'"signer": ""', signed))
        self.assertNotEqual(self.file(), before)
        self.assertEqual(self.spm("outdated", write=False).out, "")

    def test_a_signed_update_to_something_newer_ends_the_record_too(self) -> None:
        self.packages["tool"]["artifacts"][0] = {"unsigned": True, **self.old}
        self.write()
        self.publish("good")
        events = self.update("--json").objects()
        self.assertEqual([(each["index_signed"], each["unsigned"]) for each in events], [(True, False)])
        signer = self.keys.fingerprint("debian")
        self.assertEqual(list(self.artifact().items()), list({**self.old, **recorded(self.new, "1.1-1", signer)}.items()))

    def test_a_pin_taken_unsigned_that_the_signed_index_does_not_have_stays_recorded(self) -> None:
        self.packages["tool"]["artifacts"][0] = {**self.pinned(self.new, ("1.1-1", "9-1")), "unsigned": True}
        self.write()
        before = self.file()
        self.publish("good")
        self.assertEqual(
            self.update().err.splitlines()[1:],
            [
                "spm: tool: tool: left as it is: the pin, 9-1, is newer than the index, 1.1-1; it is unsigned",
                "spm: nothing to update in 1 artifact",
            ],
        )
        self.assertEqual(self.file(), before)

    def test_an_unsigned_index_that_lacks_the_artifact_is_told_of_too(self) -> None:
        self.add("gone", self.pinned({"path": "pool/main/g/gone/gone_1.0-1_amd64.deb"}, ("x", "x")))
        self.write()
        self.publish("unsigned")
        self.assertEqual(self.spm("update", "gone", write=False).status, 1)
        for verb in (["outdated", "gone"], ["update", "gone", "--unsigned"]):
            self.assertTrue(self.spm(*verb, write=False).err.startswith(f"spm: warning: {INDEX}it has no signature\n"))


if __name__ == "__main__":
    unittest.main()
