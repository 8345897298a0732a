import copy
import json
import unittest
from typing import Any

from harness.spm.errors import SpmError, USAGE
from harness.spm.pins import manifest
from harness.spm.settings import ROOT

SHA = "0" * 64
GOOD: dict[str, Any] = {
    "schema": 1,
    "sources": {
        "bookworm": {"type": "debian"},
        "own": {"type": "http", "base": "https://example.org/artifacts"},
        "disk": {"type": "file", "base": "third_party"},
        "bucket": {"type": "s3", "base": "s3://lab/x", "endpoint": "http://example.org:9000", "region": "eu-west-1"},
        "minio": {"type": "s3", "base": "https://example.org/lab/x"},
        "jfrog": {"type": "artifactory", "base": "https://example.org/artifactory/lab"},
        "code": {"type": "git", "base": "ssh://git@example.org/code.git"},
    },
    "packages": {
        "benchmark": {
            "groups": ["harness"],
            "platforms": ["linux-x86_64"],
            "lib": "benchmark-1.7.1",
            "license": "Apache-2.0",
            "artifacts": [
                {
                    "sources": ["own", "bookworm"],
                    "path": "pool/b/b_1.7.1+ds~1-1_amd64.deb",
                    "size": 5,
                    "sha256": SHA,
                    "platforms": ["linux-x86_64"],
                    "strip": "usr",
                    "keep": ["usr/include/**"],
                }
            ],
        }
    },
}
PACKAGE, ARTIFACT = "packages.benchmark", "packages.benchmark.artifacts[0]"
OTHER = copy.deepcopy(GOOD["packages"]["benchmark"])

