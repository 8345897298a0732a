import hashlib
import os
import tempfile
import unittest
from typing import Any
from unittest import mock

from harness.spm.settings import Settings
from harness.spm.sources import Unavailable, aws, open_source
from harness.spm.sources.transport import TransferError
from harness.spm_testing import s3 as s3_server
from harness.spm_testing.archives import deb, member
from harness.spm_testing.server import Server
from harness.spm_testing.test_case import SpmTestCase, pin

NOTHING = {"AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_CONFIG_FILE": os.devnull}
KEYS = {"AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "SECRET"}
CREDENTIALS = """
[default]
aws_access_key_id = K1
aws_secret_access_key = S1
[work]
aws_access_key_id = K2
aws_secret_access_key = S2
aws_session_token = T2
[half]
aws_access_key_id = K3
"""
CONFIG = """
[default]
region = eu-west-1
[profile work]
region = eu-north-1
aws_access_key_id = other
s3 =
  addressing_style = path
[profile config-only]
aws_access_key_id = K4
aws_secret_access_key = S4
"""

# fields, environment, the address of the artifact 'a/b+c~1.deb'
ADDRESSES = [
    ({"base": "s3://lab/x"}, {}, "https://lab.s3.us-east-1.amazonaws.com/x/a/b%2Bc~1.deb"),
    ({"base": "s3://lab"}, {"AWS_REGION": "cn-north-1"}, "https://lab.s3.cn-north-1.amazonaws.com.cn/a/b%2Bc~1.deb"),
    ({"base": "s3://lab/"}, {"AWS_DEFAULT_REGION": "r1"}, "https://lab.s3.r1.amazonaws.com/a/b%2Bc~1.deb"),
    ({"base": "s3://lab", "region": "r1"}, {"AWS_REGION": "r2"}, "https://lab.s3.r1.amazonaws.com/a/b%2Bc~1.deb"),
    ({"base": "s3://lab.io/x"}, {}, "https://s3.us-east-1.amazonaws.com/lab.io/x/a/b%2Bc~1.deb"),
    ({"base": "s3://lab/x", "endpoint": "http://h:9/"}, {}, "http://h:9/lab/x/a/b%2Bc~1.deb"),
    ({"base": "s3://lab", "endpoint": "http://h"}, {"AWS_ENDPOINT_URL": "http://i"}, "http://i/lab/a/b%2Bc~1.deb"),
    (
        {"base": "s3://lab"},
        {"AWS_ENDPOINT_URL": "http://i", "AWS_ENDPOINT_URL_S3": "https://j:443"},
        "https://j/lab/a/b%2Bc~1.deb",
    ),
    ({"base": "http://h:80/lab/x/"}, {}, "http://h/lab/x/a/b%2Bc~1.deb"),
]

# environment, (key, secret, token) or the complaint
WHO = [
    ({}, ("K1", "S1", "")),
    (KEYS, ("KEY", "SECRET", "")),
    ({**KEYS, "AWS_SESSION_TOKEN": "T", "AWS_PROFILE": "work"}, ("KEY", "SECRET", "T")),
    ({"AWS_PROFILE": "work"}, ("K2", "S2", "T2")),
    ({"AWS_PROFILE": "config-only"}, ("K4", "S4", "")),
    (
        {"AWS_PROFILE": "half"},
        "expected a whole access key in the profile 'half', found no aws_secret_access_key",
    ),
    (
        {"AWS_SECRET_ACCESS_KEY": "x"},
        "expected a whole access key in the environment, found no AWS_ACCESS_KEY_ID",
    ),
    (
        {"AWS_PROFILE": "wrok"},
        "expected the profile 'wrok' of AWS_PROFILE in ~/.aws/credentials or ~/.aws/config, found none",
    ),
]

# status, body, with credentials, (reason, hint's beginning, passing)
ANSWERS = [
    (404, "<Code>NoSuchKey</Code>", True, ("no such object (NoSuchKey)", "", False)),
    (404, "<Code>NoSuchBucket</Code>", True, ("no such bucket (NoSuchBucket)", "correct `base`", False)),
    (403, "<Code>AccessDenied</Code>", True, ("access denied (AccessDenied)", "", False)),
    (
        403,
        "<Code>AccessDenied</Code>",
        False,
        ("access denied to a request without credentials (AccessDenied)", "set AWS_ACCESS_KEY_ID", False),
    ),
    (
        403,
        "<Code>SignatureDoesNotMatch</Code><StringToSign>x</StringToSign>",
        True,
        (
            "the secret access key is not that of the access key id (SignatureDoesNotMatch)",
            "set AWS_ACCESS_KEY_ID",
            False,
        ),
    ),
    (
        403,
        "<Code>RequestTimeTooSkewed</Code>",
        True,
        (
            "this machine's clock differs too much from the server's (RequestTimeTooSkewed)",
            "set this machine's clock",
            False,
        ),
    ),
    (
        301,
        "<Code>PermanentRedirect</Code><Endpoint>lab.s3.eu-west-1.example.org</Endpoint>",
        True,
        (
            "expected the bucket in region us-east-1, it is in lab.s3.eu-west-1.example.org (PermanentRedirect)",
            "give the source in packages.json that `region`",
            False,
        ),
    ),
    (
        400,
        "<Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region>",
        True,
        (
            "expected the bucket in region us-east-1, it is in eu-west-1 (AuthorizationHeaderMalformed)",
            "give the source in packages.json that `region`",
            False,
        ),
    ),
    (400, "<Code>RequestTimeout</Code>", True, ("HTTP 400 Bad Request (RequestTimeout)", "", True)),
    (503, "<Code>SlowDown</Code>", True, ("HTTP 503 Service Unavailable (SlowDown)", "", True)),
    (404, "a proxy's page", True, ("not there (HTTP 404)", "", False)),
]


def source(fields: dict) -> Any:
    return open_source({"type": "s3", **fields}, Settings(packages="packages.json", lib="lib", store="store"))


class AddressTest(unittest.TestCase):
    def test_base_endpoint_and_region_make_the_address(self) -> None:
        for fields, environment, expected in ADDRESSES:
            with self.subTest(fields=fields, environment=environment):
                with mock.patch.dict(os.environ, {**NOTHING, **environment}, clear=True):
                    self.assertEqual(source(fields).address("a/b+c~1.deb"), expected)


class CredentialsTest(unittest.TestCase):
    def test_the_environment_comes_before_the_profile(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            os.mkdir(f"{home}/.aws")
            for name, text in (("credentials", CREDENTIALS), ("config", CONFIG)):
                with open(f"{home}/.aws/{name}", "w") as file:
                    file.write(text)
            for environment, expected in WHO:
                with self.subTest(environment), mock.patch.dict(os.environ, {"HOME": home, **environment}, clear=True):
                    try:
                        who = aws.credentials()
                        assert who
                        found: Any = who.key, who.secret, who.token
                    except Unavailable as error:
                        found = error.reason
                    self.assertEqual(found, expected)
            for environment, expected in (({}, "eu-west-1"), ({"AWS_PROFILE": "work"}, "eu-north-1")):
                with mock.patch.dict(os.environ, {"HOME": home, **environment}, clear=True):
                    self.assertEqual(aws.region(), expected)

    def test_a_file_that_is_none_is_named_and_not_quoted(self) -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("hunter2")
            file.flush()
            with mock.patch.dict(os.environ, {"AWS_SHARED_CREDENTIALS_FILE": file.name}, clear=True):
                with self.assertRaises(Unavailable) as raised:
                    aws.credentials()
            self.assertEqual(raised.exception.reason, f"{file.name} cannot be read (MissingSectionHeaderError)")

    def test_without_credentials_a_request_is_not_signed(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        seen = []
        server.files["/lab/a"] = lambda handler: (seen.append(handler.headers), handler.send_error(404))
        for environment, signed in ((NOTHING, False), ({**NOTHING, **KEYS, "AWS_SESSION_TOKEN": "T"}, True)):
            with mock.patch.dict(os.environ, environment, clear=True), self.assertRaises(TransferError):
                source({"base": f"{server.base}/lab"}).open(f"{server.base}/lab/a", 5)
            headers = seen.pop()
            self.assertEqual(headers["Range"], "bytes=5-")
            names = {name.lower() for name in headers if name.lower().startswith(("x-amz-", "authorization"))}
            every = {"authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"}
            self.assertEqual(names, every if signed else set())


class AnswersTest(unittest.TestCase):
    def test_each_error_of_s3_is_one_clear_reason(self) -> None:
        server = Server()
        self.addCleanup(server.close)
        for status, body, known, expected in ANSWERS:

            def answer(handler, status: int = status, body: str = body) -> None:
                handler.send_response(status)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                handler.wfile.write(body.encode())

            server.files["/lab/a"] = answer
            with self.subTest(status=status, body=body):
                with mock.patch.dict(os.environ, {**NOTHING, **(KEYS if known else {})}, clear=True):
                    with self.assertRaises(TransferError) as raised:
                        source({"base": f"{server.base}/lab"}).open(f"{server.base}/lab/a")
                error = raised.exception
                self.assertEqual((error.reason, error.hint[: len(expected[1]) or None], error.passing), expected)


class RealServerTest(SpmTestCase):
    """s3rver checks signatures; what it takes and gives is S3's own protocol."""

    def setUp(self) -> None:
        super().setUp()
        self.environment = s3_server.environment()
        os.environ.update(self.environment)
        self.base = f"s3://lab/{os.path.basename(self.folder)}"
        self.data = deb(member("./usr/tool", os.urandom(1 << 20)))
        self.sources["main"] = {"type": "s3", "base": self.base}
        self.add("a", pin(self.data, "some_where/a+b~1.deb", strip="usr"))

    def put(self, data: bytes, path: str = "some_where/a+b~1.deb"):
        with open(f"{self.folder}/upload", "wb") as file:
            file.write(data)
        there = source(self.sources["main"])
        there.put(there.address(path), file.name, hashlib.sha256(data).hexdigest())
        return there

    def test_what_was_put_is_installed(self) -> None:
        self.put(self.data)
        result = self.spm("install", "a")
        self.assertEqual((result.status, self.spm("verify", "--deep").status), (0, 0), result.err)

    def test_a_range_is_the_rest_of_the_same_object(self) -> None:
        there = self.put(self.data)
        address = there.address("some_where/a+b~1.deb")
        body = there.open(address)
        validator, length = body.validator, body.length
        body.close()
        body = there.open(address, len(self.data) - 5, validator)
        self.addCleanup(body.close)
        self.assertEqual((length, body.length, body.offset), (len(self.data), len(self.data), len(self.data) - 5))
        self.assertEqual(body.read(100), self.data[-5:])

    def test_a_wrong_secret_is_refused_and_never_shown(self) -> None:
        self.put(self.data)
        os.environ.update(s3_server.environment("hunter2"))
        result = self.spm("install", "a")
        reason = "the secret access key is not that of the access key id (SignatureDoesNotMatch)"
        endpoint = os.environ["AWS_ENDPOINT_URL_S3"]
        path = self.base.removeprefix("s3://").replace(self.folder, "FOLDER")
        self.assertEqual(
            result.err.replace(endpoint, "S3"),
            f"spm: error: could not fetch some_where/a+b~1.deb: main (S3/{path}/some_where/a%2Bb~1.deb): {reason}\n"
            "hint: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile of "
            "~/.aws/credentials\n",
        )
        self.assertEqual(result.status, 1)
        for size in (10, 8 << 20):  # what fits into the socket, and what does not
            with self.assertRaises(TransferError) as raised:
                self.put(bytes(size))
            self.assertEqual(raised.exception.reason, reason)

    def test_an_object_that_is_not_there_is_named(self) -> None:
        result = self.spm("install", "a")
        self.assertIn("no such object (NoSuchKey)", result.err)
        self.assertEqual(result.status, 1)

    def test_a_public_object_needs_no_credentials(self) -> None:
        self.put(self.data)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            del os.environ[name]
        self.assertEqual(self.spm("install", "a").status, 0)


if __name__ == "__main__":
    unittest.main()
