"""outdated and update against an archive made here: whole outputs, and every way in which an index may lie."""

import lzma
import os
import unittest
import zlib
from typing import Any

from harness.spm_testing.debian import DAY, HAS_GPG, Archive, Keys, in_days, only_programs, recorded, unchecked
from harness.spm_testing.test_case import SpmTestCase

INDEX = f"index of bookworm of {DAY}, which was not checked: "
UNCHECKED = f"spm: warning: {INDEX}this machine has neither gpgv nor sqv\n"


class ArchiveTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.archive = Archive(self.server)
        self.sources = {"main": {"type": "http", "base": self.server.base}, "bookworm": {"type": "debian"}}

    def pinned(self, pin: dict, *fields: tuple[str, str]) -> dict:
        """A pin of the archive's as an artifact, with parts of its path replaced: as it was some time ago."""
        artifact = {**pin, "sources": ["bookworm"]}
        for new, old in fields:
            artifact["path"] = artifact["path"].replace(new, old)
        if fields:
            artifact.update(size=1, sha256="0" * 64)
        return artifact

    def add_outdated(self, name: str = "tool") -> tuple[dict, dict]:
        """A package with one artifact at 1.0-1 where the archive has 1.1-1; (the pin it has, the pin it should get)."""
        new = self.archive.deb(name, "1.1-1")
        old = self.pinned(new, ("1.1-1", "1.0-1"))
        self.add(name, old)
        return old, new

    def file(self) -> bytes:
        with open(f"{self.folder}/packages.json", "rb") as file:
            return file.read()


