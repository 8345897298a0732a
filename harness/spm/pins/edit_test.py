import json
import os
import tempfile
import threading
import unittest

from harness.spm.errors import SpmError
from harness.spm.pins import edit

# A file as nobody would format it: all of it but the pins must stay.
TEXT = (
    '{"schema":1,\r\n\t"sources" : {"s": {"type": "http", "base": "http://127.0.0.1/x"} },\n'
    ' "packages": {\n'
    '  "on\\u0065": {"license":"MIT", "note": "\\"path\\": 1, [}{", "lib":"one-1","groups":["g"],\n'
    '    "artifacts":[ {"size": 1 , "sources":["s"], "note": {"path": [1, {"size": 3}]}, "path":"one_1" ,\n'
    '                   "sha256":\n "%s","strip":"usr"}], "platforms":["any"]},\n'
    '  "two": { "artifacts": [{"path": "p", "sources": ["s"], "size": 1, "sha256": "%s"},\n'
    '     {"path": "p", "sources": ["s"], "size": 1, "sha256": "%s", "strip": "usr"}\n,'
    '     {"path": "p", "sources": ["s"], "size": 1, "sha256": "%s", "strip": "usr"}],\n'
    '     "groups": ["g"], "platforms": ["any"], "lib": "two-1", "license": "MIT", "und so weiter": "ähnlich"} } }\n\n'
) % ("a" * 64, "b" * 64, "c" * 64, "b" * 64)


def change(package: str, letter: str, old_path: str, **new) -> edit.Change:
    return edit.Change(package, {"path": old_path, "sha256": letter * 64}, {"sha256": "f" * 64, **new})


class ApplyTest(unittest.TestCase):
    def test_only_the_pin_changes(self):
        self.assertEqual(
            edit.apply(TEXT, [change("one", "a", "one_1", path='one_"2', size=12345)]),
            TEXT.replace("a" * 64, "f" * 64)
            .replace('"size": 1 ,', '"size": 12345 ,')
            .replace('"path":"one_1"', '"path":"one_\\"2"'),
        )

    def test_an_artifact_that_a_package_unpacks_twice_changes_twice(self):
        self.assertEqual(edit.apply(TEXT, [change("two", "b", "p")] * 2), TEXT.replace("b" * 64, "f" * 64))

    def test_every_value_is_found_where_it_is(self):
        def walk(value, place):
            begin, end = edit.span(TEXT, place)
            self.assertEqual(json.loads(TEXT[begin:end]), value)
            members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for name, each in members:
                walk(each, (*place, name))

        walk(json.loads(TEXT), ())

    def test_a_pin_that_somebody_has_changed_is_left_to_them(self):
        for wrong in (change("one", "b", "one_1"), change("one", "a", "one_2"), change("three", "a", "p")):
            with self.assertRaisesRegex(SpmError, f"^p: packages.{wrong.package}: expected the artifact .*changed it "):
                edit.apply(TEXT, [change("two", "b", "p"), wrong], "p")


class WriteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.makedirs(f"{folder.name}/real")
        self.path = f"{folder.name}/real/packages.json"
        self.link = f"{folder.name}/packages.json"
        os.symlink("real/packages.json", self.link)
        with open(self.path, "wb") as file:
            file.write(TEXT.encode())
        os.chmod(self.path, 0o640)

    def read(self) -> str:
        with open(self.path, "rb") as file:
            return file.read().decode()

    def test_a_link_stays_a_link_and_the_mode_stays(self):
        edit.write(self.link, [change("two", "b", "p")])
        self.assertEqual(self.read(), TEXT.replace("b" * 64, "f" * 64))
        self.assertEqual((os.readlink(self.link), os.stat(self.path).st_mode & 0o777), ("real/packages.json", 0o640))
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["packages.json"])

    def test_what_would_be_no_packages_json_is_not_written(self):
        with self.assertRaisesRegex(SpmError, r"^the new pins make no packages.json: .*artifacts\[0\].size: expected a "):
            edit.write(self.path, [change("one", "a", "one_1", size=0)])
        self.assertEqual(self.read(), TEXT)

    def test_two_at_once_both_count(self):
        document = json.loads(TEXT)
        document["packages"] = {
            f"p{number}": {**document["packages"]["one"], "lib": f"p-{number}"} for number in range(12)
        }
        with open(self.path, "w") as file:
            json.dump(document, file)
        failures = []

        def write(name):
            try:
                edit.write(self.path, [change(name, "a", "one_1")])
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=write, args=(name,)) for name in document["packages"]]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.read(), json.dumps(document).replace("a" * 64, "f" * 64))

    def test_a_file_that_has_gone_is_one_error(self):
        os.unlink(self.path)
        with self.assertRaisesRegex(SpmError, "^writing .*packages.json: No such file or directory"):
            edit.write(self.path, [change("two", "b", "p")])


if __name__ == "__main__":
    unittest.main()
