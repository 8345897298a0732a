"""The starter finds a Python, or fetches the pinned one by its hashes: here a stand-in from a folder."""

import hashlib
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness.make import paths
from harness.spm_testing.archives import deb, member

TOOLS = ("awk", "cat", "chmod", "cp", "cut", "grep", "head", "id", "ln", "mkdir", "mv", "rm", "sed", "sha256sum", "sh", "tail",
         "tar", "tr", "uname", "wc", "wget", "xz")
MAKE = "import os, sys\nif sys.version_info < (3, 9):\n    sys.exit(1)\nprint(sys.argv[1:], os.environ.get('LAB_STARTER'))\n"
LOADER = "usr/x86_64-linux-gnu/lib/ld-linux-x86-64.so.2"
STARTS = b"#!/bin/sh\n[ \"$1\" = --inhibit-cache ] && shift 6 && exec '%s' \"$@\"\n" % os.fsencode(sys.executable)
"""Stands for the loader: starts this Python with what is behind the loader's own arguments and the program."""


class StarterTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.lab = f"{self.folder}/it's a lab"
        os.makedirs(f"{self.lab}/harness")
        shutil.copy(os.path.join(paths.ROOT, "harness/start.sh"), f"{self.lab}/harness")
        with open(f"{self.lab}/make.py", "w", encoding="utf-8") as file:
            file.write(MAKE)
        self.mirror = f"{self.folder}/mirror"
        packages = [deb(member(LOADER, STARTS, mode=0o755)), deb(member("usr/bin/python3.11", b"-", mode=0o755))]
        self.pin([(f"pool/main/{number}.deb", content) for number, content in enumerate(packages)])
        self.bin = f"{self.folder}/bin"
        os.mkdir(self.bin)
        for tool in TOOLS:
            if found := shutil.which(tool):
                os.symlink(found, f"{self.bin}/{tool}")

    def pin(self, files: "list[tuple[str, bytes]]") -> None:
        """packages.json with a package `python` of these files, between others, and a mirror that has them."""
        artifacts = []
        for path, content in files:
            os.makedirs(os.path.dirname(f"{self.mirror}/{path}"), exist_ok=True)
            with open(f"{self.mirror}/{path}", "wb") as file:
                file.write(content)
            artifacts.append({"sources": ["main"], "path": path, "size": len(content),
                              "sha256": hashlib.sha256(content).hexdigest()})
        other = {"groups": ["x"], "artifacts": [{"path": "pool/other.deb", "size": 1, "sha256": "0" * 64}]}
        with open(f"{self.lab}/packages.json", "w", encoding="utf-8") as out:
            json.dump({"schema": 1, "packages": {"a": other, "python": {"artifacts": artifacts}, "z": other}}, out, indent=2)

    def start(self, *arguments: str, terminal: "int | None" = None, **variables: str) -> "tuple[int, str, str]":
        """(exit status, standard output, standard error); `terminal` is standard input and standard error."""
        environment = {"PATH": self.bin, "HOME": f"{self.folder}/home", **variables}
        done = subprocess.run(["/bin/sh", "harness/start.sh", *arguments], cwd=self.lab, env=environment, text=True, check=False,
                              stdin=subprocess.DEVNULL if terminal is None else terminal, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE if terminal is None else terminal)
        return done.returncode, done.stdout, done.stderr or ""

    def test_a_python_that_serves_is_used(self) -> None:
        os.symlink(sys.executable, f"{self.bin}/python3")
        self.assertEqual(self.start("list", "a b"), (0, "['list', 'a b'] harness/start.sh\n", ""))

    def test_a_python_that_make_refuses_or_that_lacks_a_module_is_none(self) -> None:
        with open(f"{self.bin}/python3", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(f"{self.bin}/python3", 0o755)
        self.assertEqual(self.start("list", SPM_DEBIAN_MIRROR=self.mirror)[:2], (0, "['list'] harness/start.sh\n"))

    def test_the_pinned_one_is_fetched_once(self) -> None:
        for said in ("fetching Python: 2 packages, 0 MB\n", ""):
            self.assertEqual(self.start("a b", SPM_DEBIAN_MIRROR=f"file://{self.mirror}/"),
                             (0, "['a b'] harness/start.sh\n", said))
            shutil.rmtree(self.mirror, ignore_errors=True)
        (link, tree) = sorted(os.listdir(f"{self.lab}/build/python"))
        self.assertEqual(os.readlink(f"{self.lab}/build/python/{link}"), f"{tree}/tree")

    def test_a_checkout_that_was_moved_starts_it(self) -> None:
        self.start(SPM_DEBIAN_MIRROR=self.mirror)
        self.lab = shutil.move(self.lab, f"{self.folder}/moved")
        self.assertEqual(self.start("x"), (0, "['x'] harness/start.sh\n", ""))

    def test_mirrors_by_content_and_the_users_file_serve(self) -> None:
        os.makedirs(f"{self.folder}/config/spm")
        with open(f"{self.folder}/config/spm/config", "w", encoding="utf-8") as file:
            file.write(f"# mine\n debian-mirror = {self.mirror}\n")
        self.assertEqual(self.start(XDG_CONFIG_HOME=f"{self.folder}/config")[0], 0)
        shutil.rmtree(f"{self.lab}/build")
        for name in os.listdir(f"{self.mirror}/pool/main"):
            with open(f"{self.mirror}/pool/main/{name}", "rb") as opened:
                sha256 = hashlib.sha256(opened.read()).hexdigest()
            os.makedirs(f"{self.folder}/by_hash/{sha256[:2]}")
            os.rename(f"{self.mirror}/pool/main/{name}", f"{self.folder}/by_hash/{sha256[:2]}/{sha256}")
        self.assertEqual(self.start(SPM_MIRROR=f"{self.folder}/by_hash")[0], 0)

    def test_other_bytes_are_refused_and_leave_nothing(self) -> None:
        with open(f"{self.mirror}/pool/main/1.deb", "wb") as file:
            file.write(b"other")
        status, output, said = self.start(SPM_DEBIAN_MIRROR=self.mirror)
        self.assertEqual((status, output), (1, ""))
        self.assertRegex(said, r"\nstart.sh: error: expected \d+ bytes with sha256 [0-9a-f]{64}, found 5 bytes with another hash "
                               rf"at '{self.mirror}/pool/main/1.deb'\nhint: SPM_DEBIAN_MIRROR=<another .*\n$")
        self.assertEqual(os.listdir(f"{self.lab}/build/python"), [])

    def test_a_mirror_without_the_file_is_named(self) -> None:
        said = self.start(SPM_DEBIAN_MIRROR=f"{self.folder}/nothing")[2]
        self.assertRegex(said, "start.sh: error: expected .*, found '.*/nothing/pool/main/0.deb' cannot be fetched: .*\nhint: ")

    def test_a_missing_tool_is_named_before_anything_is_fetched(self) -> None:
        hint = "\nhint: install Python, or busybox\n"
        os.unlink(f"{self.bin}/xz")
        self.assertEqual(self.start()[2], f"start.sh: error: there is no Python 3.9 or newer, and xz, which fetching one needs, "
                                          f"is missing{hint}")

    def test_where_the_checkout_is_anothers_it_is_in_the_users_cache(self) -> None:
        os.mkdir(f"{self.lab}/build")
        with open(f"{self.lab}/build/python", "w", encoding="utf-8"):  # stands for a folder that cannot be made
            pass
        self.assertEqual(self.start(SPM_DEBIAN_MIRROR=self.mirror)[0], 0)
        self.assertEqual(len(os.listdir(f"{self.folder}/home/.cache/spm-python")), 2)

    def test_without_a_mirror_and_a_person_it_says_what_to_set(self) -> None:
        os.unlink(f"{self.bin}/grep")  # by which it would find a mirror of apt's
        self.assertEqual(self.start()[2].splitlines()[0], "start.sh: error: there is no Python 3.9 or newer, and no Debian mirror "
                                                          "is known from which to fetch one")

    def test_a_person_is_asked_for_a_mirror_once(self) -> None:
        os.unlink(f"{self.bin}/grep")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, theirs)
        os.write(ours, os.fsencode(f"{self.mirror}\n"))
        self.assertEqual(self.start("x", terminal=theirs)[:2], (0, "['x'] harness/start.sh\n"))
        with open(f"{self.folder}/home/.config/spm/config", encoding="utf-8") as file:
            self.assertEqual(file.read(), f"debian-mirror = {self.mirror}\n")

    def test_the_pins_of_this_checkout_have_a_loader_and_a_python(self) -> None:
        with open(os.path.join(paths.ROOT, "packages.json"), encoding="utf-8") as file:
            artifacts = [each["path"] for each in json.load(file)["packages"]["python"]["artifacts"]]
        self.assertTrue(any("/libc6-amd64-cross_" in each for each in artifacts))
        self.assertTrue(any("/python3.11-minimal_" in each for each in artifacts))


if __name__ == "__main__":
    unittest.main()