class UncheckedTest(ArchiveTest):
    """On a machine without a program that checks signatures."""

    def setUp(self) -> None:
        super().setUp()
        os.environ["PATH"] = only_programs(self.folder)

    def add_every_kind(self) -> None:
        deb, source = self.archive.deb, self.archive.source
        self.add("tool", self.pinned(deb("tool", "1.1-1"), ("1.1-1", "1.0-1")), self.pinned(deb("tool-data", "1-1", "all")))
        self.add("lib", self.pinned(source("lib", "1.10-2", ".orig.tar.xz"), ("1.10", "1.9"), ("xz", "gz")))
        self.add("epoch", self.pinned(deb("epoch", "2:0.9-1+b2"), ("+b2", "")))
        self.add("ahead", self.pinned(deb("ahead", "1.0~rc1-1"), ("~rc1", "")))
        self.add("same", {**self.pinned(deb("same", "1.0-1")), "size": 7})
        self.add("gone", self.pinned({"path": "pool/main/g/gone/gone_1.0-1_amd64.deb"}, ("x", "x")))
        self.add("own", self.serve("own.tar", b"own"))
        self.add("odd", self.pinned({"path": "dists/odd"}, ("x", "x")))
        self.archive.deb("tool", "1.0.9-1")  # of several versions the newest counts
        self.archive.deb("tool-bar", "9-1")
        self.archive.source("lib", "1.2-1", ".orig.tar.xz")
        self.archive.publish()

    def test_outdated_shows_what_is_not_current_and_counts_the_rest(self) -> None:
        self.add_every_kind()
        result = self.spm("outdated")
        self.assertEqual(
            result.out,
            "package  name                  source    pinned   newest      state     reason\n"
            "tool     tool                  bookworm  1.0-1    1.1-1       outdated\n"
            "lib      lib                   bookworm  1.9      1.10        outdated\n"
            "epoch    epoch                 bookworm  2:0.9-1  2:0.9-1+b2  outdated\n"
            "ahead    ahead                 bookworm  1.0-1    1.0~rc1-1   newer\n"
            "same     same                  bookworm  1.0-1    1.0-1       changed\n"
            "gone     gone_1.0-1_amd64.deb  bookworm                       unlisted  bookworm has no gone_amd64.deb\n"
            "odd      odd                   bookworm                       unlisted  its path is not that of a file in a "
            "Debian archive's pool\n",
        )
        self.assertEqual(
            result.err,
            UNCHECKED
            + "spm: 9 artifacts: 3 outdated, 1 current, 1 newer, 1 changed, 2 unlisted, 1 no index\n",
        )
        self.assertEqual(result.status, 0)

    def test_versions_are_in_debians_order_with_their_epochs(self) -> None:
        for number, (ours, theirs, state) in enumerate(
            [
                ("9.2-1", "1:1.0-1", "outdated"),  # the epoch was raised since
                ("1:9.2-1", "1:1.0-1", "newer"),
                ("1:1.0-1", "2.0-1", "newer"),
                ("1.0~rc1-1", "1.0-1", "outdated"),
                ("1.0-1", "1.0-1", "current"),
            ]
        ):
            name = f"p{number}"
            pin = self.pinned(self.archive.deb(name, theirs))
            if ours != theirs:
                pin.update(path=f"pool/main/p/{name}/{name}_{ours.partition(':')[2] or ours}_amd64.deb", sha256="0" * 64)
            self.add(name, {**pin, "version": ours})
            self.archive.publish()
            self.assertEqual(self.spm("outdated", name, "--json").objects()[0]["state"], state, (ours, theirs))

    def test_no_escape_of_an_index_reaches_the_terminal(self) -> None:
        self.add_outdated()
        evil = "1.2-1\x1b]0;owned\x07"
        self.archive.deb("tool", evil)
        self.archive.fields = {"Date": in_days(-700)}
        self.archive.publish()
        for verb in (["outdated"], ["update", "tool", "--unsigned", "--dry-run"]):
            result = self.spm(*verb)
            self.assertNotRegex(result.out + result.err, "[\x1b\x07]")
            self.assertIn("1.2-1", result.out)

    def test_outdated_looks_at_the_named_ones_and_tells_programs_all(self) -> None:
        self.add_every_kind()
        result = self.spm("outdated", "tool", "own", "--json", "--quiet")
        self.assertEqual(
            result.objects(),
            [
                {
                    "package": "tool",
                    "name": "tool",
                    "path": "pool/main/t/tool/tool_1.0-1_amd64.deb",
                    "source": "bookworm",
                    "pinned": "1.0-1",
                    "newest": "1.1-1",
                    "state": "outdated",
                    "reason": "",
                    "index_signed": False,
                    "unsigned": False,
                },
                {
                    "package": "tool",
                    "name": "tool-data",
                    "path": "pool/main/t/tool-data/tool-data_1-1_all.deb",
                    "source": "bookworm",
                    "pinned": "1-1",
                    "newest": "1-1",
                    "state": "current",
                    "reason": "",
                    "index_signed": False,
                    "unsigned": False,
                },
                {
                    "package": "own",
                    "name": "own.tar",
                    "path": "own.tar",
                    "source": "",
                    "pinned": "",
                    "newest": "",
                    "state": "no index",
                    "reason": "",
                    "index_signed": False,
                    "unsigned": False,
                },
            ],
        )
        self.assertEqual((result.err, result.status), ("", 0))

    def test_an_archive_without_news_is_one_sentence(self) -> None:
        self.add("tool", self.pinned(self.archive.deb("tool", "1.1-1")))
        self.archive.publish()
        result = self.spm("outdated")
        self.assertEqual((result.out, result.err), ("", UNCHECKED + "spm: 1 artifact: 0 outdated, 1 current\n"))

    def test_update_writes_the_pins_of_the_named_packages_and_prints_the_difference(self) -> None:
        self.add_every_kind()
        before = self.spm("update", "tool", "lib", "--dry-run", "--unsigned")
        self.assertTrue(before.err.endswith("spm: 2 of 3 artifacts would be updated\n"))
        text = self.file()
        result = self.spm("update", "tool", "lib", "--unsigned")
        date = recorded({}, "")["index"]["date"]
        tool, lib = self.archive.deb("tool", "1.1-1"), self.archive.source("lib", "1.10-2", ".orig.tar.xz")
        self.assertEqual(
            result.out,
            "tool: tool: 1.0-1 -> 1.1-1\n"
            "-  path    pool/main/t/tool/tool_1.0-1_amd64.deb\n"
            "+  path    pool/main/t/tool/tool_1.1-1_amd64.deb\n"
            "-  size    1\n"
            "+  size    37\n"
            f"-  sha256  {'0' * 64}\n"
            f"+  sha256  {tool['sha256']}\n"
            "+  version 1.1-1\n"
            f"+  index   bookworm of {date}, not checked\n"
            "+  unsigned\n"
            "lib: lib: 1.9 -> 1.10\n"
            "-  path    pool/main/l/lib/lib_1.9.orig.tar.gz\n"
            "+  path    pool/main/l/lib/lib_1.10.orig.tar.xz\n"
            "-  size    1\n"
            "+  size    36\n"
            f"-  sha256  {'0' * 64}\n"
            f"+  sha256  {lib['sha256']}\n"
            "+  version 1.10\n"
            f"+  index   bookworm of {date}, not checked\n"
            "+  unsigned\n",
        )
        self.assertEqual(before.out, result.out)
        self.assertEqual(
            result.err,
            UNCHECKED + "spm: 2 of 3 artifacts updated\n",
        )
        self.packages["tool"]["artifacts"][0].update(recorded(tool, "1.1-1"), unsigned=True)
        self.packages["lib"]["artifacts"][0].update(recorded(lib, "1.10"), unsigned=True)
        changed = self.file()
        self.assertNotEqual(changed, text)
        self.write()
        self.assertEqual(changed, self.file())
        self.assertEqual(
            self.spm("update", "tool", "lib", "--unsigned", write=False).err,
            UNCHECKED + "spm: nothing to update in 3 artifacts\n",
        )

    def test_update_leaves_what_it_cannot_know_better_and_says_so(self) -> None:
        self.add_every_kind()
        self.packages["lib"]["lib"] = "lib-1.9"
        text = self.spm("update", "ahead", "same", "gone", "own", "lib", "--dry-run", "--unsigned")
        self.assertEqual(
            text.err,
            UNCHECKED + "spm: ahead: ahead: left as it is: the pin, 1.0-1, is newer than the index, 1.0~rc1-1\n"
            "spm: same: same: the index has the same version with other bytes\n"
            "spm: gone: gone_1.0-1_amd64.deb: left as it is: bookworm has no gone_amd64.deb\n"
            "spm: own: own.tar: left as it is: none of its sources has an index\n"
            "spm: lib: lib: its folder stays lib/lib-1.9: build scripts use that name\n"
            "spm: 2 of 5 artifacts would be updated\n",
        )

    def test_update_for_programs(self) -> None:
        old, new = self.add_outdated()
        self.archive.publish()
        self.assertEqual(
            self.spm("update", "tool", "--unsigned", "--json", "-q").objects(),
            [
                {
                    "event": "updated",
                    "package": "tool",
                    "name": "tool",
                    "source": "bookworm",
                    "old": {"version": "1.0-1", "path": old["path"], "size": 1, "sha256": "0" * 64},
                    "new": {"version": "1.1-1", **new},
                    "index_signed": False,
                    "unsigned": True,
                }
            ],
        )

    def test_frozen_pins_that_are_not_the_newest_are_a_failure(self) -> None:
        self.add_outdated()
        self.archive.publish()
        self.write()
        text = self.file()
        result = self.spm("update", "tool", "--frozen", "--unsigned", "-q")
        self.assertEqual(
            result.err,
            "spm: error: FOLDER/packages.json: expected the newest pins (--frozen), found 1 artifact to update\n"
            "hint: python3 make.py spm update tool --unsigned --packages FOLDER/packages.json --lib FOLDER/lib "
            "--store FOLDER/store\n",
        )
        self.assertEqual((result.status, self.file(), result.out[:4]), (1, text, "tool"))

    def test_the_index_may_be_under_its_plain_name_and_in_any_compression(self) -> None:
        def gzip(data: bytes) -> bytes:
            stream = zlib.compressobj(wbits=31)
            return stream.compress(data) + stream.flush()

        self.add_outdated()
        ways: list[dict[str, Any]] = [{".gz": gzip}, {"": bytes}, {".xz": lzma.compress, ".gz": gzip}]
        for compress in ways:
            for by_hash in (True, False):
                with self.subTest(compress=list(compress), by_hash=by_hash):
                    self.server.files.clear()
                    self.server.asked.clear()
                    self.archive.compress, self.archive.by_hash = compress, by_hash
                    self.archive.publish()
                    self.assertEqual(self.spm("outdated", "--json").objects()[0]["newest"], "1.1-1")
                    self.assertEqual(len(self.server.asked), 2)
        # A mirror may lack the folder by-hash whatever InRelease says.
        for path in [each for each in self.server.files if "by-hash" in each]:
            del self.server.files[path]
        self.archive.fields["Acquire-By-Hash"] = "yes"
        self.archive.publish()
        self.assertEqual(self.spm("outdated", "--json").objects()[0]["newest"], "1.1-1")

    def test_each_architecture_has_its_own_list(self) -> None:
        for architecture in ("amd64", "arm64"):
            self.archive.deb("tool", "1.1-1", architecture)
        arm = self.archive.deb("tool", "1.2-1", "arm64")
        self.add("tool", self.pinned(arm, ("1.2-1", "1.1-1")), self.pinned(self.archive.deb("tool", "1.1-1")))
        self.archive.publish()
        self.assertEqual([row["newest"] for row in self.spm("outdated", "--json").objects()], ["1.2-1", "1.1-1"])

    def test_a_source_that_is_not_named_after_its_suite_says_what_it_is(self) -> None:
        self.sources["debian"] = {"type": "debian"}
        self.add_outdated()
        self.packages["tool"]["artifacts"][0]["sources"] = ["debian"]
        self.archive.publish()
        result = self.spm("outdated")
        self.assertEqual(
            result.err,
            "spm: error: debian: could not fetch InRelease of debian: SERVER/debian/dists/debian/InRelease: not there "
            "(HTTP 404)\nhint: give the source in packages.json its 'suite': the name of a release that the mirror has, like "
            "bookworm\n",
        )
        self.assertEqual(result.status, 1)
        self.sources["debian"]["suite"] = "bookworm"
        self.assertEqual(self.spm("outdated", "--json").objects()[0]["newest"], "1.1-1")

    def test_offline_there_is_no_index(self) -> None:
        self.add_outdated()
        self.archive.publish()
        self.server.asked.clear()
        result = self.spm("outdated", "--offline")
        self.assertEqual(
            result.err,
            "spm: error: bookworm: could not fetch InRelease of bookworm: SERVER: not asked: spm is offline\n"
            "hint: leave out --offline, or unset SPM_OFFLINE\n",
        )
        self.assertEqual((result.status, self.server.asked), (1, []))


