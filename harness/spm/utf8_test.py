"""The same archives make the same store in every locale, and every verb works on it there."""

import os
import re
import subprocess
import sys
import unittest

from harness.spm import trees
from harness.spm.settings import ROOT
from harness.spm_testing.archives import folder, link, member, tar, zipped
from harness.spm_testing.test_case import PYTHON, SpmTestCase
from collections.abc import Iterator

BYTES = os.fsdecode(b"\xe9t\xe9")  # no UTF-8
NAMES = ["gr\u00fcn", "\u6f22\u5b57", "\U0001f600", BYTES]
MEMBERS = [
    folder("usr/\u00e4"),
    *(member(f"usr/\u00e4/{name}", os.fsencode(name)) for name in NAMES),
    link("usr/\u00e4/link", "gr\u00fcn"),
]
MAKE = [*PYTHON, f"{ROOT}/make.py", "spm"]
LATIN_1 = "de_DE.ISO-8859-1"


def contents(path: str) -> dict[bytes, tuple]:
    """Every path below a folder as bytes, its mode and what it holds; of links the target."""
    found = {}
    for above, folders, files in os.walk(os.fsencode(path)):
        for name in folders + files:
            each = os.path.join(above, name)
            facts = os.lstat(each)
            if os.path.islink(each):
                held = os.readlink(each)
            elif name in folders:
                held = b""
            else:
                with open(each, "rb") as file:
                    held = re.sub(rb'"unpacked": \d+', b"", file.read())  # when a store got it
            found[os.path.relpath(each, os.fsencode(path))] = facts.st_mode, held
    return found


class Utf8Test(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.locales = [
            {"LC_ALL": "C.UTF-8"},
            {"LC_ALL": "C"},
            {"LC_ALL": "C", "PYTHONUTF8": "0"},
            {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"},
            {"LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        ]
        made = f"{self.folder}/locales"
        os.mkdir(made)
        try:  # where the machine can make one
            done = subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", f"{made}/{LATIN_1}"], capture_output=True
            )
            made_it = done.returncode == 0
        except FileNotFoundError:
            made_it = False
        self.latin_1 = {"LOCPATH": made, "LC_ALL": LATIN_1} if made_it else {}
        if made_it:
            self.locales += [self.latin_1, {**self.latin_1, "PYTHONUTF8": "0"}, {**self.latin_1, "PYTHONUTF8": "1"}]

    def run_in(self, locale: dict[str, str], *words: str, command: list[str] = MAKE) -> subprocess.CompletedProcess:
        left = {name: os.environ[name] for name in ("PATH", "HOME", "NETRC") if name in os.environ}
        return subprocess.run([*command, *words], cwd=ROOT, env={**left, **locale}, capture_output=True)

    def each_locale(self) -> Iterator[dict[str, str]]:
        """Each with a store of its own that holds nothing yet."""
        for number, locale in enumerate(self.locales):
            self.store, self.lib = f"{self.folder}/store{number}", f"{self.folder}/lib{number}"
            with self.subTest(locale):
                yield locale

    def good(self, locale: dict[str, str], *words: str, command: list[str] = MAKE) -> bytes:
        done = self.run_in(locale, *self.arguments(*words), command=command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_store_is_the_same_in_every_locale_and_every_verb_works_on_it(self) -> None:
        self.add("tar", self.serve("a.tar", tar(*MEMBERS), strip="usr"))
        zip_members = [each for each in MEMBERS if BYTES not in each[0].name]
        self.add("zip", self.serve("a.zip", zipped(*zip_members), strip="usr", keep=["usr/\u00e4/**"]))
        self.write()
        stores = []
        for locale in self.each_locale():
            self.good(locale, "install", "tar", "zip")
            stores.append(contents(f"{self.store}/packages"))
            self.good(locale, "status")
            self.good(locale, "verify", "--deep")
            os.chmod(f"{self.lib}/tar-1/\u00e4", 0o755)
            for name in NAMES:
                trees.remove(f"{self.lib}/tar-1/\u00e4/{name}")
            self.assertEqual(self.run_in(locale, *self.arguments("verify")).returncode, 1)
            self.good(locale, "verify", "--repair", "--deep")
            self.assertEqual(contents(f"{self.store}/packages"), stores[-1])
            self.good(locale, "uninstall", "tar", "zip")
            self.good(locale, "cache", "list")
            self.good(locale, "cache", "prune", "--older-than", "0d")
            self.assertEqual(contents(f"{self.store}/packages"), {})
        self.assertIn(b"\xc3\xa4/gr\xc3\xbcn", b"".join(stores[0]))
        for locale, store in zip(self.locales, stores):
            self.assertEqual(store, stores[0], locale)

    def test_unpack_makes_the_same_folder_whatever_is_called(self) -> None:
        with open(f"{self.folder}/gr\u00fcn.tar", "wb") as file:
            file.write(tar(*MEMBERS))
        found = []
        for number, locale in enumerate(self.locales):
            for name, command in (("make", MAKE), ("module", [*PYTHON, "-m", "harness.spm.cli"])):
                into = f"{self.folder}/{name}{number} \u6f22"
                done = self.run_in(locale, "unpack", f"{self.folder}/gr\u00fcn.tar", into, command=command)
                self.assertEqual(done.returncode, 0, done.stderr)
                found.append(contents(into))
        self.assertEqual(found, [found[0]] * len(found))
        self.assertEqual({os.path.basename(path) for path in found[0]} - {b"link", b"usr"},
                         {os.fsencode(name) for name in ["\u00e4", *NAMES]})

    def test_what_is_printed_is_in_the_locales_encoding(self) -> None:
        with open(f"{self.folder}/a.tar", "wb") as file:
            file.write(tar(member("gr\u00fcn"), member("\u6f22")))
        table = [
            ({"LC_ALL": "C.UTF-8"}, [b"gr\xc3\xbcn", b"\xe6\xbc\xa2"]),
            ({"LC_ALL": "C", "PYTHONUTF8": "0"}, [rb"gr\xfcn", rb"\u6f22"]),
            ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8"}, [b"gr\xc3\xbcn", b"\xe6\xbc\xa2"]),
        ]
        if self.latin_1:
            table.append((self.latin_1, [b"gr\xfcn", rb"\u6f22"]))
        for locale, expected in table:
            with self.subTest(locale):
                done = self.run_in(locale, "unpack", "-n", f"{self.folder}/a.tar", f"{self.folder}/new")
                found = [line.split()[-1] for line in done.stdout.splitlines()[1:]]
                self.assertEqual(found, expected)

    def test_options_of_python_and_the_name_in_hints_stay(self) -> None:
        code = (
            "import sys; from harness.spm import invocation, utf8; utf8.ensure(); "
            "print(sys.flags.bytes_warning, invocation.command_line()[0])"
        )
        for locale in self.locales:
            done = self.run_in(locale, "-b", "-c", code, command=[sys.executable])
            self.assertEqual(done.stdout.decode(), f"1 {sys.executable}\n", done.stderr)
        hint = {self.run_in(locale, "lst").stderr for locale in self.locales}
        self.assertEqual(len(hint), 1, hint)

    def test_another_programs_python_is_told_instead(self) -> None:
        code = "from harness.spm import api; api.versions()"
        done = self.run_in({"LC_ALL": "C", "PYTHONUTF8": "0"}, "-c", code, command=[sys.executable])
        self.assertIn(b"expected a Python whose file names are UTF-8, found ascii", done.stderr)
        self.assertEqual(self.run_in({"LC_ALL": "C.UTF-8"}, "-c", code, command=[sys.executable]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
