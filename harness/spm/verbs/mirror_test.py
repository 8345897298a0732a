"""`mirror push` and `mirror pull` against a folder, a web server and a real S3 server."""

import os
import signal
import threading
import time
import unittest
from typing import Any
from unittest import mock

from harness.spm import trees
from harness.spm.formatting import size
from harness.spm.sources import reading, transport
from harness.spm.transfer.host_slots import PER_HOST
from harness.spm_testing import s3 as s3_server
from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import Server
from harness.spm_testing.test_case import SpmTestCase


class MirrorTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch.object(reading, "FIRST_PAUSE_S", 0.01)
        patch.start()
        self.addCleanup(patch.stop)
        self.other = Server()
        self.addCleanup(self.other.close)
        self.add_simple("a")
        self.add_simple("b", "the longest of them by far")
        self.add("c", self.serve("c.deb", deb(member("./usr/c", b"c"))), platforms=["linux-aarch64"])
        self.add("d", self.packages["a"]["artifacts"][0], strip="usr")  # two packages, one artifact
        self.folder_mirror = f"{self.folder}/mirror"

    def anonymous(self, text: str) -> str:
        return super().anonymous(text).replace(self.other.base, "MIRROR")

    def artifact(self, name: str) -> dict:
        return self.packages[name]["artifacts"][0]

    def words(self, *names: str) -> str:
        return size(sum(self.artifact(name)["size"] for name in names))

    def place(self, name: str) -> str:
        """Where an artifact lies in a mirror."""
        digest = self.artifact(name)["sha256"]
        return f"{digest[:2]}/{digest}"

    def empty_store(self) -> None:
        for folder in (self.store, self.lib):
            trees.remove(folder)

    def check_an_old_commit_builds_from(self, mirror: str) -> None:
        pushed = self.spm("mirror", "push", mirror)
        self.assertEqual(pushed.err, f"spm: 3 artifacts of {self.words('a', 'b', 'c')} pushed\n")
        self.assertEqual((pushed.status, sorted(self.server.asked)), (0, ["/a.deb", "/b.deb", "/c.deb"]))
        again = self.spm("mirror", "push", mirror)
        self.assertEqual(again.err, "spm: 0 artifacts of 0 B pushed, 3 there already\n")
        self.assertEqual((again.status, len(self.server.asked)), (0, 3))
        self.server.close()
        self.empty_store()
        pulled = self.spm("mirror", "pull", mirror)
        self.assertEqual(pulled.err, f"spm: 2 artifacts of {self.words('a', 'b')} pulled, 3 packages filled\n")
        self.assertEqual(self.spm("install", "a", "b", "d", "--offline").status, 0)
        self.empty_store()
        # Nothing is left but the commit and the mirror.
        os.environ["SPM_MIRROR"] = mirror
        result = self.spm("install", "a", "b", "d")
        self.assertEqual((result.status, self.spm("install", "c", "-p", "linux-aarch64").status), (0, 0), result.err)
        self.assertEqual(self.spm("verify", "--deep").status, 0)
        self.assertEqual((self.read("a-1/a"), self.read("b-1/b")), ("a", "the longest of them by far"))

    def test_an_old_commit_builds_from_a_folder_alone(self) -> None:
        self.check_an_old_commit_builds_from(self.folder_mirror)
        self.assertEqual(
            sorted(f"{os.path.basename(at)}/{name}" for at, _, names in os.walk(self.folder_mirror) for name in names),
            sorted(map(self.place, "abc")),
        )

    def test_an_old_commit_builds_from_a_folder_whose_name_is_no_text(self) -> None:
        self.check_an_old_commit_builds_from(os.fsdecode(os.fsencode(self.folder) + b"/m\xff %41"))

    def test_an_old_commit_builds_from_a_web_server_alone(self) -> None:
        self.check_an_old_commit_builds_from(f"{self.other.base}/mirror")

    def test_an_old_commit_builds_from_a_bucket_alone(self) -> None:
        os.environ.update(s3_server.environment())
        self.check_an_old_commit_builds_from(f"s3://lab/{os.path.basename(self.folder)}")

    def test_what_has_another_size_is_sent_again(self) -> None:
        self.spm("mirror", "push", self.folder_mirror)
        with open(f"{self.folder_mirror}/{self.place('b')}", "ab") as file:
            file.truncate(7)
        result = self.spm("mirror", "push", f"file://{self.folder_mirror}")
        self.assertEqual(result.err, f"spm: 1 artifact of {self.words('b')} pushed, 2 there already, 1 in place of damaged ones\n")
        self.assertEqual(os.path.getsize(f"{self.folder_mirror}/{self.place('b')}"), self.artifact("b")["size"])

    def test_zeroed_bytes_are_found_by_verify_and_healed_by_push(self) -> None:
        for mirror in (self.folder_mirror, self.other.base):
            with self.subTest(mirror):
                self.spm("mirror", "push", mirror)
                good = self.spm("mirror", "verify", mirror)
                self.assertEqual((good.status, good.out), (0, ""))
                self.assertEqual(good.err, "spm: 3 artifacts of the mirror have the pinned bytes\n")
                zeroes, path = bytes(self.artifact("b")["size"]), self.place("b")
                if mirror == self.folder_mirror:
                    with open(f"{mirror}/{path}", "wb") as file:
                        file.write(zeroes)
                    os.unlink(f"{mirror}/{self.place('c')}")
                else:
                    self.other.files[f"/{path}"] = zeroes
                    del self.other.files[f"/{self.place('c')}"]
                bad = self.spm("mirror", "verify", mirror)
                self.assertEqual((bad.status, sorted(bad.out.split())), (1, ["b.deb", "c.deb", "damaged", "missing", "path", "state"]))
                self.assertIn("expected 3 artifacts, found 2 missing, damaged or unreadable\n", bad.err)
                hint = self.anonymous(f"hint: python3 make.py spm mirror push {mirror} --packages FOLDER/packages.json")
                self.assertEqual(bad.err.splitlines()[1].partition(" --lib ")[0], hint)
                self.assertTrue(bad.err.endswith(", which sends those\n"), bad.err)
                rows = self.spm("mirror", "verify", mirror, "--json").objects()[:3]
                self.assertEqual([row["state"] for row in rows], ["whole", "damaged", "missing"])
                healed = self.spm("mirror", "push", mirror)
                self.assertTrue(healed.err.endswith("pushed, 1 there already, 1 in place of damaged ones\n"), healed.err)
                self.assertEqual(self.spm("mirror", "verify", mirror).status, 0)

    def test_groups_are_enough_for_a_machine_without_a_network(self) -> None:
        self.packages["a"]["groups"], self.packages["d"]["groups"] = ["x"], ["x", "y"]
        self.assertEqual(self.spm("mirror", "push", self.folder_mirror, "x").err, f"spm: 1 artifact of {self.words('a')} pushed\n")
        self.assertEqual(self.spm("mirror", "verify", self.folder_mirror, "x", "y").status, 0)
        self.assertEqual(self.spm("mirror", "verify", self.folder_mirror).status, 1)
        self.assertIn("unknown group 'z'", self.spm("mirror", "push", self.folder_mirror, "z").err)
        self.empty_store()
        self.server.close()
        os.environ["SPM_MIRROR"] = self.folder_mirror
        self.assertEqual(self.spm("install-group", "x").status, 0)

    def test_no_more_requests_at_once_than_any_host_gets(self) -> None:
        inside, most, lock = 0, 0, threading.Lock()

        def slow(handler: Any) -> None:
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.05)
            with lock:
                inside -= 1
            handler.send_error(404)

        for number in range(30):
            self.add_simple(f"more{number}")
        for package in list(self.packages):
            self.other.files[f"/{self.place(package)}"] = slow
        self.assertEqual(self.spm("mirror", "verify", self.other.base, "--jobs", "20").status, 1)
        self.assertTrue(1 < most <= PER_HOST, most)

    def test_a_flat_mirror_has_what_it_has(self) -> None:
        os.mkdir(self.folder_mirror)
        with open(f"{self.folder_mirror}/{self.artifact('a')['sha256']}", "wb") as file:
            file.write(self.server.files["/a.deb"])
        result = self.spm("mirror", "push", self.folder_mirror)
        self.assertEqual(result.err, f"spm: 2 artifacts of {self.words('b', 'c')} pushed, 1 there already\n")

    def test_every_failure_is_named_and_the_rest_is_pushed(self) -> None:
        del self.server.files["/a.deb"]
        self.other.refuse_put = {f"/{self.place('b')}": 507}
        result = self.spm("mirror", "push", self.other.base, "-j", "1")
        self.assertEqual(
            result.err,
            f"spm: 1 artifact of {self.words('c')} pushed, 2 failed\n"
            "spm: error: 2 of 3 artifacts did not reach the mirror: could not fetch a.deb: main (SERVER/a.deb): "
            "not there (HTTP 404); could not push b.deb: HTTP 507 Insufficient Storage\n"
            "hint: correct that and push again: what the mirror already has is not sent twice\n",
        )
        self.assertEqual((result.status, list(self.other.files)), (1, [f"/{self.place('c')}"]))

    def test_programs_read_what_was_moved(self) -> None:
        result = self.spm("mirror", "push", self.folder_mirror, "--json")
        last = result.objects()[-1]
        self.assertEqual(
            last,
            {"event": "mirror", "pushed": 3, "bytes": last["bytes"], "there": 0, "damaged": 0, "failed": 0},
        )
        events = [each["event"] for each in result.objects()]
        self.assertEqual((events.count("upload"), events.count("uploaded"), result.err), (3, 3, ""))

    def test_a_dry_run_moves_nothing(self) -> None:
        result = self.spm("mirror", "push", self.folder_mirror, "--dry-run")
        self.assertEqual(
            (result.out, result.err),
            (
                "".join(f"{name}.deb {self.words(name)}\n" for name in "abc"),
                f"spm: 3 artifacts of {self.words('a', 'b', 'c')} would be pushed\n",
            ),
        )
        self.spm("mirror", "push", self.folder_mirror)
        self.empty_store()
        result = self.spm("mirror", "pull", self.folder_mirror, "--dry-run", "--json")
        self.assertEqual([each.get("path", "") for each in result.objects()], ["a.deb", "b.deb", ""])
        self.assertFalse(os.path.exists(self.store))

    def test_a_pull_names_what_the_mirror_lacks_and_fills_the_rest(self) -> None:
        self.spm("mirror", "push", self.folder_mirror)
        os.unlink(f"{self.folder_mirror}/{self.place('a')}")
        self.empty_store()
        self.server.asked.clear()
        result = self.spm("mirror", "pull", self.folder_mirror)
        self.assertEqual(
            result.err,
            f"spm: 1 artifact of {self.words('b')} pulled, 1 package filled, 2 left out\n"
            "spm: error: the mirror FOLDER/mirror lacks a.deb, and so 2 of 3 packages: a, d\n"
            "hint: where their sources can be reached: python3 make.py spm mirror push URL\n",
        )
        self.assertEqual((result.status, self.server.asked), (1, []))
        self.assertEqual(self.spm("install", "b", "--offline").status, 0)

    def test_a_pull_takes_nothing_that_differs(self) -> None:
        self.spm("mirror", "push", self.folder_mirror)
        with open(f"{self.folder_mirror}/{self.place('a')}", "r+b") as file:
            file.write(b"?")
        self.empty_store()
        self.server.asked.clear()
        result = self.spm("mirror", "pull", self.folder_mirror)
        self.assertIn(f"expected sha256 {self.artifact('a')['sha256']}, found ", result.err)
        self.assertEqual((result.status, self.server.asked), (1, []))

    def test_a_mirror_that_cannot_be_asked_is_one_error(self) -> None:
        self.other.close()
        for before in ((), ("install", "a", "b", "d")):  # whether or not there is anything to pull
            self.assertEqual(self.spm(*before).status if before else 0, 0)
            for verb in ("push", "pull"):
                result = self.spm("mirror", verb, self.other.base)
                self.assertEqual(
                    (result.status, result.err),
                    (
                        1,
                        "spm: error: mirror MIRROR: the connection was refused\n"
                        "hint: check the address and the network\n",
                    ),
                )

    def test_a_folder_that_is_not_there_is_named(self) -> None:
        for before in ((), ("install", "a", "b", "d")):
            self.assertEqual(self.spm(*before).status if before else 0, 0)
            for place in (self.folder_mirror, f"file://{self.folder_mirror}"):
                result = self.spm("mirror", "pull", place)
                self.assertEqual(
                    (result.status, result.err),
                    (
                        2,
                        "spm: error: mirror pull: expected a folder, found none at FOLDER/mirror\n"
                        "hint: python3 make.py spm mirror pull --help\n",
                    ),
                )

    def test_where_nothing_is_to_be_pulled_the_mirror_is_asked_and_the_store_named(self) -> None:
        self.spm("install", "a", "b", "d")
        for options in ((), ("--dry-run",)):
            self.other.asked.clear()
            result = self.spm("mirror", "pull", self.other.base, *options)
            said = "spm: nothing to pull: 3 of 3 packages are in the store\n"
            self.assertEqual((result.status, result.out, result.err), (0, "", said))
            # For one artifact, in both of its places, by its last byte and as a whole.
            self.assertEqual(len(self.other.asked), 4)
        result = self.spm("mirror", "pull", self.other.base, "--json")
        nothing = {"event": "mirror", "pulled": 0, "bytes": 0, "filled": 0, "left_out": 0}
        self.assertEqual(result.objects(), [nothing])

    def test_a_wrong_address_is_wrong_usage(self) -> None:
        http = "http:// or https://, a host and a path, without ? and #"
        s3 = "s3://bucket/prefix or http(s)://endpoint/bucket/prefix, without ? and #"
        for given, words, shown in (
            ("ftp://me:hunter2@example.org/x", http, "ftp://example.org/x"),
            ("http://me:hunter2@[::1", http, "[::1"),
            ("http://host:port/x", http, "http://host:port/x"),
            ("s3:bucket/x", s3, "s3:bucket/x"),
        ):
            result = self.spm("mirror", "push", given)
            self.assertEqual(
                (result.status, result.err),
                (
                    2,
                    f"spm: error: mirror: expected a folder, or {words}, found '{shown}'\n"
                    "hint: name such a place, as /folder or https://host/path\n",
                ),
            )

    def test_a_file_is_on_the_disk_before_it_bears_its_name(self) -> None:
        with open(f"{self.folder}/file", "wb") as file:
            file.write(b"x")
        synced = []

        def note(descriptor: int) -> None:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            name = os.path.basename(path).partition(".")[0]
            synced.append((name, os.path.getsize(path), os.listdir(self.folder_mirror)))

        with mock.patch.object(os, "fsync", note):
            transport.put_file(f"file://{self.folder_mirror}/a", file.name, False)
        self.assertEqual([(name, size, "a" in names) for name, size, names in synced], [("a", 1, False)])
        self.assertEqual(os.listdir(self.folder_mirror), ["a"])

    def test_an_interrupted_push_leaves_nothing_half_written(self) -> None:
        def interrupt(done: int) -> None:
            raise KeyboardInterrupt()

        with open(f"{self.folder}/file", "wb") as file:
            file.write(b"x")
        with self.assertRaises(KeyboardInterrupt):
            transport.put_file(f"file://{self.folder_mirror}/a", file.name, False, None, interrupt)
        self.assertEqual(os.listdir(self.folder_mirror), [])
        stalled = threading.Event()
        self.addCleanup(stalled.set)
        self.other.on_put = lambda headers: stalled.wait()
        self.write()
        process = self.start("mirror", "push", self.other.base)
        while not any(each.startswith("PUT") for each in self.other.asked):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual((process.returncode, self.other.files), (130, {}), err)

    def test_a_folder_that_cannot_be_written_is_named(self) -> None:
        with open(self.folder_mirror, "w"):
            pass
        result = self.spm("mirror", "push", f"{self.folder_mirror}/below")
        self.assertEqual(result.status, 1)
        self.assertIn("spm: error: mirror FOLDER/mirror/below: Not a directory\n", result.err)


if __name__ == "__main__":
    unittest.main()
