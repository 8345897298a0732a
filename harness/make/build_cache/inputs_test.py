"""What changes an object's key, and what does not."""

from __future__ import annotations

import os
import tempfile
import unittest
from unittest import mock

from harness.make.build_cache.inputs import Inputs, Keys, Roots, compile_commands, read_graph, split

NINJA = """\
ninja_required_version = 1.5
cmake_ninja_workdir = {build}/
build obj/a.dir/lib/a.c.o: C_COMPILER__a {source}/lib/a.c | pre.hxx pre.hxx.gch {source}/data/table.bin || order
build generated/shader.h | ${{cmake_ninja_workdir}}generated/shader.h: CUSTOM_COMMAND {source}/shader.frag || order
  COMMAND = cd {build} && {store}/packages/glslang/cc/tree/bin/glslang -o {build}/generated/shader.h {source}/shader.frag && cmake -E cmake_transform_depfile {build}/{hashed}.d
build obj/other$ name.o: C_COMPILER__a {source}/lib/a.c
build kept/a.c.o | ${{cmake_ninja_workdir}}kept/a.c.o: CUSTOM_COMMAND obj/a.dir/lib/a.c.o || order
  COMMAND = cd {build} && sh keep_unchanged.sh objects kept obj/a.dir/lib/a.c.o
"""
COMMAND = ("{launcher}{build}/../toolchain/bin/gcc -DNAME=\\\"a\\\" -I{source} -I{build}/generated -isystem "
           "{store}/packages/fmt/bb/tree/include -O2 -fmacro-prefix-map={source}/= -fmacro-prefix-map=../../= "
           "-include {build}/pre.hxx{flags} -MD -MT {object} -MF {object}.d -o {object} -c {source}/lib/a.c")
FILES = {
    "lib/a.c": '#include "lib/a.h"\n#include "shader.h"\n#include <fmt/fmt.h>\n#include <lib/angle.h>\n# include "absent.h"\n',
    "lib/a.h": '#include "deep.h"\nconst char* name = "text.txt";\n',
    "lib/deep.h": "int deep;\n",
    "lib/angle.h": "int angle;\n",
    "data/table.bin": "table",
    "data/named.bin": "named",
    "shader.frag": '#include "common.glsl"\n',
    "common.glsl": "float common;\n",
    "unrelated.h": "int unrelated;\n",
    "build/release/pre.hxx": '#include "{source}/lib/deep.h"\n',
    "build/toolchain/bin/gcc": "#!/bin/sh\nexec {store}/packages/gcc/aa/tree/bin/gcc --sysroot={store}/packages/gcc/aa/tree \"$@\"\n",
}


class Checkout:
    """A small checkout, its build folder and its store, at places of their own."""

    def __init__(self, folder: str) -> None:
        self.source, self.store = f"{folder}/checkout", f"{folder}/store"
        self.build = f"{self.source}/build/release"
        self.pins = {"gcc": "aa", "fmt": "bb", "glslang": "cc"}
        self.launcher = self.flags = ""
        self.object = "obj/a.dir/lib/a.c.o"
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = os.path.join(self.source, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("{source}", self.source).replace("{store}", self.store))

    def filled(self, text: str) -> str:
        text = text.format(source=self.source, build=self.build, store=self.store, launcher=self.launcher, flags=self.flags,
                           object=self.object, hashed=hash(self.build))
        for name, version in {"gcc": "aa", "fmt": "bb", "glslang": "cc"}.items():
            text = text.replace(f"/packages/{name}/{version}/", f"/packages/{name}/{self.pins[name]}/")
        return text

    def inputs(self) -> Inputs | None:
        packages = {name: f"{self.store}/packages/{name}/{version}/tree" for name, version in self.pins.items()}
        lines = ["cd somewhere && ln -s a b", self.filled(COMMAND)]
        commands = compile_commands(lines, [f"{self.build}/../toolchain/bin/gcc"])
        assert list(commands) == [self.object], commands
        keys = Keys(Roots(self.source, self.build, packages), read_graph(self.filled(NINJA), self.build))
        return keys.of(self.object, commands[self.object])

    def key(self) -> str:
        inputs = self.inputs()
        assert inputs
        return inputs.key


