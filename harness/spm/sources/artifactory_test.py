import hashlib
import os
import tempfile
import unittest
from unittest import mock

from harness.spm.settings import Settings
from harness.spm.sources import open_source
from harness.spm.sources.transport import TransferError
from harness.spm_testing.server import Server, send

# environment ('HERE' is the server's address), the Authorization that it gets
TOKENS = [
    ({}, None),
    ({"SPM_ARTIFACTORY_TOKEN": "t1", "JF_ACCESS_TOKEN": "t2"}, "Bearer t1"),
    ({"JF_ACCESS_TOKEN": "t2", "JFROG_ACCESS_TOKEN": "t3"}, "Bearer t2"),
    ({"JF_ACCESS_TOKEN": "t2", "JF_URL": "HERE"}, "Bearer t2"),
    ({"JF_ACCESS_TOKEN": "t2", "JF_URL": "https://example.org/"}, None),
    (
        {"JF_ACCESS_TOKEN": "t2", "JF_URL": "https://example.org", "JFROG_ACCESS_TOKEN": "t3", "JFROG_URL": "HERE"},
        "Bearer t3",
    ),
]


class ArtifactoryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.seen: list = []
        self.addCleanup(self.server.close)
        fields = {"type": "artifactory", "base": f"{self.server.base}/artifactory/lab"}
        self.source = open_source(fields, Settings(packages="p", lib="l", store="s"))
        self.address = self.source.address("a/b+c.deb")
        self.server.files["/artifactory/lab/a/b+c.deb"] = self.answer

    def answer(self, handler) -> None:
        self.seen.append(handler.headers)
        send(handler, b"good")

    def test_the_token_goes_to_the_server_that_it_is_for(self) -> None:
        for environment, expected in TOKENS:
            environment = {name: value.replace("HERE", self.server.base) for name, value in environment.items()}
            with self.subTest(environment), mock.patch.dict(os.environ, environment, clear=True):
                self.source.open(self.address).close()
                self.assertEqual(self.seen.pop()["Authorization"], expected)

    def test_a_token_that_no_header_takes_is_an_error_that_does_not_show_it(self) -> None:
        for token in ("hunter2\r", "hunter2\nx", "hunter2\u20ac"):
            with self.subTest(token), mock.patch.dict(os.environ, {"SPM_ARTIFACTORY_TOKEN": token}):
                with self.assertRaises(TransferError) as caught:
                    self.source.open(self.address)
                self.assertEqual(
                    caught.exception.reason,
                    "expected a token or key of printable ASCII, found other characters in it (not shown)",
                )
        self.assertEqual(self.seen, [])

    def test_an_upload_carries_its_hash(self) -> None:
        with tempfile.NamedTemporaryFile() as file, mock.patch.dict(os.environ, {"SPM_ARTIFACTORY_TOKEN": "t"}):
            file.write(b"good")
            file.flush()
            digest = hashlib.sha256(b"good").hexdigest()
            self.server.on_put = self.seen.append
            self.source.put(self.address, file.name, digest)
        headers = self.seen.pop()
        self.assertEqual((headers["X-Checksum-Sha256"], headers["Authorization"]), (digest, "Bearer t"))
        self.assertEqual(self.server.files["/artifactory/lab/a/b+c.deb"], b"good")

    def test_a_token_does_not_follow_a_redirect_to_another_host(self) -> None:
        other = Server()
        self.addCleanup(other.close)
        other.files["/x"] = self.answer

        def redirect(handler) -> None:
            handler.send_response(302)
            handler.send_header("Location", f"{other.base}/x")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        self.server.files["/artifactory/lab/a/b+c.deb"] = redirect
        with mock.patch.dict(os.environ, {"SPM_ARTIFACTORY_TOKEN": "t"}):
            self.source.open(self.address).close()
        self.assertIsNone(self.seen.pop()["Authorization"])


if __name__ == "__main__":
    unittest.main()
