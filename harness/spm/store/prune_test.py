import os
import threading
import time
import unittest
from typing import Any

from harness.spm import trees
from harness.spm.store import prune
from harness.spm.store.store import StoreEntry, Store
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import send
from harness.spm_testing.test_case import SpmTestCase

DAY = 86400


class Fake:
    """The fields of a CacheEntry that `removable` reads."""

    def __init__(self, name: str, size: int, days: int, users=()) -> None:
        self.name, self.bytes, self.last_use, self.users = name, size, -days * DAY, list(users)


def names(*cached: Any, older_than_days: int = 30, max_bytes: int = 1000) -> list[str]:
    removed: list[Any] = prune.removable(list(cached), older_than_days * DAY, max_bytes, now=0)
    return [each.name for each in removed]


class VictimsTest(unittest.TestCase):
    def test_the_old_go_and_the_young_stay(self) -> None:
        self.assertEqual(names(Fake("old", 1, 31), Fake("young", 1, 29)), ["old"])

    def test_what_a_lib_uses_stays_however_old_and_large(self) -> None:
        self.assertEqual(names(Fake("used", 5000, 400, ["/lib"]), Fake("old", 1, 31)), ["old"])

    def test_by_size_the_least_recently_used_go_first_until_the_rest_fits(self) -> None:
        cached = [Fake("a", 400, 3), Fake("b", 400, 1), Fake("c", 400, 2), Fake("used", 500, 9, ["/lib"])]
        self.assertEqual(names(*cached, max_bytes=1300), ["a"])
        self.assertEqual(names(*cached, max_bytes=1299), ["a", "c"])
        self.assertEqual(names(*cached, max_bytes=0), ["a", "c", "b"])

    def test_a_use_by_a_clock_ahead_of_ours_is_new_not_eternal(self) -> None:
        self.assertEqual(names(Fake("ahead", 1, -400), older_than_days=0), ["ahead"])
        self.assertEqual(names(Fake("ahead", 1, -400)), [])

    def test_what_went_by_age_no_longer_counts_by_size(self) -> None:
        self.assertEqual(names(Fake("old", 900, 31), Fake("a", 900, 3)), ["old"])


class PruneTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_simple("a")
        self.spm("install", "a")

    def kept(self) -> list[str]:
        return sorted(os.listdir(f"{self.store}/packages"))

    def test_a_lease_outlives_its_lib_folder_unless_it_is_ended(self) -> None:
        first, self.lib = self.lib, f"{self.folder}/second"
        self.spm("install", "a")
        self.assertEqual(self.spm("cache", "list", "--json").objects()[0]["used_by"], ["FOLDER/lib", "FOLDER/second"])
        for lib, left in ((first, ["a"]), (self.lib, [])):
            trees.remove(lib)
            self.spm("cache", "prune", "--older-than", "0d")
            self.assertEqual(self.kept(), ["a"])
            told = self.spm("cache", "prune", "--older-than", "0d", "--gone", "--dry-run", "--json").objects()
            self.assertEqual(["a"] if not told else [], left)
            self.spm("cache", "prune", "--older-than", "0d", "--gone")
            self.assertEqual(self.kept(), left)
        self.assertEqual([os.listdir(f"{self.store}/{part}") for part in ("roots", "leases")], [[], []])

    def test_a_removal_that_was_killed_is_finished_by_the_next_sweep(self) -> None:
        entry = prune.cache_entries(Store(self.store))[0].entry
        staging = Store(self.store).staging(entry)
        os.rename(entry.path, staging)  # as far as the killed run came
        self.spm("cache", "prune")
        self.assertEqual(self.left_in_store(), [])
        self.assertEqual(self.spm("install", "a").status, 0)

    def test_pruning_happens_by_itself_once_a_day(self) -> None:
        self.spm("uninstall", "a")
        used = prune.cache_entries(Store(self.store))[0].entry.path + "/used"
        self.set_time(used, 40)
        self.add_simple("b")
        self.spm("install", "b")
        self.assertEqual(self.kept(), ["a", "b"])  # pruned today already
        self.set_time(f"{self.store}/pruned", 2)
        self.spm("uninstall", "b")
        self.spm("install", "b")
        self.assertEqual(self.kept(), ["b"])

    def set_time(self, path: str, days: float) -> None:
        then = time.time() - days * DAY
        os.utime(path, (then, then))

    def test_pruning_waits_for_an_install_and_the_automatic_one_gives_up(self) -> None:
        self.spm("uninstall", "a")
        store = Store(self.store)
        with store.lock("store") as lock:
            lock.take(shared=True)
            os.unlink(f"{self.store}/pruned")
            prune.automatic(store)
            self.assertFalse(os.path.exists(f"{self.store}/pruned"))
            self.write()
            process = self.start("cache", "prune", "--older-than", "0d")
            self.wait_for_line(
                process, rf"^spm: waiting for process {os.getpid()} \(.*\) to finish with the store\n$"
            )
            self.assertEqual(self.kept(), ["a"])
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(self.kept(), [])

    def test_what_is_looked_at_but_not_yet_linked_is_not_pruned(self) -> None:
        self.spm("uninstall", "a")
        go = threading.Event()
        self.add_simple("b")
        data = self.server.files["/b.deb"]
        self.server.files["/b.deb"] = lambda handler: go.wait(PATIENCE_S) and send(handler, data)
        self.server.asked.clear()
        self.write()
        install = self.start("install", "a", "b")
        while not self.server.asked:
            time.sleep(0.01)
        prune = self.start("cache", "prune", "--older-than", "0d")
        self.wait_for_line(prune, f"^spm: waiting for process {install.pid} ")
        go.set()
        for process in (install, prune):
            process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 0)
        self.assertEqual((self.kept(), self.read("a-1/a"), self.server.asked), (["a", "b"], "a", ["/b.deb"]))

    def test_a_clock_that_was_ahead_keeps_nothing_for_ever(self) -> None:
        self.spm("uninstall", "a")
        used = prune.cache_entries(Store(self.store))[0].entry.path + "/used"
        part = f"{self.store}/archives/ahead.part"
        open(part, "w").close()
        for path in (used, part, f"{self.store}/pruned"):
            self.set_time(path, -400)
        self.add_simple("b")
        self.spm("install", "b")
        for path in (used, part):
            self.assertLess(os.stat(path).st_mtime, time.time() + DAY)
        self.assertLess(os.stat(f"{self.store}/pruned").st_mtime, time.time() + DAY)

    def test_half_a_download_waits_a_day_for_the_next_run(self) -> None:
        young, old, spent = (f"{self.store}/archives/{name}" for name in ("young.part", "old.part", "spent"))
        for path, days in ((young, 0.9), (old, 1.1), (spent, time.time() / DAY)):
            open(path, "w").close()
            self.set_time(path, days)
        self.add_simple("b")
        self.spm("install", "b")
        self.assertEqual(self.left_in_store(), ["archives/young.part"])
        self.spm("cache", "prune", "--older-than", "2d")
        self.assertEqual(self.left_in_store(), ["archives/young.part"])
        self.spm("cache", "prune", "--older-than", "0d")
        self.assertEqual(self.left_in_store(), [])

    def test_a_store_that_is_not_there_is_empty(self) -> None:
        self.store = f"{self.folder}/none"
        for verb in ("list", "prune"):
            self.assertEqual(self.spm("cache", verb, "--json").objects(), [])
        self.assertFalse(os.path.exists(self.store))

    def test_a_target_outside_the_store_is_no_entry(self) -> None:
        store = Store("/s")
        self.assertIsInstance(store.entry_of("/s/packages/a/v/tree"), StoreEntry)
        for target in ("/s/packages/a/v", "/s/packages/a/v/tree/x", "/t/packages/a/v/tree", "tree", ""):
            self.assertIsNone(store.entry_of(target))


if __name__ == "__main__":
    unittest.main()
