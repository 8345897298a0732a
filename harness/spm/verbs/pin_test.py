"""pin: one download becomes an entry that installs."""

import json
import os
import unittest
from unittest import mock

from harness.spm.sources import reading
from harness.spm_testing.archives import link, member, tar
from harness.spm_testing.server import refuse, send
from harness.spm_testing.test_case import pin, SpmTestCase

DATA = tar(member("tool-1.2/tool", b"the tool"))


class PinTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        patch = mock.patch.object(reading, "FIRST_PAUSE_S", 0.01)
        patch.start()
        self.addCleanup(patch.stop)
        self.sources["deep"] = {"type": "http", "base": f"{self.server.base}/deep/er"}
        self.server.files.update({"/deep/er/tool-1.2.tar": DATA, "/x/tool-1.2.tar": DATA})

    def printed(self, *arguments: str) -> dict:
        result = self.spm("pin", *arguments, "--json")
        self.assertEqual((result.status, result.err), (0, ""))
        found: dict = json.loads(result.out.replace("SERVER", self.server.base).replace("FOLDER", self.folder))
        return found

    def test_the_entry_installs(self) -> None:
        cases = {
            f"{self.server.base}/deep/er/tool-1.2.tar": ("deep", "tool-1.2.tar"),
            f"{self.server.base}/x/tool-1.2.tar": ("main", "x/tool-1.2.tar"),
        }
        for number, (address, (source, path)) in enumerate(cases.items()):
            with self.subTest(address):
                found = self.printed(address)
                self.assertEqual(list(found), ["packages"])
                (artifact,) = found["packages"]["tool"]["artifacts"]
                self.assertEqual(artifact, {**pin(DATA, path), "sources": [source]})
                self.lib = f"{self.folder}/lib{number}"
                self.packages = found["packages"]
                self.assertEqual(self.spm("install", "tool").status, 0)
                self.assertEqual(self.read("tool-1/tool-1.2/tool"), "the tool")

    def test_a_source_that_is_not_there_is_printed_too(self) -> None:
        with open(f"{self.folder}/own-2.0.tar", "wb") as file:
            file.write(DATA)
        self.sources = {"files": {"type": "file", "base": "/nowhere"}}
        for address in (f"{self.folder}/own-2.0.tar", f"{self.server.base}/x/tool-1.2.tar"):
            found = self.printed(address)
            ((name, fields),) = found["sources"].items()
            self.assertNotEqual(name, "files")
            self.sources[name] = fields
            self.packages.update(found["packages"])
        result = self.spm("install", "own", "tool")
        self.assertEqual(result.status, 0, result.err)

    def test_names(self) -> None:
        for file_name, name in {
            "fmt-9.1.0.tar.gz": "fmt", "boost_1_83.tar": "boost", "lib-a-b-v2.zip": "lib-a-b", "x.y-z_3.tar": "x.y-z",
        }.items():
            self.server.files[f"/{file_name}"] = DATA
            self.assertEqual(list(self.printed(f"{self.server.base}/{file_name}")["packages"]), [name])
        self.server.files["/latest.tar"] = DATA
        self.assertEqual(list(self.printed(f"{self.server.base}/latest.tar", "mine")["packages"]), ["mine"])
        result = self.spm("pin", f"{self.server.base}/latest.tar")
        self.assertEqual(result.status, 2)
        self.assertIn("pin: expected a name, found none in 'latest.tar'\n", result.err)

    def test_what_cannot_be_pinned_is_one_error(self) -> None:
        evil = tar(link("out", "/etc"))
        cases = {
            "a-1.tar": (refuse(404, "No"), "not there (HTTP 404)"),
            "b-1.tar": (lambda handler: send(handler, DATA[:9], len(DATA)), f"truncated: 9 of {len(DATA):,} bytes"),
            "c-1.tar": (evil, "pin c-1.tar: "),
            "d-1.tar": (b"no archive", "pin d-1.tar: "),
        }
        for name, (answer, reason) in cases.items():
            self.server.files[f"/{name}"] = answer
            result = self.spm("pin", f"{self.server.base}/{name}")
            self.assertIn(reason, result.err)
            self.assertEqual((result.status != 0, result.out, result.err.count("\n")), (True, "", 2), result.err)
        self.assertEqual([each for each in os.listdir(self.folder) if each != "packages.json"], [])


if __name__ == "__main__":
    unittest.main()
