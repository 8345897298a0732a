"""Commits as artifacts, from real repositories."""

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import tarfile
import threading
import time
import unittest

from harness.spm.settings import Settings
from harness.spm.sources import open_source
from harness.spm.sources.transport import TransferError
from harness.spm_testing.interrupt import PATIENCE_S, UnnoticedInterrupt
from harness.spm_testing.test_case import SpmTestCase

_AUTHOR = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
_WHO = {**_AUTHOR, **{name.replace("AUTHOR", "COMMITTER"): value for name, value in _AUTHOR.items()}}
_FILES = {
    "bin/run": b"#!\n",
    "version": b"$Format:%H$\n",
    "hidden": b"a\r\n",
    ".gitattributes": b"version export-subst\nhidden export-ignore\n* text eol=crlf\n",
}


def is_alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@unittest.skipUnless(shutil.which("git"), "needs git")
class GitTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.configure()
        self.repository = f"{self.folder}/code"
        self.commit = self.make(self.repository)
        self.sources = {"code": {"type": "git", "base": "code"}}

    def configure(self, *lines: tuple[str, str]) -> None:
        """Sets the user's own configuration of git to `lines`, and nothing of this machine's."""
        os.environ.update(_WHO, GIT_CONFIG_GLOBAL=f"{self.folder}/gitconfig", GIT_CONFIG_NOSYSTEM="1")
        with open(f"{self.folder}/gitconfig", "w"):
            pass
        for name, value in (("init.defaultBranch", "main"), *lines):
            subprocess.run(["git", "config", "--global", name, value], check=True)

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", self.repository, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def make(self, folder: str, *options: str) -> str:
        """A repository of two commits; the hash of the first."""
        self.repository = folder
        os.makedirs(f"{folder}/bin")
        self.git("init", "--quiet", *options)
        for path, data in _FILES.items():
            with open(f"{folder}/{path}", "wb") as file:
                file.write(data)
        os.chmod(f"{folder}/bin/run", 0o755)
        os.symlink("run", f"{folder}/bin/also")
        first = self.commit_all("1000000000")
        os.unlink(f"{folder}/hidden")
        self.commit_all("1000000001")
        return first

    def commit_all(self, date: str) -> str:
        self.git("-c", "core.autocrlf=false", "add", "--all")
        os.environ.update(GIT_AUTHOR_DATE=f"{date} +0000", GIT_COMMITTER_DATE=f"{date} +0100")
        self.git("commit", "--quiet", "--message=x")
        return self.git("rev-parse", "HEAD")

    def pin(self, name: str = "tool", source: str = "code", commit: str = "") -> dict:
        """Takes the entry that `publish` prints for a commit into packages.json; its artifact."""
        result = self.spm("publish", commit or self.commit, name, "--to", source)
        self.assertEqual(result.status, 0, result.err)
        self.packages.update(json.loads(result.out))
        return self.packages[name]["artifacts"][0]

    def exported(self, commit: str = "", base: str = "") -> bytes:
        fields = {"type": "git", "base": base or self.repository}
        source = open_source(fields, Settings(packages=f"{self.folder}/packages.json", lib="l", store="s"))
        body = source.open(source.address(commit or self.commit))
        data = body.read(1 << 20)
        self.assertEqual(body.length, len(data))
        body.close()
        return data

    def test_a_commit_is_its_files_whatever_attributes_say(self) -> None:
        blobs = {path: self.git("cat-file", "blob", f"{self.commit}:{path}") for path in _FILES}
        with tarfile.open(fileobj=io.BytesIO(self.exported())) as tar:
            found = [(each.name, each.mode, each.mtime, each.uid, each.uname, each.linkname) for each in tar]
            for path, text in blobs.items():
                file = tar.extractfile(path)
                assert file
                self.assertEqual(file.read().decode().strip(), text)
        facts = (1_000_000_000, 0, "")
        self.assertEqual(
            found,
            [
                (".gitattributes", 0o644, *facts, ""),
                ("bin/also", 0o755, *facts, "run"),
                ("bin/run", 0o755, *facts, ""),
                ("hidden", 0o644, *facts, ""),
                ("version", 0o644, *facts, ""),
            ],
        )

    def test_the_bytes_are_the_same_from_every_address_and_clone(self) -> None:
        clone = f"{self.folder}/clone"
        subprocess.run(["git", "clone", "--quiet", "--bare", self.repository, clone], check=True)
        self.configure(("core.autocrlf", "true"), ("tar.umask", "077"), ("core.quotePath", "false"))
        bases = ("code", self.repository, f"file://{self.repository}", clone)
        self.assertEqual(len({hashlib.sha256(self.exported(base=base)).hexdigest() for base in bases}), 1)

    def test_what_publish_prints_installs(self) -> None:
        self.pin()
        result = self.spm("install", "tool", "--offline")
        self.assertEqual((result.status, self.spm("verify", "--deep").status), (0, 0), result.err)
        self.assertEqual((self.read("tool-1/version"), self.read("tool-1/bin/also")), ("$Format:%H$\n", "#!\n"))

    def test_a_server_that_gives_no_hashes_gives_everything(self) -> None:
        expected = self.exported()
        self.configure(("protocol.version", "0"))
        self.assertEqual(self.exported(), expected)

    def test_a_repository_of_sha256_has_longer_commits(self) -> None:
        commit = self.make(f"{self.folder}/longer", "--object-format=sha256")
        self.assertEqual(len(commit), 64)
        self.sources["longer"] = {"type": "git", "base": "longer"}
        self.pin("longer", "longer", commit)
        self.assertEqual(self.spm("install", "longer").status, 0)

    def test_a_wrong_pin_says_what_was_found(self) -> None:
        artifact = self.pin()
        size, digest = artifact["size"], artifact["sha256"]
        for fields, expected in (
            ({"sha256": "0" * 64}, f"expected sha256 {'0' * 64}, found {digest}"),
            ({"size": 5}, f"expected 5 bytes, the server offers {size:,}"),
        ):
            self.packages["tool"]["artifacts"] = [{**artifact, **fields}]
            result = self.spm("install", "tool")
            self.assertIn(f": code (file://FOLDER/code@{self.commit}): {expected}\n", result.err)
            self.assertEqual(result.status, 1)

    def test_what_is_not_there_is_named(self) -> None:
        for commit, base, expected in (
            ("0" * 40, self.repository, f"expected a commit {'0' * 40} in the repository, found it missing"),
            (self.git("rev-parse", "HEAD:bin"), self.repository, None),
            (self.commit, f"{self.folder}/nothing", f"git fetch: '{self.folder}/nothing' does not appear to be a git"),
        ):
            with self.subTest(commit=commit, base=base), self.assertRaises(TransferError) as raised:
                self.exported(commit, base)
            expected = expected or f"expected a commit {commit} in the repository, found it "
            self.assertIn(expected, raised.exception.reason)

    def test_a_submodule_is_refused_by_name(self) -> None:
        self.git("update-index", "--add", "--cacheinfo", f"160000,{self.commit},third_party/other")
        self.git("commit", "--quiet", "--message=x")
        with self.assertRaises(TransferError) as raised:
            self.exported(self.git("rev-parse", "HEAD"))
        self.assertEqual(raised.exception.reason, "expected files, found the submodule third_party/other")

    def test_nobody_elses_repository_or_hook_has_a_say(self) -> None:
        expected = self.exported()
        hooks = f"{self.folder}/hooks"
        os.mkdir(hooks)
        for name in ("reference-transaction", "post-checkout", "pre-auto-gc"):
            with open(f"{hooks}/{name}", "w") as file:
                file.write(f"#!/bin/sh\ntouch {self.folder}/hooked\n")
            os.chmod(f"{hooks}/{name}", 0o755)
        self.configure(("core.hooksPath", hooks))
        os.environ.update(GIT_DIR="/nowhere", GIT_OBJECT_DIRECTORY="/nowhere", GIT_INDEX_FILE="/nowhere")
        self.assertEqual(self.exported(), expected)
        self.assertFalse(os.path.exists(f"{self.folder}/hooked"))

    def test_offline_asks_a_folder_only(self) -> None:
        self.pin()
        self.sources["code"]["base"] = "https://example.org/code"
        result = self.spm("install", "tool", "--offline")
        self.assertEqual(
            result.err.splitlines()[0],
            f"spm: error: could not fetch {self.commit}: code (https://example.org): not asked: spm is offline",
        )

    def test_a_machine_without_git_is_told_to_get_it(self) -> None:
        self.pin()
        os.environ["PATH"] = f"{self.folder}/nothing"
        result = self.spm("install", "tool")
        self.assertEqual(
            result.err,
            f"spm: error: could not fetch {self.commit}: code: expected git on this machine, found none\n"
            "hint: install git, or name another source too\n",
        )

    def test_what_the_users_configuration_holds_is_not_shown(self) -> None:
        self.pin()
        self.configure(("url.https://me:hunter2@127.0.0.1:9/.insteadOf", "https://example.org/"))
        self.sources["code"]["base"] = "https://example.org/code"
        result = self.spm("install", "tool", "-q")
        self.assertIn("127.0.0.1:9", result.err)
        self.assertNotIn("hunter2", result.err)
        self.assertEqual(result.status, 1)

    def test_an_interrupt_ends_git_and_its_helpers(self) -> None:
        self.pin()
        self.let_ssh_hang()
        self.write()
        process = self.start("install", "tool")
        try:
            while not os.path.exists(f"{self.folder}/pid"):
                self.assertIsNone(process.poll(), "spm ended before git called ssh")
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
        self.assertEqual((process.returncode, "interrupted" in err), (130, True))
        self.assert_ssh_ended()

    def test_an_interrupt_that_git_s_wait_would_not_notice_ends_a_publish(self) -> None:
        interrupt = UnnoticedInterrupt(self)
        self.let_ssh_hang()

        def work() -> None:
            while not os.path.exists(f"{self.folder}/pid"):
                time.sleep(0.02)
            interrupt.send()
            if interrupt.late:
                os.killpg(os.getpgid(self.ssh()), signal.SIGKILL)

        threading.Thread(target=work, daemon=True).start()
        result = self.spm("publish", self.commit, "tool", "--to", "code")
        self.assertFalse(interrupt.late)
        self.assertEqual((result.status, "interrupted" in result.err), (130, True))
        self.assert_ssh_ended()

    def let_ssh_hang(self) -> None:
        self.sources["code"]["base"] = "ssh://git@example.org/code"
        script = f"echo $$ > {self.folder}/new; mv {self.folder}/new {self.folder}/pid; sleep 10000; :"
        os.environ["GIT_SSH_COMMAND"] = f"sh -c '{script}'"

    def ssh(self) -> int:
        with open(f"{self.folder}/pid") as file:
            return int(file.read())

    def assert_ssh_ended(self) -> None:
        until = time.monotonic() + PATIENCE_S
        while is_alive(self.ssh()) and time.monotonic() < until:
            time.sleep(0.02)
        self.assertFalse(is_alive(self.ssh()))


if __name__ == "__main__":
    unittest.main()
