"""verify --repair: what is damaged is put right, and nothing else is touched or fetched."""

import json
import os
import shutil
import unittest
from unittest import mock

from harness.spm import trees
from harness.spm.store.store import Store, StoreEntry
from harness.spm_testing.archives import deb, folder, hard_link, link, member, tar
from harness.spm_testing.test_case import SpmTestCase

TIME = 1_600_000_000


class RepairTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        first = self.serve(
            "1.deb",
            deb(
                folder("./usr"),
                folder("./usr/d"),
                member("./usr/d/a", b"aaaa"),
                member("./usr/run", b"#!", mode=0o755),
                hard_link("./usr/d/same", "./usr/d/a"),
                link("./usr/l", "d/a"),
            ),
            strip="usr",
        )
        members = member("e/b?", b"bbbb"), member("e/c", b"cccc"), member("!", b"!")
        second = self.serve("2.tar", tar(folder("e"), *members))
        self.add("p", first, second)
        self.add_simple("q")
        self.spm("install-group", "all")
        self.tree = os.readlink(f"{self.lib}/p-1")
        self.pristine = self.everything()
        self.server.asked.clear()

    def everything(self) -> dict:
        """Every path of the tree with all that matters about it."""
        found = {}
        for base, folders, files in os.walk(self.tree):
            for path in (base, *(f"{base}/{name}" for name in (*folders, *files))):
                facts = os.lstat(path)
                content = os.readlink(path) if os.path.islink(path) else ""
                if os.path.isfile(path) and not content:
                    with open(path) as file:
                        content = file.read()
                time = int(facts.st_mtime) if os.path.isfile(path) and not os.path.islink(path) else 0
                found[os.path.relpath(path, self.tree)] = (oct(facts.st_mode), time, content)
        return found

    def spoil(self, path: str, text: str) -> None:
        """Changes a file behind the back of a quick look."""
        for each in (os.path.dirname(f"{self.tree}/{path}"), f"{self.tree}/{path}"):
            os.chmod(each, 0o755)
        mode = int(self.pristine[path][0], 8) & 0o777
        with open(f"{self.tree}/{path}", "w") as file:
            file.write(text)
        os.chmod(f"{self.tree}/{path}", mode)
        os.utime(f"{self.tree}/{path}", (TIME, TIME))

    def open_folders(self) -> None:
        for base, _, _ in os.walk(self.tree):
            os.chmod(base, 0o755)

    def lose(self, path: str) -> None:
        self.open_folders()
        trees.remove(f"{self.tree}/{path}")

    def put(self, path: str, text: str = "") -> None:
        self.open_folders()
        with open(f"{self.tree}/{path}", "w") as file:
            file.write(text)

    def make_link(self, path: str, target: str) -> None:
        self.lose(path)
        os.symlink(target, f"{self.tree}/{path}")

    # what is done, what is found, which artifacts are fetched for it
    DAMAGE = [
        (lambda self: self.spoil("run", "!#"), r"run: expected sha256 \w+, found \w+", ["/1.deb"]),
        (lambda self: self.spoil("d/a", "xxx"), "d/a: expected 4 bytes, found 3; d/same: .*", ["/1.deb"]),
        (lambda self: self.lose("d/same"), "d/same: is missing", ["/1.deb"]),
        (lambda self: self.lose("e/b?"), r"e/b\?: is missing", ["/2.tar"]),
        (lambda self: self.lose("e"), "e: is missing; .*", ["/2.tar"]),
        (lambda self: self.lose("!"), "!: is missing", ["/2.tar"]),
        (lambda self: (self.lose("e/c"), self.lose("run")), "e/c: is missing; run: is missing", ["/1.deb", "/2.tar"]),
        (lambda self: self.make_link("run", "d/a"), "run: expected a file, found something else", ["/1.deb"]),
        (lambda self: (self.lose("run"), os.mkdir(f"{self.tree}/run")), "run: expected a file, .*", ["/1.deb"]),
        (lambda self: os.chmod(f"{self.tree}/run", 0o444), "run: expected mode 555, found 444", []),
        (lambda self: os.utime(f"{self.tree}/run"), "run: was changed after it was unpacked", []),
        (lambda self: self.lose("l"), "l: is missing", []),
        (lambda self: self.make_link("l", "run"), "l: expected a link to d/a, found one to run", []),
        (lambda self: (self.lose("l"), self.put("l")), "l: expected a link, found something else", []),
        (lambda self: self.put("e/more"), "e/more: expected nothing here", []),
        (lambda self: (self.open_folders(), os.makedirs(f"{self.tree}/e/x/y")), "e/x: expected nothing here", []),
        (
            lambda self: (self.lose("e/c"), self.put("e/other", "cccc")),
            "e/c: is missing; e/other: expected nothing here",
            ["/2.tar"],
        ),
    ]

    def test_only_what_is_damaged_is_put_right(self) -> None:
        for number, (damage, expected, fetched) in enumerate(self.DAMAGE):
            with self.subTest(number=number, expected=expected):
                damage(self)
                inodes = {path: os.lstat(f"{self.tree}/{path}").st_ino for path in ("e/c", "d/a") if self.has(path)}
                count = len(fetched)
                cost = f"with {count} artifacts? of .*" if count else "without any artifact"
                dry = self.spm("verify", "--deep", "--repair", "--dry-run")
                self.assertRegex(dry.err, rf"^spm: 1 package would be repaired {cost}\n$")
                self.assertEqual((dry.status, self.server.asked), (1, []))
                result = self.spm("verify", "--deep", "--repair")
                self.assertRegex(result.out.splitlines()[1], rf"^p +repaired +6 +{expected}$")
                self.assertEqual(result.out.splitlines()[2], "q     whole     1")
                self.assertRegex(result.err, rf"^spm: 1 package repaired {cost}\n$")
                self.assertEqual(result.status, 0)
                self.assertEqual(sorted(self.server.asked), fetched)
                self.assertEqual(self.everything(), self.pristine)
                self.assertEqual(self.spm("verify", "--deep").status, 0)
                self.assertEqual(self.spm("install-group", "all").err, "spm: 2 packages active, nothing to do\n")
                if not fetched:
                    for path, inode in inodes.items():
                        self.assertEqual(os.lstat(f"{self.tree}/{path}").st_ino, inode)
                self.server.asked.clear()
                self.assertEqual(self.left_in_store(), [])

    def has(self, path: str) -> bool:
        return os.path.lexists(f"{self.tree}/{path}")

    def test_a_link_in_a_folders_place_leads_no_repair_outside(self) -> None:
        outside = f"{self.folder}/outside"
        shutil.copytree(f"{self.tree}/e", outside)
        os.chmod(outside, 0o755)
        os.chmod(f"{outside}/c", 0o600)
        self.make_link("e", outside)
        self.assertEqual(self.spm("verify", "--repair").status, 0)
        self.assertEqual(self.everything(), self.pristine)
        self.assertEqual(os.stat(f"{outside}/c").st_mode & 0o777, 0o600)
        self.assertEqual(sorted(os.listdir(outside)), ["b?", "c"])

    def test_what_was_condemned_is_hashed_before_it_counts_again(self) -> None:
        self.spoil("e/c", "CCCC")
        self.assertEqual(self.spm("verify", "--deep").status, 1)
        result = self.spm("verify", "--json")
        self.assertEqual(result.objects()[0]["problems"], ["was found damaged earlier and is not repaired yet"])
        self.assertEqual(self.spm("verify", "--repair").status, 0)
        self.assertEqual((self.everything(), self.server.asked), (self.pristine, ["/2.tar"]))

    def test_a_list_that_is_lost_or_of_an_older_kind_has_the_whole_entry_made_anew(self) -> None:
        path = os.path.dirname(self.tree) + "/files.json"
        with open(path) as file:
            old = json.load(file)
        del old["owners"]
        for text in (json.dumps(old), "{", '{"files": 1, "owners": 1}'):
            with open(path, "w") as file:
                file.write(text)
            self.lose("e/c")
            self.assertEqual(self.spm("verify", "--repair").status, 0)
            self.assertEqual(self.everything(), self.pristine)
            self.assertEqual(sorted(self.server.asked), ["/1.deb", "/2.tar"])
            self.server.asked.clear()

    def test_a_list_that_no_archive_bears_out_has_the_whole_entry_made_anew(self) -> None:
        path = os.path.dirname(self.tree) + "/files.json"
        with open(path) as file:
            listed = json.load(file)
        listed["files"][0][4] = "0" * 64
        with open(path, "w") as file:
            json.dump(listed, file)
        self.assertEqual(self.spm("verify", "--repair", "--deep").status, 0)
        self.assertEqual(self.spm("verify", "--deep").status, 0)
        self.assertEqual(self.everything(), self.pristine)

    def test_a_link_of_lib_that_leads_elsewhere_is_set_right(self) -> None:
        self.add_simple("q", "changed")
        result = self.spm("verify", "--repair")
        self.assertEqual((result.status, self.read("q-1/q")), (0, "changed"))

    def test_a_repair_of_a_link_never_makes_a_valid_entry_invalid(self) -> None:
        before = self.packages["q"]
        self.add_simple("q", "changed")
        self.spm("install", "q")
        self.packages["q"] = before
        with mock.patch.object(StoreEntry, "mark_damaged") as marked:
            self.assertEqual((self.spm("verify", "--repair").status, self.read("q-1/q")), (0, "q"))
        marked.assert_not_called()

    def test_a_repair_that_cannot_fetch_says_so_and_the_next_one_ends_it(self) -> None:
        self.lose("run")
        data = self.server.files.pop("/1.deb")
        result = self.spm("verify", "--repair")
        self.assertEqual(result.status, 1)
        self.assertIn("spm: error: could not fetch 1.deb: main (SERVER/1.deb): not there (HTTP 404)", result.err)
        self.assertEqual(self.spm("verify").status, 1)
        self.server.files["/1.deb"] = data
        self.assertEqual(self.spm("verify", "--repair").status, 0)
        self.assertEqual(self.everything(), self.pristine)

    def test_offline_a_repair_without_artifacts_works_and_one_with_them_is_one_error(self) -> None:
        self.lose("l")
        self.assertEqual(self.spm("verify", "--repair", "--offline").status, 0)
        self.lose("run")
        result = self.spm("verify", "--repair", "--offline")
        self.assertEqual(result.status, 1)
        self.assertIn("not asked: spm is offline", result.err)
        self.assertEqual(self.server.asked, [])

    def test_who_may_not_write_in_the_store_is_sent_to_its_owner(self) -> None:
        self.spoil("d/a", "AAAA")
        before = self.everything()
        for words in (["verify", "--deep"], ["verify", "--deep", "--repair"]):
            with self.subTest(words), mock.patch.object(Store, "writable", lambda _: False):
                result = self.spm(*words)
            self.assertEqual(
                (result.status, result.err),
                (
                    1,
                    "spm: error: 1 of 2 packages differ from what was unpacked\n"
                    "hint: its owner repairs it: python3 make.py spm verify --repair\n",
                ),
            )
        self.assertEqual(self.everything(), before)

    def test_a_tree_that_another_checkout_uses_is_repaired_in_place(self) -> None:
        first, self.lib = self.lib, f"{self.folder}/second"
        self.spm("install", "p")
        self.lose("run")
        held = os.open(self.tree, os.O_RDONLY)
        self.assertEqual(self.spm("verify", "--repair").status, 0)
        self.assertEqual(os.stat("run", dir_fd=held).st_size, 2)  # it is the same folder
        os.close(held)
        self.lib = first
        self.assertEqual(self.spm("verify", "--deep").status, 0)


if __name__ == "__main__":
    unittest.main()
