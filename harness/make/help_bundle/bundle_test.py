"""`make.py doctor --bundle` as a user calls it, in a checkout with names and keys in everything that it reads."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gzip
import html
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
from typing import Any
from unittest import mock
from urllib.parse import quote, unquote

from harness.make import doctor, ninja, paths
from harness.make.console import MakeError
from harness.make.help_bundle import bundle, files, sessions

PATIENCE_S = 1800
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH PRIVATE KEY-----"
SECRETS = {
    # secret: a line that has it, as a tool would print it
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a": "remote: ghp_16C7e42F292c6912E7710c838347Ae178B4a is not valid",
    "AKIAQOSFODNN7EXAMPLE": "aws_access_key_id AKIAQOSFODNN7EXAMPLE",
    "wJalrXUtnFEMIK7MDENGbPxRfiCYzz": "aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzz",
    "glpat-ABCdefGHI123jklMNO45": "PRIVATE-TOKEN: glpat-ABCdefGHI123jklMNO45",
    "hunter2pass": "fatal: https://builder:hunter2pass@git.internal.acme/lab.git not found",
    "git.internal.acme": "git.internal.acme: Name or service not known",
    "mF9B5f41JqM": "Authorization: Bearer mF9B5f41JqM",
    "b3BlbnNzaC1rZXktdjE": KEY,
    "opensesame7": "password=opensesame7",
    "fromtheenvironment9": "login with fromtheenvironment9 refused",
    "quarrymaster": "quarrymaster is not in the sudoers file",
    "Quarrymaster Q. Public": "Author: Quarrymaster Q. Public <quarry@mail.acme.example>",
    "quarry@mail.acme": "mail to quarry@mail.acme.example",
    "vega-cluster-17": "vega-cluster-17 kernel: oom",
    "tellurium-farm": "on machine tellurium-farm",
    "osmium-node": "LAB_MACHINE=osmium-node",
    "10.41.7.212": "connect 10.41.7.212:443",
    "2001:db8:41::7": "connect [2001:db8:41::7]:443",
    "3c:12:0a:01:fe:9d": "eth0 3c:12:0a:01:fe:9d",
    "4f3c2a1b9d8e7f6a5b4c": "api key 4f3c2a1b9d8e7f6a5b4c",
    "zzzpw": "zzzpw",  # of the environment, where the names of the next ones have no known form
    "hunter2zzz": "",
    "code7734": "",
    "qqqwww": "LAB_NOTIFY_URL=https://hooks.acme.example/T0/B0/qqqwww",
    "rrrttt": "",
    "0123456789abcdeffedcba9876543210": "0123456789abcdeffedcba9876543210",
    "zinnwald": "",  # home, checkout, store, results and links to them: the lines need the folder
    "kryolith": "",
    "bauxite": "",
    "dolomite": "",
    "malachite": "",
    "otherperson": "",
    "antimony-host": "antimony-host is up again",
    "nightlock7": "nightlock7: connection lost",
    "obsidian-old": "/srv/obsidian-old/lab/x.cpp:2: error: no",
    "jasperstore": "-I/srv/jasperstore/packages/fmt/0a/tree/include",
}


class Planted:
    """A checkout that was never built, in a folder with a link to it, and results with a failed session of two machines."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.home = f"{folder}/home/zinnwald of q"
        self.real, self.checkout = f"{folder}/kryolith/lab", f"{folder}/malachite-link"
        self.store, self.results = f"{folder}/bauxite/st ore", f"{folder}/dolomite"
        for path in (self.home, self.real, self.store, self.results):
            os.makedirs(path)
        for name in ("make.py", "packages.json", "CMakeLists.txt", "README.md", "HACKING.md", "harness/__init__.py"):
            os.makedirs(os.path.dirname(os.path.join(self.real, name)), exist_ok=True)
            shutil.copy(os.path.join(paths.ROOT, name), os.path.join(self.real, name))
        for name in ("make", "spm"):
            shutil.copytree(os.path.join(paths.ROOT, "harness", name), os.path.join(self.real, "harness", name),
                            ignore=shutil.ignore_patterns("__pycache__", "*_test.py"))
        os.symlink(self.real, self.checkout)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.home, "USER": "quarrymaster", "LOGNAME": "quarrymaster", "HOSTNAME": "vega-cluster-17",
            "LAB_RESULTS": self.results, "SPM_STORE": self.store, "LAB_MACHINE": "osmium-node", "PWD": self.checkout,
            "SPM_ARTIFACTORY_TOKEN": "fromtheenvironment9", "LAB_NOTE": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "CMAKE_PREFIX_PATH": f"{self.home}/opt", "SPM_MIRROR": "https://builder:hunter2pass@git.internal.acme/m",
            "LAB_PASS": "zzzpw", "CXXFLAGS": "-O2 -DTOK=hunter2zzz", "CMAKE_ARGS": "-DPIN=code7734", "LAB_HOOK_URL": "https://github.com/h/rrrttt?x=1",
            "LAB_NOTIFY_URL": "https://hooks.acme.example/T0/B0/qqqwww", "CFLAGS": "-I" + self.home, "PYTHONDONTWRITEBYTECODE": "1", "SPM_OFFLINE": "1", "LC_ALL": "C.UTF-8",
        }
        places = [self.home, self.real, self.checkout, self.store, self.results]
        lines = [line for line in SECRETS.values() if line]
        lines += [f"{place}/x.cpp:1: error: no" for place in places] + [quote(place, safe="") for place in places]
        lines += [json.dumps({"at": f"{place}/é \"x\""}) for place in places] + [f"file://{quote(place)}/x" for place in places]
        lines += [line.upper() for line in ("vega-cluster-17: up", "quarrymaster: ok")]
        self.lines = "\n".join(lines) + "\n"

    def plant(self) -> None:
        """Into everything that a bundle reads, with bytes that are no text, and file names."""
        build = f"{self.real}/build"
        odd = b"\xff\xfe no text \x00\x1b[31m" + self.lines.encode()
        self.put(f"{build}/pinned-release/build.log", "FAILED: obj/a.o\n" + self.lines + "ninja: build stopped: subcommand failed.\n")
        self.put(f"{build}/pinned-release/configure.log", odd)
        self.put(f"{build}/pinned-release/build_info.json", json.dumps({"flags": f"-I{self.home}", "note": self.lines}))
        self.put(f"{build}/pinned-release/CMakeFiles/CMakeError.log", self.lines)
        self.put(f"{build}/system-debug/CMakeFiles/CMakeConfigureLog.yaml", self.lines)
        self.put(f"{build}/toolchain/0a/build.log", self.lines)
        self.put(f"{build}/revisions/malachite-link/tellurium-farm.log", self.lines)
        self.put(f"{build}/pinned-release/quarrymaster.log", self.lines.encode("utf-16"))
        self.put(f"{build}/pinned-release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/srv/obsidian-old/lab\n")
        os.makedirs(f"{self.real}/lib")
        os.symlink("/srv/jasperstore/packages/fmt/0a/tree", f"{self.real}/lib/fmt-9.1.0")
        self.put(f"{self.real}/packages.json", "{" + self.lines)
        for machine in ("tellurium-farm", "osmium-node"):
            result = self.result(machine)
            self.put(f"{self.results}/{machine}/20261128T010203Z-0123456789ab.json", json.dumps(result))
            lines = [json.dumps({**result, "failures": []}), json.dumps({"failure": result["failures"][0]}), '{"fail']
            self.put(f"{self.results}/{machine}/20261129T010203Z-0123456789ab.journal", "\n".join(lines))
            self.put(f"{self.results}/{machine}/atlas/radv-failed/column.json",
                     json.dumps({"driver": {"name": self.home, "library": self.store, "device_name": "quarrymaster"},
                                 "failure": {"kind": "crash", "detail": self.lines, "output_tail": self.lines}}))
            self.put(f"{self.results}/nightly/{machine}/state.json", json.dumps({"machine": machine, "why": self.lines}))
            self.put(f"{self.results}/nightly/{machine}.lock", f"process 1 on {machine}, since {self.lines}")
            self.put(f"{self.results}/jobs/2026-11-28/{machine}.out", self.lines)
            self.put(f"{self.results}/jobs/2026-11-28/{machine}.json", json.dumps({"node": machine, "said": self.lines}))
            self.put(f"{self.results}/quarantine/{machine}/a.json.why", self.lines)
        self.put(f"{self.results}/alarms.jsonl", "".join(json.dumps({"who": who, "note": f"otherperson: {self.lines}"}) + "\n" for who in ("quarrymaster", "otherperson")))
        self.put(f"{self.results}/nightly/tin.lock", "process 1 on nightlock7, since 2026\n")
        self.put(f"{self.results}/tin/20261101T010203Z-0123456789ab.json", json.dumps({"context": {"host_name": "antimony-host"}}))
        self.put(f"{self.results}/machines.json", json.dumps({"osmium-node": {"was": ["tellurium-farm"], "note": self.lines}}))
        os.symlink(self.home, f"{self.results}/tellurium-farm/link")

    def result(self, machine: str) -> dict[str, Any]:
        failure = {"benchmark": "family/quarrymaster/x", "process": 1, "block": 0, "kind": "crash", "detail": self.lines,
                   "output_tail": self.lines, "arm": "head"}
        return {"machine": {"id": machine, "name": machine}, "context": {"host_name": "vega-cluster-17"}, "source": {"commit": "0123456789ab"},
                "session": {"seed": 4711, "mode": "processes", "unusual": [self.lines]}, "failures": [failure],
                "build": {"flags": f"-I{self.home}"}, "facts": {"kernel": "6.1-quarrymaster"},
                "benchmarks": [{"name": "family/quarrymaster/x", "process": 2}]}

    def put(self, path: str, content: str | bytes) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def doctor(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "make.py", "doctor", *words], cwd=self.checkout, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_S, env={**self.environment, **variables})


