"""When the shims are built and what a failed or killed build leaves. Meson and ninja are fakes."""

import io
import os
import tempfile
import unittest
from contextlib import redirect_stderr
from unittest import mock

from harness.make import paths, simulated_devices
from harness.make.console import MakeError
from harness.make.toolchain import Toolchain

# Records its arguments and environment; fails if CFLAGS of the user reach it.
MESON = """
import json, os, sys
if "CFLAGS" in os.environ or not os.environ["CC"].endswith("gcc'"):
    sys.exit(f"CFLAGS: {os.environ.get('CFLAGS')}, CC: {os.environ['CC']}")
print("meson: configured")
with open(os.path.join(sys.argv[2], "configured"), "w") as file:
    json.dump(sys.argv[1:], file)
"""
NINJA = """#!/bin/sh
cd "$2" && shift 2
echo "[1/2] one"
[ -e configured ] || exit 1
echo run >>"$(dirname "$0")/runs"
for shim; do mkdir -p "$(dirname "$shim")"; echo shim >"$shim"; done
"""
NAMES = sorted(os.path.basename(shim) for shim in simulated_devices.SHIMS)


class SimulatedDevicesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # meson and ninja are called with quoted paths.
        self.root = os.path.join(folder.name, "with space")
        self.folder = os.path.join(self.root, "simulated-devices")
        self.put("build/usr/lib/python3/dist-packages/mesonbuild/mesonmain.py", MESON)
        self.put("tools/ninja", NINJA)
        patch = mock.patch.object(simulated_devices, "FOLDER", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def put(self, name: str, text: str) -> None:
        paths.write_if_changed(os.path.join(self.root, name), text, 0o755)

    def build(self, source: str = "mesa") -> str:
        """Builds from that source and returns what was printed."""
        tools = Toolchain(os.path.join(self.root, "tools/g++"), [], [os.path.join(self.root, "tools/ninja")], [], "key")
        packages = {"mesa-source": os.path.join(self.root, source), "mesa-build": os.path.join(self.root, "build")}
        output = io.StringIO()
        with redirect_stderr(output), mock.patch.dict(os.environ, {"CFLAGS": "-O0"}):
            try:
                simulated_devices.build(tools, packages)
            except MakeError as error:
                return output.getvalue() + f"{error.what} | {error.hint}"
        return output.getvalue()

    def runs(self) -> int:
        with open(os.path.join(self.root, "tools/runs"), encoding="utf-8") as file:
            return len(file.readlines())

    def found(self) -> list[str]:
        """The shims that the harness would use: none without the stamp."""
        names = sorted(os.listdir(self.folder))
        return [name for name in names if name.endswith(".so")] if simulated_devices.BUILT in names else []

    def test_the_shims_are_built_once_for_each_source(self) -> None:
        self.assertRegex(self.build(), "^building the simulated devices, once: about a minute\n"
                                       "built the simulated devices in .*\n$")
        self.assertEqual((self.found(), self.runs()), (NAMES, 1))
        self.assertEqual((self.build(), self.runs()), ("", 1))
        self.build("newer")
        self.assertEqual((self.found(), self.runs()), (NAMES, 2))
        self.assertNotIn("mesa", os.listdir(self.folder))

    def test_what_a_killed_build_left_is_not_used(self) -> None:
        self.build()
        os.unlink(os.path.join(self.folder, simulated_devices.BUILT))
        self.put("simulated-devices/mesa/src/half", "")
        self.put(f"simulated-devices/{NAMES[0]}", "half")
        self.build()
        self.assertEqual((self.found(), self.runs()), (NAMES, 2))
        with open(os.path.join(self.folder, NAMES[0]), encoding="utf-8") as file:
            self.assertEqual(file.read(), "shim\n")

    def test_a_failure_is_one_error_with_the_end_of_the_log(self) -> None:
        self.put("tools/ninja", "#!/bin/sh\necho '[1/2] fine'\necho 'x.c:1: error: no'\nexit 1\n")
        self.assertEqual(self.build(), "building the simulated devices, once: about a minute\nx.c:1: error: no\n"
                         f"building the simulated devices failed | the whole log: {self.folder}/build.log")
        self.put("build/usr/lib/python3/dist-packages/mesonbuild/mesonmain.py", "import sys\nsys.exit('no bison')\n")
        self.assertEqual(self.build(), "building the simulated devices, once: about a minute\nno bison\n"
                         "configuring Mesa for the simulated devices failed with exit status 1 | "
                         f"the whole log: {self.folder}/configure.log")
        self.assertEqual(self.found(), [])

    def test_the_old_shims_stay_until_the_new_ones_are_complete(self) -> None:
        self.build()
        self.put("tools/ninja", "#!/bin/sh\nexit 1\n")
        self.build("newer")
        self.assertEqual(self.found(), NAMES)


if __name__ == "__main__":
    unittest.main()
