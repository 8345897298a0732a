"""`publish`: the same folder is the same archive, wherever it goes; what it prints installs."""

import json
import os
import socket
import subprocess
import sys
import unittest

from harness.spm.settings import ROOT, native_platform
from harness.spm_testing import s3 as s3_server
from harness.spm_testing.test_case import SpmTestCase

ACCENT = "\N{LATIN SMALL LETTER E WITH ACUTE}"
_PACK = """
import sys
from harness.spm.sources import pack
pack.write_tar_xz(sys.argv[1], pack.members_of(sys.argv[2]), 0)
"""


class PublishTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.sources = {"disk": {"type": "file", "base": "shared"}, "debian": {"type": "debian"}}
        self.dir = f"{self.folder}/tool"
        self.make(self.dir)

    def make(self, folder: str, backwards: bool = False) -> None:
        """A folder of every sort of thing, made in one order or the other."""
        os.makedirs(f"{folder}/bin")
        os.makedirs(f"{folder}/empty")
        files = [("bin/run", b"#!\n", 0o755), ("data", b"x" * 10_000, 0o640), (f"bin/{ACCENT}", b"", 0o600)]
        for path, data, mode in reversed(files) if backwards else files:
            with open(f"{folder}/{path}", "wb") as file:
                file.write(data)
            os.chmod(f"{folder}/{path}", mode)
        os.symlink("run", f"{folder}/bin/also")

    def publish(self, *arguments: str, name: str = "tool") -> dict:
        """Publishes and takes the entry into packages.json; returns it."""
        result = self.spm("publish", self.dir, name, *arguments)
        self.assertEqual(result.status, 0, result.err)
        self.packages.update(json.loads(result.out))
        return self.packages[name]

    def check_installs(self, name: str = "tool") -> None:
        result = self.spm("install", name)
        self.assertEqual((result.status, self.spm("verify", "--deep").status), (0, 0), result.err)
        folder = f"{self.lib}/{name}-1"
        self.assertEqual(
            (sorted(os.listdir(f"{folder}/bin")), os.readlink(f"{folder}/bin/also"), os.listdir(f"{folder}/empty")),
            (["also", "run", ACCENT], "run", []),
        )
        self.assertEqual([os.stat(f"{folder}/{path}").st_mode & 0o777 for path in ("bin/run", "data")], [0o555, 0o444])

    def test_what_it_prints_installs(self) -> None:
        entry = self.publish()
        digest = entry["artifacts"][0]["sha256"]
        self.assertEqual(
            entry,
            {
                "groups": ["tool"],
                "platforms": [native_platform()],
                "lib": "tool-1",
                "license": "NOASSERTION",
                "artifacts": [
                    {
                        "sources": ["disk"],
                        "path": f"tool/tool-{digest[:12]}.tar.xz",
                        "size": entry["artifacts"][0]["size"],
                        "sha256": digest,
                    }
                ],
            },
        )
        self.check_installs()

    def test_the_bytes_depend_on_the_contents_alone(self) -> None:
        found = set()
        for number, umask in enumerate((0o022, 0o077)):
            folder = f"{self.folder}/again{number}"
            old = os.umask(umask)
            try:
                self.make(folder, backwards=bool(number))
            finally:
                os.umask(old)
            os.chmod(f"{folder}/bin/run", 0o700 if number else 0o755)
            os.utime(f"{folder}/data", (number, number))
            environment = {**os.environ, "PYTHONHASHSEED": str(number), "LC_ALL": ("C", "C.UTF-8")[number]}
            target = f"{self.folder}/{number}.tar.xz"
            subprocess.run([sys.executable, "-c", _PACK, target, folder], cwd=ROOT, env=environment, check=True)
            with open(target, "rb") as file:
                found.add(file.read())
        self.assertEqual(len(found), 1)

    def test_the_archives_time_is_what_the_environment_says(self) -> None:
        first = self.publish()
        os.environ["SOURCE_DATE_EPOCH"] = "1000000000"
        second = self.publish()
        self.assertNotEqual(first["artifacts"], second["artifacts"])
        self.check_installs()
        self.assertEqual(os.stat(f"{self.lib}/tool-1/data").st_mtime, 1_000_000_000)
        os.environ["SOURCE_DATE_EPOCH"] = "today"
        result = self.spm("publish", self.dir, "tool")
        self.assertEqual(
            (result.status, result.err),
            (2, "spm: error: SOURCE_DATE_EPOCH: expected seconds since 1970, found 'today'\nhint: unset it\n"),
        )

    def test_the_same_folder_is_uploaded_once(self) -> None:
        self.sources["main"] = {"type": "http", "base": self.server.base}
        self.publish("--to", "main")
        self.server.asked.clear()
        result = self.spm("publish", self.dir, "tool", "--to", "main")
        self.assertRegex(result.err, r"^spm: there already: .* at SERVER/tool/tool-[0-9a-f]{12}\.tar\.xz\n$")
        self.assertEqual([each for each in self.server.asked if each.startswith("PUT")], [])

    def test_what_was_half_uploaded_is_uploaded_again(self) -> None:
        path = f"{self.folder}/shared/{self.publish()['artifacts'][0]['path']}"
        os.truncate(path, 10)
        self.publish()
        with open(path, "r+b") as file:
            file.write(b"?")
        self.publish()
        self.check_installs()
        self.assertEqual(os.listdir(os.path.dirname(path)), [os.path.basename(path)])

    def test_every_kind_that_takes_uploads_gives_back_what_it_took(self) -> None:
        os.environ["SPM_ARTIFACTORY_TOKEN"] = "hunter2"
        self.sources["http"] = {"type": "http", "base": f"{self.server.base}/plain"}
        self.sources["jfrog"] = {"type": "artifactory", "base": f"{self.server.base}/artifactory/lab"}
        for name in ("disk", "http", "jfrog"):
            with self.subTest(name):
                self.publish("--to", name, name=name)
                self.check_installs(name)

    def test_a_bucket_gives_back_what_it_took(self) -> None:
        os.environ.update(s3_server.environment())
        self.sources = {"s3": {"type": "s3", "base": f"s3://lab/{os.path.basename(self.folder)}"}}
        self.publish()
        self.check_installs()

    def test_a_wrong_secret_publishes_nothing(self) -> None:
        os.environ.update(s3_server.environment("hunter2"))
        self.sources = {"s3": {"type": "s3", "base": f"s3://lab/{os.path.basename(self.folder)}"}}
        result = self.spm("publish", self.dir, "tool")
        self.assertRegex(
            result.err,
            r"^spm: error: publish with s3: the secret access key is not that of the access key id "
            r"\(SignatureDoesNotMatch\)\nhint: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, .*\n$",
        )
        self.assertEqual((result.status, result.out), (1, ""))

    def test_a_package_that_is_there_keeps_what_it_says_of_itself(self) -> None:
        self.publish()
        self.packages["tool"].update(groups=["x", "y"], license="MIT", lib="tool-2")
        self.packages["tool"]["artifacts"][0]["platforms"] = ["any"]
        entry = self.publish()
        self.assertEqual((entry["groups"], entry["license"], entry["lib"]), (["x", "y"], "MIT", "tool-2"))
        self.assertNotIn("platforms", entry["artifacts"][0])

    def test_a_platforms_artifact_stands_beside_the_others(self) -> None:
        first = self.publish("-p", "linux-aarch64")["artifacts"][0]
        self.packages["tool"]["artifacts"][0]["platforms"] = ["linux-aarch64"]
        with open(f"{self.dir}/data", "wb") as file:
            file.write(b"for this one")
        entry = self.publish("-p", "linux-x86_64")
        self.assertEqual(entry["platforms"], ["linux-aarch64", "linux-x86_64"])
        self.assertEqual([each["platforms"] for each in entry["artifacts"]], [["linux-aarch64"], ["linux-x86_64"]])
        self.assertEqual(entry["artifacts"][0]["sha256"], first["sha256"])

    def test_a_dry_run_uploads_nothing(self) -> None:
        result = self.spm("publish", self.dir, "tool", "--dry-run", "--json")
        entry = json.loads(result.out)["tool"]
        self.assertEqual((result.status, os.path.exists(f"{self.folder}/shared")), (0, False))
        self.assertEqual(self.publish(), entry)

    def test_what_an_install_would_refuse_is_not_published(self) -> None:
        def pipe() -> None:
            os.mkfifo(f"{self.dir}/x")

        def unix_socket() -> None:
            with socket.socket(socket.AF_UNIX) as each:
                each.bind(f"{self.dir}/x")

        device = "FOLDER/tool/x is a device, a pipe or a socket"
        cases = [
            (pipe, device),
            (unix_socket, device),
            (lambda: os.symlink("/etc", f"{self.dir}/x"), "publish FOLDER/tool: the link x -> /etc is absolute"),
            (
                lambda: os.symlink("../other", f"{self.dir}/x"),
                "publish FOLDER/tool: the link x -> ../other leads out of the package",
            ),
            (
                lambda: open(f"{self.dir}/x\n", "w").close(),
                "publish FOLDER/tool: 'x\\n' has an unprintable character",
            ),
        ]
        for make, expected in cases:
            make()
            result = self.spm("publish", self.dir, "tool")
            self.assertEqual(result.err.splitlines()[0], f"spm: error: {expected}")
            self.assertEqual((result.status, result.out, os.path.exists(f"{self.folder}/shared")), (2, "", False))
            for name in ("x", "x\n"):
                if os.path.lexists(f"{self.dir}/{name}"):
                    os.unlink(f"{self.dir}/{name}")

    def test_wrong_usage_is_one_line(self) -> None:
        two = "expected one source of FOLDER/packages.json that takes uploads (http, s3, artifactory, file), found "
        named = "hint: name one with --to: disk"
        cases = [
            (["publish", self.dir], "publish: expected DIR NAME, found 1 name", None),
            (["publish", f"{self.dir}x", "tool"], "publish: expected a folder, found none at FOLDER/toolx", None),
            (
                ["publish", f"{self.dir}/empty", "tool"],
                "publish: expected files in FOLDER/tool/empty, found none",
                None,
            ),
            (
                ["publish", self.dir, "a/b"],
                "FOLDER/packages.json, with 'a/b' in it: packages: expected a package's name of letters, digits and "
                '. _ + ~ -, found "a/b"',
                "hint: give another name or address",
            ),
            (
                ["publish", self.dir, "tool", "--to", "debian"],
                "publish: expected a source that takes uploads (http, s3, artifactory, file), found 'debian', which is "
                "debian",
                named,
            ),
            (
                ["publish", self.dir, "tool", "--to", "x"],
                "publish: expected the name of a source of FOLDER/packages.json, found 'x'",
                named,
            ),
        ]
        for arguments, expected, hint in cases:
            result = self.spm(*arguments)
            self.assertEqual(result.err.splitlines()[0], f"spm: error: {expected}")
            self.assertEqual(result.status, 2)
            if hint:
                self.assertEqual(result.err.splitlines()[1], hint)
        self.sources["disk2"] = {"type": "file", "base": "other"}
        result = self.spm("publish", self.dir, "tool")
        self.assertEqual(
            result.err,
            f"spm: error: publish: {two}2: disk, disk2\nhint: name one with --to: disk, disk2\n",
        )


if __name__ == "__main__":
    unittest.main()