def contents(path: str) -> dict[str, str]:
    with tarfile.open(path) as archive:
        return {info.name: archive.extractfile(info).read().decode() for info in archive}  # type: ignore[union-attr]


def context(text: str, secret: str) -> str:
    at = text.lower().index(secret.lower())
    return text[max(0, at - 60):at + len(secret) + 30]


class Bundles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.planted = Planted(f"{self.folder}/p")
        self.file = f"{self.folder}/b.tar.gz"

    def made(self, *words: str, **variables: str) -> dict[str, str]:
        done = self.planted.doctor("--bundle", self.file, "--yes", "--force", *words, **variables)
        self.assertIn(f"wrote {self.file}", done.stderr, done.stdout + done.stderr)
        return contents(self.file)

    def test_no_planted_secret_is_in_the_archive_or_its_list(self) -> None:
        self.planted.plant()
        self.assertGreaterEqual(len(SECRETS), 20)
        made = self.made()
        with gzip.open(self.file) as packed:
            raw = packed.read().decode(errors="replace")
        with open(self.file, "rb") as file:
            header = file.read(10)
        self.assertEqual((header[3], header[4:8]), (0, bytes(4)))  # neither a name nor a time
        texts = {"the tar": raw, **made}
        for name, text in list(texts.items()):
            texts[f"{name}, decoded"] = html.unescape(unquote(unquote(text))).replace("\\/", "/").replace("\0", "")
        found = [(secret, name) for secret in SECRETS for name, text in texts.items() if secret.lower() in text.lower()]
        self.assertEqual([(secret, name, context(texts[name], secret)) for secret, name in found], [])
        with tarfile.open(self.file) as archive:
            self.assertEqual({(each.uid, each.gid, each.uname, each.gname, each.mode, tuple(each.pax_headers)) for each in archive},
                             {(0, 0, "", "", 0o644, ())})

    def test_what_a_helper_needs_is_in_it(self) -> None:
        self.planted.plant()
        made = self.made()
        self.assertEqual(sorted(name for name in made if "left_out" not in name), sorted(f"doctor/{name}" for name in (
            "README.txt", "findings.txt", "failed.txt", "failures.txt", "sessions.txt", "machine.txt", "drivers.txt", "versions.txt",
            "environment.txt", "results.txt", "packages.json", "build/pinned-release/build.log", "build/pinned-release/configure.log",
            "build/pinned-release/build_info.json", "build/pinned-release/CMakeFiles/CMakeError.log", "build/pinned-release/USER.log",
            "build/system-debug/CMakeFiles/CMakeConfigureLog.yaml", "build/revisions/CHECKOUT/MACHINE-2.log",
            "results/nightly/MACHINE-1/state.json", "results/nightly/MACHINE-2/state.json", "results/jobs/2026-11-28/MACHINE-1.out",
            "results/jobs/2026-11-28/MACHINE-2.out", "results/jobs/2026-11-28/MACHINE-1.json", "results/jobs/2026-11-28/MACHINE-2.json",
            "results/alarms.jsonl", "results/machines.json")))
        self.assertIn("repeat: python3 make.py build --toolchain pinned --config release\nFAILED: obj/a.o\n", made["doctor/failed.txt"])
        self.assertIn("<CHECKOUT>/x.cpp:1: error: no", made["doctor/failed.txt"])
        self.assertEqual(made["doctor/failures.txt"].count("== family/<USER>/x: crash\n"), 4)
        self.assertIn("repeat:   LAB_MACHINE=<MACHINE-2> python3 make.py run --processes 3 --filter family/<USER>/x --seed 4711\n",
                      made["doctor/sessions.txt"])
        self.assertRegex(made["doctor/environment.txt"], r"LAB_NOTIFY_URL=https://<SERVER-\d+>/<PATH>\n")
        self.assertIn("CFLAGS=-I<HOME>\n", made["doctor/environment.txt"])
        self.assertIn("(7 more left out: name or value looks like a key)\n", made["doctor/environment.txt"])
        self.assertIn("<RESULTS>/<MACHINE-1>/20261129T010203Z-0123456789ab.journal: ", made["doctor/results.txt"])
        self.assertIn("FAILED: crash: ", made["doctor/drivers.txt"])

    def test_the_list_is_shown_before_anything_is_written(self) -> None:
        self.planted.plant()
        done = self.planted.doctor("--bundle", self.file)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\d+ files, \d+ bytes:\n +\d+  README.txt +what is what in here\n")
        self.assertRegex(done.stdout, r"\n +\d+  build/pinned-release/build.log +log, whole\n")
        self.assertIn("MACHINE-1 is osmium-node, MACHINE-2 is tellurium-farm, MACHINE-3 is tin\n", done.stdout)
        self.assertTrue(done.stderr.endswith("nothing was written: --yes writes it\n"), done.stderr)
        self.assertEqual(os.listdir(self.folder), ["p"])

    def test_a_terminal_is_asked(self) -> None:
        self.planted.plant()
        for answer, written in ((b"n\n", False), (b"\n", False), (b"y\n", True)):
            ours, theirs = os.openpty()
            with open(ours, "rb+", buffering=0) as terminal:
                process = subprocess.Popen([sys.executable, "make.py", "doctor", "--bundle", self.file], cwd=self.planted.checkout,
                                           stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env=self.planted.environment)
                os.close(theirs)
                said = b""
                with contextlib.suppress(OSError):  # EIO: the other side has ended
                    while part := terminal.read(1000):
                        said += part
                        if said.endswith(b"[y/N] "):
                            self.assertFalse(os.path.exists(self.file))
                            terminal.write(answer)
                output = process.communicate(timeout=PATIENCE_S)[0]
            self.assertIn(b"README.txt", output)
            self.assertEqual(os.path.exists(self.file), written, said)
            self.assertIn(b"wrote " if written else b"nothing was written", said)

    def test_nothing_is_built_no_results_no_home_and_no_git(self) -> None:
        tools = f"{self.folder}/bin"
        os.makedirs(tools)
        environment = {"PATH": tools, "PYTHONDONTWRITEBYTECODE": "1", "SPM_OFFLINE": "1"}
        with mock.patch.object(self.planted, "environment", environment):
            made = self.made()
        self.assertEqual(made["doctor/failures.txt"], "No failure in the newest sessions.\n")
        self.assertEqual(made["doctor/sessions.txt"], "No session yet.\n")
        self.assertEqual(made["doctor/failed.txt"], "No log of a build has an error.\n")
        self.assertIn("no git on this machine", made["doctor/versions.txt"])
        self.assertIn("harness: not built", made["doctor/versions.txt"])

    def test_what_cannot_be_read_is_listed_and_stops_nothing(self) -> None:
        build = f"{self.planted.real}/build/pinned-release"
        self.planted.put(f"{build}/a.log", "a")
        os.mkfifo(f"{build}/pipe.log")
        os.symlink(f"{build}/loop.log", f"{build}/loop.log")
        os.symlink("/nowhere", f"{build}/gone.log")
        self.planted.put(f"{self.planted.results}/m-1/20261128T010203Z-0123456789ab.json", "{")
        self.planted.put(f"{self.planted.results}/m-1/20261127T010203Z-0123456789ab.json", "[" * 100_000)
        self.planted.put(f"{self.planted.results}/m-1/20261126T010203Z-0123456789ab.json", '{"failures": 7, "session": [], "machine": null}')
        self.planted.put(f"{self.planted.results}/m-1/20261125T010203Z-0123456789ab.journal", "")
        made = self.made()
        self.assertEqual(sorted(made["doctor/left_out.txt"].splitlines()),
                         ["build/pinned-release/gone.log: link, not read",
                          "build/pinned-release/loop.log: link, not read",
                          "build/pinned-release/pipe.log: not readable: no regular file"])
        self.assertIn("json: no result: JSONDecodeError", made["doctor/results.txt"])
        self.assertEqual(made["doctor/build/pinned-release/a.log"], "a")

    def test_links_are_listed_and_nothing_behind_them_is_read(self) -> None:
        self.planted.plant()
        outside, results, build = f"{self.folder}/outside", self.planted.results, f"{self.planted.real}/build/pinned-release"
        self.planted.put(f"{outside}/x.log", "quartzite7 behind a link\n")
        self.planted.put(f"{outside}/20261130T010203Z-0123456789ab.json", json.dumps({"failures": [{"output_tail": "quartzite7"}]}))
        self.planted.put(f"{outside}/20261130T010203Z-0123456789ab.journal", '{"facts": {"kernel": "quartzite7"}}\n')
        self.planted.put(f"{outside}/column.json", json.dumps({"driver": {"name": "quartzite7"}}))
        self.planted.put(f"{outside}/build.log", "FAILED: quartzite7\n")
        os.symlink(f"{outside}/x.log", f"{build}/evil.log")
        os.symlink(outside, f"{self.planted.real}/build/system-release")
        os.symlink(f"{outside}/x.log", f"{results}/jobs/steal.log")
        os.symlink(outside, f"{results}/jobs/2026-11-29")
        os.symlink(f"{outside}/x.log", f"{results}/jobs/2026-11-28/tin.out")
        os.symlink(outside, f"{results}/linked")
        os.symlink(f"{outside}/x.log", f"{results}/nightly/odd.lock")
        os.symlink(f"{outside}/x.log", f"{results}/quarantine/osmium-node/z.why")
        for name in ("alarms.jsonl", "machines.json"):
            os.remove(f"{results}/{name}")
            os.symlink(f"{outside}/x.log", f"{results}/{name}")
        for name in ("build.log", "lock"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{build}/{name}")
            os.symlink(f"{outside}/build.log", f"{build}/{name}")
        for node in ("linked-card", "pipe-card"):
            os.makedirs(f"{results}/osmium-node/atlas/{node}")
        os.symlink(f"{outside}/column.json", f"{results}/osmium-node/atlas/linked-card/column.json")
        os.mkfifo(f"{results}/osmium-node/atlas/pipe-card/column.json")
        os.mkfifo(f"{results}/osmium-node/20261130T010203Z-0123456789ac.json")
        os.mkfifo(f"{results}/nightly/pipe.lock")
        made = self.made()
        self.assertEqual([name for name, text in made.items() if "quartzite7" in text], [])
        left = made["doctor/left_out.txt"].splitlines()
        for name in ("build/pinned-release/evil.log", "build/pinned-release/build.log", "results/jobs/steal.log", "results/jobs/2026-11-28/tin.out",
                     "results/alarms.jsonl", "results/machines.json"):
            self.assertIn(f"{name}: link, not read", [re.sub(r"MACHINE-\d", "tin", line) for line in left])
        self.assertIn("column.json: not readable: link, not read\n", made["doctor/drivers.txt"])
        self.assertIn("column.json: not readable: no regular file\n", made["doctor/drivers.txt"])

    def test_long_logs_are_cut_and_all_together_are_bounded(self) -> None:
        build = f"{self.planted.real}/build"
        self.planted.put(f"{build}/pinned-release/build.log", "".join(f"line {each}\n" for each in range(5000)))
        for number in range(60):
            self.planted.put(f"{build}/pinned-release/{number:02}.log", ("x" * 3000 + "\n") * 150)
        self.planted.put(f"{build}/pinned-debug/one.log", "y" * 3_000_000)
        made = self.made()
        self.assertEqual(made["doctor/build/pinned-release/build.log"].splitlines(), [f"line {each}" for each in range(4800, 5000)])
        self.assertLess(sum(map(len, made.values())), bundle.MOST_TOTAL_BYTES + 10_000)
        self.assertIn("the bundle is full", made["doctor/left_out.txt"])
        self.assertLess(len(made["doctor/build/pinned-debug/one.log"]), 5000)

    def test_a_running_session_is_told_from_a_killed_one(self) -> None:
        self.planted.plant()
        path = f"{self.planted.results}/osmium-node/20261129T010203Z-0123456789ab.journal"
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            text = self.made()["doctor/results.txt"]
        self.assertEqual([line.rpartition(", ")[2] for line in text.splitlines() if ".journal: " in line],
                         ["held: it runs", "not held on this machine"])

    def test_a_bundle_after_a_failed_build_has_the_compiler_s_words(self) -> None:
        folder = f"{self.planted.real}/build/pinned-release"
        os.makedirs(folder)
        self.planted.put(f"{self.planted.real}/build/toolchain/0a/bin/gcc", "#!/bin/sh\n")
        script = "for i in $(seq 300); do echo \"[$i/301] Building CXX object a$i.o\"; done; echo 'FAILED: b.o'; " \
                 "echo \"$PWD/b.cpp:7:1: error: expected ';'\"; echo 'ninja: build stopped: subcommand failed.'; exit 1"
        os.chdir(self.planted.real)
        self.addCleanup(os.chdir, paths.ROOT)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(ninja.run(["sh", "-c", script], f"{folder}/build.log", "build"), 1)
        made = self.made()
        self.assertEqual(made["doctor/failed.txt"], "== <CHECKOUT>/build/pinned-release/build.log\n"
                         "repeat: python3 make.py build --toolchain pinned --config release\n"
                         "FAILED: b.o\n<CHECKOUT>/b.cpp:7:1: error: expected ';'\nninja: build stopped: subcommand failed.\n")
        self.assertTrue(made["doctor/build/pinned-release/build.log"].endswith("error: expected ';'\nninja: build stopped: subcommand failed.\n"))


class Writing(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.made = bundle.Bundle([bundle.Entry("a.txt", "a", os.urandom(300_000))], [], [])

    def run_doctor(self, *words: str) -> MakeError:
        with mock.patch.object(bundle, "collect", return_value=self.made), mock.patch.object(doctor, "LOOKS", ()), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), \
                self.assertRaises(MakeError) as caught:
            doctor.main(list(words))
        return caught.exception

    def test_a_file_that_exists_is_kept_unless_forced(self) -> None:
        path = f"{self.folder}/b.tar.gz"
        paths.write_if_changed(path, "mine")
        error = self.run_doctor("--bundle", path, "--yes")
        self.assertEqual((error.what, error.hint, error.status),
                         (f"--bundle: expected a new file, found that '{path}' exists", "another name, or --force to replace it", 2))
        self.assertEqual(paths.read_if_there(path), "mine")
        with mock.patch.object(bundle, "collect", return_value=self.made), mock.patch.object(doctor, "LOOKS", ()), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(doctor.main(["--bundle", path, "--yes", "--force"]), 0)
        with tarfile.open(path) as archive:
            self.assertEqual(archive.getnames(), ["doctor/a.txt"])
        self.assertEqual(os.listdir(self.folder), ["b.tar.gz"])

    def test_options_that_need_a_bundle(self) -> None:
        for words in (["--yes"], ["--force"], ["--results", self.folder]):
            error = self.run_doctor(*words)
            self.assertEqual((error.what, error.status), (f"{words[0]} needs --bundle FILE", 2))
        error = self.run_doctor("--bundle", f"{self.folder}/b", "--results", f"{self.folder}/no")
        self.assertEqual((error.what, error.status), (f"--results: expected a folder, found none: '{self.folder}/no'", 2))

    def test_a_full_disk_leaves_nothing(self) -> None:
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        try:
            error = self.run_doctor("--bundle", f"{self.folder}/b.tar.gz", "--yes")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, before)
        self.assertEqual((error.what, error.status), (f"writing '{self.folder}/b.tar.gz': {os.strerror(errno.EFBIG)}", 1))
        self.assertEqual(os.listdir(self.folder), [])


