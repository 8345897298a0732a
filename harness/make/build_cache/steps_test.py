"""The build cache under the pinned ninja and compiler: a small project, and the keys of the real build."""

import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from contextlib import redirect_stderr
from typing import Any
from unittest import mock

from harness.make import build, ninja, paths
from harness.make.build_cache import place as places
from harness.make.build_cache import fetching, publish, record, steps, verify
from harness.make.build_cache.inputs import Keys, Roots, read_graph
from harness.make.build_cache.options import CacheOptions
from harness.make.build_cache.place import Place
from harness.make.build_cache.steps import Steps
from harness.make.console import MakeError

NEEDS = ["all"]

NINJA = """\
rule cc
  command = {launcher} {gcc} -I{source} -O1 -MD -MT $out -MF $out.d -o $out -c $in
  depfile = $out.d
  deps = gcc
rule archive
  command = cat $in > $out
build obj/main.c.o: cc {source}/main.c
build obj/part.c.o: cc {source}/part.c
build program: archive obj/main.c.o obj/part.c.o
"""
FILES = {"main.c": '#include "deep/part.h"\nint main(void) { return part(); }\n',
         "part.c": '#include "deep/part.h"\nint part(void) { return PART; }\n',
         "deep/part.h": '#include "value.h"\nint part(void);\n',
         "deep/value.h": "#define PART 1\n"}
OBJECTS = ["obj/main.c.o", "obj/part.c.o"]


class Project:
    """A checkout of the small project with a build folder."""

    def __init__(self, folder: str, real: build.Build) -> None:
        self.source, self.folder = folder, f"{folder}/build/release"
        self.real = real
        self.taken: list[str] = []
        os.makedirs(self.folder)
        for name, text in FILES.items():
            self.write(name, text)
        self.write("build/release/build.ninja", NINJA.format(launcher=real.tools.launcher, source=folder, gcc=os.path.join(
            os.path.dirname(real.tools.compiler), "gcc")))

    def write(self, name: str, text: str) -> None:
        paths.write_if_changed(os.path.join(self.source, name), text)

    def steps(self) -> Steps:
        return Steps(self.folder, self.real.tools.ninja, self.real.tools.compiler, self.real.packages)

    def build(self, *bases: str) -> list[str]:
        """Builds; returns what was said."""
        output = io.StringIO()
        with mock.patch.object(paths, "ROOT", self.source), redirect_stderr(output):
            with self.steps().taking(CacheOptions(bases, (), True), (), 1.0) as (environment, objects):
                status = ninja.run([*self.real.tools.ninja, "-C", self.folder], f"{self.folder}/log", "build", environment)
        assert bool(objects) == bool(environment), objects
        self.taken = sorted(objects)
        assert status == 0, paths.read_if_there(f"{self.folder}/log")
        return output.getvalue().splitlines()

    def publish(self, place: str) -> None:
        with mock.patch.object(paths, "ROOT", self.source), redirect_stderr(io.StringIO()):
            found = self.steps().inputs(self.steps().all(()))
            publish.publish(Place(place), self.folder, found, None, (), True)

    def verify(self, seed: str) -> list[str]:
        output = io.StringIO()
        with mock.patch.object(paths, "ROOT", self.source), redirect_stderr(output):
            verify.verify(self.steps(), (), seed)
        return output.getvalue().splitlines()

    def program(self) -> bytes:
        with open(f"{self.folder}/program", "rb") as file:
            return file.read()

    def pending(self) -> list[str]:
        return sorted(self.steps().pending(()))


def real_build() -> build.Build:
    options = build.existing_options()
    return build.Build(options, build.fetch(options, quiet=True))


