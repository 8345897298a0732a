"""sbom: documents that are valid, say the same for the same pins, and have the licences that packages state.

The formats' own schemas are not in the repository. `problems_of_spdx` and `problems_of_cyclonedx` check what they require:
fields, enumerations, patterns, unique ids and references that lead somewhere."""

import json
import os
import re
import subprocess
from typing import Any
from unittest import main, mock

from harness.spm.sbom import expressions
from harness.spm.settings import ROOT
from harness.spm.store.store import Store
from harness.spm_testing.archives import deb, link, member, tar
from harness.spm_testing.server import refuse
from harness.spm_testing.test_case import PYTHON, SpmTestCase

EXPAT = b"Format: https://example.org/copyright-format/1.0/\n\nFiles: *\nCopyright: 2001 A. Holder\nLicense: Expat\n Do.\n"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").fullmatch
UUID = re.compile(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
PURL = re.compile(r"pkg:[a-z]+(/[A-Za-z0-9.%_~-]+)+@[A-Za-z0-9.:%_~-]+(\?[a-z_]+=[A-Za-z0-9.:/%_~@-]+(&[a-z_]+=[A-Za-z0-9.:/%_~@+-]+)*)?").fullmatch


def problems_of_spdx(document: dict) -> list[str]:
    found: list[str] = []

    def expect(good: object, what: str) -> None:
        found.extend([what] * (not good))

    order = "spdxVersion dataLicense SPDXID name documentNamespace creationInfo packages hasExtractedLicensingInfos relationships"
    expect(list(document) == order.split(), f"fields: {list(document)}")
    expect((document["spdxVersion"], document["dataLicense"], document["SPDXID"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"), "head")
    expect(UUID(document["documentNamespace"]), document["documentNamespace"])
    expect(document["creationInfo"].keys() == {"created", "creators"} and DATE(document["creationInfo"]["created"]), "created")
    expect(all(re.match("(Tool|Person|Organization): ", each) for each in document["creationInfo"]["creators"]), "creators")
    refs = {each["licenseId"] for each in document["hasExtractedLicensingInfos"]}
    expect(len(refs) == len(document["hasExtractedLicensingInfos"]), "a LicenseRef twice")
    for each in document["hasExtractedLicensingInfos"]:
        expect(re.fullmatch("LicenseRef-[A-Za-z0-9.-]+", each["licenseId"]) and each["extractedText"].strip(), each["licenseId"])
        expect(each.keys() == {"licenseId", "name", "extractedText"}, f"{each.keys()}")
    known, used = ["SPDXRef-DOCUMENT"], set()
    for each in document["packages"]:
        known.append(each["SPDXID"])
        required = {"SPDXID", "name", "versionInfo", "downloadLocation", "filesAnalyzed", "licenseConcluded", "licenseDeclared", "copyrightText"}
        optional = {"packageFileName", "supplier", "checksums", "licenseComments", "externalRefs"}
        expect(required <= each.keys() <= required | optional, f"{each.keys()}")
        expect(re.fullmatch("SPDXRef-[A-Za-z0-9.-]+", each["SPDXID"]), each["SPDXID"])
        expect(re.fullmatch(r"NOASSERTION|(git\+)?(https?|ssh)://[^ ]+", each["downloadLocation"]), each["downloadLocation"])
        for field in ("licenseConcluded", "licenseDeclared"):
            expect(each[field] == "NOASSERTION" or expressions.normal(each[field]) == each[field], each[field])
            used.update(expressions.references(each[field]))
        for checksum in each.get("checksums", ()):
            expect(checksum["algorithm"] == "SHA256" and re.fullmatch("[0-9a-f]{64}", checksum["checksumValue"]), f"{checksum}")
        for other in each.get("externalRefs", ()):
            expect((other["referenceCategory"], other["referenceType"]) == ("PACKAGE-MANAGER", "purl"), f"{other}")
            expect(PURL(other["referenceLocator"]), other["referenceLocator"])
    expect(len(set(known)) == len(known), "an SPDXID twice")
    expect(used == refs, f"LicenseRefs used {used}, with a text {refs}")
    for each in document["relationships"]:
        expect(each["relationshipType"] in ("DESCRIBES", "CONTAINS"), each["relationshipType"])
        expect({each["spdxElementId"], each["relatedSpdxElement"]} <= set(known), f"{each}")
    return found


def problems_of_cyclonedx(document: dict) -> list[str]:
    found: list[str] = []

    def expect(good: object, what: str) -> None:
        found.extend([what] * (not good))

    order = "bomFormat specVersion serialNumber version metadata components dependencies"
    expect(list(document) == order.split(), f"fields: {list(document)}")
    expect((document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.5", 1), "head")
    expect(UUID(document["serialNumber"]), document["serialNumber"])
    expect(DATE(document["metadata"].get("timestamp", "2001-01-01T00:00:00Z")), "timestamp")
    known = [document["metadata"]["component"]["bom-ref"]]
    for each in document["components"]:
        known.append(each["bom-ref"])
        required = {"type", "bom-ref", "name", "version"}
        optional = {"supplier", "hashes", "licenses", "purl", "externalReferences", "properties", "evidence"}
        expect(required <= each.keys() <= required | optional and each["type"] == "library", f"{each.keys()}")
        expect(each.get("purl") is None or PURL(each["purl"]), f"{each.get('purl')}")
        for licence in each.get("licenses", ()):
            text = licence.get("expression") or licence["license"]["id"]
            expect(expressions.normal(text) == text and len(each["licenses"]) == 1, text)
            expect(expressions.is_identifier(text) == ("license" in licence), text)
        for licence in each.get("evidence", {}).get("licenses", ()):
            expect(licence["license"].keys() == {"name", "text"} and licence["license"]["text"]["content"], f"{licence}")
        for checksum in each.get("hashes", ()):
            expect(checksum["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", checksum["content"]), f"{checksum}")
        for other in each.get("externalReferences", ()):
            expect(other["type"] in ("vcs", "distribution") and other["url"], f"{other}")
    expect(len(set(known)) == len(known), "a bom-ref twice")
    expect([each["ref"] for each in document["dependencies"]] == known, "dependencies")
    expect({to for each in document["dependencies"] for to in each.get("dependsOn", ())} == set(known[1:]), "dependsOn")
    return found


class SbomTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.sources["stable"] = {"type": "debian"}
        self.sources["old"] = {"type": "debian", "suite": "oldstable"}
        os.environ["SPM_DEBIAN_MIRROR"] = self.server.base

    def debian(self, file_name: str, *members: Any, source: str = "x", suite: str = "stable", **fields: Any) -> dict:
        """A Debian package in the pool."""
        data = deb(*members, member(f"./usr/lib/{file_name}", b"x"))
        return self.serve(f"pool/main/x/{source}/{file_name}", data, **{"sources": [suite], **fields})

    def copyright(self, name: str, text: bytes = EXPAT) -> Any:
        return member(f"./usr/share/doc/{name}/copyright", text)

    def add_all(self) -> None:
        """Packages of every kind."""
        shared = self.debian("libshared1_1.0-1_amd64.deb", self.copyright("libshared1"))
        plus = self.debian("libstdc++6_12~rc1+b1_amd64.deb", self.copyright("libstdc++6", "No format, \u00a9 Jos\u00e9.".encode("latin-1")))
        self.add("c++~1", plus, shared, license="various: each its own", lib="c++~1-12")
        self.add("c--1", plus, shared, license="GPL-2.0+ AND Zlib")
        self.add("old", self.debian("a_1.0-1_all.deb", self.copyright("a"), suite="old"), license="MIT")
        self.add("new", self.debian("a_2.0-1_all.deb", self.copyright("a", EXPAT.replace(b"Expat", b"Zlib"))), license="MIT")
        self.add("bare", self.debian("bare_1_all.deb"), license="MIT")
        self.add("linked", self.debian("b_1_all.deb", link("./usr/share/doc/b", "a")), license="MIT")
        self.add("lost", self.debian("c_1_all.deb", link("./usr/share/doc/c", "c-base")), license="MIT")
        self.add("twin", self.debian("d_1:2_all.deb", source="d", version="1:2"), self.debian("e_1:2_all.deb", self.copyright("e"), source="d"))
        self.add("src", self.serve("s_1.orig.tar.gz", tar(member("s/LICENSE", b"Do it.")), sources=["stable"]), license="MIT")
        self.add("web", self.serve("tool-1.2.tar", tar(member("tool/COPYING", b"Do it."))), groups=["web", "src"], license="MIT")

    def document(self, *arguments: str, err: str = "", status: int = 0) -> dict:
        result = self.spm("sbom", *arguments)
        self.assertEqual((result.status, result.err), (status, err))
        found: dict = json.JSONDecoder().raw_decode(result.out)[0]
        return found

    def declared(self, *arguments: str) -> dict[str, str]:
        """{file: its licence}"""
        found = json.loads(self.spm("sbom", "--quiet", *arguments).out)
        return {each["packageFileName"]: each["licenseDeclared"] for each in found["packages"] if "packageFileName" in each}

    def test_both_formats_are_valid_and_agree(self) -> None:
        self.add_all()
        spdx, cyclonedx = (
            json.loads(self.spm("sbom", "--format", each).out.replace("SERVER", self.server.base)) for each in ("spdx", "cyclonedx")
        )
        self.assertEqual((problems_of_spdx(spdx), problems_of_cyclonedx(cyclonedx)), ([], []))
        purls = [each["externalRefs"][0]["referenceLocator"] for each in spdx["packages"] if "externalRefs" in each]
        self.assertEqual([each["purl"] for each in cyclonedx["components"] if "purl" in each], purls)
        hashes = [each["checksums"][0]["checksumValue"] for each in spdx["packages"] if "checksums" in each]
        self.assertEqual([each["hashes"][0]["content"] for each in cyclonedx["components"] if "hashes" in each], hashes)
        self.assertEqual(len(hashes), 11)

    def test_a_whole_document(self) -> None:
        self.add("a", self.debian("a_1.0~1_all.deb", self.copyright("a", b"Do it.\n")), license="MIT or so")
        sha256 = self.packages["a"]["artifacts"][0]["sha256"]
        platform = self.packages["a"]["platforms"][0]
        found = self.document("a")
        (package, artifact), (extracted,) = found["packages"], found["hasExtractedLicensingInfos"]
        self.assertEqual(found["name"], f"packages.json, a ({platform})")
        self.assertEqual(
            package,
            {
                "SPDXID": package["SPDXID"],
                "name": "a",
                "versionInfo": "1",
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION",
                "licenseDeclared": extracted["licenseId"],
                "licenseComments": "The licence in packages.json: MIT or so",
                "copyrightText": "NOASSERTION",
            },
        )
        purl = "pkg:deb/debian/a@1.0~1?arch=all&distro=stable"
        self.assertEqual(
            artifact,
            {
                "SPDXID": artifact["SPDXID"],
                "name": "a",
                "versionInfo": "1.0~1",
                "packageFileName": "a_1.0~1_all.deb",
                "supplier": "Organization: Debian",
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "checksums": [{"algorithm": "SHA256", "checksumValue": sha256}],
                "licenseConcluded": "NOASSERTION",
                "licenseDeclared": extracted["licenseId"],
                "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
            },
        )
        self.assertEqual(extracted, {"licenseId": extracted["licenseId"], "name": "copyright", "extractedText": "Do it."})
        self.assertRegex(extracted["licenseId"], "^LicenseRef-copyright-[0-9a-f]{12}$")
        self.assertRegex(" ".join((package["SPDXID"], artifact["SPDXID"])), "^SPDXRef-Package-a-[0-9a-f]{12} SPDXRef-Artifact-a-[0-9a-f]{12}$")

    def test_licences_are_those_that_the_packages_state(self) -> None:
        self.add_all()
        found = self.declared()
        text = found.pop("libstdc++6_12~rc1+b1_amd64.deb")
        self.assertRegex(text, "^LicenseRef-copyright-[0-9a-f]{12}$")
        own = {found.pop("s_1.orig.tar.gz"), found.pop("tool-1.2.tar").replace("COPYING", "LICENSE")}
        self.assertEqual((len(own), [each[:18] for each in own]), (1, ["LicenseRef-LICENSE"]))
        expected = {"a_1.0-1_all.deb": "MIT", "a_2.0-1_all.deb": "Zlib", "b_1_all.deb": "Zlib", "bare_1_all.deb": "NOASSERTION"}
        expected |= {"c_1_all.deb": "NOASSERTION", "d_1:2_all.deb": "MIT", "e_1:2_all.deb": "MIT", "libshared1_1.0-1_amd64.deb": "MIT"}
        self.assertEqual(found, expected)
        whole = json.loads(self.spm("sbom", "--quiet").out)
        packages = {each["name"]: each for each in whole["packages"] if "packageFileName" not in each}
        self.assertEqual(packages["c--1"]["licenseConcluded"], "GPL-2.0-or-later AND Zlib")
        self.assertEqual((packages["bare"]["licenseConcluded"], packages["bare"]["licenseDeclared"]), ("MIT", "NOASSERTION"))
        self.assertIn("No format, \u00a9 Jos\u00e9.", [each["extractedText"] for each in whole["hasExtractedLicensingInfos"]])

    def test_what_has_no_licence_is_said(self) -> None:
        self.add_all()
        result = self.spm("sbom")
        lines = [line for line in result.err.splitlines() if "licence" in line]
        self.assertEqual(
            lines,
            [
                "spm: no licence for 1 artifact, which have no licence file: bare_1_all.deb",
                "spm: no licence for 1 artifact, their copyright file is in c-base, which no pin has: c_1_all.deb",
            ],
        )
        self.assertEqual((result.status, self.spm("sbom", "--quiet").err), (0, ""))

    def test_addresses_of_everyone_are_named_and_others_are_not(self) -> None:
        self.sources["git"] = {"type": "git", "base": "https://example.org/r.git"}
        self.sources["disk"] = {"type": "file", "base": self.folder}
        self.add("web", self.serve("d/tool-1.2.tar.xz", tar(member("tool/COPYING", b"Do it."))), license="MIT")
        self.add("disk", self.serve("disk", b"x", sources=["disk"]), license="MIT")
        commit = "0123456789" * 4
        self.add("repo", self.serve(commit, b"y", sources=["git"]), license="MIT")
        found = {each["name"]: each for each in json.loads(self.spm("sbom", "--offline", "--quiet").out)["packages"] if "checksums" in each}
        digests = {name: each["checksums"][0]["checksumValue"] for name, each in found.items()}
        self.assertEqual(
            {name: (each["downloadLocation"], each["externalRefs"][0]["referenceLocator"]) for name, each in found.items()},
            {
                "tool": ("SERVER/d/tool-1.2.tar.xz", f"pkg:generic/tool@1.2?checksum=sha256:{digests['tool']}&download_url=SERVER/d/tool-1.2.tar.xz"),
                "disk": ("NOASSERTION", f"pkg:generic/disk@1?checksum=sha256:{digests['disk']}"),
                "repo": (f"git+https://example.org/r.git@{commit}",
                         f"pkg:generic/repo@{commit}?checksum=sha256:{digests['repo']}&vcs_url=git%2Bhttps://example.org/r.git%40{commit}"),
            },
        )

    def test_the_same_pins_have_the_same_bytes(self) -> None:
        self.add_all()
        first = self.spm("sbom").out
        self.packages = dict(reversed(self.packages.items()))
        self.assertEqual(self.spm("sbom").out, first)
        namespace = json.loads(first)["documentNamespace"]
        self.packages["old"]["license"] = "Zlib"
        self.assertNotEqual(json.loads(self.spm("sbom").out)["documentNamespace"], namespace)

    def test_the_time_is_that_of_the_pins(self) -> None:
        self.add_all()

        def times() -> tuple[str, str]:
            spdx, cyclonedx = (json.loads(self.spm("sbom", "--quiet", "--format", each).out) for each in ("spdx", "cyclonedx"))
            return spdx["creationInfo"]["created"], cyclonedx["metadata"].get("timestamp", "none")

        self.assertEqual(times(), ("1970-01-01T00:00:00Z", "none"))
        for name, date in (("old", "2026-11-20T08:12:00Z"), ("new", "2026-11-21T08:12:00Z")):
            self.packages[name]["artifacts"][0]["index"] = {"suite": "stable", "date": date, "signer": ""}
        self.assertEqual(times(), ("2026-11-21T08:12:00Z",) * 2)
        with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "1000000000"}):
            self.assertEqual(times(), ("2001-09-09T01:46:40Z",) * 2)

    def test_an_install_notes_what_keep_leaves_out(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a"), keep=["usr/lib/*"]), license="MIT")
        self.assertEqual(self.spm("install", "a", "-q").status, 0)
        self.assertFalse(os.path.exists(f"{self.lib}/a-1/usr/share"))
        requests = len(self.server.files)
        self.server.files.clear()
        self.assertEqual((self.declared("a"), requests), ({"a_1_all.deb": "MIT"}, 1))

    def test_what_was_installed_before_is_read_from_its_tree(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a"), strip="usr"), self.serve("b.tar", tar(member("usr/LICENSE", b"b")), strip="usr"))
        self.assertEqual(self.spm("install", "a", "-q").status, 0)
        expected = self.declared("a")
        self.assertEqual(sorted(expected), ["a_1_all.deb", "b.tar"])
        self.server.files.clear()
        for damage in (lambda path: os.truncate(path, 9), lambda path: os.truncate(path, 0), os.unlink):
            for name in os.listdir(f"{self.store}/licences"):
                damage(f"{self.store}/licences/{name}")
            self.assertEqual(self.declared("a"), expected)

    def test_offline_says_what_is_missing(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a")), license="MIT")
        said = "spm: no licence for 1 artifact, which the store lacks: a_1_all.deb; without --offline they are fetched\n"
        found = self.document("a", "--offline", err=said)
        self.assertEqual(problems_of_spdx(found), [])
        self.assertEqual([each["licenseDeclared"] for each in found["packages"]], ["NOASSERTION"] * 2)
        self.assertFalse(os.path.exists(self.store))

    def test_dry_run_names_what_it_would_fetch(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a")), license="MIT")
        size = self.packages["a"]["artifacts"][0]["size"]
        result = self.spm("sbom", "--dry-run")
        self.assertEqual((result.status, result.out, result.err), (0, f"pool/main/x/x/a_1_all.deb {size} B\n", ""))
        self.assertEqual(self.spm("sbom", "--dry-run", "--json").objects()[0]["event"], "would")
        self.assertEqual(self.spm("sbom", "--dry-run", "--offline").out, "")
        self.assertFalse(os.path.exists(self.store))

    def test_a_failure_leaves_the_rest_of_the_document(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a")), self.debian("b_1_all.deb"), license="MIT")
        self.add("c", self.serve("c-1.tar", b"no archive"), license="MIT")
        self.server.files["/pool/main/x/x/b_1_all.deb"] = refuse(404, "No")
        result = self.spm("sbom", "--json")
        self.assertEqual(result.status, 1)
        document, error = (json.loads(line.replace("SERVER", self.server.base)) for line in result.out.splitlines())
        self.assertEqual(problems_of_spdx(document), [])
        self.assertEqual(sorted(each["licenseDeclared"] for each in document["packages"]), ["MIT", *["NOASSERTION"] * 4])
        self.assertIn("sbom: 2 of 3 artifacts could not be read for the licence: could not fetch pool/main/x/x/b_1_all.deb", error["what"])
        self.assertIn("c-1.tar: expected a tar archive", error["what"])
        self.assertEqual(result.err.count("\n"), 2)
        self.assertEqual(self.left_in_store(), [])

    def test_a_store_that_cannot_be_written(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a")), license="MIT")
        with mock.patch.object(Store, "writable", return_value=False):
            self.assertEqual(self.declared("a"), {"a_1_all.deb": "MIT"})
        self.assertFalse(os.path.exists(f"{self.store}/archives"))

    def test_a_store_behind_another_is_read(self) -> None:
        self.add("a", self.debian("a_1_all.deb", self.copyright("a"), keep=["usr/lib/*"]), license="MIT")
        self.spm("install", "a", "-q")
        self.store = f"{self.folder}/front:{self.store}"
        self.server.files.clear()
        self.assertEqual(self.declared("a"), {"a_1_all.deb": "MIT"})

    def test_names_are_those_of_packages_and_groups(self) -> None:
        self.add_all()
        self.assertEqual(list(self.declared("web")), ["tool-1.2.tar"])
        self.assertEqual(list(self.declared("src")), ["s_1.orig.tar.gz", "tool-1.2.tar"])  # a package and a group
        self.assertEqual(list(self.declared("web", "old", "web")), ["a_1.0-1_all.deb", "tool-1.2.tar"])

    def test_mistakes_are_one_error(self) -> None:
        self.add_all()
        for arguments, what in {
            ("wed",): "sbom: unknown package or group 'wed'; the nearest is 'web'",
            ("--format", "spdy"): "sbom: --format expects spdx or cyclonedx, found 'spdy'; the nearest is 'spdx'",
            ("--format", "SPDX"): "sbom: --format expects spdx or cyclonedx, found 'SPDX'",
        }.items():
            result = self.spm("sbom", *arguments)
            self.assertEqual((result.status, result.out, result.err.splitlines()[0]), (2, "", f"spm: error: {what}"))
        result = self.spm("sbom", "-p", "linux-aarch64" if "linux-x86_64" in self.packages["old"]["platforms"] else "linux-x86_64")
        self.assertRegex(result.err, "^spm: error: sbom: expected packages for linux-[a-z0-9_]+, found none in FOLDER/packages.json\nhint: ")
        self.assertEqual((result.status, result.out), (2, ""))
        for text in ("x", "-1", "1.5", "253402300800", "9" * 5000, "\u0664"):
            with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": text}):
                result = self.spm("sbom")
            what = f"SOURCE_DATE_EPOCH: expected seconds since 1970, up to 253402300799, found '{text[:40]}'"
            self.assertEqual((result.status, result.err), (2, f"spm: error: {what}\nhint: correct or unset SOURCE_DATE_EPOCH\n"))

    def test_standard_output_may_be_closed_and_is_ascii(self) -> None:
        self.add_all()
        self.assertTrue(self.spm("sbom").out.isascii())
        command = " ".join([*PYTHON, f"{ROOT}/make.py", "spm", *self.arguments("sbom", "--offline", "-q")])
        for script in (f"{command} | head -c 10", f"{command} >&-"):
            result = subprocess.run(["bash", "-o", "pipefail", "-c", script], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""), script)


if __name__ == "__main__":
    main()