class Key(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.here = Checkout(f"{self.folder}/here")

    def test_it_is_the_same_in_another_checkout_and_store(self) -> None:
        there = Checkout(f"{self.folder}/quite/elsewhere")
        self.assertEqual(self.here.key(), there.key())
        there.launcher = "/usr/bin/ccache "
        self.assertEqual(self.here.key(), there.key())

    def test_what_a_custom_command_copies_is_no_object_of_a_compiler(self) -> None:
        graph = read_graph(self.here.filled(NINJA), self.here.build)
        self.assertEqual(sorted(graph.inputs), ["obj/a.dir/lib/a.c.o", "obj/other name.o"])
        self.assertEqual(sorted(graph.made), [f"{self.here.build}/{name}" for name in ("generated/shader.h", "kept/a.c.o")])

    def test_it_does_not_change_with_times_and_unrelated_files(self) -> None:
        before = self.here.key()
        for name in FILES:
            os.utime(os.path.join(self.here.source, name), (1, 1))
        self.here.write("unrelated.h", "int another;\n")
        self.here.write("build/release/pre.hxx.gch", "precompiled")
        self.here.write("build/release/generated/shader.h", "made")
        self.assertEqual(self.here.key(), before)

    def test_each_byte_that_the_compiler_could_read_changes_it(self) -> None:
        before = self.here.key()
        for name in ("lib/a.c", "lib/a.h", "lib/deep.h", "lib/angle.h", "data/table.bin", "shader.frag", "common.glsl",
                     "build/release/pre.hxx", "build/toolchain/bin/gcc"):
            with self.subTest(name):
                self.here.write(name, FILES[name] + " ")
                self.assertNotEqual(self.here.key(), before)
                self.here.write(name, FILES[name])
                self.assertEqual(self.here.key(), before)

    def test_flags_pins_names_and_new_headers_change_it(self) -> None:
        def flags() -> None:
            self.here.flags = " -O3"

        def pin() -> None:
            self.here.pins["fmt"] = "b0"

        def tool() -> None:
            self.here.pins["glslang"] = "c0"

        def renamed() -> None:
            self.here.object = "obj/other.o"

        def header() -> None:
            self.here.write("absent.h", "")

        for change in (flags, pin, tool, renamed, header):
            with self.subTest(change.__name__):
                self.here = Checkout(f"{self.folder}/{change.__name__}")
                before = self.here.key()
                change()
                self.assertNotEqual(self.here.key(), before)

    def test_a_variable_that_the_compiler_reads_changes_it(self) -> None:
        before = self.here.key()
        with mock.patch.dict(os.environ, CPATH="/headers"):
            self.assertNotEqual(self.here.key(), before)

    def test_an_object_that_holds_paths_is_for_this_path_alone(self) -> None:
        there = Checkout(f"{self.folder}/there")
        for flags in (" -g1", " -fsanitize=address", " -DDIR=\\\"{}\\\""):
            with self.subTest(flags):
                self.here.flags, there.flags = flags.format(self.here.source), flags.format(there.source)
                self.assertNotEqual(self.here.key(), there.key())

    def test_a_file_that_a_macro_or_the_assembler_names_counts(self) -> None:
        self.here.flags = f' -DTABLE=\\"{self.here.source}/data/named.bin\\"'
        before = self.here.key()
        self.here.write("data/named.bin", "other")
        self.assertNotEqual(self.here.key(), before)
        self.here.flags = ""
        self.here.write("lib/deep.h", 'asm(".incbin \\"" TABLE "\\""); const char* t = "data/named.bin";\n')
        before = self.here.key()
        self.here.write("data/named.bin", "another")
        self.assertNotEqual(self.here.key(), before)

    def test_what_cannot_be_told_has_none(self) -> None:
        for flags in (" -march=native", " @response"):
            with self.subTest(flags):
                self.here.flags = flags
                self.assertIsNone(self.here.inputs())
        self.here.flags = ""
        self.here.write("lib/deep.h", "#define HEADER <stdio.h>\n#include HEADER\n")
        self.assertIsNone(self.here.inputs())
        self.here.write("lib/deep.h", "")
        os.unlink(f"{self.here.source}/data/table.bin")
        self.assertIsNone(self.here.inputs())

    def test_the_files_are_those_that_a_change_must_rebuild(self) -> None:
        inputs = self.here.inputs()
        assert inputs
        self.assertEqual([path.removeprefix(self.here.source + "/") for path in inputs.files],
                         ["build/release/generated/shader.h", "build/release/pre.hxx", "data/table.bin", "lib/a.c", "lib/a.h",
                          "lib/angle.h", "lib/deep.h"])


class Words(unittest.TestCase):
    def test_a_command_is_split_as_a_shell_does(self) -> None:
        for line, words in {"a  b": ["a", "b"],
                            r'-DA=\"b\" c': ['-DA="b"', "c"],
                            "'a b'c \"d e\" f\\ g": ["a bc", "d e", "f g"]}.items():
            with self.subTest(line):
                self.assertEqual(split(line), words)

    def test_the_name_of_an_object_from_the_store_holds_no_path(self) -> None:
        roots = Roots("/here", "/here/build/release", {})
        for name in ("f.dir/root/.cache/spm/packages/fmt/0a/tree/src/f.cc.o", "f.dir/__/store/packages/fmt/0a/tree/src/f.cc.o"):
            self.assertEqual(roots.object_name(name), "f.dir/<fmt 0a>/src/f.cc.o")
        self.assertEqual(roots.object_name("obj/a.dir/a.c.o"), "obj/a.dir/a.c.o")


if __name__ == "__main__":
    unittest.main()
