"""The commands of README, of the guide and of the pages about farms and notices do what these say: each one that can run here is started as they write it, with
small inputs."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from typing import NamedTuple

from harness.make import build, paths

HARNESS = build.existing_harness()
NEEDS = ["all"]
PATIENCE_S = 1800
"""How long a test waits for what must come. It only tells a hang from a busy machine."""

OURS = "build/pinned-release/malloc/liblab_malloc.so"
ONE = "allocator/c_library/random_replace"
JUDGED = (0, 3, 4)
"""Exit statuses of a session on a busy machine, which may be unfit, and of a comparison of two."""


DOCUMENTS = ("README.md", "harness/docs/guide.md", "harness/docs/farm.md", "harness/docs/serve.md",
             "harness/docs/notify.md")


class Try(NamedTuple):
    """How a command of them is tried: words of it that are replaced, what is added, and the exit statuses that may
    end it. `@` is a scratch folder."""

    replaced: dict[str, str] = {}
    added: str = ""
    statuses: tuple[int, ...] = (0,)


def of_format(heading: str, which: int = 0) -> str:
    """The sample of a file in formats.md."""
    with open(os.path.join(paths.ROOT, "harness", "docs", "formats.md"), encoding="utf-8") as file:
        section = file.read().split(f"\n## {heading}\n")[1]
    return re.findall(r"^```\n(.*?)^```", section, re.M | re.S)[which]


TRIED = {
    "python3 make.py run --malloc ./libmine.so":
        Try({"./libmine.so": OURS}, f"--processes 1 --filter {ONE} --filter 'allocator/liblab*/random_replace' "
                                    "--out @/malloc.json", JUDGED),
    "python3 make.py run --malloc ./libmine.so --filter 'allocator/*/random_replace'":
        Try({"./libmine.so": OURS, "'allocator/*/random_replace'": ONE},
            "--filter 'allocator/liblab*/random_replace' --processes 1 --out @/one.json", JUDGED),
    "python3 make.py run --malloc ./libmine.so --filter 'allocator/*'":
        Try({"./libmine.so": OURS, "'allocator/*'": ONE},
            "--filter 'allocator/liblab*/random_replace' --processes 1 --out @/all.json", JUDGED),
    "LD_PRELOAD=./libmine.so LAB_PRELOADED_AS=mine build/pinned-release/variants/allocator/c_library --conformance "
    "'realloc keeps contents'": Try({"./libmine.so": OURS}),
    "LD_PRELOAD=build/pinned-release/malloc/liblab_malloc.so PROGRAM": Try({"PROGRAM": "true"}),
    "python3 make.py compare BASE.json HEAD.json": Try({"BASE.json": "@/one.json", "HEAD.json": "@/one.json"}, "", JUDGED),
    "python3 make.py history --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py history --csv --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py history --farm --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py farm check --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py farm collect --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py farm check --results DIR --notify COMMAND": Try({"DIR": "@/history", "COMMAND": "cat"}),
    "python3 make.py history --export openmetrics --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py history --export badge --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py results pack --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py results keep --samples 90d --exhibits 30d --results DIR": Try({"DIR": "@/history"}),
    "python3 make.py view variants/render_config/configurations/settings.json":
        Try({}, "--display none --frames 1 --size 64x48 --out @/view"),
    "python3 make.py view CONFIG --frames 3 --out /tmp/frames":
        Try({"CONFIG": "variants/render_config/configurations/settings.json", "/tmp/frames": "@/frames"},
            "--display none --size 64x48"),
    "build/pinned-release/object_visibility_prompt ids.npy objects.json --out /tmp/shot":
        Try({"ids.npy": "@/ids.npy", "objects.json": "@/objects.json", "/tmp/shot": "@/shot"}),
    "python3 make.py bisect --good v1 --bad HEAD --measure './time_it.sh' --repo ../any-repository":
        Try({"../any-repository": "@/repository"}),
    "python3 make.py probe --import ~/gtx1660ti": Try({"~/gtx1660ti": "@/gtx1660ti"}, "--out @/imported"),
    "python3 make.py probe --sweep mine.json": Try({"mine.json": "@/sweep.json"}, "--driver lavapipe --out @/swept"),
    "python3 make.py probe --advise program.json": Try({"program.json": "@/program.json"}, "--driver lavapipe"),
    "python3 make.py probe --advise program.json --column results/reference/atlas/anv-25.0.7-hd620-simulated":
        Try({"program.json": "@/program.json"}),
    "python3 make.py probe --allocate": Try({}, "--driver lavapipe --out @/allocated"),
    "python3 make.py spm": Try({}, "list"),
    "python3 make.py --version": Try(),
    "python3 make.py doctor": Try({}, "", (0, 1)),
    "python3 make.py doctor --bundle help.tar.gz": Try({"help.tar.gz": "@/help.tar.gz"}, "--yes", (0, 1)),
}

ELSEWHERE = {
    "python3 make.py": "the step quick, with --quick",
    "python3 make.py --quick": "the step quick of .ci/run",
    "python3 make.py test": "the step tests",
    "python3 make.py build": "the steps bookworm and trixie",
    "python3 make.py spm install-group simulated-devices": "the step simulated_devices",
    "python3 make.py simulate": "the step simulate",
    "python3 make.py run --against main": "cli_test, with made-up builds",
    "python3 make.py run --revision HEAD~10": "cli_test",
    "python3 make.py compare SESSION.json": "cli_test",
    "python3 make.py bisect --good HEAD~10 --bad HEAD --benchmark allocator/buddy/random_replace": ".ci/new_family",
    "python3 make.py serve --results DIR": "make.serve_test",
    "python3 make.py serve --results /srv/results": "make.serve_test",
    "python3 make.py deliver --to DEST": "make.deliver_test",
    'python3 make.py farm ack ID "known" --results DIR': "app_test",
    "python3 make.py farm explain ID COMMIT --results DIR": "app_test",
    "python3 make.py bundle lab-night": "the tests of the bundle",
    "python3 make.py farm submit lab-night --results /net/lab --budget 1200": "farm_slurm_test",
    "python3 make.py farm status --results /net/lab": "farm_slurm_test",
    "python3 make.py build --variant my_allocator": ".ci/new_variant",
    "build/pinned-release/variants/allocator/my_allocator --conformance": ".ci/new_variant",
    "build/pinned-release/variants/allocator/my_allocator --conformance 'contents are kept'": ".ci/new_variant",
    "python3 make.py run --filter 'allocator/my_allocator/*' --filter 'allocator/c_library/*'": ".ci/new_variant",
}
"""The other commands, and what tries them."""


def commands() -> set[str]:
    """Every command in the documents, of their blocks and of their sentences."""
    texts = []
    for name in DOCUMENTS:
        with open(os.path.join(paths.ROOT, name), encoding="utf-8") as file:
            texts.append(file.read())
    text = "\n".join(texts)
    found = [re.sub(r"\s+#.*$", "", line) for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)
             for line in block.splitlines()]
    text = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.M | re.S)
    found += [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]
    column, = re.findall(r"\(`(--column\s\S+)`\)\sfor\sa\scolumn\sof\san\satlas", " ".join(text.split()))
    found.append(f"python3 make.py probe --advise program.json {column}")
    return {each.strip() for each in found if re.match(r"(\w+=[^\s<]+ )*(python3 make\.py|build/|\S+ PROGRAM$)", each)}


def git_status() -> str | None:
    """What git says of the checkout; None without git, or where git has no checkout."""
    try:
        done = subprocess.run(["git", "status", "--porcelain", "--branch"], cwd=paths.ROOT, capture_output=True, text=True,
                              check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


class ReadmeCommands(unittest.TestCase):
    folder: str

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name

    def write(self, name: str, content: str | bytes, mode: int = 0o644) -> None:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(path, mode)

    def run_it(self, command: str, how: Try) -> subprocess.CompletedProcess[str]:
        for word, other in how.replaced.items():
            self.assertIn(word, command)
            command = command.replace(word, other)
        command = f"{command} {how.added}".replace("@", self.folder)
        done = subprocess.run(["sh", "-c", command], cwd=paths.ROOT, capture_output=True, text=True, timeout=PATIENCE_S,
                              check=False, env={**os.environ, "LAB_RESULTS": os.path.join(self.folder, "results")})
        self.assertIn(done.returncode, how.statuses, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def test_each_is_tried_here_or_elsewhere(self) -> None:
        self.assertEqual(commands(), TRIED.keys() | ELSEWHERE.keys())

    @unittest.skipUnless(HARNESS, "needs a build")
    def test_each_that_can_run_here_ends_well(self) -> None:
        family = ONE.split("/", maxsplit=1)[0]
        if not os.path.isdir(os.path.join(paths.ROOT, "variants", family)):
            self.skipTest("the families have other names here")
        # A session writes what a comparison and a history read, so the order of the table counts.
        self.write("sweep.json", of_format("A sweep").replace('or "sizes": [[640, 480], [16, 16, 16]]', ""))
        self.write("program.json", of_format("A program"))
        self.write("ids.npy", npy([[0, 1], [1, 1]]))
        self.write("objects.json", json.dumps({"camera": {"location": [0, 0, 0]}, "objects": [
            {"index": 1, "name": "Plane", "description": "A wooden floor", "location": [0, 0, -4]}]}))
        self.write("gtx1660ti/image-sizes.txt", "# Width Height Size Alignment\n2 2 512 512\n")
        self.write("gtx1660ti/buffer-sizes.txt", "# Length Size Alignment\n16 16 16\n")
        before = git_status()
        for command, how in TRIED.items():
            with self.subTest(command):
                if command.startswith(("python3 make.py history", "python3 make.py farm")):
                    self.make_history()
                if command.startswith("python3 make.py bisect"):
                    if not shutil.which("git"):
                        continue  # the other commands need none
                    self.make_repository()
                self.run_it(command, how)
        self.assertEqual(git_status(), before, "a command made its own checkout dirty")

    @unittest.skipUnless(git_status(), "needs git")
    def test_git_ignores_what_verbs_write_by_default(self) -> None:
        written = ("results/here/a.json", "results/here/state/turns.json", "results/index.sqlite", "results/index.lock",
                   "results/nightly/here/state.json", "results/alarms.jsonl", "results/kept.lock",
                   "reports/20260101T000000Z/index.html", "build/x", "lib/x", "core", "core.123", "harness/make/__pycache__/x.pyc")
        kept = ("results/reference/a.json", "results/published/a.json", "reports/reference/a", "variants/a/core.cpp")
        done = subprocess.run(["git", "check-ignore", *written, *kept], cwd=paths.ROOT, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stdout.splitlines(), list(written))

    def make_history(self) -> None:
        """A session as of a clean checkout on a quiet machine, which alone enters a history."""
        with open(os.path.join(self.folder, "one.json"), encoding="utf-8") as file:
            result = json.load(file)
        result["source"] = {"commit": "1" * 40, "dirty": False, "state": "clean"}
        result["session"]["disturbances"] = []
        result["arms"] = [arm for arm in result["arms"] if arm["name"] != "control"]
        result["benchmarks"] = [process for process in result["benchmarks"] if process["arm"] != "control"]
        self.write(f"history/{result['machine']['id']}/one.json", json.dumps(result))

    def make_repository(self) -> None:
        script = ("git init -q -b main \"$1\" && cd \"$1\" && for i in 1 2 3 4; do "
                  "echo $((i < 3 ? 100 : 200)) >level && printf '#!/bin/sh\\ncat level\\n' >time_it.sh && "
                  "chmod +x time_it.sh && git add . && "
                  "git -c user.name=a -c user.email=a@b commit --allow-empty -qm $i || exit 1; done; "
                  "git tag v1 HEAD~3")
        subprocess.run(["sh", "-ec", script, "sh", os.path.join(self.folder, "repository")], check=True)


def npy(rows: list[list[int]]) -> bytes:
    """What numpy.save writes of an array of u4."""
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    numbers = [number for row in rows for number in row]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}I", *numbers)


if __name__ == "__main__":
    unittest.main()