# what is done to the archive, (keys, its InRelease) -> what the server sends, how the error goes on
ATTACKS = [
    ("one that only looks signed", lambda keys, text: unchecked(text), "expected a signature that gpgv accepts, "),
    (
        "one that was changed",
        lambda keys, text: keys.sign(text, "debian").replace(b"Origin: Debian", b"Origin: debian"),
        "the signature does not fit the text: one of them was changed",
    ),
    (
        "one of whose two signatures does not fit",
        lambda keys, text: keys.sign(text, "debian", "second").replace(b"Origin: Debian", b"Origin: debian"),
        "the signature does not fit the text: one of them was changed",
    ),
    (
        "a text before it",
        lambda keys, text: b"Suite: x\n" + keys.sign(text, "debian"),
        "expected one signed message, found a text before it",
    ),
    (
        "another after it",
        lambda keys, text: keys.sign(text, "debian") + unchecked(text),
        "expected one signed message, found something after it",
    ),
    (
        "one that has run out",
        lambda keys, text: keys.sign(text + f"Valid-Until: {in_days(-1)}\n", "debian"),
        "it is valid until ",
    ),
    (
        "that of another release",
        lambda keys, text: keys.sign(text.replace("Codename: bookworm", "Codename: trixie"), "debian"),
        "expected that suite's, found stable or trixie",
    ),
    ("one without a date", lambda keys, text: keys.sign(text.replace("Date: ", "Day: "), "debian"), "expected a date, "),
]


