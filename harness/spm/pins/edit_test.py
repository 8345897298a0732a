from __future__ import annotations

import json
import os
import random
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


def change(package: str, letter: str, old_path: str, **new: int | str) -> edit.PinChange:
    return edit.PinChange(package, {"path": old_path, "sha256": letter * 64}, {"sha256": "f" * 64, **new})


class ApplyTest(unittest.TestCase):
    def test_only_the_pin_changes(self) -> None:
        self.assertEqual(
            edit.apply(TEXT, [change("one", "a", "one_1", path='one_"2', size=12345)]),
            TEXT.replace("a" * 64, "f" * 64)
            .replace('"size": 1 ,', '"size": 12345 ,')
            .replace('"path":"one_1"', '"path":"one_\\"2"'),
        )

    def test_an_artifact_that_a_package_unpacks_twice_changes_twice(self) -> None:
        self.assertEqual(edit.apply(TEXT, [change("two", "b", "p")] * 2), TEXT.replace("b" * 64, "f" * 64))

    def test_every_value_is_found_where_it_is(self) -> None:
        def walk(value, place) -> None:
            begin, end = edit.span(TEXT, place)
            self.assertEqual(json.loads(TEXT[begin:end]), value)
            members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for name, each in members:
                walk(each, (*place, name))

        walk(json.loads(TEXT), ())

    def test_a_pin_that_somebody_has_changed_is_left_to_them(self) -> None:
        for wrong in (change("one", "b", "one_1"), change("one", "a", "one_2"), change("three", "a", "p")):
            with self.assertRaisesRegex(SpmError, f"^p: packages.{wrong.package}: expected the artifact .*changed it "):
                edit.apply(TEXT, [change("two", "b", "p"), wrong], "p")


def layout(value, chance: random.Random) -> str:
    """A value as JSON with blanks wherever they may be."""

    def blank() -> str:
        return "".join(chance.choice(" \t\r\n") for _ in range(chance.choice((0, 0, 1, 3))))

    if isinstance(value, dict):
        members = [blank() + json.dumps(name) + blank() + ":" + layout(each, chance) for name, each in value.items()]
        return blank() + "{" + (",".join(members) or blank()) + "}" + blank()
    if isinstance(value, list):
        return blank() + "[" + (",".join(layout(each, chance) for each in value) or blank()) + "]" + blank()
    return blank() + json.dumps(value, ensure_ascii=chance.random() < 0.5) + blank()


LAYOUTS = (
    layout,
    lambda value, chance: json.dumps(value, separators=(",", ":")),
    lambda value, chance: json.dumps(value, indent=chance.choice((1, 4, "\t"))).replace("\n", "\r\n"),
)


def pinned(artifact: dict, field: bool | None, **values) -> edit.PinChange:
    """The change that gives that artifact the field `unsigned`, or takes it away, and other values with it."""
    return edit.PinChange("x", {"path": artifact["path"], "sha256": artifact["sha256"]}, {"unsigned": field, **values})


class FieldTest(unittest.TestCase):
    """A field that comes and goes, in files of every layout."""

    def test_a_new_field_is_laid_out_as_the_one_before_it(self) -> None:
        unsigned = change("one", "a", "one_1", unsigned=True)
        self.assertEqual(
            edit.apply(TEXT, [unsigned]),
            TEXT.replace("a" * 64, "f" * 64).replace('"strip":"usr"}', '"strip":"usr","unsigned":true}'),
        )
        for indent, expected in ((2, '"p",\n          "unsigned": true\n        }'), (None, '"p", "unsigned": true}')):
            document = {"packages": {"x": {"artifacts": [{"sha256": "0" * 64, "path": "p"}]}}}
            with self.subTest(indent=indent):
                text = json.dumps(document, indent=indent)
                changed = edit.apply(text, [edit.PinChange("x", {"path": "p"}, {"unsigned": True})])
                self.assertEqual(changed, text.replace('"p"' + expected.partition("true")[2], expected))
                self.assertNotEqual(changed, text)

    def test_in_any_layout_it_comes_and_goes_and_nothing_else_changes(self) -> None:
        for seed in range(400):
            with self.subTest(seed=seed):
                self.check_one(random.Random(seed))

    def check_one(self, chance: random.Random) -> None:
        def text() -> str:
            return chance.choice(LAYOUTS)({"packages": {"x": {"artifacts": artifacts, "lib": "x"}}}, chance)

        def assert_means(changed: str, **fields) -> None:
            expected = [{**each, **fields} if each is artifact else each for each in artifacts]
            self.assertEqual(json.dumps(json.loads(changed)["packages"]["x"]["artifacts"]), json.dumps(expected))

        pin = {"path": 'p"}{,', "size": 1, "sha256": "0" * 64, "keep": ["\u00e4,}", "{"], "note": {"unsigned": [True]}}
        artifact = dict(chance.sample([*pin.items()], len(pin)))
        artifacts = [artifact]
        for number in range(chance.randrange(3)):
            other = {**artifact, "sha256": str(number + 1) * 64, "unsigned": True}
            artifacts.insert(chance.randrange(len(artifacts) + 1), other)

        before = text()
        given = edit.apply(before, [pinned(artifact, True)])
        assert_means(given, unsigned=True)
        self.assertEqual(edit.apply(given, [pinned(artifact, None)]), before)
        # What is so already stays so.
        self.assertEqual(edit.apply(given, [pinned(artifact, True)]), given)
        self.assertEqual(edit.apply(before, [pinned(artifact, None)]), before)
        # With a value that changes beside it, and twice, as where two findings are of one artifact.
        assert_means(edit.apply(before, [pinned(artifact, True, keep=[], size=77)] * 2), keep=[], size=77, unsigned=True)

        # Wherever the field stands, it goes, with a value that changes beside it.
        place = chance.randrange(len(artifact) + 1)
        bare, fields = artifact, [*artifact.items()]
        with_field = dict(fields[:place] + [("unsigned", True)] + fields[place:])
        artifacts[artifacts.index(bare)] = with_field
        gone = edit.apply(text(), [pinned(bare, None, keep=[], size=77)] * 2)
        artifacts[artifacts.index(with_field)] = bare
        assert_means(gone, keep=[], size=77)


class WriteTest(unittest.TestCase):
    def setUp(self) -> None:
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

    def test_a_link_stays_a_link_and_the_mode_stays(self) -> None:
        edit.write(self.link, [change("two", "b", "p")])
        self.assertEqual(self.read(), TEXT.replace("b" * 64, "f" * 64))
        self.assertEqual((os.readlink(self.link), os.stat(self.path).st_mode & 0o777), ("real/packages.json", 0o640))
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["packages.json"])

    def test_what_would_be_no_packages_json_is_not_written(self) -> None:
        with self.assertRaisesRegex(SpmError, r"^the new pins make packages.json invalid: .*artifacts\[0\].size: expected a "):
            edit.write(self.path, [change("one", "a", "one_1", size=0)])
        self.assertEqual(self.read(), TEXT)

    def test_two_at_once_both_count(self) -> None:
        document = json.loads(TEXT)
        document["packages"] = {
            f"p{number}": {**document["packages"]["one"], "lib": f"p-{number}"} for number in range(12)
        }
        with open(self.path, "w") as file:
            json.dump(document, file)
        failures = []

        def write(name: str) -> None:
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

    def test_a_file_that_has_gone_is_one_error(self) -> None:
        os.unlink(self.path)
        with self.assertRaisesRegex(SpmError, "^writing .*packages.json: No such file or directory"):
            edit.write(self.path, [change("two", "b", "p")])


if __name__ == "__main__":
    unittest.main()
