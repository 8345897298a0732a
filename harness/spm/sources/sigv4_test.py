import hashlib
import unittest

from harness.spm.sources.aws import Credentials
from harness.spm.sources.sigv4 import EMPTY_SHA256, authorization

UNRESERVED = "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# AWS's "Signature Version 4 Test Suite": name, method, path, headers, signature
SUITE = [
    ("get-vanilla", "GET", "/", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    ("post-vanilla", "POST", "/", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    (
        "get-header-value-trim",
        "GET",
        "/",
        {"My-Header1": " value1", "My-Header2": ' "a   b   c"'},
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    ("get-unreserved", "GET", UNRESERVED, {}, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    ("get-utf8", "GET", "/%E1%88%B4", {}, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
]
# The examples of the "Amazon S3 API Reference": name, method, path, headers, body, signature
S3 = [
    (
        "GET Object",
        "GET",
        "/test.txt",
        {"Range": "bytes=0-9"},
        b"",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
    (
        "PUT Object",
        "PUT",
        "/test%24file.text",
        {"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"},
        b"Welcome to Amazon S3.",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ),
]


class SignatureTest(unittest.TestCase):
    def test_the_test_suite_of_aws_gets_its_signatures(self) -> None:
        for name, method, path, headers, signature in SUITE:
            with self.subTest(name):
                found = authorization(
                    method,
                    "https://example.amazonaws.com" + path,
                    {"X-Amz-Date": "20150830T123600Z", **headers},
                    EMPTY_SHA256,
                    Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""),
                    "us-east-1",
                    "service",
                )
                names = ";".join(sorted(["host", "x-amz-date", *map(str.lower, headers)]))
                self.assertEqual(
                    found,
                    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                    f"SignedHeaders={names}, Signature={signature}",
                )

    def test_the_examples_of_s3_get_their_signatures(self) -> None:
        for name, method, path, headers, body, signature in S3:
            with self.subTest(name):
                digest = hashlib.sha256(body).hexdigest()
                found = authorization(
                    method,
                    "https://examplebucket.s3.amazonaws.com" + path,
                    {"X-Amz-Date": "20130524T000000Z", "X-Amz-Content-Sha256": digest, **headers},
                    digest,
                    Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""),
                    "us-east-1",
                )
                self.assertEqual(found.rpartition("Signature=")[2], signature)


if __name__ == "__main__":
    unittest.main()
