"""A bucket of Amazon S3 or of a compatible server.

`base` is s3://bucket/prefix, on AWS or at `endpoint` (AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL come before it), or
http(s)://endpoint/bucket/prefix. Requests are signed with the credentials of aws.py; without any they are not, which
is enough for a public bucket. The region is the bucket's: `region` in packages.json comes before the machine's own."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from harness.spm.settings import Settings
from harness.spm.sources import aws, sigv4, Source, transport
from harness.spm.sources.transport import TransferError

_CREDENTIALS_HINT = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile of ~/.aws/credentials"
# code of S3's error -> what it means, the user's next step
_MEANINGS = {
    "NoSuchKey": ("no such object", ""),
    "NoSuchBucket": ("no such bucket", "correct `base` in packages.json, or make the bucket"),
    "InvalidAccessKeyId": ("the server does not know the access key id", _CREDENTIALS_HINT),
    "SignatureDoesNotMatch": ("the secret access key is not that of the access key id", _CREDENTIALS_HINT),
    "ExpiredToken": ("the session token has expired", "get new credentials and set AWS_SESSION_TOKEN with them"),
    "InvalidToken": ("the session token is not valid", "get new credentials and set AWS_SESSION_TOKEN with them"),
    "RequestTimeTooSkewed": ("this machine's clock differs too much from the server's", "set this machine's clock"),
    "EntityTooLarge": ("the file is larger than one upload may be", "publish it in parts"),
}
_REGION_HINT = "give the source in packages.json that `region`, or set AWS_REGION"
_REGION_CODES = ("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException")
# S3 reports slow connections and bytes that changed on the way with status 400.
_TEMPORARY_CODES = ("RequestTimeout", "BadDigest", "XAmzContentSHA256Mismatch", "SlowDown", "InternalError")
# These do not tell whether the object exists.
_CREDENTIAL_CODES = (
    "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "RequestTimeTooSkewed"
)


def open_source(fields: dict, settings: Settings) -> S3Source:
    return S3Source(fields, settings.offline)


class S3Source(Source):
    def __init__(self, fields: dict, offline: bool) -> None:
        self._fields, self._offline = fields, offline
        self._found: tuple | None = None

    def address(self, path: str) -> str:
        # Servers disagree on a bare '+'; escaped, it means the same to all.
        return f"{self._place()[0]}/{quote(path, safe='/~')}"

    def open(self, address: str, offset: int = 0, validator: str = "") -> transport.Body:
        headers = self._signed("GET", address, sigv4.EMPTY_SHA256, {})
        try:
            return transport.open_address(address, self._offline, offset, validator, headers)
        except TransferError as error:
            raise self._explained(error) from None

    def put(self, address: str, path: str, sha256: str, advanced: Callable[[int], None] | None = None) -> None:
        headers = self._signed("PUT", address, sha256, {"Content-Type": transport.BINARY})
        try:
            transport.put_file(address, path, self._offline, headers, advanced)
        except TransferError as error:
            raise self._explained(error) from None

    def _place(self) -> tuple[str, str, aws.Credentials | None]:
        """(address of the prefix, region, credentials)"""
        if self._found is None:
            region = self._fields.get("region") or aws.region()
            self._found = _prefix(self._fields, region), region, aws.credentials()
        return self._found

    def _signed(self, method: str, address: str, sha256: str, headers: dict[str, str]) -> dict[str, str]:
        _, region, who = self._place()
        if who is None:
            return headers
        headers = {
            **headers,
            "X-Amz-Date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()),
            "X-Amz-Content-Sha256": sha256,
            **({"X-Amz-Security-Token": who.token} if who.token else {}),
        }
        headers["Authorization"] = sigv4.authorization(method, address, headers, sha256, who, region)
        return headers

    def _explained(self, error: TransferError) -> TransferError:
        """The error with the reason from S3's response."""
        code = _element(error.answer, "Code")
        _, region, who = self._place()
        reason, hint = _MEANINGS.get(code, (error.reason, error.hint))
        if code == "AccessDenied":
            reason = "access denied" if who else "access denied to a request without credentials"
            hint = "" if who else _CREDENTIALS_HINT
        if code in _REGION_CODES:
            there = _element(error.answer, "Region") or _element(error.answer, "Endpoint") or "another one"
            reason, hint = f"expected the bucket in region {region}, it is in {there}", _REGION_HINT
        return TransferError(
            f"{reason} ({code})" if code else reason,
            error.passing or code in _TEMPORARY_CODES,
            error.host,
            hint,
            401 if code in _CREDENTIAL_CODES else error.status,
        )


def _prefix(fields: dict, region: str) -> str:
    base = fields["base"].rstrip("/")
    scheme, _, rest = base.partition("://")
    if scheme != "s3":
        return _without_default_port(base)
    bucket, slash, prefix = rest.partition("/")
    below = quote(slash + prefix, safe="/~")
    variables = [name for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") if os.environ.get(name)]
    given = transport.base_address(os.environ[variables[0]], variables[0]) if variables else ""
    endpoint = given or fields.get("endpoint")
    if endpoint:
        return f"{_without_default_port(endpoint.rstrip('/'))}/{bucket}{below}"
    host = f"s3.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
    # The certificate of *.s3 covers no further dots.
    return f"https://{host}/{bucket}{below}" if "." in bucket else f"https://{bucket}.{host}{below}"


def _without_default_port(address: str) -> str:
    """An address whose host is written as in the request's Host header, which is signed."""
    parts = urlsplit(address)
    port = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return parts._replace(netloc=parts.netloc.removesuffix(port)).geturl() if port else address


def _element(answer: bytes, name: str) -> str:
    """The text of an element of S3's error; a pattern is enough for so flat a document."""
    found = re.search(rf"<{name}>([\w.-]{{1,100}})</{name}>".encode(), answer)
    return found.group(1).decode() if found else ""
