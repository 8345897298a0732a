"""What a build makes anew with the same bytes links nothing again (harness/cmake/keep_unchanged.sh, lab.cmake)."""

import os
import subprocess
import tempfile
import unittest

from harness.make import build, paths

NEEDS = ["harness"]

CMAKE_LISTS = f"""cmake_minimum_required(VERSION 3.25)
project(small CXX)
function(lab_precompile)
endfunction()
include({paths.ROOT}/harness/cmake/lab.cmake)
add_library(parts OBJECT ${{CMAKE_SOURCE_DIR}}/parts/one.cpp ${{CMAKE_SOURCE_DIR}}/parts/two.cpp)
lab_own(parts)
lab_keep_objects(parts)
add_library(archive STATIC three.cpp)
lab_own(archive)
add_executable(program main.cpp $<TARGET_OBJECTS:kept_parts>)
target_link_libraries(program PRIVATE archive)
"""


@unittest.skipUnless(build.existing_harness(), "waits for a build: python3 make.py build")
class KeepUnchanged(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "a folder with spaces")
        self.tools = build.Build(options := build.existing_options(), build.fetch(options, quiet=True)).tools
        self.write("CMakeLists.txt", CMAKE_LISTS)
        self.write("common.h", "#pragma once\nint number(int part);\n")
        for name, part in (("parts/one", 1), ("parts/two", 2), ("three", 3)):
            self.write(f"{name}.cpp", f'#include "common.h"\nint part_{part}() {{ return {part}; }}\n')
        self.write("main.cpp", "int part_1();\nint part_2();\nint part_3();\n"
                               "int main() { return part_1() + part_2() + part_3(); }\n")
        subprocess.run([*self.tools.cmake, "-G", "Ninja", "-S", self.folder, "-B", f"{self.folder}/build",
                        f"-DCMAKE_MAKE_PROGRAM={self.tools.ninja[0]}", "-DCMAKE_BUILD_TYPE=Release",
                        *self.tools.cmake_arguments], check=True, capture_output=True, text=True)
        self.assertEqual(self.linked(), ["libarchive.a", "program"])
        self.assertEqual(self.status(), 6)

    def write(self, name: str, text: str) -> None:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def linked(self) -> list[str]:
        """Builds; the files that were linked."""
        done = subprocess.run([*self.tools.ninja, "-C", f"{self.folder}/build"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return sorted(line.split()[-1] for line in done.stdout.splitlines() if "] Linking " in line)

    def status(self) -> int:
        return subprocess.run([f"{self.folder}/build/program"], check=False).returncode

    def test_a_comment_in_a_common_header_links_no_program(self) -> None:
        self.write("common.h", "#pragma once\nint number(int part);  // of all\n")
        self.assertEqual(self.linked(), ["libarchive.a"])
        self.assertEqual(self.linked(), [])
        self.assertEqual(sorted(os.listdir(f"{self.folder}/build/kept/parts/parts")), ["one.cpp.o", "two.cpp.o"])
        self.assertFalse(os.path.exists(f"{self.folder}/build/libarchive.a.before"))

    def test_other_code_in_an_object_links_the_program(self) -> None:
        self.write("parts/two.cpp", "int part_2() { return 4; }\n")
        self.assertEqual(self.linked(), ["program"])
        self.assertEqual(self.status(), 8)
        self.assertEqual(self.linked(), [])

    def test_other_code_in_an_archive_links_the_program(self) -> None:
        self.write("three.cpp", "int part_3() { return 7; }\n")
        self.assertEqual(self.linked(), ["libarchive.a", "program"])
        self.assertEqual(self.status(), 10)
        self.assertEqual(self.linked(), [])

    def test_what_an_ended_build_left_is_made_again(self) -> None:
        archive = f"{self.folder}/build/libarchive.a"
        os.rename(archive, f"{archive}.before")
        os.unlink(f"{self.folder}/build/kept/parts/parts/one.cpp.o")
        self.linked()
        self.assertEqual(self.status(), 6)
        self.assertEqual(self.linked(), [])


if __name__ == "__main__":
    unittest.main()