# where to write, what to write there (... deletes), the whole complaint
BAD = [
    ("schema", 2, "schema: expected 1, found 2"),
    ("schema", True, "schema: expected 1, found true"),
    ("schema", ..., "the file: expected the field 'schema', found none"),
    ("package", {}, "the file.package: expected a known field, found 'package'; the nearest is 'packages'"),
    ("sources", [], "sources: expected an object, found []"),
    ("sources.own", "x", 'sources.own: expected an object, found "x"'),
    (
        "sources.own.type",
        "htp",
        "sources.own.type: expected one of debian, http, s3, artifactory, git, file, found \"htp\"; the nearest is 'http'",
    ),
    ("sources.own.type", ..., "sources.own.type: expected one of debian, http, s3, artifactory, git, file, found none"),
    ("sources.own.base", ..., "sources.own: expected the field 'base', found none"),
    (
        "sources.own.base",
        "ftp://example.org",
        'sources.own.base: expected http:// or https://, a host and a path, without ? and #, found "ftp://example.org"',
    ),
    (
        "sources.own.base",
        "https://example.org/a?sig=1",
        'sources.own.base: expected http:// or https://, a host and a path, without ? and #, found "https://example.org/a?sig=1"',
    ),
    ("sources.disk.base", "", 'sources.disk.base: expected a folder, found ""'),
    ("sources.disk.base", 3, "sources.disk.base: expected a folder, found 3"),
    (
        "sources.bucket.base",
        "s3://",
        "sources.bucket.base: expected s3://bucket/prefix or http(s)://endpoint/bucket/prefix, without ? and #, "
        'found "s3://"',
    ),
    (
        "sources.minio.base",
        "https://example.org/lab?X-Amz-Signature=1",
        "sources.minio.base: expected s3://bucket/prefix or http(s)://endpoint/bucket/prefix, without ? and #, "
        'found "https://example.org/lab?X-Amz-Signature=1"',
    ),
    (
        "sources.bucket.endpoint",
        "example.org",
        "sources.bucket.endpoint: expected http:// or https://, a host and a path, without ? and #, "
        'found "example.org"',
    ),
    (
        "sources.bucket.region",
        "Frankfurt",
        'sources.bucket.region: expected a region\'s name, like eu-central-1, found "Frankfurt"',
    ),
    (
        "sources.bucket.regon",
        "eu-west-1",
        "sources.bucket.regon: expected a known field, found 'regon'; the nearest is 'region'",
    ),
    *(
        (
            "sources.code.base",
            base,
            "sources.code.base: expected a repository's folder or its file, https or ssh address, without ? and #, "
            f'found "{base}"',
        )
        for base in ("ext::sh -c x", "-uother", "--upload-pack=x", "git@example.org:code", "http://example.org/x", "")
    ),
    (
        f"{ARTIFACT}.sources",
        ["own", "code"],
        f"{ARTIFACT}.path: expected a commit's 40 or 64 hexadecimal digits (its source is a git repository), "
        'found "pool/b/b_1.7.1+ds~1-1_amd64.deb"',
    ),
    (
        "sources.code.base",
        "ssh://git:word@example.org/code.git",
        "sources.code.base: expected no secret in a public file, found a user or key inside the text",
    ),
    (
        "sources.bookworm.suite",
        "/bookworm",
        'sources.bookworm.suite: expected a release\'s name, like bookworm, found "/bookworm"',
    ),
    (
        "sources.bookworm.base",
        "http://example.org/debian",
        "sources.bookworm.base: expected none (a debian source takes its address "
        'from the machine), found "http://example.org/debian"',
    ),
    (
        "sources.own.base",
        "https://me:pw@example.org/",
        "sources.own.base: expected no secret in a public file, found a user or key inside the text",
    ),
    (
        "sources.own.base",
        "https://token@example.org/",
        "sources.own.base: expected no secret in a public file, found a user or key inside the text",
    ),
    ("sources.own.password", "x", "sources.own.password: expected no secret in a public file, found a field for one"),
    (
        "sources.own.secret-access-key",
        "x",
        "sources.own.secret-access-key: expected no secret in a public file, found a field for one",
    ),
    (f"{ARTIFACT}.api_key", "x", f"{ARTIFACT}.api_key: expected no secret in a public file, found a field for one"),
    (
        f"{PACKAGE}.note",
        "AKIAABCDEFGHIJKLMNOP",
        f"{PACKAGE}.note: expected no secret in a public file, found a user or key inside the text",
    ),
    (
        f"{ARTIFACT}.keep",
        ["-----BEGIN RSA PRIVATE KEY-----"],
        f"{ARTIFACT}.keep[0]: expected no secret in a public file, found a user or " "key inside the text",
    ),
    ("packages", [], "packages: expected an object, found []"),
    ("packages.a/b", OTHER, 'packages: expected a package\'s name of letters, digits and . _ + ~ -, found "a/b"'),
    (
        "packages.other",
        OTHER,
        "packages.other.lib: expected a folder of its own, found that of 'benchmark': benchmark-1.7.1",
    ),
    (PACKAGE, 3, f"{PACKAGE}: expected an object, found 3"),
    (f"{PACKAGE}.groups", ..., f"{PACKAGE}: expected the field 'groups', found none"),
    (f"{PACKAGE}.groups", [], f"{PACKAGE}.groups: expected a list of group names, found []"),
    (f"{PACKAGE}.groups", ["a", "a"], f"{PACKAGE}.groups[1]: expected each once, found 'a' twice"),
    (f"{PACKAGE}.groups", ["--all"], f'{PACKAGE}.groups[0]: expected letters, digits and . _ + ~ -, found "--all"'),
    (
        f"{PACKAGE}.platforms",
        ["linux-x86"],
        f"{PACKAGE}.platforms[0]: expected one of linux-x86_64, linux-aarch64, any, found 'linux-x86'; "
        "the nearest is 'linux-x86_64'",
    ),
    (f"{PACKAGE}.platforms", ["any"], f"{PACKAGE}.artifacts: expected an artifact for linux-aarch64, found none"),
    (
        f"{PACKAGE}.lib",
        "../x",
        f"{PACKAGE}.lib: expected a folder's name of letters, digits and . _ + ~ - that is no platform's, found \"../x\"",
    ),
    (
        f"{PACKAGE}.lib",
        "linux-aarch64",
        f"{PACKAGE}.lib: expected a folder's name of letters, digits and . _ + ~ - that is no platform's, "
        'found "linux-aarch64"',
    ),
    (f"{PACKAGE}.license", "", f'{PACKAGE}.license: expected a licence\'s name, found ""'),
    (
        f"{PACKAGE}.licence",
        "MIT",
        f"{PACKAGE}.licence: expected a known field, found 'licence'; the nearest is 'license'",
    ),
    (f"{PACKAGE}.artifacts", [], f"{PACKAGE}.artifacts: expected a list of artifacts, found []"),
    (
        f"{PACKAGE}.artifacts",
        OTHER["artifacts"] * 2,
        f"{PACKAGE}.artifacts[1]: expected another artifact, found artifacts[0] again",
    ),
    (
        f"{ARTIFACT}.sources",
        ["bookwrm"],
        f"{ARTIFACT}.sources[0]: expected a name of 'sources', found 'bookwrm'; the nearest is 'bookworm'",
    ),
    (
        f"{ARTIFACT}.path",
        "../../etc/passwd",
        f"{ARTIFACT}.path: expected a path below the source's base without '.', '..', '//' or a leading '/', found \"../../etc/passwd\"",
    ),
    (f"{ARTIFACT}.path", "a?b", f'{ARTIFACT}.path: expected a path without blanks, ? and #, found "a?b"'),
    (f"{ARTIFACT}.size", 0, f"{ARTIFACT}.size: expected a size in bytes above 0, found 0"),
    (f"{ARTIFACT}.size", True, f"{ARTIFACT}.size: expected a size in bytes above 0, found true"),
    (f"{ARTIFACT}.size", float("nan"), f"{ARTIFACT}.size: expected a size in bytes above 0, found NaN"),
    (
        f"{ARTIFACT}.size",
        10**400,
        f"{ARTIFACT}.size: expected a size in bytes that a disk can hold, found 1{'0' * 56}...",
    ),
    *(
        (
            "sources.own.base",
            base,
            f'sources.own.base: expected http:// or https://, a host and a path, without ? and #, found "{base}"',
        )
        for base in ("http://[::1", "http://[x]/", "http://a]/")
    ),
    ("sources.disk.base", "a\0b", 'sources.disk.base: expected whole characters other than NUL, found "a\\u0000b"'),
    (f"{ARTIFACT}.path", "\ud800", f'{ARTIFACT}.path: expected whole characters other than NUL, found "\\ud800"'),
    (
        "sources.own.base",
        "http://host:port/a",
        "sources.own.base: expected http:// or https://, a host and a path, without ? and #, found "
        '"http://host:port/a"',
    ),
    (
        f"{PACKAGE}.note",
        "glpat-" + "x" * 20,
        f"{PACKAGE}.note: expected no secret in a public file, found a user or key inside the text",
    ),
    (f"{ARTIFACT}.size", "5", f'{ARTIFACT}.size: expected a size in bytes above 0, found "5"'),
    (
        f"{ARTIFACT}.sha256",
        "A" * 64,
        f"{ARTIFACT}.sha256: expected 64 hexadecimal digits in lower case, found \"{'A' * 56}...",
    ),
    (
        f"{ARTIFACT}.strip",
        "/usr",
        f"{ARTIFACT}.strip: expected a folder's path inside the archive without '.', '..', '//' or a leading "
        "'/', found \"/usr\"",
    ),
    (f"{ARTIFACT}.stirp", "usr", f"{ARTIFACT}.stirp: expected a known field, found 'stirp'; the nearest is 'strip'"),
    *(
        (
            f"{ARTIFACT}.unsigned",
            value,
            f"{ARTIFACT}.unsigned: expected true or no such field, found {json.dumps(value)}",
        )
        for value in (False, 1, "true", None)
    ),
    (
        f"{ARTIFACT}.unsigend",
        True,
        f"{ARTIFACT}.unsigend: expected a known field, found 'unsigend'; the nearest is 'unsigned'",
    ),
    (f"{ARTIFACT}.keep", "usr", f'{ARTIFACT}.keep: expected a list of patterns, found "usr"'),
    (f"{ARTIFACT}.keep", [], f"{ARTIFACT}.keep: expected a list of patterns, found []"),
    (
        f"{ARTIFACT}.keep",
        ["/usr/**"],
        f"{ARTIFACT}.keep[0]: expected a pattern of paths inside the archive without '.', '..', '//' or a "
        "leading '/', found \"/usr/**\"",
    ),
]


