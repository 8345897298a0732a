"""spm unpack: what it makes, what it says, and every way to call it wrongly. What it refuses:
archives/attacks_test.py."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import unittest
from unittest import mock

from harness.spm import trees
from harness.spm_testing.archives import deb, folder, hard_link, link, member, tar, zipped
from harness.spm_testing.test_case import SpmTestCase
from collections.abc import Callable, Iterator
from typing import Any
from harness.spm_testing.test_case import CommandResult

MEMBERS = [
    folder("./d"),
    folder("./d/empty"),
    member("./d/a", b"one"),
    member("./tool", b"two!", mode=0o4755),
    link("./l", "d/a"),
]


class UnpackVerbTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.made = f"{self.folder}/made"

    def save(self, name: str, data: bytes) -> str:
        path = f"{self.folder}/{name}"
        with open(path, "wb") as file:
            file.write(data)
        return path

    def unpack(self, *arguments: str) -> CommandResult:
        return self.spm("unpack", *arguments, write=False)

    def found(self) -> dict[str, str]:
        """What was made: a file's mode and contents, a link's target, a folder's mode."""
        found = {}
        for place, folders, files in os.walk(self.made):
            for name in (*folders, *files):
                path = f"{place}/{name}"
                mode = f"{stat.S_IMODE(os.lstat(path).st_mode):o}"
                if os.path.islink(path):
                    text = f"-> {os.readlink(path)}"
                elif os.path.isdir(path):
                    text = f"{mode} folder"
                else:
                    with open(path) as file:
                        text = f"{mode} {file.read()}"
                found[os.path.relpath(path, self.made)] = text
        return found

    def test_it_unpacks_every_container_into_a_folder_of_its_owners(self) -> None:
        expected = {"d": "755 folder", "d/a": "644 one", "d/empty": "755 folder", "l": "-> d/a", "tool": "755 two!"}
        for make in (tar, deb, zipped):
            result = self.unpack(self.save("archive", make(*MEMBERS)), self.made)
            self.assertEqual((result.status, result.out), (0, ""))
            self.assertEqual(result.err, "spm: 2 files, 1 link, 2 folders, 7 B in FOLDER/made\n")
            self.assertEqual(self.found(), expected)
            self.assertEqual(stat.S_IMODE(os.stat(self.made).st_mode), 0o755)
            self.assertEqual(sorted(os.listdir(self.folder)), ["archive", "made"])
            trees.remove(self.made)

    def test_it_fills_an_empty_folder_and_says_nothing_when_quiet(self) -> None:
        os.mkdir(self.made)
        before = os.stat(self.made).st_ino  # somebody may stand in it
        archive = self.save("a.tar", tar(member("a", b"1"), hard_link("b", "a")))
        result = self.unpack(archive, self.made, "--quiet")
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))
        self.assertEqual(self.found(), {"a": "644 1", "b": "644 1"})
        self.assertEqual(os.stat(self.made).st_ino, before)

    def test_what_a_killed_process_of_the_same_number_left_is_not_in_the_way(self) -> None:
        os.mkdir(f"{self.made}.{os.getpid()}.new")
        self.unpack(self.save("a.tar", tar(*MEMBERS)), self.made)
        self.assertIn("tool", self.found())

    def test_json_is_one_object(self) -> None:
        result = self.unpack(self.save("a.tar", tar(*MEMBERS)), self.made, "--json")
        expected = {"archive": "FOLDER/a.tar", "path": "FOLDER/made", "files": 2, "links": 1, "folders": 2, "bytes": 7}
        self.assertEqual((result.objects(), result.err), ([expected], ""))

    def test_a_dry_run_lists_what_the_archive_holds_and_makes_nothing(self) -> None:
        archive = self.save("a.tar", tar(*MEMBERS))
        result = self.unpack(archive, self.made, "--dry-run")
        self.assertEqual(result.out, LISTED)
        first, *_ = self.unpack(archive, self.made, "--dry-run", "--json").objects()
        self.assertEqual(first, {"path": "d", "kind": "folder", "mode": 0o755, "bytes": 0, "target": ""})
        self.assertEqual(os.listdir(self.folder), ["a.tar"])

    def test_wrong_calls_get_one_sentence_and_status_2(self) -> None:
        archive = self.save("a.tar", tar(member("a")))
        empty, full, file = self.save("empty", b""), f"{self.folder}/full", self.save("file", b"")
        os.makedirs(f"{full}/x")
        os.mkfifo(f"{self.folder}/pipe")
        for arguments, expected in (
            ([archive], "unpack: expected ARCHIVE DIR, found 1 name"),
            ([archive, "b", "c"], "unpack: expected ARCHIVE DIR, found 3 names"),
            ([f"{self.folder}/none", self.made], "FOLDER/none: expected an archive: No such file or directory"),
            ([empty, self.made], "FOLDER/empty: expected an archive, found an empty file"),
            ([full, self.made], "FOLDER/full: expected an archive, found a folder"),
            ([f"{self.folder}/pipe", self.made], "FOLDER/pipe: expected an archive, found no file"),
            ([archive, file], "FOLDER/file: expected no folder or an empty one, found a file"),
            ([archive, full], "FOLDER/full: expected no folder or an empty one, found 1 entry"),
            (
                [archive, f"{self.folder}/no/made"],
                "FOLDER/no/made: expected an existing parent folder, found no FOLDER/no",
            ),
        ):
            for dry in ([], ["--dry-run"]):
                with self.subTest(arguments, dry=dry):
                    before = sorted(os.listdir(self.folder))
                    result = self.unpack(*arguments, *dry)
                    self.assertEqual(
                        result.err, f"spm: error: {expected}\nhint: python3 make.py spm unpack --help\n"
                    )
                    self.assertEqual((result.status, result.out), (2, ""))
                    self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_names_that_differ_in_case_alone_are_let_through_where_that_is_asked_for(self) -> None:
        members = [member("d/a", b"1"), member("d/A", b"2"), member("D/a", b"3")]
        members += [link("d/\u00e9", "a"), link("d/\u00c9", "A")]
        expected = {"D": "755 folder", "D/a": "644 3", "d": "755 folder", "d/A": "644 2", "d/a": "644 1"}
        expected |= {"d/\u00e9": "-> a", "d/\u00c9": "-> A"}
        for make in (tar, deb, zipped):
            archive = self.save("archive", make(*members))
            result = self.unpack(archive, self.made, "--case-sensitive")
            self.assertEqual((result.status, self.found()), (0, expected), result.err)
            trees.remove(self.made)
            listed = self.unpack(archive, self.made, "--case-sensitive", "--dry-run", "--json").objects()
            self.assertEqual({each["path"] for each in listed}, set(expected))
            for options, differing in (([], "case or "), (["--case-sensitive"], "")):
                archive = self.save("archive", make(member("caf\u00e9"), member("cafe\u0301")))
                result = self.unpack(archive, self.made, *options)
                said = f"FOLDER/archive: cafe\u0301 and caf\u00e9 differ only in {differing}Unicode form"
                hint = "compare the archive with its publisher's; it is not safe to unpack"
                self.assertEqual((result.status, result.err), (2, f"spm: error: {said}\nhint: {hint}\n"))
                self.assertEqual(os.listdir(self.folder), ["archive"])

    def test_names_that_the_disk_takes_for_one_are_an_error_and_leave_nothing(self) -> None:
        for members, names in (
            ([member("d/a"), member("d/A")], "d/A and d/a"),
            ([member("d/a"), member("D/b")], "D and d"),
            ([folder("d"), link("d/l", "x"), link("d/L", "x")], "d/L and d/l"),
            ([member("a"), hard_link("A", "a")], "A and a"),
            ([member("\u00e9"), folder("\u00c9")], "\u00c9 and \u00e9"),
        ):
            for inside in (False, True):
                with self.subTest(names, inside=inside), caseless_disk(self.folder):
                    if inside:
                        os.mkdir(self.made)
                    result = self.unpack(self.save("a.tar", tar(*members)), self.made, "--case-sensitive")
                    said = f"{names} differ only in case, and the folder's file system takes them for one"
                    self.assertEqual(result.err.splitlines()[0], f"spm: error: FOLDER/a.tar: {said}")
                    self.assertRegex(result.err, "\nhint: .* unpack FOLDER/a.tar DIR .*, with a DIR on a case-sensitive file system")
                    self.assertEqual(result.status, 2)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["a.tar", "made"] if inside else ["a.tar"])
                if inside:
                    self.assertEqual(os.listdir(self.made), [])
                    os.rmdir(self.made)

    def test_a_full_disk_and_an_interruption_leave_nothing(self) -> None:
        archive = self.save("a.tar", tar(*MEMBERS))
        full = OSError(errno.ENOSPC, "No space left on device")
        for error, status, said in (
            (full, 1, "spm: error: unpacking FOLDER/a.tar: No space left on device"),
            (KeyboardInterrupt(), 130, "spm: interrupted; finished work is kept, unfinished work is discarded"),
        ):
            for call in ("mkdir", "open", "write", "fchmod", "utime", "symlink", "chmod", "rename"):
                with self.subTest(call, status=status):
                    with mock.patch.object(os, call, side_effect=failing(getattr(os, call), self.made, error)):
                        result = self.unpack(archive, self.made)
                    self.assertEqual((result.status, result.err.splitlines()[0]), (status, said))
                    self.assertEqual(os.listdir(self.folder), ["a.tar"])


