"""deliver and farm collect as a farm uses them: over ssh, by S3, and with what they print."""

from __future__ import annotations

import getpass
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from harness.make import build, paths
from harness.spm_testing import s3
from harness.spm_testing.interrupt import PATIENCE_S

HARNESS = build.existing_harness()
NEEDS = ["harness"]

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin") or ""
SSHD_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
PidFile none
UsePAM no
PermitRootLogin yes
"""
SSH_CONFIG = """
Host collector
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
"""


def files_below(folder: str) -> dict[str, bytes]:
    """The files of a folder without locks, with their contents."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".lock"):
                with open(os.path.join(at, name), "rb") as file:
                    found[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    return found


@unittest.skipUnless(HARNESS, "needs a build: python3 make.py build")
class Farm(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.realpath(scratch.name)
        self.node = os.path.join(self.folder, "node")
        self.lab = os.path.join(self.folder, "the farm's lab")
        self.programs = os.path.join(self.folder, "programs")
        for folder in (self.node, self.lab, self.programs):
            os.makedirs(folder)
        self.environment: dict[str, str] = {}

    def add(self, number: int, seed: int = 1, machine: str = "farm-1") -> str:
        """A result with two exhibits on the node; its name."""
        with open(sorted(glob.glob(os.path.join(paths.ROOT, "results", "reference", "*.json")))[0], encoding="utf-8") as file:
            result = json.load(file)
        result["machine"]["id"] = machine
        result["session"].update(id=f"2026080{number}T000000Z-aaaa", started=f"2026-08-0{number}T00:00:00Z", seed=seed)
        result.update(exhibits=[], benchmarks=result["benchmarks"][:1])
        stem = os.path.join(self.node, machine, result["session"]["id"])
        for name, text in ((".json", json.dumps(result)), (".exhibits/one.json", f"{number}"), (".exhibits/in/two", "2" * 99999),
                           (".exhibits.tar.zst", "packed")):
            os.makedirs(os.path.dirname(stem + name), exist_ok=True)
            with open(stem + name, "w", encoding="utf-8") as file:
                file.write(text)
        return os.path.basename(stem) + ".json"

    def program(self, name: str, script: str) -> None:
        """Stands before the machine's own program of this name."""
        path = os.path.join(self.programs, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)

    def harness(self, *words: str) -> tuple[int, str, str]:
        done = subprocess.run([HARNESS or "", *words], capture_output=True, text=True, check=False, timeout=PATIENCE_S, env={
            **os.environ, "LAB_MACHINE": "farm-1", "PATH": self.programs + ":" + os.environ["PATH"], **self.environment})
        return done.returncode, done.stdout, done.stderr

    def deliver(self, to: str) -> tuple[int, str, str]:
        return self.harness("deliver", "--to", to, "--results", self.node)

    def forget(self) -> None:
        """What was delivered."""
        shutil.rmtree(os.path.join(self.node, "farm-1", "state"))

    def sent(self) -> dict[str, bytes]:
        return {name: data for name, data in files_below(os.path.join(self.node, "farm-1")).items()
                if not name.startswith("state/")}

    def arrived(self) -> dict[str, bytes]:
        return files_below(os.path.join(self.lab, "inbox", "farm-1"))


class Deliver(Farm):
    def test_what_was_delivered_and_collected_is_said_in_a_line(self) -> None:
        self.assertEqual(self.deliver(self.lab), (0, f"no new result for {self.lab}\n", ""))
        one = self.add(1)
        self.add(2)
        self.assertEqual(self.deliver(self.lab), (0, f"2 results delivered to {self.lab}\n", ""))
        self.assertEqual(self.deliver(self.lab), (0, f"no new result for {self.lab}\n", ""))
        self.add(1, seed=2)
        status, out, err = self.deliver(self.lab)
        self.assertEqual((status, out), (0, f"1 result delivered to {self.lab}\n"))
        self.assertRegex(err, f"^deliver: {one}: another file of this name is there; this one is {one[:-5]}-[0-9a-f]{{8}}.json\n$")
        with open(os.path.join(self.lab, "inbox", "farm-1", "empty.json"), "w", encoding="utf-8"):
            pass
        status, _, err = self.harness("farm", "check", "--results", self.lab)
        self.assertEqual(status, 2, "nothing is collected yet")
        self.assertTrue(err.endswith(f"hint: python3 make.py farm collect --results {self.lab}\n"), err)
        status, out, err = self.harness("farm", "collect", "--results", self.lab)
        self.assertEqual((status, out), (0, "farm-1: 3 collected, 1 to quarantine\n"))
        self.assertRegex(err, "^farm: farm-1/.*: session .* is also in '.*', with other contents: neither is in a series\n"
                              "farm: quarantine/farm-1/empty.json: empty\n$")
        self.assertEqual(self.harness("farm", "collect", "--json", "--results", self.lab), (0, '{"machines":[]}\n', ""))
        self.add(3)
        self.deliver(self.lab)
        out = self.harness("farm", "check", "--results", self.lab)[1]
        self.assertIn("\nnot read: 1 result in the inbox, for farm collect; 1 file in quarantine, with the reason beside each\n", out)

    def test_wrong_usage_has_status_2_and_a_failure_1(self) -> None:
        self.assertEqual(self.harness("deliver")[0], 2)
        self.assertEqual(self.deliver("ftp://host/dir"),
                         (2, "", "harness: error: --to: expected a folder, ssh:HOST:DIR, or s3://BUCKET/PREFIX, found "
                                 "'ftp://host/dir'\nhint: python3 make.py deliver --help\n"))
        self.add(1)
        status, _, err = self.deliver(self.lab + "/none")
        self.assertEqual((status, err), (1, f"harness: error: 1 of 1 result not delivered to '{self.lab}/none': expected the "
                                            "results folder of the collector, found none\nhint: they stay here; the next "
                                            "deliver tries again\n"))
        self.assertEqual(self.harness("farm", "collect", "--results", self.lab + "/none")[0], 2)
        self.assertEqual(self.harness("farm", "collect", "--from", "/x", "--results", self.lab)[0], 2)


@unittest.skipUnless(SSHD and shutil.which("ssh"), "needs ssh and sshd")
class Ssh(Farm):
    def setUp(self) -> None:
        super().setUp()
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # sshd wants it of root
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(self.folder, key)], check=True)
        for name, text in (("sshd_config", SSHD_CONFIG), ("ssh_config", SSH_CONFIG)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text.format(port=port, folder=self.folder, user=getpass.getuser()))
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", os.path.join(self.folder, "sshd_config")],
                                  stderr=subprocess.PIPE, text=True)
        assert server.stderr
        self.server, self.log = server, server.stderr

        def stop() -> None:
            server.kill()
            server.wait()
            self.log.close()

        self.addCleanup(stop)
        while "Server listening" not in (line := self.log.readline()):
            self.assertTrue(line, "sshd did not start")
        self.ssh = f'exec {shutil.which("ssh")} -F "{self.folder}/ssh_config" "$@"\n'
        self.program("ssh", self.ssh)
        self.to = f"ssh:collector:{self.lab}"

    def test_all_results_come_by_one_connection_once(self) -> None:
        for number in (1, 2, 3):
            self.add(number)
        self.assertEqual(self.deliver(self.to), (0, f"3 results delivered to {self.to}\n", ""))
        self.assertEqual(self.arrived(), self.sent())
        self.forget()
        self.assertEqual(self.deliver(self.to), (0, f"0 results delivered to {self.to}, 3 were there already\n", ""))
        self.assertEqual(self.harness("farm", "collect", "--results", self.lab)[1], "farm-1: 3 collected\n")
        self.forget()
        self.assertEqual(self.deliver(self.to), (0, f"0 results delivered to {self.to}, 3 were there already\n", ""))
        self.server.terminate()
        self.assertEqual(sum("Accepted publickey" in line for line in self.log), 3)

    def test_a_connection_that_ends_early_leaves_nothing_half_written(self) -> None:
        for number in (1, 2):
            self.add(number)
        whole = self.sent()
        first = {name for name in whole if "20260801" in name}
        for size in (0, 1000, 3500, 9000, 60_000, 130_000, 200_000, 240_000):
            shutil.rmtree(self.lab)
            os.makedirs(self.lab)
            self.program("ssh", f"head -c {size} | ({self.ssh})\n")
            status, _, err = self.deliver(self.to)
            self.assertEqual(status, 1, size)
            self.assertRegex(err, "^harness: error: [12] of 2 results not delivered to '.*': .+\nhint: ")
            arrived = {name: data for name, data in self.arrived().items() if not name.startswith(".part-")}
            self.assertEqual(arrived, {name: data for name, data in whole.items() if name in first} if arrived else {}, size)
            self.program("ssh", self.ssh)
            self.assertEqual(self.deliver(self.to)[0], 0)
            self.assertEqual(self.arrived(), whole)
            self.forget()

    def test_killed_in_the_middle_it_is_done_by_the_next_call(self) -> None:
        self.add(1)
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        # Half of the stream has gone when the program is killed.
        self.program("ssh", f"(head -c 60000; echo > '{pipe}'; cat) | ({self.ssh})\n")
        running = subprocess.Popen([HARNESS or "", "deliver", "--to", self.to, "--results", self.node],
                                   env={**os.environ, "LAB_MACHINE": "farm-1",
                                        "PATH": self.programs + ":" + os.environ["PATH"]})
        with open(pipe, encoding="utf-8") as ready:
            ready.readline()
        running.send_signal(signal.SIGKILL)
        running.wait()
        self.program("ssh", self.ssh)
        self.assertEqual(self.deliver(self.to)[0], 0)
        self.assertEqual({name: data for name, data in self.arrived().items() if not name.startswith(".part-")}, self.sent())

    def test_what_is_wrong_there_is_one_sentence(self) -> None:
        self.add(1)
        for to, what in ((f"ssh:collector:{self.lab}/none", "expected the results folder of the collector, found none"),
                         ("ssh:no-such-host.invalid:/x", "Could not resolve hostname")):
            status, _, err = self.deliver(to)
            self.assertEqual(status, 1)
            self.assertIn(f"1 of 1 result not delivered to '{to}'", err)
            self.assertIn(what, err)
            self.assertEqual(len(err.splitlines()), 2)
        self.server.terminate()
        self.server.wait()
        self.assertIn("Connection refused", self.deliver(self.to)[2])


