"""Signatures of requests in AWS's form: "AWS Signature Version 4 for API requests" of its IAM User Guide, in the
form that the "Amazon S3 API Reference" gives under "Authenticating Requests: Using the Authorization Header"."""

import hashlib
import hmac
from urllib.parse import urlsplit

from harness.spm.sources.aws import Credentials

ALGORITHM = "AWS4-HMAC-SHA256"
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


def authorization(
    method: str, address: str, headers: dict[str, str], payload_sha256: str, who: Credentials, region: str, service: str = "s3"
) -> str:
    """The Authorization header of a request without a query, whose path is escaped already.

    All of `headers` are signed, and the host; they hold X-Amz-Date, the time as 20130524T000000Z. `who` is an
    aws.Credentials."""
    parts = urlsplit(address)
    signed = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    signed["host"] = parts.netloc
    names = sorted(signed)
    lines = [method, parts.path or "/", "", *(f"{name}:{signed[name]}" for name in names), "", ";".join(names)]
    request = "\n".join([*lines, payload_sha256])
    time = signed["x-amz-date"]
    scope = f"{time[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join([ALGORITHM, time, scope, hashlib.sha256(request.encode()).hexdigest()])
    digest = f"AWS4{who.secret}".encode()
    for text in (*scope.split("/"), to_sign):
        digest = hmac.digest(digest, text.encode(), "sha256")
    return f"{ALGORITHM} Credential={who.key}/{scope}, SignedHeaders={';'.join(names)}, Signature={digest.hex()}"
