import glob
import os
import re
import subprocess
import tempfile
import unittest
from unittest import mock

from harness.make import build, ninja, paths

NEEDS = ["all"]


def script(folder: str, text: str) -> list[str]:
    path = os.path.join(folder, "ninja")
    paths.write_if_changed(path, f"#!/bin/sh\n{text}\n", 0o755)
    return [path]


class Pending(unittest.TestCase):
    def test_what_ninja_says_is_counted_and_what_it_does_not_say_is_unknown(self) -> None:
        table = {"echo 'ninja: no work to do.'": [],
                 "echo '[1/2] c++ a'; echo '[2/2] c++ b'": ["c++ a", "c++ b"],
                 "echo 'ninja: error: loading build.ninja'; exit 1": None,
                 "echo nonsense": None}
        for says, expected in table.items():
            with self.subTest(says), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(ninja.plan(script(folder, says)), expected)

    def test_a_step_counts_by_its_kind_for_what_is_left(self) -> None:
        steps = ["Building CXX object obj/h/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx.o", "Linking CXX executable a"]
        self.assertGreater(ninja.work_of(steps[:1]), 10 * ninja.work_of(steps[1:]))
        self.assertEqual(ninja.work_of(steps), ninja.work_of(steps[:1]) + ninja.work_of(steps[1:]))
        objects = {steps[0].rpartition(" ")[2]}
        self.assertLess(ninja.work_of(steps[:1], objects), ninja.work_of(steps[1:]), "an object is copied")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ninja, "StatusLine") as line:
            says = "; ".join(f"echo '[{number}/2] {step}'" for number, step in enumerate(steps, 1))
            ninja.run(script(folder, says), os.path.join(folder, "log"), "build", planned=steps)
            (first,), (last,) = [call.args for call in line.return_value.update.call_args_list]
        self.assertRegex(first, "^build 1/2, .* left$")
        self.assertEqual(last, "build 2/2")

    def test_cmake_runs_before_the_dry_run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            calls = os.path.join(folder, "calls")
            ninja.plan([*script(folder, f'echo "$*" >> {calls}'), "-C", "there"], ["harness"])
            self.assertEqual(paths.read_if_there(calls), "-C there build.ninja\n-C there -n harness\n")


@unittest.skipUnless(build.existing_harness(), "waits for a build: python3 make.py build")
class Plan(unittest.TestCase):
    """What the button announces of the real build."""

    def test_a_finished_build_has_nothing_to_do_and_an_empty_one_everything(self) -> None:
        options = build.existing_options()
        packages = build.fetch(options, quiet=True)
        finished = build.Build(options, packages)
        self.assertEqual(finished.plan(), [], "python3 make.py build; python3 make.py test builds it first")
        with tempfile.TemporaryDirectory() as folder:
            empty = build.Build(options, packages)
            empty.folder = folder
            empty.configure()
            speed = float(paths.read_if_there(os.path.join(folder, "speed")))
            steps, seconds = empty.estimate()
            self.assertAlmostEqual(seconds, ninja.work_of(empty.plan()) / speed, places=3)
            # Seconds of a core in a second: a machine of today is in between.
            self.assertTrue(0.2 < speed / (os.cpu_count() or 1) < 20, speed)
            listed = subprocess.run([*empty.tools.ninja, "-C", folder, "-t", "commands"], capture_output=True, text=True,
                                    check=True)
            self.assertGreater(len(empty.plan()), len(empty.variants()))
            self.assertEqual(len(empty.plan()), len(listed.stdout.splitlines()))

    def test_the_harness_is_built_with_every_program_that_it_starts(self) -> None:
        done = build.Build(build.existing_options(), build.fetch(build.existing_options(), quiet=True))
        listed = subprocess.run([*done.tools.ninja, "-C", done.folder, "-t", "inputs", "harness"],
                                capture_output=True, text=True, check=True).stdout
        started = set()
        for source in glob.glob(os.path.join(paths.ROOT, "harness/*/*.cpp")):
            started |= set(re.findall(r'build_dir\(\) / "(vulkan_\w+)"', paths.read_if_there(source)))
        self.assertGreaterEqual(len(started), 2)
        for name in started:
            self.assertIn(f"/{name}.dir/", listed)

    def test_what_an_object_takes_from_files_is_built_anew_with_them(self) -> None:
        done = build.Build(build.existing_options(), build.fetch(build.existing_options(), quiet=True))
        listed = subprocess.run([*done.tools.ninja, "-C", done.folder, "-t", "inputs", "all", "lab_tests"],
                                capture_output=True, text=True, check=True).stdout.splitlines()
        taken = [*paths.globbed("harness/report/page/**/*.*"),
                 *paths.globbed("variants/**/*.trace")]
        for header in glob.glob(os.path.join(done.folder, "obj/variants/generated/*_generated.h")):
            taken += re.findall(r'^#define \w+ "([^"]+\.csv)"$', paths.read_if_there(header), re.M)
        self.assertEqual({os.path.splitext(name)[1] for name in taken} & {".js", ".trace", ".csv"}, {".js", ".trace", ".csv"})
        self.assertEqual({os.path.join(paths.ROOT, name) for name in taken} - set(listed), set())


if __name__ == "__main__":
    unittest.main()