@unittest.skipUnless(build.existing_harness(), "waits for a build: python3 make.py build")
class SmallProject(unittest.TestCase):
    real: build.Build

    @classmethod
    def setUpClass(cls) -> None:
        cls.real = real_build()

    def setUp(self) -> None:
        if not self.real.tools.launcher:
            self.skipTest("waits for a build with the pinned toolchain: python3 make.py build")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.place = folder.name, f"{folder.name}/place"
        patch = mock.patch.object(places, "SECOND_LOOK_S", 0)
        patch.start()
        self.addCleanup(patch.stop)
        self.here, self.there = (Project(f"{self.folder}/{name}", self.real) for name in ("here", "a/checkout/elsewhere"))
        self.assertEqual(self.here.build(), [])
        self.here.publish(self.place)

    def test_a_fetched_build_is_like_one_that_was_built_here(self) -> None:
        said = self.there.build(self.place)
        self.assertRegex(said[0], f"^build cache: 2 of 2 objects from {self.place}, signature not checked ")
        self.assertEqual(sorted(record.recorded(self.there.folder)), OBJECTS)
        self.assertEqual(self.there.taken, OBJECTS)
        self.assertEqual(self.there.program(), self.here.program())
        self.assertEqual(self.there.pending(), [])
        self.assertEqual(self.there.build(self.place), [])
        self.assertFalse(os.path.exists(f"{self.there.folder}/fetched"))

    def test_a_header_of_a_header_rebuilds_what_was_fetched(self) -> None:
        self.there.build(self.place)
        os.utime(f"{self.there.source}/deep/value.h")
        self.assertEqual(self.there.pending(), OBJECTS)
        self.there.write("deep/value.h", "#define PART 2\n")
        said = self.there.build(self.place)
        self.assertRegex(said[0], f"^build cache: 0 of 2 objects from {self.place}, .*; 2 are built here$")
        # main.c does not use the value, so its object is what was fetched.
        self.assertEqual(sorted(record.recorded(self.there.folder)), ["obj/main.c.o"])
        facts = json.loads(paths.read_if_there(f"{self.there.folder}/fetched.json"))
        self.assertEqual(facts["summary"], f"1 of 2 objects fetched from {self.place}, signature not checked")
        self.assertEqual(facts["objects"].keys(), {"obj/main.c.o"})
        self.here.write("deep/value.h", "#define PART 2\n")
        self.here.build()
        self.assertEqual(self.there.program(), self.here.program())

    def test_an_edit_while_objects_come_is_compiled_by_the_next_build(self) -> None:
        def fetch_and_edit(*arguments: Any) -> fetching.Fetched:
            found = fetching_fetch(*arguments)
            self.there.write("deep/value.h", "#define PART 3\n")
            return found

        fetching_fetch = fetching.fetch
        with mock.patch.object(fetching, "fetch", fetch_and_edit):
            self.there.build(self.place)
        self.there.build()
        self.here.write("deep/value.h", "#define PART 3\n")
        self.here.build()
        self.assertEqual(self.there.program(), self.here.program())

    def test_a_damaged_place_costs_only_compile_steps(self) -> None:
        for folder, _, names in os.walk(f"{self.place}/lab-builds/objects"):
            for name in names:
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"damaged")
        said = self.there.build(self.place)
        self.assertRegex(said[-1], f"^build cache: {self.place}: .*; 2 are built here$")
        self.assertEqual(self.there.program(), self.here.program())
        self.assertFalse(os.path.exists(f"{self.there.folder}/fetched.json"))

    def test_no_place_no_question(self) -> None:
        with mock.patch.object(steps.Steps, "pending", side_effect=AssertionError):
            self.assertEqual(self.there.build(), [])
        self.assertEqual(self.there.program(), self.here.program())

    def test_verifying_finds_an_object_that_differs_and_keeps_both(self) -> None:
        self.there.build(self.place)
        self.assertEqual(self.there.verify("5"),
                         ["verify-build: 1 object of 2 fetched ones compiled here to the same bytes (seed 5)"])
        for name in OBJECTS:
            with open(f"{self.here.folder}/{name}", "ab") as file:
                file.write(b"a wrong byte")
        self.here.publish(self.place)
        other = Project(f"{self.folder}/other", self.real)
        other.build(self.place)
        with self.assertRaisesRegex(MakeError, rf"^verify-build: obj/.*\.o: the object from {self.place} differs .*\(seed 5\)"):
            other.verify("5")
        kept = sorted(name for _, _, names in os.walk(f"{other.folder}/differs") for name in names)
        self.assertEqual([name.partition(".c.o.")[2] for name in kept], ["compiled", "fetched"])

    def test_verifying_a_build_without_fetched_objects_says_so(self) -> None:
        self.assertEqual(self.here.verify(""), ["verify-build: no object of this build was fetched"])


@unittest.skipUnless(build.existing_harness(), "waits for a build: python3 make.py build")
class RealBuild(unittest.TestCase):
    def test_every_object_has_a_key_which_is_the_same_in_a_moved_checkout(self) -> None:
        real = real_build()
        if not real.tools.launcher:
            self.skipTest("waits for a build with the pinned toolchain: python3 make.py build")
        commands = real.compile_steps().all(("all", "lab_tests"))
        with open(os.path.join(real.folder, "compile_commands.json"), encoding="utf-8") as file:
            listed = {each["command"].split(" -o ")[1].split(" ")[0] for each in json.load(file)}
        self.assertGreater(len(commands), 100)
        self.assertEqual(set(commands) - listed, set())
        found = real.compile_steps().inputs(commands)
        self.assertEqual(set(commands) - set(found), set())
        self.assertEqual(len({each.key for each in found.values()}), len(found))

        # Reading finds all that the compiler has read of the checkout.
        said = subprocess.run([*real.tools.ninja, "-C", real.folder, "-t", "deps"], capture_output=True, text=True, check=True)
        for name, _, read in (each.partition(": #deps") for each in said.stdout.split("\n\n")):
            if name in found:
                files = (os.path.normpath(os.path.join(real.folder, line.strip())) for line in read.splitlines()[1:])
                own = {path for path in files if path.startswith(paths.ROOT + os.sep)}
                self.assertEqual(own - set(found[name].files), set(), name)

        # The same files under another path. What names the first path in its text is not moved by that.
        with tempfile.TemporaryDirectory() as folder:
            moved = os.path.join(folder, "checkout")
            os.symlink(paths.ROOT, moved)
            up, further_up = os.path.relpath("/", real.folder), os.path.relpath("/", real.folder.replace(paths.ROOT, moved))

            def move(text: str) -> str:
                text = re.sub(rf"{re.escape(paths.ROOT)}(?=[/ ]|$)", moved, text, flags=re.M)
                return text.replace(f"={up}/", f"={further_up}/")

            keys = Keys(Roots(moved, move(real.folder), real.packages),
                        read_graph(move(paths.read_if_there(os.path.join(real.folder, "build.ninja"))), move(real.folder)))
            for name, words in commands.items():
                if "/Unity/" in name or "resource_table" in name or any(paths.ROOT in each for each in words if "-D" in each):
                    continue
                inputs = keys.of(name, [move(word) for word in words])
                assert inputs
                self.assertEqual(inputs.key, found[name].key, name)


if __name__ == "__main__":
    unittest.main()
