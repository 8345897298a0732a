"""The reference that README shows is of every family, and of the workloads as they are now; what makes it refuses what
would mislead."""

import base64
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from typing import Any
from unittest import mock

from harness.make import build, paths, reference
from harness.make.console import MakeError

HARNESS = build.existing_harness()
NEEDS = ["all"]
PAGES_BYTES = 6 << 20


def listed() -> list[dict[str, Any]]:
    done = subprocess.run([sys.executable, "make.py", "list", "--json"], cwd=paths.ROOT, capture_output=True, text=True,
                          check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def unpacked(path: str) -> str:
    """The contents of a page, compressed or not."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    found = re.search(r'id="packed">([^<]+)<', page)
    return json.loads(gzip.decompress(base64.b64decode(found[1])))["main"] if found else page


def made_up(**changed: Any) -> dict[str, Any]:
    """A result of one family that could be the reference."""
    return {"source": {"state": "clean"}, "failures": [], "session": {"unusual": ["a virtual machine"]},
            "arms": [{"name": "head", "versions": {"shelf/store": 2}}],
            "benchmarks": [{"name": "shelf/plain/store", "arm": "head"}], **changed}


STORE = {"benchmark": "shelf/plain/store", "core": True, "version": 2}


class Reference(unittest.TestCase):
    @unittest.skipUnless(HARNESS, "needs a build")
    def test_it_is_of_every_family_and_of_the_workloads_as_they_are(self) -> None:
        families = {name for name in os.listdir(os.path.join(paths.ROOT, "variants"))
                    if os.path.isfile(os.path.join(paths.ROOT, "variants", name, "family.json"))}
        now, results = listed(), [reference.load(path) for path in reference.files()]
        if {each["benchmark"].split("/")[0] for each in now} != families:
            self.skipTest("some families are not in this build")
        if not families & {name.split("/")[0] for result in results for name in reference.measured_in(result)}:
            self.skipTest("the families have other names here")
        self.assertEqual(reference.lacks(results, now), [],
                         "make it anew: python3 -m harness.make.reference")

    def test_its_pages_are_of_its_result_whole_and_small_enough(self) -> None:
        folder = os.path.join(paths.ROOT, reference.REPORT)
        results = [reference.load(path) for path in reference.files()]
        self.assertTrue(results, "python3 -m harness.make.reference")
        text = unpacked(os.path.join(folder, "session.html"))
        for result in results:
            self.assertEqual(reference.refusal(result), "")
            self.assertIn(result["session"]["id"], text)
            for family in {name.split("/")[0] for name in reference.measured_in(result)}:
                self.assertTrue(os.path.isfile(os.path.join(folder, f"{family}.html")), family)
        self.assertLess(sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)), PAGES_BYTES)

    def test_a_missing_family_an_older_workload_and_a_missing_core_workload_are_named(self) -> None:
        self.assertEqual(reference.lacks([made_up()], [STORE]), [])
        self.assertEqual(reference.lacks([made_up()], [{**STORE, "version": 3}]),
                         ["shelf/store has version 3, the reference has 2"])
        self.assertEqual(reference.lacks([made_up()], [STORE, {**STORE, "benchmark": "crate/plain/store"}]),
                         ["the family crate is missing"])
        self.assertEqual(reference.lacks([made_up()], [STORE, {**STORE, "benchmark": "shelf/plain/take"}]),
                         ["the core workload shelf/take is missing"])
        self.assertEqual(reference.lacks([made_up()], [STORE, {**STORE, "benchmark": "shelf/plain/take", "core": False}]), [])

    def test_times_of_workloads_that_have_a_newer_version_are_left_out_and_wait(self) -> None:
        def row(name: str) -> str:
            return f'    {{"name":"{name}","run_name":"{name}","arm":"head"}}'
        head = '  "arms": [{"name":"head","versions":{"shelf/store":2,"shelf/take":1}}],\n'
        text = ('{\n  "session": {"id":"a","waiting":[]},\n' + head + '  "benchmarks": [\n'
                + ",\n".join(map(row, ("shelf/plain/take", "shelf/quick/store:0.5", "shelf/plain/store"))) + "\n  ]\n}\n")
        take = {**STORE, "benchmark": "shelf/plain/take", "version": 1}
        self.assertEqual(reference.without_superseded(text, [STORE, take]), text)
        left = json.loads(reference.without_superseded(text, [{**STORE, "version": 3}, take]))
        self.assertEqual([each["name"] for each in left["benchmarks"]], ["shelf/plain/take"])
        self.assertEqual([each["benchmark"] for each in left["session"]["waiting"]], ["shelf/plain/store", "shelf/quick/store"])
        self.assertEqual(reference.lacks([left], [{**STORE, "version": 3, "core": False}, take]), [])
        with self.assertRaisesRegex(MakeError, "one process a line"):
            reference.without_superseded(json.dumps(json.loads(text)), [{**STORE, "version": 3}, take])

    def test_what_waited_is_selected_by_workload(self) -> None:
        names = ("shelf/plain/take/all", "shelf/quick/take/all", "crate/plain/store")
        result = made_up(session={"waiting": [{"benchmark": name} for name in names]})
        self.assertEqual(reference.waiting(result), ["crate/*/store", "shelf/*/take/all"])

    def test_what_claims_without_a_verdict_ask_for_is_selected_once(self) -> None:
        summary = ("- undecided: it has no 'bytes'.\n\n      python3 make.py run --filter 'shelf/plain/store' --filter 'shelf/*/take'\n"
                   "\npython3 make.py run --filter 'shelf/plain/store'\npython3 make.py run\npython3 make.py list --filter 'a'\n")
        self.assertEqual(reference.asked_for(summary), ["shelf/*/take", "shelf/plain/store"])
        self.assertEqual(reference.asked_for("python3 make.py run"), [])
        with open(os.path.join(paths.ROOT, "harness/report/testdata/summary.md"), encoding="utf-8") as file:
            self.assertIn("command_bucket/v4_mt_linear_atomic/frame", reference.asked_for(file.read()))

    def test_exhibits_are_found_where_they_are_kept(self) -> None:
        text = '{"exhibits": [\n    {"name":"tree","file":"first.exhibits/a.json"},\n    {"name":"first.exhibits/","file":""}]}'
        kept = json.loads(reference.renamed(text, "/tmp/first.exhibits", "/results/20261127T1-0a.exhibits"))
        self.assertEqual(kept["exhibits"], [{"name": "tree", "file": "20261127T1-0a.exhibits/a.json"},
                                            {"name": "first.exhibits/", "file": ""}])

    def test_every_exhibit_of_it_has_its_file(self) -> None:
        for path in reference.files():
            for exhibit in reference.load(path)["exhibits"]:
                if exhibit["file"]:
                    self.assertTrue(os.path.isfile(os.path.join(os.path.dirname(path), exhibit["file"])), exhibit)

    def test_a_file_that_is_no_session_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gone.json")
            with self.assertRaisesRegex(MakeError, "gone.json: .*No such file"):
                reference.load(path)
            paths.write_if_changed(path, "{")
            with self.assertRaisesRegex(MakeError, "gone.json: "):
                reference.load(path)

    def test_changed_sources_and_failures_are_refused(self) -> None:
        self.assertEqual(reference.refusal(made_up()), "")
        self.assertIn("found 'dirty' sources", reference.refusal(made_up(source={"state": "dirty"})))
        self.assertIn("found 1: shelf/a/b", reference.refusal(made_up(failures=[{"benchmark": "shelf/a/b", "kind": "crash"}])))
        self.assertEqual(reference.refusal(made_up(failures=[{"benchmark": "shelf/a/b", "kind": "timeout"}])), "")

    def test_what_was_measured_is_kept_if_the_pages_cannot_be_made(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            for name in ("first", "second"):
                paths.write_if_changed(os.path.join(root, reference.MEASURED, f"{name}.json"), "{}")
            said = io.StringIO()
            with (mock.patch.object(paths, "ROOT", root), mock.patch.object(sys, "argv", ["reference"]),
                  mock.patch.object(reference, "make", side_effect=MakeError("no page", "")), redirect_stderr(said)):
                with self.assertRaises(SystemExit):
                    reference.main()
                self.assertIn("kept: --result results/for_reference/first.json --result results/for_reference/second.json\n",
                              said.getvalue())
                with mock.patch.object(reference, "make"):
                    reference.main()
            self.assertFalse(os.path.exists(os.path.join(root, reference.MEASURED)))
