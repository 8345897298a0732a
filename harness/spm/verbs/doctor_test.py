"""doctor against real servers on which artifacts vanish, change their length or go silent."""

import os
from unittest import mock

from harness.spm.sources import reading
from harness.spm_testing.server import Server, reset, send
from harness.spm_testing.test_case import CommandResult, SpmTestCase

REACH_HINT = "hint: check the network, or name a copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR\n"


class DoctorTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.other = Server()
        self.addCleanup(self.other.close)
        self.sources["other"] = {"type": "http", "base": self.other.base}
        patch = mock.patch.object(reading, "FIRST_PAUSE_S", 0.01)
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("one", "two", "three"):
            data = f"bytes of {name}".encode()
            self.add(name, {**self.serve(f"{name}.tar", data), "sources": ["main", "other"]})
            self.other.files[f"/{name}.tar"] = data

    def doctor(self, *arguments: str) -> CommandResult:
        result = self.spm("doctor", *arguments)
        result.err = result.err.replace(self.other.base, "OTHER")
        return result

    def test_pins_that_all_have_are_one_sentence(self) -> None:
        result = self.doctor()
        self.assertEqual((result.status, result.out, result.err), (0, "", "spm: 3 artifacts: 3 fine\n"))

    def test_what_one_of_two_has_lost_is_the_last_copy(self) -> None:
        del self.server.files["/one.tar"]
        result = self.doctor()
        self.assertEqual(
            result.out,
            "package  artifact  state      found   missing\n"
            "one      one.tar   last copy  1 of 2  main: not there (HTTP 404)\n",
        )
        self.assertEqual((result.status, result.err), (0, "spm: 3 artifacts: 2 fine, 1 last copy\n"))

    def test_what_both_have_lost_is_lost(self) -> None:
        del self.server.files["/one.tar"], self.other.files["/one.tar"]
        self.server.files["/two.tar"] += b"longer"
        self.other.files["/two.tar"] = lambda handler: (
            handler.send_error(416) if "Range" in handler.headers else send(handler, b"short")
        )
        result = self.doctor()
        self.assertEqual(
            result.out,
            "package  artifact  state  found   missing\n"
            "one      one.tar   lost   0 of 2  main: not there (HTTP 404); other: not there (HTTP 404)\n"
            "two      two.tar   lost   0 of 2  main: expected 12 bytes, found 18; other: expected 12 bytes, found 5\n",
        )
        self.assertEqual(
            result.err,
            "spm: 3 artifacts: 1 fine, 2 lost\n"
            "spm: error: 2 artifacts lost: no place has what packages.json pins\n"
            "hint: python3 make.py spm update one two --packages FOLDER/packages.json --lib FOLDER/lib "
            "--store FOLDER/store, or name a place that has it in packages.json or SPM_MIRROR\n",
        )
        self.assertEqual(result.status, 1)

    def test_programs_get_every_artifact(self) -> None:
        del self.other.files["/two.tar"]
        rows = self.doctor("--json", "-q").objects()
        self.assertEqual([row["state"] for row in rows], ["fine", "last copy", "fine"])
        self.assertEqual(
            rows[1],
            {
                "package": "two",
                "artifact": "two.tar",
                "path": "two.tar",
                "sha256": self.packages["two"]["artifacts"][0]["sha256"],
                "state": "last copy",
                "found": "1 of 2",
                "have": ["main"],
                "missing": ["other: not there (HTTP 404)"],
            },
        )

    def test_the_mirror_is_a_place_too(self) -> None:
        os.environ["SPM_MIRROR"] = f"{self.folder}/mirror"
        digest = self.packages["one"]["artifacts"][0]["sha256"]
        os.makedirs(f"{self.folder}/mirror/{digest[:2]}")
        with open(f"{self.folder}/mirror/{digest[:2]}/{digest}", "wb") as file:
            file.write(self.server.files["/one.tar"])
        self.assertEqual(
            [(row["state"], row["have"]) for row in self.doctor("--json").objects()],
            [("fine", ["main", "other", "SPM_MIRROR"]), *[("some left", ["main", "other"])] * 2],
        )

    def test_a_mirror_that_is_no_folder_and_no_address_is_wrong_usage(self) -> None:
        self.sources["bookworm"] = {"type": "debian"}
        self.packages["one"]["artifacts"][0]["sources"].append("bookworm")
        for name in ("SPM_MIRROR", "SPM_DEBIAN_MIRROR"):
            with mock.patch.dict(os.environ, {name: "foo"}):
                result = self.doctor()
            self.assertEqual(
                (result.status, result.err),
                (
                    2,
                    f"spm: error: {name}: expected an address or an existing folder, found 'foo'\n"
                    f"hint: correct {name}\n",
                ),
            )

    def test_an_address_of_a_mirror_that_has_no_host_is_the_variables_mistake(self) -> None:
        with mock.patch.dict(os.environ, SPM_MIRROR="http://"):
            result = self.doctor()
        self.assertEqual((result.status, result.err.partition(": expected a folder, or ")[0]), (2, "spm: error: SPM_MIRROR"))

    def test_a_source_that_nobody_answers_for_is_asked_once_and_leaves_last_copies(self) -> None:
        self.other.close()
        result = self.doctor()
        self.assertEqual((result.status, result.err), (0, "spm: 3 artifacts: 0 fine, 3 last copy\n"))
        self.assertEqual(result.out.count("other: the connection was refused\n"), 3)

    def test_what_nobody_could_be_asked_for_is_not_called_lost(self) -> None:
        for source in self.sources.values():
            source["base"] = "http://127.0.0.1:9/x"
        self.sources["disk"] = {"type": "file", "base": "nowhere"}
        self.packages["one"]["artifacts"][0]["sources"].append("disk")
        result = self.doctor()
        self.assertEqual(
            result.err,
            "spm: 3 artifacts: 0 fine, 3 unreachable\nspm: error: could not look for 3 artifacts\n" + REACH_HINT,
        )
        self.assertEqual(result.status, 1)

    def test_a_login_page_and_a_server_in_trouble_are_told_apart_from_a_loss(self) -> None:
        self.other.files["/one.tar"] = lambda handler: send(handler, b"<html>", kind="text/html")
        self.other.files["/two.tar"] = reset
        self.other.files["/three.tar"] = lambda handler: handler.send_error(503, "Busy")
        for name in ("one", "two", "three"):
            del self.server.files[f"/{name}.tar"]
        rows = self.doctor("--json").objects()
        self.assertEqual(
            [(row["state"], row["missing"][1]) for row in rows[:1] + rows[2:3]],
            [
                ("lost", "other: received an HTML page instead (a login or proxy page?)"),
                ("unreachable", "other: HTTP 503 Busy"),
            ],
        )
        self.assertRegex(rows[1]["missing"][1], "^other: the connection broke ")
        self.assertEqual(rows[1]["state"], "unreachable")
        self.assertEqual(self.other.asked.count("/three.tar"), reading.TRIES)

    def test_a_server_that_asks_to_wait_is_asked_again_when_it_says(self) -> None:
        def busy(handler) -> None:
            self.other.files["/one.tar"] = b"bytes of one"
            handler.send_response(429)
            handler.send_header("Retry-After", "7")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        self.other.files["/one.tar"] = busy
        with mock.patch.object(reading.interruptible, "sleep") as sleep:
            self.assertEqual(self.doctor().err, "spm: 3 artifacts: 3 fine\n")
        self.assertIn(mock.call(7), sleep.mock_calls)

    def test_an_artifact_is_asked_for_by_its_last_byte_once_for_all_its_packages(self) -> None:
        def answer(handler) -> None:
            asked.append(handler.headers["Range"])
            if len(asked) == 1:
                handler.send_response(206)
                handler.send_header("Content-Range", "bytes 11-11/12")
                handler.send_header("Content-Length", "1")
                handler.end_headers()
                handler.wfile.write(b"e")
            else:
                handler.send_error(416)

        asked: list = []
        self.server.files["/one.tar"] = answer
        self.add("four", {**self.packages["one"]["artifacts"][0], "strip": "usr"})
        rows = self.doctor("--json").objects()
        self.assertEqual([row["package"] for row in rows], ["one", "four", "two", "three"])
        self.assertEqual((rows[0]["state"], asked), ("fine", ["bytes=11-"]))

    def test_offline_is_an_error(self) -> None:
        result = self.doctor("--offline")
        self.assertEqual(
            result.err,
            "spm: error: doctor: expected a network to reach the sources, found spm offline (--offline or SPM_OFFLINE)\n"
            "hint: python3 make.py spm verify --deep --packages FOLDER/packages.json --lib FOLDER/lib "
            "--store FOLDER/store, which needs no network\n",
        )
        self.assertEqual((result.status, self.server.asked), (2, []))

    def test_what_would_stop_an_install_here_is_said(self) -> None:
        self.sources["bookworm"] = {"type": "debian"}
        with open(self.lib, "w"), mock.patch("shutil.which", return_value=None):
            result = self.doctor()
        self.assertEqual(
            result.err,
            "spm: warning: the lib: expected a folder, found FOLDER/lib; name another with --lib DIR\n"
            "spm: warning: update can check no index: this machine has neither gpgv nor sqv; install the package gpgv or "
            "sqv\n"
            "spm: 3 artifacts: 3 fine\n",
        )
        with mock.patch("os.access", return_value=False):
            os.unlink(self.lib)
            self.assertIn("spm: warning: the lib, FOLDER/lib, cannot be written; ", self.doctor().err)
        with mock.patch("shutil.disk_usage", return_value=mock.Mock(free=10**6)):
            self.assertIn("spm: warning: the store's disk has 1.0 MB left (FOLDER/store); ", self.doctor().err)


if __name__ == "__main__":
    import unittest

    unittest.main()
