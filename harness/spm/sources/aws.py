"""Credentials and region for AWS and compatible services, from the environment or from the files of AWS's own tools
(~/.aws/credentials and ~/.aws/config, or AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE).

Not supported: credential_process, single sign-on and the metadata service of cloud machines. For these, set the
variables that `aws configure export-credentials --format env` prints."""

from __future__ import annotations

import configparser
import os
from collections.abc import Callable, Mapping

from harness.spm.sources import Unavailable

DEFAULT_REGION = "us-east-1"


class Credentials:
    """An access key; `token` is '' for one that does not expire."""

    def __init__(self, key: str, secret: str, token: str) -> None:
        self.key, self.secret, self.token = key, secret, token


def credentials() -> Credentials | None:
    """From the environment, else from the profile; None if there are none. Raises Unavailable for an incomplete
    pair."""
    given = _credentials(os.environ, str.upper, "the environment")
    return given or _credentials(_profile(), str, f"the profile '{_profile_name()}'")


def region() -> str:
    names = ("AWS_REGION", "AWS_DEFAULT_REGION")
    return next(filter(None, map(os.environ.get, names)), "") or _profile().get("region") or DEFAULT_REGION


def _credentials(found: Mapping[str, str], spell: Callable[[str], str], where: str) -> Credentials | None:
    key, secret, token = (
        found.get(spell(name), "") for name in ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    )
    if bool(key) != bool(secret):
        missing = spell("aws_secret_access_key" if key else "aws_access_key_id")
        raise Unavailable(f"expected a whole access key in {where}, found no {missing}", f"set {missing} too")
    return Credentials(key, secret, token) if key else None


def _profile_name() -> str:
    return os.environ.get("AWS_PROFILE") or "default"


def _profile() -> dict[str, str]:
    """The profile's fields; the credentials file has priority over the config file."""
    name = _profile_name()
    section = name if name == "default" else f"profile {name}"
    config = _section("AWS_CONFIG_FILE", "config", section)
    secrets = _section("AWS_SHARED_CREDENTIALS_FILE", "credentials", name)
    if config is None and secrets is None and os.environ.get("AWS_PROFILE"):
        raise Unavailable(
            f"expected the profile '{name}' of AWS_PROFILE in ~/.aws/credentials or ~/.aws/config, found none",
            "set AWS_PROFILE to a profile that is there, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )
    return {**(config or {}), **(secrets or {})}


def _section(variable: str, file: str, section: str) -> dict[str, str] | None:
    path = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), ".aws", file)
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError) as error:
        # The error's own text may quote a line of the file.
        raise Unavailable(f"{path} cannot be read ({type(error).__name__})", f"correct {path}") from None
    return dict(parser[section]) if parser.has_section(section) else None