def altered(place: str, value):
    document = copy.deepcopy(GOOD)
    at: Any = document
    *steps, last = place.replace("[0]", "").split(".")
    for step in steps:
        at = at[step]
        at = at[0] if type(at) is list else at
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return document


def complaint(text: str) -> SpmError:
    try:
        manifest.parse(text, "p.json")
    except SpmError as error:
        return error
    raise AssertionError(f"accepted: {text}")


class ManifestTest(unittest.TestCase):
    def version(self, **changes) -> str:
        document = copy.deepcopy(GOOD)
        document["packages"]["benchmark"]["artifacts"][0].update(changes)
        return manifest.parse(json.dumps(document)).packages["benchmark"].version("linux-x86_64")

    def test_the_pins_of_this_checkout_are_good(self) -> None:
        self.assertIn("toolchain", manifest.load(f"{ROOT}/packages.json").groups())

    def test_each_mistake_gets_one_line_with_its_place(self) -> None:
        for place, value, expected in BAD:
            with self.subTest(place=place, value=value):
                error = complaint(json.dumps(altered(place, value)))
                self.assertEqual(error.what, f"p.json: {expected}")
                self.assertEqual(error.status, USAGE)

    def test_text_that_is_no_json_is_located(self) -> None:
        self.assertEqual(
            complaint('{"schema": 1,\n "sources": }').what,
            "p.json: line 2 column 13: expected JSON, found: Expecting value",
        )
        self.assertEqual(
            complaint('{"schema": 1, "schema": 1}').what,
            "p.json: 'schema': expected each name once in an object, found it twice",
        )
        for text in ("9" * 5000, "[" * 100_000):
            self.assertEqual(
                complaint(text).what,
                "p.json: the file: expected JSON, found a number or a nesting beyond the limits",
            )
        self.assertEqual(complaint("[]").what, "p.json: the file: expected an object, found []")

    def test_a_secret_cannot_hide_behind_an_escape(self) -> None:
        text = json.dumps(altered("sources.own.base", "https://me:pw@example.org/")).replace("@", "\\u0040")
        self.assertIn("sources.own.base: expected no secret", complaint(text).what)

    def test_a_pin_may_be_recorded_as_unsigned(self) -> None:
        def unsigned(document) -> bool:
            return manifest.parse(json.dumps(document)).packages["benchmark"].artifacts[0].unsigned

        self.assertIs(unsigned(altered(f"{ARTIFACT}.unsigned", True)), True)
        self.assertIs(unsigned(GOOD), False)

    def test_further_fields_are_welcome(self) -> None:
        manifest.parse(json.dumps(altered(f"{PACKAGE}.homepage", "https://example.org")))
        manifest.parse(json.dumps(altered(f"{ARTIFACT}.unpacked_bytes", 7)))

    def test_a_version_never_changes_for_the_same_pins(self) -> None:
        # The store of every user is named after this; see RULES before changing it.
        self.assertEqual(self.version(), "d8818532e27854b718a6efac56e1c4837257bac928d92c97098f2b1479298557")

    def test_a_version_follows_whatever_changes_the_tree(self) -> None:
        versions = {
            self.version(),
            self.version(sha256="1" * 64),
            self.version(strip="usr/include"),
            self.version(keep=["usr/**"]),
        }
        self.assertEqual(len(versions), 4)

    def test_a_version_ignores_what_does_not(self) -> None:
        same = {self.version(), self.version(sources=["own"]), self.version(path="elsewhere"), self.version(size=6)}
        self.assertEqual(len(same | {self.version(unsigned=True)}), 1)
        self.assertEqual(self.version(keep=["a", "b"]), self.version(keep=["b", "a"]))

    def test_artifacts_for_another_platform_do_not_count(self) -> None:
        document = copy.deepcopy(GOOD)
        document["packages"]["benchmark"]["platforms"].append("linux-aarch64")
        document["packages"]["benchmark"]["artifacts"].append(
            dict(OTHER["artifacts"][0], sha256="1" * 64, platforms=["linux-aarch64"])
        )
        package = manifest.parse(json.dumps(document)).packages["benchmark"]
        self.assertEqual(package.version("linux-x86_64"), self.version())
        self.assertEqual([each.sha256 for each in package.artifacts_for("linux-aarch64")], ["1" * 64])

    def test_a_file_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(SpmError, "^/nowhere/p.json: expected a file, found none$"):
            manifest.load("/nowhere/p.json")


if __name__ == "__main__":
    unittest.main()