class S3(Farm):
    def setUp(self) -> None:
        super().setUp()
        self.environment = {**s3.environment(), "http_proxy": "", "no_proxy": "127.0.0.1"}
        self.to = f"s3://{s3.BUCKET}/{os.path.basename(self.folder)}+x"
        self.curl = shutil.which("curl")
        if not self.curl:
            self.skipTest("needs curl")

    def test_results_go_through_a_bucket_once(self) -> None:
        self.program("curl", f'echo "$@" >> {self.folder}/arguments; exec {self.curl} "$@"\n')
        for number in (1, 2):
            self.add(number)
        self.assertEqual(self.deliver(self.to), (0, f"2 results delivered to {self.to}\n", ""))
        self.forget()
        self.assertEqual(self.deliver(self.to), (0, f"0 results delivered to {self.to}, 2 were there already\n", ""))
        collect = ("farm", "collect", "--results", self.lab, "--from", self.to)
        self.assertEqual(self.harness(*collect), (0, "farm-1: 2 collected\n", ""))
        self.assertEqual(files_below(os.path.join(self.lab, "farm-1")), self.sent())
        self.assertEqual(self.harness(*collect), (0, "", ""))
        # A lost list costs a second, harmless fetch.
        os.remove(os.path.join(self.lab, "inbox", "fetched.json"))
        self.assertEqual(self.harness(*collect), (0, "farm-1: 2 there already\n", ""))
        self.add(1, seed=5)
        self.assertIn("another file of this name is there", self.deliver(self.to)[2])
        self.assertEqual(self.harness(*collect)[1], "farm-1: 1 collected\n")
        with open(os.path.join(self.folder, "arguments"), encoding="utf-8") as file:
            self.assertNotIn(s3.SECRET, file.read())

    def test_what_is_wrong_there_is_one_sentence_with_the_next_step(self) -> None:
        self.add(1)
        for environment, to, status, what in (
                ({"AWS_SECRET_ACCESS_KEY": "wrong"}, self.to, 1, "the server answered 403, SignatureDoesNotMatch"),
                ({}, "s3://no-such-bucket/x", 1, "the server answered 404, NoSuchBucket"),
                ({"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9"}, self.to, 1, "Failed to connect"),
                ({"AWS_SECRET_ACCESS_KEY": ""}, self.to, 2, "expected a whole access key, found no AWS_SECRET_ACCESS_KEY"),
                ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "none"}, self.to, 2,
                 "expected the profile 'none' of AWS_PROFILE")):
            with self.subTest(what):
                self.environment.update(environment)
                found = self.deliver(to)
                self.assertEqual(found[0], status)
                self.assertIn(what, found[2])
                self.environment = {**s3.environment(), "http_proxy": "", "no_proxy": "127.0.0.1"}
        self.program("curl", "echo curl 7.74.0\n")
        self.assertEqual(self.deliver(self.to)[2], "harness: error: expected curl 7.88 or newer for s3://, found 7.74.0\n"
                                                   "hint: install a newer curl\n")

    def test_credentials_come_from_the_files_of_aws_too(self) -> None:
        self.add(1)
        credentials = os.path.join(self.folder, "credentials")
        with open(credentials, "w", encoding="utf-8") as file:
            file.write(f"[other]\naws_access_key_id = x\n[work]\n# a key\naws_access_key_id={s3.KEY}\n"
                       f"aws_secret_access_key = {s3.SECRET}\ns3 =\n  addressing_style = path\n")
        self.environment.update(AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="", AWS_PROFILE="work",
                                AWS_SHARED_CREDENTIALS_FILE=credentials)
        self.assertEqual(self.deliver(self.to)[0], 0)


if __name__ == "__main__":
    unittest.main()
