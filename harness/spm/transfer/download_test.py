"""Where artifacts are asked for and in which order; what a server may do wrong is in faults_test.py."""

import os
import socket
import unittest
from typing import Any
from unittest import mock

from harness.spm import user_file
from harness.spm.pins import manifest
from harness.spm.settings import Settings
from harness.spm.sources import apt, connection
from harness.spm.transfer.download import Downloader
from harness.spm.transfer.progress import Report
from harness.spm_testing.archives import deb, member, tar
from harness.spm_testing.server import SAME_HOST, redirect, refuse, reset, send
from harness.spm_testing.test_case import SpmTestCase

GOOD = deb(member("./usr/tool", b"the tool" * 1000))
HINT = "hint: check the network, or name a copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR\n"


class DownloadTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.artifact = self.serve("a.deb", GOOD, strip="usr")
        self.add("a", self.artifact)

    def test_what_passes_is_outlasted(self) -> None:
        answers: list[Any] = [
            reset,
            refuse(503, "Busy"),
            lambda handler: send(handler, GOOD[:50], len(GOOD)),
            lambda handler: send(handler, GOOD),
        ]
        self.server.files["/a.deb"] = lambda handler: answers.pop(0)(handler)
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(answers, [])

    def test_every_attempt_is_reported_once(self) -> None:
        self.sources.update(
            other={"type": "http", "base": "http://127.0.0.1:9/x"}, disk={"type": "file", "base": "nowhere"}
        )
        self.artifact["sources"] = ["main", "other", "disk"]
        self.server.files.clear()
        result = self.spm("install", "a")
        self.assertEqual(
            result.err,
            "spm: main did not deliver a.deb: not there (HTTP 404)\n"
            "spm: other did not deliver a.deb: the connection was refused\n"
            "spm: error: could not fetch a.deb: main (SERVER/a.deb): not there (HTTP 404); "
            "other (http://127.0.0.1:9): the connection was refused; disk (file://FOLDER/nowhere/a.deb): no such file\n"
            + HINT,
        )

    def test_an_archive_that_was_taken_away_is_fetched_again_by_the_same_run(self) -> None:
        self.write()
        pins = manifest.load(f"{self.folder}/packages.json")
        downloader = Downloader(pins, Settings(store=self.store, lib=self.lib), Report())
        for _ in range(2):
            downloader.fetch(pins.packages["a"].artifacts[0], f"{self.folder}/a.part")
            os.unlink(f"{self.folder}/a.part")
        self.assertEqual(self.server.asked, ["/a.deb", "/a.deb"])

    def test_a_dead_network_is_one_line_for_many_artifacts(self) -> None:
        self.sources["main"]["base"] = "http://127.0.0.1:9/x"
        for number in range(40):
            self.add(f"p{number}", dict(self.artifact, sha256=f"{number:064}", path=f"{number}.deb"))
        result = self.spm("install-group", "all")
        self.assertRegex(
            result.err,
            r"^spm: error: could not fetch \S+\.deb( and \d+ more)?: main \(http://127\.0\.0\.1:9\): the connection was refused\n"
            + HINT.replace("(", r"\(")
            + "$",
        )
        self.assertEqual((result.status, self.left_in_store(), os.path.exists(self.lib)), (1, [], False))

    def test_offline_asks_nobody(self) -> None:
        result = self.spm("install", "a", "--offline")
        self.assertEqual(
            result.err, "spm: error: could not fetch a.deb: main (SERVER): not asked: spm is offline\n" + HINT
        )
        self.assertEqual(self.server.asked, [])

    def test_a_redirect_is_followed(self) -> None:
        self.server.files.update({"/a.deb": redirect("/b.deb"), "/b.deb": GOOD})
        self.assertEqual(self.spm("install", "a").status, 0)

    def test_a_host_is_looked_up_once(self) -> None:
        for number in range(5):
            self.add(f"p{number}", self.serve(f"{number}.tar", tar(member(f"{number}"))))
        self.sources["main"]["base"] = self.server.base.replace("127.0.0.1", SAME_HOST)
        connection._places.cache_clear()
        with mock.patch.object(socket, "getaddrinfo", side_effect=socket.getaddrinfo) as asked:
            self.assertEqual(self.spm("install-group", "all", "--jobs", "1").status, 0)
        self.assertEqual([call.args[0] for call in asked.mock_calls].count(SAME_HOST), 1)

    def test_a_folder_serves_as_a_source(self) -> None:
        os.mkdir(f"{self.folder}/disk")
        with open(f"{self.folder}/disk/a.deb", "wb") as file:
            file.write(GOOD)
        self.sources["main"] = {"type": "file", "base": "disk"}
        self.assertEqual(self.spm("install", "a", "--offline").status, 0)

    def mirror(self) -> str:
        digest = self.artifact["sha256"]
        os.makedirs(f"{self.folder}/mirror/{digest[:2]}")
        with open(f"{self.folder}/mirror/{digest[:2]}/{digest}", "wb") as file:
            file.write(GOOD)
        return f"{self.folder}/mirror"

    def test_the_mirror_comes_first(self) -> None:
        os.environ["SPM_MIRROR"] = self.mirror()
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(self.server.asked, [])

    def test_the_mirror_comes_last_when_asked_to(self) -> None:
        os.environ["SPM_MIRROR"] = "last:file://" + self.mirror()
        self.server.files["/a.deb"] = refuse(404, "Not Found")
        result = self.spm("install", "a")
        self.assertEqual((result.status, self.server.asked), (0, ["/a.deb"]))
        self.assertIn("spm: main did not deliver a.deb: not there (HTTP 404)\n", result.err)

    def test_a_mirror_on_a_server_has_the_same_layout(self) -> None:
        digest = self.artifact["sha256"]
        self.server.files.update({"/a.deb": None, f"/m/{digest[:2]}/{digest}": GOOD})
        os.environ["SPM_MIRROR"] = self.server.base + "/m/"
        self.assertEqual(self.spm("install", "a").status, 0)

    def test_a_mirror_may_be_flat(self) -> None:
        self.server.files.update({"/a.deb": None, f"/m/{self.artifact['sha256']}": GOOD})
        os.environ["SPM_MIRROR"] = self.server.base + "/m"
        self.assertEqual(self.spm("install", "a").status, 0)

    def test_a_mirror_without_the_artifact_costs_one_attempt(self) -> None:
        os.environ["SPM_MIRROR"] = f"{self.folder}/nothing"
        self.assertEqual(self.spm("install", "a").status, 0)

    def test_a_debian_source_is_where_the_environment_says(self) -> None:
        self.sources["main"] = {"type": "debian"}
        os.environ["SPM_DEBIAN_MIRROR"] = self.server.base
        self.assertEqual(self.spm("install", "a").status, 0)

    def test_a_machine_without_a_debian_mirror_is_told_what_to_set(self) -> None:
        self.sources["main"] = {"type": "debian"}
        self.add("b", dict(self.artifact, path="b.deb", sha256="0" * 64))
        with mock.patch.object(
            apt, "debian_mirrors", return_value=([], "this machine runs ubuntu, not Debian")
        ):
            result = self.spm("install-group", "all")
        self.assertRegex(
            result.err,
            r"^spm: error: could not fetch [ab]\.deb( and 1 more)?: main: no Debian mirror is known: this machine runs ubuntu, "
            "not Debian\nhint: set SPM_DEBIAN_MIRROR to a Debian mirror's address, the part before /pool, or write "
            "'debian-mirror = ADDRESS' into ~/.config/spm/config\n$",
        )
        self.assertEqual(result.status, 1)

    def test_a_version_that_the_pool_has_dropped_is_in_a_snapshot_of_its_time(self) -> None:
        self.sources["main"] = {"type": "debian"}
        index = {"suite": "main", "date": "2026-11-20T08:12:00Z", "signer": "AB"}
        self.artifact.update(path="pool/a.deb", version="1-1", index=index)
        self.server.files = {"/snapshot/20261120T081200Z/pool/a.deb": GOOD}
        os.environ["XDG_CONFIG_HOME"] = f"{self.folder}/config"
        os.makedirs(f"{self.folder}/config/spm")
        for in_file in (False, True):
            user_file._read.cache_clear()
            self.addCleanup(user_file._read.cache_clear)
            if in_file:
                with open(user_file.path(), "w") as file:
                    file.write(f"# mine\n\ndebian-mirror = {self.server.base}/debian\n")
                    file.write(f"debian-snapshot={self.server.base}/snapshot\n")
                del os.environ["SPM_DEBIAN_MIRROR"], os.environ["SPM_DEBIAN_SNAPSHOT"]
            else:
                os.environ["SPM_DEBIAN_MIRROR"] = f"{self.server.base}/debian"
                os.environ["SPM_DEBIAN_SNAPSHOT"] = f"{self.server.base}/snapshot"
            self.server.asked.clear()
            self.store, self.lib = f"{self.folder}/store{in_file}", f"{self.folder}/lib{in_file}"
            self.assertEqual(self.spm("install", "a").status, 0)
            self.assertEqual(self.server.asked, ["/debian/pool/a.deb", "/snapshot/20261120T081200Z/pool/a.deb"])

    def test_a_mistake_in_the_users_file_is_one_error(self) -> None:
        self.sources["main"] = {"type": "debian"}
        os.environ["XDG_CONFIG_HOME"] = self.folder
        os.makedirs(f"{self.folder}/spm")
        for line in ("debian-miror = http://x", "debian-mirror", "debian-mirror =", "debian_mirror = http://me:hunter2@x", "\x1b[31m = x"):
            user_file._read.cache_clear()
            self.addCleanup(user_file._read.cache_clear)
            with open(user_file.path(), "w") as file:
                file.write(f"# mine\n{line}\n")
            result = self.spm("install", "a")
            self.assertEqual(result.status, 2)
            self.assertIn("spm/config: line 2: expected 'debian-mirror = ADDRESS' or 'debian-snapshot = ADDRESS', found something else", result.err)
            self.assertNotRegex(result.err, "\x1b|hunter")

    def test_a_host_that_takes_no_calls_is_tried_once(self) -> None:
        full = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.addCleanup(full.close)
        for _ in range(3):  # the queue is full: further calls are neither taken nor refused
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
            self.addCleanup(waiting.close)
        base = f"http://127.0.0.1:{full.getsockname()[1]}"
        self.sources["silent"] = {"type": "http", "base": base}
        self.artifact["sources"] = ["silent", "main"]
        os.environ["SPM_TIMEOUT"] = "1"
        result = self.spm("install", "a", "-q", "--json")
        failed = [each for each in result.objects() if each["event"] == "attempt_failed" and each["source"] == "silent"]
        self.assertEqual([each["reason"] for each in failed], ["no answer within 1 s"])
        self.assertEqual(result.status, 0)

    def test_a_timeout_that_is_none_is_one_error(self) -> None:
        for text in ("0", "-1", "soon", "nan", "3601"):
            os.environ["SPM_TIMEOUT"] = text
            result = self.spm("install", "a")
            self.assertEqual(
                (result.status, result.err),
                (
                    2,
                    f"spm: error: SPM_TIMEOUT: expected seconds, above 0 and up to 3600, found '{text}'\n"
                    "hint: correct or unset SPM_TIMEOUT\n",
                ),
            )

    def test_a_secret_in_the_environment_is_never_shown(self) -> None:
        self.sources["main"] = {"type": "debian"}
        os.environ["SPM_DEBIAN_MIRROR"] = "http://me:hunter2@127.0.0.1:9/debian?token=hunter3"
        result = self.spm("install", "a")
        self.assertEqual(
            result.err,
            "spm: error: could not fetch a.deb: main (http://127.0.0.1:9/debian): expected an address without a user "
            "and password in it\nhint: write them into ~/.netrc: machine HOST login USER password PASSWORD\n",
        )


if __name__ == "__main__":
    unittest.main()