@contextlib.contextmanager
def caseless_disk(below: str) -> Iterator[None]:
    """A disk that makes nothing whose name differs in case alone from what is there."""

    def refusing(call: Callable[..., Any], place: int) -> Callable[..., Any]:
        def act(*arguments: int | str, **named: bool) -> int | None:
            path = arguments[place]
            makes = call is not os_open or int(arguments[1]) & os.O_EXCL
            if makes and isinstance(path, str) and path.startswith(below):
                folder_path, _, name = path.rpartition("/")
                if name.lower() in (each.lower() for each in os.listdir(folder_path)):
                    raise FileExistsError(errno.EEXIST, "File exists", path)
            return call(*arguments, **named)

        return act

    os_open = os.open
    with contextlib.ExitStack() as patches:
        for name, place in (("open", 0), ("mkdir", 0), ("symlink", 1), ("link", 1)):
            patches.enter_context(mock.patch.object(os, name, refusing(getattr(os, name), place)))
        yield


def failing(call: Callable[..., Any], made: str, error: BaseException) -> Callable[..., Any]:
    """`call`, which fails once for what is being made."""
    pending = [error]

    def act(*arguments, **named) -> int | None:
        ours = not isinstance(arguments[0], str) or any(made in str(each) for each in arguments)
        if ours and pending:
            raise pending.pop()
        return call(*arguments, **named)

    return act


LISTED = """\
mode  kind    bytes  path     target
755   folder  0 B    d
644   file    3 B    d/a
755   folder  0 B    d/empty
      link    3 B    l        d/a
755   file    4 B    tool
"""


if __name__ == "__main__":
    unittest.main()
