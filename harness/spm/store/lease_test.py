"""Stores that containers share: what one uses, another that cannot see its lib folder does not prune."""

import json
import os
import shutil
import time
import unittest
from unittest import mock

from harness.spm.store import install, lease, prune
from harness.spm.store.store import Store
from harness.spm_testing.test_case import SpmTestCase

DAY = 86400


class LeaseTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_simple("a")
        self.add_simple("b")
        self.spm("install", "a")

    def kept(self) -> list[str]:
        return sorted(os.listdir(f"{self.store}/packages"))

    def prune(self) -> None:
        self.assertEqual(self.spm("cache", "prune", "--older-than", "0d", "--max-size", "0").status, 0)

    def leases(self) -> list[str]:
        return [f"{self.store}/leases/{name}" for name in sorted(os.listdir(f"{self.store}/leases"))]

    def age(self, days: float) -> None:
        for path in self.leases():
            os.utime(path, (time.time() - days * DAY,) * 2)

    def test_two_containers_with_one_store(self) -> None:
        """Each sees its own lib folder, at the same path or at another, and never the other's."""
        for where in (self.lib, f"{self.folder}/other/lib"):
            for second in (("install", "b"), ("status",)):
                with self.subTest((where, second)):
                    first = self.lib
                    os.rename(first, f"{self.folder}/away")  # as the second container sees it
                    self.lib = where
                    self.spm(*second)
                    self.prune()
                    self.assertIn("a", self.kept())
                    shutil.rmtree(where, ignore_errors=True)
                    self.lib = first
                    os.rename(f"{self.folder}/away", first)
                    self.server.files.clear()
                    self.assertEqual(self.spm("install", "a", "--offline").status, 0)
                    self.assertEqual(self.read("a-1/a"), "a")
                    self.add_simple("b")
                    self.spm("cache", "prune", "--gone", "--older-than", "0d")

    def test_a_copy_of_a_lib_folder_has_a_lease_of_its_own(self) -> None:
        first, self.lib = self.lib, f"{self.folder}/copy"
        shutil.copytree(first, self.lib, symlinks=True)
        self.spm("install", "b")
        self.spm("uninstall", "a")
        self.assertEqual(len(self.leases()), 2)
        os.rename(first, f"{self.folder}/away")
        self.prune()
        self.assertEqual(self.kept(), ["a", "b"])

    def test_use_renews_a_lease_at_most_once_a_day(self) -> None:
        (path,) = self.leases()
        for days, renewed in ((0.5, False), (1.5, True), (29, True), (-0.5, False), (-3, True)):
            self.age(days)
            before = os.stat(path).st_mtime
            self.assertEqual(self.spm("install", "a").status, 0)
            self.assertEqual(os.stat(path).st_mtime != before, renewed, days)

    def test_an_expired_lease_means_a_new_download_and_offline_says_so(self) -> None:
        self.age(29.9)
        self.prune()
        self.assertEqual(self.kept(), ["a"])
        self.age(30.1)
        self.prune()
        self.assertEqual((self.kept(), self.leases()), ([], []))
        result = self.spm("install", "a", "--offline")
        self.assertEqual(
            (result.status, result.err),
            (
                1,
                "spm: error: the store no longer has 1 package of lib (a): lib was not used for 30 days, so its lease "
                "ended, and spm is offline\n"
                "hint: run this once with a network, or name a copy of the artifacts with SPM_MIRROR\n",
            ),
        )
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(self.read("a-1/a"), "a")

    def test_a_damaged_lease_holds_nothing_and_goes(self) -> None:
        texts = ("", "{", "[]", '{"lib": 5}', '{"lib": "x"}', '{"lib": "/x\\u0000y", "entries": ["a"]}', "[" * 200000, "\udcff")
        for text in texts:
            path = f"{self.store}/leases/{'1' * 32}"
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            rows = self.spm("cache", "list", "--json").objects()
            self.assertEqual([row["used_by"] for row in rows], [["FOLDER/lib"]], text[:40])
            self.prune()
            self.assertFalse(os.path.exists(path), text[:40])
        self.assertEqual(self.kept(), ["a"])

    def test_an_emptied_lease_is_written_again_by_the_next_use(self) -> None:
        (path,) = self.leases()
        open(path, "w").close()  # as a power cut may leave it
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertGreater(os.path.getsize(path), 0)

    def test_a_lease_of_the_future_ends_thirty_days_from_now(self) -> None:
        self.age(-400)
        self.prune()
        (path,) = self.leases()
        self.assertLess(os.stat(path).st_mtime, time.time() + DAY)
        self.assertEqual(self.kept(), ["a"])

    def test_one_store_under_two_paths(self) -> None:
        """As two containers mount it; the lib folder is seen by both."""
        mounted, first = f"{self.folder}/mounted", self.store
        os.rename(first, mounted)
        self.store = mounted
        self.assertEqual(self.spm("cache", "list", "--json").objects()[0]["used_by"], ["FOLDER/lib"])
        self.prune()
        self.assertEqual(self.kept(), ["a"])
        self.spm("install", "b")
        self.prune()
        self.assertEqual(self.kept(), ["a", "b"])

    def test_what_others_write_in_a_lib_folder_names_no_lease_and_hangs_nobody(self) -> None:
        self.spm("cache", "keep", "a")
        path = f"{self.lib}/{lease.ID_FILE}"
        for text in (lease.KEPT, "../roots", "x" * 32, ""):
            with open(path, "w") as file:
                file.write(f"{text} {os.stat(self.lib).st_ino}\n")
            self.assertEqual(self.spm("install", "b").status, 0)
            with open(f"{self.store}/leases/{lease.KEPT}") as file:
                self.assertEqual(json.load(file)["entries"][0][:2], "a/")
        os.unlink(path)
        os.mkfifo(path)
        self.assertEqual(self.spm("cache", "list").status, 0)
        os.unlink(path)
        os.symlink("/dev/zero", path)
        self.assertEqual(self.spm("cache", "list").status, 0)

    def test_a_kill_between_lease_and_links_leaves_both_versions_held(self) -> None:
        self.add_simple("a", "another version")
        held = []

        def killed(items, report) -> None:
            self.prune_elsewhere()
            held.append(len(os.listdir(f"{self.store}/packages/a")))
            raise KeyboardInterrupt

        with mock.patch.object(install, "_link", killed):
            self.spm("install", "a")
        self.assertEqual(held, [2])

    def prune_elsewhere(self) -> None:
        """What another container would prune that does not see this lib folder."""
        store = Store(self.store)
        hidden = f"{self.folder}/hidden"
        os.rename(self.lib, hidden)
        for each in prune.removable(prune.cache_entries(store), 0, 0, time.time()):
            prune.remove(store, each.entry)
        os.rename(hidden, self.lib)

    def test_a_lib_folder_that_cannot_be_written_is_known_by_its_path(self) -> None:
        os.unlink(f"{self.lib}/{lease.ID_FILE}")
        os.mkdir(f"{self.lib}/{lease.ID_FILE}")  # also root cannot write this
        for path in self.leases():
            os.unlink(path)
        self.assertEqual(self.spm("install", "a").status, 0)
        (path,) = self.leases()
        self.assertTrue(os.path.basename(path).startswith("path"))
        self.prune()
        self.assertEqual(self.kept(), ["a"])

    def test_lib_folders_of_earlier_versions_hold_what_they_link_to(self) -> None:
        os.unlink(f"{self.lib}/{lease.ID_FILE}")
        shutil.rmtree(f"{self.store}/leases")
        self.prune()
        self.assertEqual(self.kept(), ["a"])
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(len(self.leases()), 1)

    def test_the_owner_keeps_what_users_of_a_read_only_store_need(self) -> None:
        self.spm("install", "b")
        self.assertEqual(self.spm("cache", "keep", "a").err, "spm: 1 package kept\n")
        self.spm("uninstall", "a", "b")
        self.prune()
        self.assertEqual(self.kept(), ["a"])
        self.assertEqual(
            self.spm("cache", "keep").err, "spm: 1 package kept\nspm: not in the store, so not kept: b\n"
        )
        self.assertEqual(self.spm("cache", "list", "--json").objects()[0]["used_by"], ["kept by the store's owner"])
        self.assertEqual(self.spm("cache", "keep", "a", "--none").status, 2)
        self.assertEqual(self.spm("cache", "keep", "--none").status, 0)
        self.prune()
        self.assertEqual(self.kept(), [])

    def test_a_store_in_front_of_another_uses_what_that_has(self) -> None:
        self.first_lib, shared, self.lib = self.lib, self.store, f"{self.folder}/mine/lib"
        self.store = f"{self.folder}/mine/store:{shared}:/nowhere"
        self.server.files.pop("/a.deb")
        self.assertEqual(self.spm("install", "a", "b").status, 0)
        own = f"{self.folder}/mine/store"
        self.assertEqual(sorted(os.listdir(f"{own}/packages")), ["b"])
        self.assertEqual((self.read("a-1/a"), self.read("b-1/b")), ("a", "b"))
        self.assertTrue(os.readlink(f"{self.lib}/a-1").startswith(f"{shared}/packages/a/"))
        self.server.files.clear()
        self.assertEqual(self.spm("install", "a", "b", "--offline").err, "spm: 2 packages active, nothing to do\n")
        self.assertEqual(self.spm("verify", "--deep").status, 0)
        rows = self.spm("status", "--json").objects()
        self.assertEqual([row["state"] for row in rows], ["active", "active"])
        # The store behind keeps what is used of it, and is repaired by its owner alone.
        front, self.store = self.store, shared
        shutil.rmtree(self.first_lib)
        self.spm("cache", "prune", "--older-than", "0d", "--gone")
        self.assertEqual(self.kept(), ["a"])
        self.store = front
        tree = os.path.realpath(f"{self.lib}/a-1")
        for path in (tree, f"{tree}/a"):
            os.chmod(path, 0o755)
        with open(f"{tree}/a", "w") as file:
            file.write("BAD")
        result = self.spm("verify", "--deep", "--repair")
        self.assertEqual(result.status, 1)
        self.assertIn("1 of 2 packages differ from what was unpacked, in the store FOLDER/store, which is used as it is", result.err)

    def test_the_no_op_renews_no_lease(self) -> None:
        for writable in (True, False):
            if not writable:
                os.unlink(f"{self.lib}/{lease.ID_FILE}")
                os.mkdir(f"{self.lib}/{lease.ID_FILE}")
                self.spm("install", "a")
            with mock.patch.object(lease, "renew", side_effect=AssertionError):
                self.assertEqual(self.spm("install", "a").err, "spm: 1 package active, nothing to do\n")
        os.rmdir(f"{self.lib}/{lease.ID_FILE}")
        self.spm("install", "a", "b")
        with open(f"{self.lib}/{lease.ID_FILE}") as file:
            identity = file.read().split()[0]
        with open(f"{self.store}/leases/{identity}") as file:
            fields = json.load(file)
        self.assertEqual((fields["lib"], len(fields["entries"])), (self.lib, 2))


if __name__ == "__main__":
    unittest.main()
