"""Installing as a whole: what is written, what is shared, and what a full disk, a kill or a second process leave."""

import contextlib
import hashlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from harness.spm import api, settings, trees
from harness.spm.errors import SpmError, system_error
from harness.spm.pins import manifest
from harness.spm.store.store import Store
from harness.spm_testing.archives import deb, folder, member, tar
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import send
from harness.spm_testing.test_case import SpmTestCase
from typing import Any

TWO_MB = os.urandom(2_000_000)


class InstallTest(SpmTestCase):
    def test_a_package_is_linked_under_its_stable_name(self) -> None:
        self.add_simple("a")
        self.assertEqual(self.spm("install", "a").status, 0)
        target = os.readlink(f"{self.lib}/a-1")
        version = manifest.load(f"{self.folder}/packages.json").packages["a"].version(settings.native_platform())
        self.assertEqual(target, f"{self.store}/packages/a/{version}/tree")
        self.assertEqual(self.read("a-1/a"), "a")
        self.assertEqual(self.left_in_store(), [])
        with self.assertRaises(PermissionError) if os.getuid() else contextlib.nullcontext():
            open(f"{self.lib}/a-1/new", "w").close()

    def test_a_new_version_switches_the_link_and_leaves_the_old_tree(self) -> None:
        self.add_simple("a", "one")
        self.spm("install", "a")
        old = os.readlink(f"{self.lib}/a-1")
        self.add_simple("a", "two")
        self.spm("install", "a")
        self.assertEqual(self.read("a-1/a"), "two")
        self.add_simple("a", "one")
        self.server.files.clear()
        self.assertEqual(self.spm("install", "a", "--offline").status, 0)
        self.assertEqual((os.readlink(f"{self.lib}/a-1"), self.read("a-1/a")), (old, "one"))

    def test_a_group_brings_its_packages_and_no_others(self) -> None:
        for name, groups in (("a", ["x"]), ("b", ["x", "y"]), ("c", ["y"]), ("d", ["z"])):
            self.add_simple(name, groups=groups)
        self.assertEqual(self.spm("install-group", "x", "y").status, 0)
        self.assertEqual(self.in_lib(), ["a-1", "b-1", "c-1"])

    def test_a_group_is_active_once_all_its_packages_are(self) -> None:
        def active(group: str) -> bool:
            return api.active(group, packages=f"{self.folder}/packages.json", lib=self.lib)

        for name in ("a", "b"):
            self.add_simple(name, groups=["x"])
        self.spm("install", "a")
        self.assertEqual((active("x"), active("unknown")), (False, False))
        self.spm("install", "b")
        self.assertTrue(active("x"))

    def test_another_platforms_packages_stand_apart(self) -> None:
        other = next(each for each in settings.PLATFORMS if each != settings.native_platform())
        data = {platform: deb(member("./usr/a", platform.encode())) for platform in settings.PLATFORMS}
        artifacts = [self.serve(platform, data[platform], platforms=[platform]) for platform in settings.PLATFORMS]
        self.add("a", *artifacts, platforms=list(settings.PLATFORMS))
        self.spm("install", "a")
        self.assertEqual(self.spm("install-group", "-p", other, "all").status, 0)
        self.assertEqual(self.read("a-1/usr/a"), settings.native_platform())
        self.assertEqual(self.read(f"{other}/a-1/usr/a"), other)
        self.assertEqual([row["state"] for row in self.spm("status", "--json", "-p", other).objects()], ["active"])
        self.spm("cache", "prune", "--older-than", "0d")
        self.assertEqual(self.read(f"{other}/a-1/usr/a"), other)

    def test_an_artifact_of_two_packages_is_one_download(self) -> None:
        shared = self.serve("shared.deb", deb(member("./x"), member("./y")))
        self.add("a", dict(shared, keep=["x"]))
        self.add("b", dict(shared, keep=["y"]))
        self.assertEqual(self.spm("install", "a", "b").status, 0)
        self.assertEqual(self.server.asked, ["/shared.deb"])
        self.assertEqual([os.listdir(f"{self.lib}/{name}") for name in ("a-1", "b-1")], [["x"], ["y"]])

    def test_several_artifacts_make_one_tree(self) -> None:
        self.add(
            "a",
            self.serve("1.deb", deb(folder("./d"), member("./d/1"))),
            self.serve("2.tar", tar(folder("d"), member("d/2"))),
        )
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(sorted(os.listdir(f"{self.lib}/a-1/d")), ["1", "2"])

    def test_a_refused_archive_leaves_nothing_and_names_itself(self) -> None:
        self.add_simple("b")
        self.add(
            "a",
            self.serve("good.deb", deb(member("./g"))),
            self.serve("evil.tar", tar(member("d/x"), member("../../evil"))),
        )
        result = self.spm("install-group", "all")
        self.assertEqual(
            result.err,
            "spm: error: a: evil.tar: ../../evil leads upwards\n"
            "hint: the archive is not what packages.json should pin; compare it with its publisher's\n",
        )
        self.assertEqual((result.status, os.path.exists(self.lib)), (2, False))
        evil = hashlib.sha256(self.server.files["/evil.tar"]).hexdigest()
        left = [each for each in self.left_in_store() if each.startswith("unpacking") or evil in each]
        self.assertEqual((left, os.path.exists(f"{self.store}/packages/a")), ([], False))

    def test_a_clash_of_artifacts_leaves_nothing(self) -> None:
        self.add("a", self.serve("1.tar", tar(member("x", b"1"))), self.serve("2.tar", tar(member("x", b"2"))))
        result = self.spm("install", "a")
        self.assertRegex(result.err, r"^spm: error: a: [12]\.tar: two artifacts bring different contents of x\n")
        self.assertFalse(os.path.exists(f"{self.store}/packages/a"))

    def test_a_failure_leaves_the_lib_folder_as_it_was(self) -> None:
        self.add_simple("a", "one")
        self.add_simple("b")
        self.spm("install", "a")
        self.add_simple("a", "two")
        self.server.files["/b.deb"] = b"wrong"
        self.assertEqual(self.spm("install", "a", "b").status, 1)
        self.assertEqual((self.read("a-1/a"), self.in_lib()), ("one", ["a-1"]))

    def test_a_lost_tree_a_lost_link_and_a_lost_stamp_are_noticed(self) -> None:
        self.add_simple("a")
        self.spm("install", "a")
        entry = os.path.dirname(os.readlink(f"{self.lib}/a-1"))
        for lose in (
            lambda: trees.remove(f"{entry}/tree"),
            lambda: os.unlink(f"{self.lib}/a-1"),
            lambda: os.unlink(f"{entry}/used"),
            lambda: trees.remove(self.store),
            lambda: trees.remove(self.lib),
        ):
            lose()
            self.assertEqual(self.spm("install", "a").status, 0)
            self.assertEqual(self.read("a-1/a"), "a")
        self.assertEqual(self.left_in_store(), [])

    def test_a_lib_or_store_that_is_a_file_is_one_error(self) -> None:
        self.add_simple("a")
        for place in (self.lib, self.store):
            open(place, "w").close()
            name = os.path.basename(place)
            for verb in (["install", "a"], ["install-group", "all"]):
                result = self.spm(*verb)
                self.assertEqual(
                    (result.status, result.err.splitlines()[0]),
                    (2, f"spm: error: {name}: expected a folder, found a file: FOLDER/{name}"),
                )
            os.unlink(place)
        self.assertEqual(self.server.asked, [])

    def test_what_spm_did_not_make_is_not_replaced(self) -> None:
        self.add_simple("a")
        os.makedirs(f"{self.folder}/mine")
        os.makedirs(self.lib)
        for kind, make in (
            ("folder", os.mkdir),
            ("link", lambda path: os.symlink(f"{self.folder}/mine", path)),
            ("file", lambda path: open(path, "w").close()),
        ):
            make(f"{self.lib}/a-1")
            for verb in ("install", "uninstall"):
                result = self.spm(verb, "a")
                self.assertEqual(
                    result.err,
                    "spm: error: lib: expected nothing at FOLDER/lib/a-1, or a link into a store, found a "
                    f"{kind} that spm did not make\n"
                    "hint: move FOLDER/lib/a-1 away, or name another folder with --lib DIR\n",
                )
                self.assertEqual((result.status, self.server.asked), (2, []))
            trees.remove(f"{self.lib}/a-1")

    def test_a_lib_that_we_may_not_write_is_found_before_the_first_download(self) -> None:
        self.add_simple("a")
        with mock.patch("os.access", return_value=False):
            result = self.spm("install", "a")
        self.assertEqual(
            result.err,
            "spm: error: lib: expected a writable folder, found one without write permission: FOLDER\n"
            "hint: name another with --lib DIR, or SPM_LIB\n",
        )
        self.assertEqual((result.status, self.server.asked), (1, []))

    def test_an_error_about_a_link_names_the_link_not_its_target(self) -> None:
        with self.assertRaises(OSError) as caught:
            os.symlink("target", f"{self.folder}/none/link")
        what = self.anonymous(system_error("linking", caught.exception).what)
        self.assertEqual(what, "linking: No such file or directory (FOLDER/none/link)")

    def test_a_disk_too_small_is_found_before_the_first_download(self) -> None:
        self.add_simple("a")
        with mock.patch("harness.spm.store.store.Store.free_bytes", return_value=1000):
            result = self.spm("install", "a")
        self.assertRegex(
            result.err,
            r"^spm: error: the store's disk is too small for 1 package: expected about \S+ kB free in FOLDER/store "
            r"\(\S+ B to download and their contents\), found 1.0 kB\nhint: python3 make.py spm cache prune --older-than 0d",
        )
        self.assertEqual((result.status, self.server.asked, self.left_in_store()), (1, [], []))

    def test_a_dry_run_says_what_it_would_do_and_does_nothing(self) -> None:
        self.add_simple("a")
        result = self.spm("install", "a", "--dry-run")
        self.assertRegex(result.out, r"^a: fetch 1 artifact of \d+ B, link \S*lib/a-1\n$")
        self.assertEqual((self.server.asked, os.path.exists(self.store), os.path.exists(self.lib)), ([], False, False))
        self.spm("install", "a")
        self.assertEqual(self.spm("install", "a", "--dry-run").out, "a: nothing to do\n")

    def test_python_callers_get_versions_and_paths(self) -> None:
        self.add_simple("a")
        self.write()
        given = dict(packages=f"{self.folder}/packages.json", lib=self.lib, store=self.store, quiet=True)
        found = api.install_groups(["all"], **given)
        self.assertEqual(found, {"a": (api.versions(**given)["a"], f"{self.lib}/a-1")})
        with self.assertRaises(SpmError):
            api.install_groups(["al"], **given)


