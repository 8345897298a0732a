"""The C library of a machine is found by its files, whatever the Python has that asks."""

import os
import platform
import sys
import tempfile
import unittest

from harness.make.host_libc import LOADER, HostLibc, host_libc

BANNER = b"\0GNU C Library (Debian GLIBC 2.31-13+deb11u11) stable release version 2.31.\nCopyright\0"


class HostLibcTest(unittest.TestCase):
    def root(self, files: dict[str, bytes], loader: str = "") -> str:
        """The root of a made-up machine with these files; `loader` is what the link of programs' interpreter names."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, content in files.items():
            os.makedirs(os.path.dirname(f"{folder.name}/{name}"), exist_ok=True)
            with open(f"{folder.name}/{name}", "wb") as file:
                file.write(content)
        if loader:
            os.makedirs(f"{folder.name}/{os.path.dirname(LOADER)}", exist_ok=True)
            os.symlink(loader, f"{folder.name}/{LOADER}")
        return folder.name

    def test_it_is_that_of_the_folder_to_which_the_loaders_link_leads(self) -> None:
        debian = "lib/x86_64-linux-gnu"
        files = {f"{debian}/ld-2.31.so": b"", f"{debian}/libc.so.6": BANNER}
        for loader in (f"/{debian}/ld-2.31.so", f"../{debian}/ld-2.31.so"):
            self.assertEqual(str(host_libc(self.root(files, loader))), "glibc 2.31")

    def test_it_may_lie_beside_the_loader(self) -> None:
        self.assertEqual(host_libc(self.root({LOADER: b"", "lib64/libc.so.6": BANNER})), HostLibc("glibc", (2, 31)))

    def test_what_is_none_or_another_or_unknown_is_said(self) -> None:
        for files, expected in (
            ({}, "none"),
            ({"lib/ld-musl-x86_64.so.1": b""}, "musl"),
            ({LOADER: b""}, "a glibc of unknown version"),
            ({LOADER: b"", "lib64/libc.so.6": b""}, "a glibc of unknown version"),
            ({LOADER: b"", "lib64/libc.so.6": b"other"}, "a glibc of unknown version"),
        ):
            self.assertEqual(str(host_libc(self.root(files))), expected)

    def test_a_dangling_link_is_no_loader(self) -> None:
        self.assertEqual(host_libc(self.root({}, "/lib/nothing.so")), HostLibc(""))

    @unittest.skipIf(platform.libc_ver()[0] != "glibc" or f"{os.sep}spm-python{os.sep}" in sys.executable
                     or os.path.join("build", "python") in sys.executable, "this Python has another C library")
    def test_on_this_machine_it_is_that_of_this_python(self) -> None:
        self.assertEqual(str(host_libc()), " ".join(platform.libc_ver()))


if __name__ == "__main__":
    unittest.main()
