import os
import time

from harness.spm.archives.licence_files import LicenceFiles
from harness.spm.store import licence_record
from harness.spm.store.store import Store
from harness.spm_testing.archives import deb, member
from harness.spm_testing.test_case import SpmTestCase
from unittest import main

FOUND = LicenceFiles({"b/LICENSE": "\u00e9\n", "a/LICENSE": "a"}, {"usr/share/doc/a": "b"})
OLD = time.time() - 2 * licence_record.KEPT_S


class LicenceRecordTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.made = Store(self.store)
        self.made.prepare()

    def names(self) -> list[str]:
        return sorted(os.listdir(f"{self.store}/licences"))

    def test_what_was_noted_is_found_again(self) -> None:
        self.assertIsNone(licence_record.load(self.made, "0" * 64))
        licence_record.save(self.made, "0" * 64, FOUND)
        for store in (self.made, Store(f"{self.folder}/front", [self.store])):
            found = licence_record.load(store, "0" * 64)
            assert found
            self.assertEqual((list(found.texts.items()), found.links), ([("a/LICENSE", "a"), ("b/LICENSE", "\u00e9\n")], FOUND.links))

    def test_damage_is_as_good_as_nothing(self) -> None:
        for text in ("", "{", "[]", "{}", '{"rules": 0, "texts": {}, "links": {}}', '{"rules": 1}', '{"rules": 1, "texts": 1, "links": {}}', "\x80"):
            with open(f"{self.store}/licences/{'0' * 64}", "w", encoding="latin-1") as file:
                file.write(text)
            self.assertIsNone(licence_record.load(self.made, "0" * 64), text)

    def test_a_full_disk_loses_only_the_note(self) -> None:
        os.rmdir(f"{self.store}/licences")
        licence_record.save(self.made, "0" * 64, FOUND)
        self.assertIsNone(licence_record.load(self.made, "0" * 64))

    def test_a_note_goes_after_its_last_use(self) -> None:
        for name in "012":
            licence_record.save(self.made, name * 64, FOUND)
        for name in "01":
            os.utime(f"{self.store}/licences/{name * 64}", (OLD, OLD))
        licence_record.load(self.made, "0" * 64)  # which is a use
        licence_record.sweep(self.made, set())
        self.assertEqual(self.names(), ["0" * 64, "2" * 64])
        os.utime(f"{self.store}/licences/{'0' * 64}", (OLD, OLD))
        licence_record.sweep(self.made, {"0" * 64})
        self.assertEqual(self.names(), ["0" * 64, "2" * 64])

    def test_a_note_of_an_entry_stays_while_the_entry_does(self) -> None:
        self.add("a", self.serve("a.deb", deb(member("./usr/share/doc/a/copyright", b"a"))))
        self.assertEqual(self.spm("install", "a", "-q").status, 0)
        (name,) = self.names()
        os.utime(f"{self.store}/licences/{name}", (OLD, OLD))
        self.spm("cache", "prune", "-q")
        self.assertEqual(self.names(), [name])
        self.spm("uninstall", "a", "-q")
        self.spm("cache", "prune", "-q", "--older-than", "0d")
        self.spm("cache", "prune", "-q")
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    main()