class KeysTest(ArchiveTest):
    """An outdated pin, and the key of a Debian archive."""

    keys: Keys

    @classmethod
    def setUpClass(cls) -> None:
        cls.keys = Keys()
        cls.addClassCleanup(cls.keys.close)

    def setUp(self) -> None:
        super().setUp()
        os.environ["SPM_DEBIAN_KEYRING"] = self.keys.keyring(f"{self.folder}/debian.gpg", "debian")
        self.old, self.new = self.add_outdated()
        self.write()


@unittest.skipUnless(HAS_GPG, "needs gpg and gpgv")
class SignedTest(KeysTest):
    def setUp(self) -> None:
        super().setUp()
        self.before = self.file()

    def sign(self, text: str) -> bytes:
        return self.keys.sign(text, "debian")

    def assert_refused(self, expected: str) -> None:
        for verb in (["update", "tool"], ["update", "tool", "--unsigned"], ["outdated"]):
            result = self.spm(*verb)
            self.assertEqual(result.err[: len(expected) + 12], f"spm: error: {expected}")
            self.assertEqual((result.status, result.out, result.err.count("\n")), (1, "", 2))
        self.assertEqual(self.file(), self.before)

    def test_a_good_signature_is_named(self) -> None:
        self.archive.publish(self.sign)
        result = self.spm("update", "tool")
        self.assertEqual(
            result.err.replace(self.keys.fingerprint("debian"), "KEY"),
            f"spm: index of bookworm of {DAY}, signed by KEY\nspm: 1 of 1 artifact updated\n",
        )
        self.packages["tool"]["artifacts"][0].update(recorded(self.new, "1.1-1", self.keys.fingerprint("debian")))
        changed = self.file()
        self.write()
        self.assertEqual(self.file(), changed)

    def test_a_pin_gets_the_index_that_it_is_in_once(self) -> None:
        self.packages["tool"]["artifacts"][0] = {"sources": ["bookworm"], **self.new}
        self.write()
        self.archive.publish(self.sign)
        signer = self.keys.fingerprint("debian")
        result = self.spm("update", "tool", write=False)
        self.assertEqual(
            result.out.replace(recorded({}, "")["index"]["date"], "TIME"),
            "tool: tool: 1.1-1 -> 1.1-1\n-  index   none\n".replace("-  index   none\n", "")
            + f"+  version 1.1-1\n+  index   bookworm of TIME, signed by {signer}\n",
        )
        written = self.file()
        self.archive.fields = {"Date": in_days(-0.1)}
        self.archive.publish(self.sign)
        self.assertTrue(self.spm("update", "tool", write=False).err.endswith("\nspm: nothing to update in 1 artifact\n"))
        self.assertEqual(self.file(), written)

    def test_an_index_of_the_future_is_refused(self) -> None:
        self.archive.fields = {"Date": (date := in_days(30))}
        self.archive.publish(self.sign)
        self.assert_refused(f"bookworm: the index of bookworm (InRelease): it is dated {date}, and now is ")

    def test_a_date_beyond_measure_is_refused(self) -> None:
        for date in ("Mon, 01 Jan 99999 00:00:00 GMT", "Mon, 01 Jan 0900 00:00:00 GMT"):
            self.archive.fields = {"Date": date}
            self.archive.publish(self.sign)
            self.assert_refused(f"bookworm: the index of bookworm (InRelease): expected a date, found '{date[:60]}'")

    def test_an_old_index_is_told_of(self) -> None:
        self.archive.fields = {"Date": in_days(-700.5)}
        self.archive.publish(self.sign)
        for verb in (["update", "tool", "--dry-run"], ["outdated"]):
            self.assertIn(
                "spm: warning: the index of bookworm is 700 days old. If Debian still updates that suite, this mirror is "
                "behind: ask another mirror: set SPM_DEBIAN_MIRROR to its address, the part before /pool\n",
                self.spm(*verb).err,
            )

    def test_a_keyring_may_be_armoured_and_hold_several_keys(self) -> None:
        armoured = self.keys.keyring(f"{self.folder}/debian.asc", "debian", armour=True)
        os.environ["SPM_DEBIAN_KEYRING"] = self.keys.keyring(f"{self.folder}/x.gpg", "second") + ":" + armoured
        self.archive.publish(self.sign)
        self.assertTrue(self.spm("outdated", "--json").objects()[0]["index_signed"])

    def test_one_known_signer_of_several_is_enough(self) -> None:
        self.archive.publish(lambda text: self.keys.sign(text, "stranger", "debian"))
        self.assertTrue(self.spm("outdated", "--json").objects()[0]["index_signed"])

    def test_an_index_that_has_not_run_out_is_good(self) -> None:
        self.archive.fields["Valid-Until"] = in_days(1)
        self.archive.publish(self.sign)
        self.assertEqual(self.spm("outdated").status, 0)

    def test_a_message_that_is_not_the_archives_is_refused(self) -> None:
        for what, message, expected in ATTACKS:
            with self.subTest(what):
                self.archive.publish(lambda text: message(self.keys, text))
                self.assert_refused(f"bookworm: the index of bookworm (InRelease): {expected}")

    def test_a_list_that_is_not_the_signed_one_is_refused(self) -> None:
        self.archive.publish(self.sign)
        lists = {path: data for path, data in self.server.files.items() if "binary-amd64" in path}
        tampered = lzma.compress(lzma.decompress(next(iter(lists.values()))).replace(b"1.1-1", b"6.6-6"))
        for what, change, expected in (
            ("other bytes", lambda data: tampered, "expected "),
            ("more bytes", lambda data: data + b"x", "expected at most "),
            ("fewer bytes", lambda data: data[:-1], "expected sha256 "),
            ("none", lambda data: None, "not there (HTTP 404)"),
        ):
            with self.subTest(what):
                self.server.files.update({path: change(data) for path, data in lists.items()})
                hashed = next(path for path in lists if "by-hash" in path)
                self.assert_refused(
                    f"bookworm: could not fetch main/binary-amd64/Packages.xz of bookworm: SERVER{hashed}: {expected}"
                )

    def test_a_list_that_cannot_be_unpacked_is_refused(self) -> None:
        for what, compress in (("garbage", lambda data: b"garbage"), ("half", lambda data: lzma.compress(data)[:-9])):
            with self.subTest(what):
                self.archive.compress = {".xz": compress}
                self.archive.publish(self.sign)
                self.assert_refused("bookworm: the index of bookworm: main/binary-amd64/Packages.xz: ")

    def test_a_pin_that_cannot_be_is_not_written(self) -> None:
        for what, old, new in (
            ("a path that leaves the archive", "Filename: pool", "Filename: ../pool"),
            ("no hash", f"SHA256: {self.new['sha256']}", "SHA256: x"),
            ("no size", "Size: 37", "Size: many"),
        ):
            with self.subTest(what):
                stanza = self.archive.stanzas["binary-amd64/Packages"][0]
                self.archive.stanzas["binary-amd64/Packages"] = [stanza.replace(old, new)]
                self.archive.publish(self.sign)
                result = self.spm("update", "tool")
                self.assertRegex(result.err, "^spm: error: the new pins make packages.json invalid: .*: expected ")
                self.assertEqual((result.status, result.out, self.file()), (1, "", self.before))
                self.archive.stanzas["binary-amd64/Packages"] = [stanza]

    def test_an_old_index_that_is_shown_again_puts_no_pin_back(self) -> None:
        self.archive.publish(self.sign)
        self.packages["tool"]["artifacts"] = [self.pinned(self.new, ("1.1-1", "1.1-1+deb12u1"))]
        self.write()
        before = self.file()
        result = self.spm("update", "tool", write=False)
        self.assertEqual(
            result.err.partition("\n")[2],
            "spm: tool: tool: left as it is: the pin, 1.1-1+deb12u1, is newer than the index, 1.1-1\n"
            "spm: nothing to update in 1 artifact\n",
        )
        self.assertEqual((result.status, self.file()), (0, before))

    def test_a_keyring_that_is_not_there_is_wrong_usage(self) -> None:
        self.archive.publish(self.sign)
        os.environ["SPM_DEBIAN_KEYRING"] = f"{self.folder}/no"
        result = self.spm("outdated")
        self.assertEqual(
            result.err,
            "spm: error: bookworm: SPM_DEBIAN_KEYRING: expected files of keys, found no file FOLDER/no\n"
            "hint: correct or unset it\n",
        )
        self.assertEqual(result.status, 2)


if __name__ == "__main__":
    unittest.main()