class NoOpTest(SpmTestCase):
    def test_an_installed_group_needs_no_network_and_starts_no_process(self) -> None:
        for number in range(3):
            self.add_simple(f"p{number}")
        self.spm("install-group", "all")
        self.server.asked.clear()
        forbidden = (
            "socket",
            "ssl",
            "urllib.request",
            "http.client",
            "subprocess",
            "threading",
            "tarfile",
            "argparse",
            "difflib",
            "textwrap",
            "typing",
            "harness.spm.invocation",
            "harness.spm.lock",
            "harness.spm.store.install",
        )
        probe = (
            "import sys, os\n"
            "def audit(event, arguments):\n"
            "    if event.startswith(('socket.', 'subprocess.', 'os.fork', 'os.exec', 'os.posix_spawn', 'os.system')): os._exit(77)\n"
            "sys.addaudithook(audit)\n"
            "from harness.spm import cli\n"
            "status = cli.main(sys.argv[1:])\n"
            f"print(*[name for name in {forbidden} if name in sys.modules])\n"
            "sys.exit(status)\n"
        )
        done = subprocess.run(
            [
                sys.executable,
                "-I",
                "-S",
                "-c",
                f"import sys; sys.path.insert(0, {settings.ROOT!r})\n{probe}",
                *self.arguments("install-group", "all"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(
            (done.returncode, done.stdout, done.stderr), (0, "\n", "spm: 3 packages active, nothing to do\n")
        )
        self.assertEqual(self.server.asked, [])

    def test_a_use_is_noted_to_the_hour(self) -> None:
        self.add_simple("a")
        self.spm("install", "a")
        used = os.path.dirname(os.readlink(f"{self.lib}/a-1")) + "/used"
        for ago, noted in ((60, False), (2 * 3600, True)):
            then = time.time() - ago
            os.utime(used, (then, then))
            self.spm("install", "a")
            self.assertEqual(os.stat(used).st_mtime != then, noted)


class LeftoverTest(SpmTestCase):
    def test_an_archive_that_a_killed_run_had_verified_is_not_fetched_again(self) -> None:
        self.add_simple("a")
        artifact = self.packages["a"]["artifacts"][0]
        os.makedirs(f"{self.store}/archives")
        with open(f"{self.store}/archives/{artifact['sha256']}", "wb") as file:
            file.write(self.server.files["/a.deb"])
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual((self.server.asked, self.left_in_store()), ([], []))

    def test_an_archive_that_was_spoilt_since_is_fetched_again(self) -> None:
        self.add_simple("a")
        artifact = self.packages["a"]["artifacts"][0]
        os.makedirs(f"{self.store}/archives")
        with open(f"{self.store}/archives/{artifact['sha256']}", "wb") as file:
            file.write(bytes(artifact["size"]))
        self.assertEqual(self.spm("install", "a").status, 0)
        self.assertEqual(self.server.asked, ["/a.deb"])

    def test_half_a_switch_of_a_killed_run_is_tidied_away(self) -> None:
        self.add_simple("a")
        os.mkdir(self.lib)
        gone = subprocess.Popen(["true"])
        gone.wait()
        os.symlink("x", f"{self.lib}/.a-1.{gone.pid}.new")
        self.spm("install", "a")
        self.assertEqual(self.in_lib(), ["a-1"])


class DiskFullTest(SpmTestCase):
    """A limit on file sizes stands for a full disk: writes fail in the same places, and no privilege is needed."""

    def run_limited(self, limit: int) -> tuple[int, str]:
        self.write()
        process = self.start(
            "install-group", "all", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        )
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, self.anonymous(err)

    def test_it_ends_a_download_with_one_error(self) -> None:
        self.add("a", self.serve("a.tar", tar(member("a", TWO_MB))))
        code, err = self.run_limited(1 << 20)
        self.assertEqual((code, err.splitlines()[0]), (1, "spm: error: downloading a.tar: File too large"))
        self.assertEqual((self.left_in_store(), os.path.exists(self.lib)), ([], False))

    def test_it_ends_an_unpacking_with_one_error(self) -> None:
        self.add("a", self.serve("a.deb", deb(member("./a"), member("./zeros", bytes(3_000_000)))))
        self.add_simple("b")
        code, err = self.run_limited(1 << 20)
        self.assertEqual((code, err.splitlines()[0]), (1, "spm: error: unpacking a: a.deb: File too large"))
        self.assertEqual([each for each in self.left_in_store() if each.startswith("unpacking")], [])
        self.assertFalse(os.path.exists(f"{self.store}/packages/a") or os.path.exists(self.lib))


class KillTest(SpmTestCase):
    """kill -9 at many moments; the next run repairs whatever is left."""

    def test_the_next_run_repairs_what_a_killed_one_left(self) -> None:
        self.add("a", self.serve("a.deb", deb(*(member(f"./d{n % 20}/f{n}", b"x" * n) for n in range(2000)))))
        self.add("b", self.serve("b.tar", tar(member("b", TWO_MB))))
        self.write()
        delays = [0.08 + 0.03 * step for step in range(16)]
        killed = 0
        for delay in delays:
            process = self.start("install-group", "all")
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
            self.assert_nothing_half_made()
        self.assertGreater(killed, 0)
        self.assertEqual(self.spm("install-group", "all").status, 0)
        self.assertEqual(self.spm("verify", "--deep").status, 0)
        self.spm("cache", "prune", "--older-than", "0d")
        self.assertEqual(self.left_in_store(), [])

    def assert_nothing_half_made(self) -> None:
        found = self.spm("verify", "--deep", "--json", write=False).objects()
        for row in found if os.path.isdir(self.lib) and os.listdir(self.lib) else []:  # else nothing was verified
            self.assertEqual(row["problems"], [])

    def test_an_interrupted_run_says_so_and_cleans_up(self) -> None:
        def slowly(handler) -> None:
            send(handler, b"", 100)
            over.wait(PATIENCE_S)

        over = threading.Event()
        self.addCleanup(over.set)

        artifact = self.serve("a.deb", b"x" * 100)
        self.server.files["/a.deb"] = slowly
        self.add("a", artifact)
        self.write()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("install", "a")
            while not self.server.asked:
                time.sleep(0.01)
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(
                (process.returncode, err), (130, "spm: interrupted; finished work is kept, unfinished work is discarded\n")
            )
            self.server.asked.clear()


class ManyProcessesTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.go = threading.Event()

    def test_eight_installs_at_once_share_one_download_each(self) -> None:
        for number in range(6):
            self.add(
                f"p{number}", self.serve(f"{number}.deb", deb(*(member(f"./{n}", os.urandom(2000)) for n in range(50))))
            )
        self.write()
        libs = [f"{self.folder}/lib{number}" for number in range(8)]
        processes = []
        for lib in libs:
            self.lib = lib
            processes.append(self.start("install-group", "all"))
        self.assert_all_are_fine(*processes)
        self.assertEqual(sorted(self.server.asked), [f"/{number}.deb" for number in range(6)])
        for self.lib in libs:
            self.assertEqual([row["state"] for row in self.spm("verify", "--deep", "--json").objects()], ["whole"] * 6)

    def serve_slowly(self, name: str, data: bytes) -> dict:
        """An artifact that comes once `self.go` is set."""
        artifact = self.serve(name, data)
        self.server.files[f"/{name}"] = lambda handler: self.go.wait(PATIENCE_S) and send(handler, data)
        return artifact

    def start_and_ask(self, *arguments: str) -> subprocess.Popen:
        """Starts a process and waits until it has asked the server for something."""
        process = self.start(*arguments)
        while not self.server.asked:
            time.sleep(0.01)
        return process

    def assert_all_are_fine(self, *processes: subprocess.Popen[Any]) -> None:
        for process in processes:
            _, err = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 0, err)

    def test_a_waiter_says_whom_it_waits_for(self) -> None:
        self.add("a", self.serve_slowly("a.deb", deb(member("./a"))))
        self.write()
        first = self.start_and_ask("install", "a")
        second = self.start("install", "a")
        self.wait_for_line(
            second, rf"^spm: waiting for process {first.pid} \(make.py spm install a .*\) to finish with a\.deb\n$"
        )
        entry = manifest.load(f"{self.folder}/packages.json").packages["a"].version(settings.native_platform())
        with Store(self.store).lock(f"a-{entry}") as lock:
            self.assertTrue(lock.take(wait=False))  # nobody holds a package while it is downloaded
        self.go.set()
        self.assert_all_are_fine(first, second)
        self.assertEqual(self.server.asked, ["/a.deb"])

    def test_processes_that_want_the_same_download_each_a_part_of_it(self) -> None:
        # The larger comes only when somebody has asked for the smaller: whoever waited for it would wait for ever.
        large, small = tar(member("large", os.urandom(20_000))), tar(member("small"))
        self.add("a", self.serve("large.tar", large), self.serve("small.tar", small))
        asked = threading.Event()
        self.server.files["/large.tar"] = lambda handler: asked.wait(PATIENCE_S) and send(handler, large)
        self.server.files["/small.tar"] = lambda handler: (asked.set(), send(handler, small))
        self.write()
        first = self.start_and_ask("install", "a", "--jobs", "1")
        self.assert_all_are_fine(first, self.start("install", "a", "--jobs", "1"))
        self.assertEqual(sorted(self.server.asked), ["/large.tar", "/small.tar"])

    def test_an_artifact_of_two_packages_is_one_download_for_two_processes(self) -> None:
        shared = self.serve_slowly("shared.deb", deb(member("./x"), member("./y")))
        self.add("a", dict(shared, keep=["x"]))
        self.add("b", dict(shared, keep=["y"]))
        self.write()
        first = self.start_and_ask("install", "a")
        second = self.start("install", "b")
        self.wait_for_line(second, "^spm: waiting ")
        self.go.set()
        self.assert_all_are_fine(first, second)
        self.assertEqual(self.server.asked, ["/shared.deb"])
        self.assertEqual([os.listdir(f"{self.lib}/{name}") for name in ("a-1", "b-1")], [["x"], ["y"]])
        self.assertEqual(self.left_in_store(), [])

    def test_a_holder_killed_among_eight_waiters_costs_one_download_more(self) -> None:
        self.add("a", self.serve_slowly("a.deb", deb(member("./a"))))
        self.write()
        first = self.start_and_ask("install", "a")
        others = [self.start("install", "a") for _ in range(8)]
        for other in others:
            self.wait_for_line(other, "^spm: waiting ")
        first.kill()
        first.communicate()
        self.go.set()
        self.assert_all_are_fine(*others)
        self.assertEqual(self.server.asked, ["/a.deb"] * 2)
        self.assertEqual(self.read("a-1/a"), "")

    def test_two_checkouts_with_different_versions_at_once_are_both_right(self) -> None:
        processes = []
        checkouts = [(f"{self.folder}/{name}", name) for name in ("one", "two")]
        for self.folder, text in checkouts:
            os.mkdir(self.folder)
            self.lib = f"{self.folder}/lib"
            self.add("a", self.serve(f"{text}.deb", deb(*(member(f"./{each}", text.encode()) for each in range(200)))))
            self.add_simple("b")
            self.write()
            processes += [self.start("install-group", "all") for _ in range(2)]
        self.assert_all_are_fine(*processes)
        for self.folder, text in checkouts:
            self.lib = f"{self.folder}/lib"
            self.assertEqual({self.read(f"a-1/{each}") for each in range(200)}, {text})
            self.assertEqual(self.spm("verify", "--deep", write=False).status, 0)
        self.assertEqual(sorted(self.server.asked), ["/b.deb", "/one.deb", "/two.deb"])


if __name__ == "__main__":
    unittest.main()
