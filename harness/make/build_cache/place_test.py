"""Publishing to a place and fetching from it, with everything that can be wrong with a place."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any
from unittest import mock

from harness.make import paths
from harness.make.build_cache import fetching, publish, signing
from harness.make.build_cache import place as places
from harness.make.build_cache.inputs import Inputs
from harness.make.build_cache.options import CacheOptions
from harness.make.build_cache.place import Entry, Place
from harness.make.console import MakeError
from harness.spm_testing.server import Server, send

SSH = shutil.which("ssh-keygen")
MINISIGN = shutil.which("minisign") or os.path.exists(os.path.join(paths.LIB, "minisign-0.11"))
OBJECTS = {"a.o": b"object a" * 100, "lib/b.o": b"object b" * 100, "lib/c.o": b"object c" * 100}


def key_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


class CacheTest(unittest.TestCase):
    """A build folder with three objects, and a web server to publish them on."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = Server()
        self.addCleanup(self.server.close)
        for patch in (mock.patch.dict(os.environ, {"SPM_TIMEOUT": "20", "SPM_OFFLINE": "", "SPM_MIRROR": ""}),
                      mock.patch.object(places, "SECOND_LOOK_S", 0)):
            patch.start()
            self.addCleanup(patch.stop)
        for name, data in OBJECTS.items():
            self.write(f"build/{name}", data)

    def write(self, name: str, data: bytes) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def key(self, name: str) -> str:
        """The file of a new private key; its public one is NAME.pub."""
        path = os.path.join(self.folder, name)
        assert SSH
        subprocess.run([SSH, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True, stdin=subprocess.DEVNULL)
        return path

    @property
    def web(self) -> str:
        return f"{self.server.base}/place"

    def inputs(self, *names: str) -> dict[str, Inputs]:
        return {name: Inputs(key_of(name), name, [f"/source/{name}.c"]) for name in names or OBJECTS}

    def publish(self, place: str = "", names: tuple[str, ...] = (), sign: str = "", keys: tuple[str, ...] = (),
                trust: bool = False) -> publish.Published:
        signer = signing.Signer(sign) if sign else None
        known = [signing.public_key(key) for key in keys] + (signer.public_keys() if signer else [])
        with redirect_stderr(io.StringIO()):
            return publish.publish(Place(place or self.web), f"{self.folder}/build", self.inputs(*names), signer, known, trust)

    def fetch(self, *bases: str, keys: tuple[str, ...] = (), trust: bool = True,
              build_s: float = 100) -> tuple[list[str], list[str]]:
        """(the objects that came, the sentences); every object that came is right."""
        target = tempfile.mkdtemp(dir=self.folder)
        options = CacheOptions(bases or (self.web,), keys, trust)
        with redirect_stderr(io.StringIO()):
            found = fetching.fetch(self.inputs(), len(OBJECTS), options, target, build_s)
        for name, origin in found.origins.items():
            with open(os.path.join(target, name), "rb") as file:
                self.assertEqual(file.read(), OBJECTS[name])
            self.assertEqual(origin["sha256"], hashlib.sha256(OBJECTS[name]).hexdigest())
            with open(os.path.join(target, name + ".d"), encoding="utf-8") as depfile:
                self.assertEqual(depfile.read(), f"{name}: \\\n /source/{name}.c\n")
        said = [sentence.replace(self.web, "PLACE").replace(self.folder, "FOLDER") for sentence in found.sentences]
        return sorted(found.origins), said

    def manifest(self) -> Any:
        return json.loads(self.server.files["/place/lab-builds/manifest.json"])

    def rewrite(self, change: Callable[[dict[str, list[Any]]], object]) -> None:
        found = self.manifest()
        change(found["objects"])
        self.server.files["/place/lab-builds/manifest.json"] = json.dumps(found).encode()

    def address(self, name: str) -> str:
        stored = self.manifest()["objects"][key_of(name)][0]
        return f"/place/lab-builds/objects/{stored[:2]}/{stored}"


class Publishing(CacheTest):
    def test_what_was_published_is_fetched_from_a_web_server_and_a_folder(self) -> None:
        for place in (self.web, f"{self.folder}/place"):
            with self.subTest(place):
                self.assertEqual(self.publish(place)[:2], (3, 3))
                names, said = self.fetch(place)
                self.assertEqual(names, sorted(OBJECTS))
                shown = place.replace(self.web, "PLACE").replace(self.folder, "FOLDER")
                self.assertRegex(said[0], f"^build cache: 3 of 3 objects from {shown}, signature not checked \\(.* B\\)$")

    def test_publishing_again_changes_nothing(self) -> None:
        self.publish()
        before, self.server.asked = dict(self.server.files), []
        self.assertEqual(self.publish()[:2], (3, 0))
        self.assertEqual(self.server.files, before)
        self.assertEqual([each for each in self.server.asked if each.startswith("PUT")], [])

    def test_two_publishers_keep_each_others_entries(self) -> None:
        self.publish(names=("a.o",))
        self.publish(names=("lib/b.o", "lib/c.o"))
        self.assertEqual(self.fetch()[0], sorted(OBJECTS))

    def test_the_newest_entries_are_kept(self) -> None:
        with mock.patch.object(places, "MOST_ENTRIES", 2):
            self.publish(names=("a.o",))
            self.publish(names=("lib/b.o", "lib/c.o"))
            self.assertEqual(self.fetch()[0], ["lib/b.o", "lib/c.o"])

    def test_other_bytes_under_the_same_key_are_named(self) -> None:
        self.publish()
        self.write("build/a.o", b"another compiler run")
        self.assertEqual(self.publish().replaced, ["a.o"])

    def test_a_place_that_takes_nothing_is_named_with_its_reason(self) -> None:
        path = self.write("file", b"")
        cases = {f"{path}/place": "Not a directory", "http://127.0.0.1:1/place": "refused"}
        for place, reason in cases.items():
            with self.subTest(place), mock.patch("harness.spm.sources.reading.FIRST_PAUSE_S", 0), \
                    self.assertRaisesRegex(MakeError, f"^publishing to {place}: .*{reason}"):
                self.publish(place)

    @unittest.skipUnless(SSH, "needs ssh-keygen")
    def test_an_unsigned_manifest_never_replaces_a_signed_one(self) -> None:
        self.publish(sign=self.key("farm"))
        with self.assertRaisesRegex(MakeError, "its manifest is signed"):
            self.publish()

    @unittest.skipUnless(SSH, "needs ssh-keygen")
    def test_a_publisher_signs_nothing_of_a_stranger(self) -> None:
        mine, other = self.key("mine"), self.key("other")
        self.publish(names=("a.o",))
        with self.assertRaisesRegex(MakeError, "its manifest has no signature, which mine should have made"):
            self.publish(names=("lib/b.o",), sign=mine)
        self.publish(names=("lib/b.o",), sign=mine, trust=True)
        with self.assertRaisesRegex(MakeError, "its manifest has no valid signature of other"):
            self.publish(names=("lib/c.o",), sign=other)
        self.publish(names=("lib/c.o",), sign=other, keys=(f"{mine}.pub",))
        self.assertEqual(self.fetch(keys=(f"{other}.pub",), trust=False)[0], sorted(OBJECTS))


class Signed(CacheTest):
    def test_an_unsigned_place_needs_trust(self) -> None:
        self.publish()
        self.assertEqual(self.fetch(trust=False), ([], ["build cache: PLACE: no key is named that its signature should be of "
                                                        "(--cache-key FILE), nor --trust; 3 are built here"]))
        self.assertEqual(self.fetch(trust=True)[0], sorted(OBJECTS))

    @unittest.skipUnless(SSH, "needs ssh-keygen")
    def test_a_key_accepts_its_own_signature_alone_also_with_trust(self) -> None:
        farm, other = self.key("farm"), self.key("other")
        self.publish(names=("a.o",))
        refusal = "build cache: PLACE: its manifest has no {} (--trust accepts that); 3 are built here"
        self.assertEqual(self.fetch(keys=(f"{farm}.pub",), trust=False),
                         ([], [refusal.format("signature, which farm should have made")]))
        self.assertEqual(self.fetch(keys=(f"{farm}.pub",))[0], ["a.o"])
        self.publish(sign=farm, trust=True)
        names, said = self.fetch(keys=(f"{other}.pub", f"{farm}.pub"), trust=False)
        self.assertEqual(names, sorted(OBJECTS))
        self.assertRegex(said[0], "^build cache: 3 of 3 objects from PLACE, signed by farm ")
        foreign = "build cache: PLACE: its manifest has no valid signature of other; 3 are built here"
        self.assertEqual(self.fetch(keys=(f"{other}.pub",)), ([], [foreign]))
        self.rewrite(lambda objects: objects.popitem())
        self.assertEqual(self.fetch(keys=(f"{farm}.pub",)), ([], [foreign.replace("other", "farm")]))

    @unittest.skipUnless(SSH, "needs ssh-keygen")
    def test_a_manifest_that_is_being_replaced_is_read_again(self) -> None:
        farm = self.key("farm")
        self.publish(sign=farm)
        address = "/place/lab-builds/manifest.json"
        right, answers = self.server.files[address], iter([b"{}"])
        self.server.files[address] = lambda handler: send(handler, next(answers, right))
        self.assertEqual(self.fetch(keys=(f"{farm}.pub",), trust=False)[0], sorted(OBJECTS))

    def test_a_missing_program_is_a_reason_with_a_hint(self) -> None:
        self.publish()
        self.server.files["/place/lab-builds/manifest.json.sig"] = b"signature"
        key = self.write("farm.pub", b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBmiuH0ZEoIX6LEtcrVU3k1b5p0RPq7pOpVNw0cyxC3c\n")
        with mock.patch.object(signing.shutil, "which", return_value=None):
            self.assertEqual(self.fetch(keys=(key,)), ([], [
                "build cache: PLACE: a signature of OpenSSH needs the program ssh-keygen, which is not on the PATH (install "
                "it (Debian's package openssh-client), or use a key of minisign, which is then fetched); 3 are built here"]))

    @unittest.skipUnless(MINISIGN, "needs minisign")
    def test_a_key_of_minisign_serves_as_well(self) -> None:
        other, farm = f"{self.folder}/other", f"{self.folder}/farm"
        for name in (other, farm):
            program = signing._program("minisign")
            subprocess.run([program.path, "-G", "-W", "-p", f"{name}.pub", "-s", f"{name}.key"], check=True,
                           env=program.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.publish(sign=f"{farm}.key")
        self.assertEqual(self.fetch(keys=(f"{farm}.pub",), trust=False)[0], sorted(OBJECTS))
        self.assertEqual(self.fetch(keys=(f"{other}.pub",)), ([], [
            "build cache: PLACE: its manifest has no valid signature of other; 3 are built here"]))

    def test_a_file_that_is_no_key_is_wrong_usage(self) -> None:
        path = self.write("nothing", b"nothing\n")
        for make, option in ((signing.public_key, "--cache-key"), (signing.Signer, "--sign")):
            for name, words in {path: "found none in", f"{self.folder}/absent": "No such file"}.items():
                with self.subTest(option, name=name), self.assertRaisesRegex(MakeError, f"^{option}.*{words}") as caught:
                    make(name)
                self.assertEqual(caught.exception.status, 2)


class Faults(CacheTest):
    def setUp(self) -> None:
        super().setUp()
        self.publish()

    def check(self, names: list[str], *said: str) -> None:
        """The fetch gives these objects, and one sentence for each of `said`, a regular expression."""
        came, sentences = self.fetch()
        self.assertEqual(came, names)
        self.assertEqual(len(sentences), len(said), sentences)
        for sentence, expected in zip(sentences, said):
            self.assertRegex(sentence, f"^build cache: {expected}$")

    def test_a_place_that_is_gone_is_one_sentence(self) -> None:
        self.server.files.clear()
        self.check([], "PLACE: nothing was published there; 3 are built here")

    def test_a_place_that_does_not_answer_is_one_sentence(self) -> None:
        self.server.close()
        self.check([], "PLACE: the connection was refused; 3 are built here")

    def test_an_object_with_wrong_bytes_is_built_here(self) -> None:
        address = self.address("a.o")
        self.server.files[address] = bytes(len(self.server.files[address]))
        self.check(["lib/b.o", "lib/c.o"], "2 of 3 objects from PLACE, signature not checked .*",
                   "PLACE: an object has other bytes than its manifest says; 1 is built here")

    def test_an_object_that_is_not_there_is_built_here(self) -> None:
        del self.server.files[self.address("lib/c.o")]
        self.check(["a.o", "lib/b.o"], "2 of 3 .*", r"PLACE: not there \(HTTP 404\); 1 is built here")

    def test_a_truncated_object_is_built_here(self) -> None:
        address = self.address("a.o")
        data = self.server.files[address]
        self.server.files[address] = lambda handler: send(handler, data[:5], len(data))
        self.check(["lib/b.o", "lib/c.o"], "2 of 3 .*", "PLACE: .*(truncated|broke).*; 1 is built here")

    def test_a_truncated_manifest_refuses_the_place(self) -> None:
        address = "/place/lab-builds/manifest.json"
        data = self.server.files[address]
        self.server.files[address] = lambda handler: send(handler, data[:50], len(data))
        self.check([], "PLACE: .*(truncated|broke).*; 3 are built here")
        self.server.files[address] = data[:50]
        self.check([], "PLACE: its manifest cannot be read; 3 are built here")

    def test_a_key_with_the_object_of_another_is_refused(self) -> None:
        def swap(objects: dict[str, list[Any]]) -> None:
            objects[key_of("a.o")], objects[key_of("lib/b.o")] = objects[key_of("lib/b.o")], objects[key_of("a.o")]

        self.rewrite(swap)
        self.check(["lib/c.o"], "1 of 3 .*", "PLACE: its manifest gives the key of .* to .*; 2 are built here")

    def test_an_object_that_unpacks_to_something_else_is_refused(self) -> None:
        for data in (b"no zlib", zlib.compress(b"other"), zlib.compress(OBJECTS["a.o"]) + b"more",
                     zlib.compress(OBJECTS["a.o"])[:-4]):
            with self.subTest(data):
                stored = hashlib.sha256(data).hexdigest()
                self.server.files[f"/place/lab-builds/objects/{stored[:2]}/{stored}"] = data
                self.rewrite(lambda objects: objects[key_of("a.o")].__setitem__(slice(0, 2), [stored, len(data)]))
                self.check(["lib/b.o", "lib/c.o"], "2 of 3 .*", "PLACE: an object (is no|unpacks to) .*; 1 is built here")

    def test_a_huge_object_is_not_unpacked(self) -> None:
        with mock.patch.object(places, "MOST_OBJECT_BYTES", 700):
            self.check([], "PLACE: an object unpacks to .*; 3 are built here")

    def test_a_huge_manifest_refuses_the_place(self) -> None:
        with mock.patch.object(places, "MOST_MANIFEST_BYTES", 100):
            self.check([], "PLACE: expected at most 100 bytes, more came; 3 are built here")

    def test_a_place_that_stalls_is_left(self) -> None:
        ends = threading.Event()
        self.addCleanup(ends.set)
        os.environ["SPM_TIMEOUT"] = "0.3"
        for name in OBJECTS:
            self.server.files[self.address(name)] = lambda handler: ends.wait()
        self.check([], "PLACE: no answer within 0.3 s; 3 are built here")
        self.server.files["/place/lab-builds/manifest.json"] = lambda handler: ends.wait()
        self.check([], "PLACE: no answer within 0.3 s; 3 are built here")

    def test_a_place_that_is_slower_than_building_is_left(self) -> None:
        with mock.patch.object(fetching, "SLOW_S", 0.0):
            names, said = self.fetch(build_s=0)
        self.assertEqual(names, [])
        self.assertRegex(said[-1], "^build cache: PLACE: it sends .*/s, so that building is faster; 3 are built here$")

    def test_a_folder_that_cannot_be_written_is_one_sentence(self) -> None:
        with mock.patch.object(fetching, "_write", side_effect=OSError(28, "No space left on device", "/full")):
            self.check([], r"PLACE: No space left on device \(/full\); 3 are built here")

    def test_the_next_place_has_what_one_lacks(self) -> None:
        del self.server.files[self.address("lib/c.o")]
        folder = f"{self.folder}/second"
        self.publish(folder)
        names, said = self.fetch(self.web, folder, f"{self.folder}/not asked")
        self.assertEqual(names, sorted(OBJECTS))
        self.assertEqual([sentence.split(",")[0] for sentence in said],
                         ["build cache: 2 of 3 objects from PLACE", "build cache: 1 of 3 objects from FOLDER/second",
                          "build cache: PLACE: not there (HTTP 404)"])

    def test_a_word_that_is_no_place_is_wrong_usage(self) -> None:
        with self.assertRaisesRegex(MakeError, "^build cache: expected a folder, or .*, found 'http:/"):
            self.fetch("http:/nowhere")


class Manifests(unittest.TestCase):
    def test_good_ones_are_read_back(self) -> None:
        entries = {"0" * 64: Entry("1" * 64, 5, "2" * 64, "a.o"), "3" * 64: Entry("4" * 64, 1, "5" * 64, "name \"b\".o")}
        self.assertEqual(places.parsed(places.text_of(entries)), entries)
        self.assertEqual(places.parsed(places.text_of({})), {})

    def test_bad_ones_are_refused(self) -> None:
        good = ["1" * 64, 5, "2" * 64, "a.o"]
        bad = [b"", b"[]", b"{}", b'{"schema": 2, "objects": {}}', b'{"schema": 1, "objects": []}', b"[" * 100_000]
        for key, entry in {"0": good, "0" * 64: good[:3], "1" * 64: ["../x", *good[1:]], "2" * 64: [good[0], 0, *good[2:]],
                           "3" * 64: [good[0], True, *good[2:]], "4" * 64: [good[0], 1 << 40, *good[2:]],
                           "5" * 64: [*good[:3], 7], "6" * 64: [*good[:2], "A" * 64, "a.o"]}.items():
            bad.append(json.dumps({"schema": 1, "objects": {key: entry}}).encode())
        for data in bad:
            with self.subTest(data[:80]), self.assertRaises(places.Refused):
                places.parsed(data)


if __name__ == "__main__":
    unittest.main()