class Cut(unittest.TestCase):
    def test_a_cut_name_is_left_out_with_its_line_or_word(self) -> None:
        self.assertEqual(files.whole_lines("ice/lab\nerror: x\n" + "y" * 2000, 2000), "error: x\n" + "y" * 2000)
        self.assertEqual(files.whole_lines("ice/lab error " + "y" * 2000, 2000), "error " + "y" * 2000)
        self.assertEqual(files.whole_lines("/home/alice", 2000), "/home/alice")
        said = "e" * 180 + " no such folder /home/ali"
        self.assertEqual(sessions.without_cut_words(json.dumps({"said": said, "x": 1})),
                         json.dumps({"said": "e" * 180 + " no such folder", "x": 1}))
        self.assertEqual(sessions.without_cut_words('{"said": "no /home/a"}'), '{"said": "no /home/a"}')


class Repeating(unittest.TestCase):
    def test_the_last_five_failures_have_their_output_and_earlier_ones_their_names(self) -> None:
        failed = [{"benchmark": f"a/b/{each}", "kind": "crash", "output_tail": f"said {each}"} for each in range(7)]
        text = sessions.failures_text([sessions.Session("s.json", {"failures": failed, "session": {"seed": 9}})])
        self.assertEqual([line for line in text.splitlines() if line.startswith(("==", "  said", "a/b"))],
                         [line for each in range(6, 1, -1) for line in (f"== a/b/{each}: crash", f"  said {each}")]
                         + ["== earlier", "a/b/1: crash", "a/b/0: crash"])
        self.assertIn("repeat:   python3 make.py run --filter a/b/6 --processes 1 --seed 9\n", text)

    def test_commands_that_repeat_sessions(self) -> None:
        def of(session: dict[str, Any], names: list[str], **more: Any) -> str:
            return sessions.repeating({"session": session, "benchmarks": [{"name": name, "process": 0} for name in names], **more})

        many = [f"a/b/{each}" for each in range(30)]
        table = {
            of({"mode": "quick", "seed": 3}, ["a/b/c"]): "python3 make.py run --quick --filter a/b/c --seed 3",
            of({"mode": "default", "budget_seconds": 1.5}, many):
                "python3 make.py run --budget 1.5 --seed 1   # 30 benchmarks; the result does not keep the filters",
            of({"mode": "full", "seed": 1}, ["a/lib x@0a/c"], machine={"id": "m 1", "name": "m 1"}):
                "LAB_MACHINE='m 1' python3 make.py run --full --malloc FILE --filter 'a/lib x@0a/c' --seed 1",
            of({"mode": "quick", "seed": 1, "state": "interrupted"}, ["a/b/c"]):
                "python3 make.py run --quick --filter a/b/c --seed 1   # it has not ended: more of them, and more processes",
            of({"mode": "default"}, [], arms=[{"name": "base", "source": {"commit": "0a1b"}}]):
                "python3 make.py run --against 0a1b --seed 1",
        }
        for found, expected in table.items():
            self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
