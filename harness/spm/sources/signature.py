"""Checks whether one of Debian's keys has signed a text.

The keys are those in the files that SPM_DEBIAN_KEYRING names, else Debian's own from its package
debian-archive-keyring: a key that apt trusts for another archive must not be accepted for Debian's."""

import base64
import binascii
import glob
import os
import re
import tempfile

from harness.spm.errors import SpmError, USAGE, system_error
from harness.spm.sources import signature_message, signature_programs
from harness.spm.sources.signature_programs import BadSignature, UnknownKey

_PLACES = ("/usr/share/keyrings/debian-archive-*", "/etc/apt/trusted.gpg.d/debian-archive-*")
_ENDINGS = (".gpg", ".pgp", ".asc")
_KEY_HINT = "or name a file with the archive's key in SPM_DEBIAN_KEYRING"
# Header lines, an empty line, the keys in base64, perhaps a checksum.
_ARMOUR = re.compile(
    rb"-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n(.*?)\n(?:=.{4}\r?\n)?-----END PGP", re.S
).findall


class SignedText:
    """A text and the fingerprint of its signer, or '' if the signature was not checked: then `unchecked` is the reason
    and `hint` what the user can do."""

    def __init__(self, text: bytes, signer: str = "", unchecked: str = "", hint: str = "") -> None:
        self.text, self.signer, self.unchecked, self.hint = text, signer, unchecked, hint


def signed_text(message: bytes) -> SignedText:
    """The text of a clear-signed message, exactly as far as its signature covers it; raises BadSignature.

    Without a program to check it, without a signature or with an unknown signer: the text as it is, and the reason."""
    # BadSignature is always an error: a wrong signature is damage or an attack; a missing one proves neither.
    if not signature_message.looks_signed(message):
        return SignedText(message, unchecked="it has no signature", hint="ask another mirror (SPM_DEBIAN_MIRROR)")
    try:
        text, signature = signature_message.split(message)
    except signature_message.Malformed as found:
        raise BadSignature(f"expected one signed message, found {found}") from None
    reason, hint = missing_requirement()
    if reason:
        return SignedText(text, unchecked=reason, hint=hint)
    try:
        return SignedText(text, _signer(text, signature))
    except UnknownKey as unknown:
        return SignedText(
            text,
            unchecked=f"it is signed by a key that is not Debian's as this machine knows it, {unknown}",
            hint=f"update the package debian-archive-keyring, {_KEY_HINT}",
        )


def missing_requirement() -> tuple[str, str]:
    """(what this machine lacks to check a signature, what the user can do); two empty strings if it lacks nothing."""
    if not signature_programs.present():
        return "this machine has neither gpgv nor sqv", "install the package gpgv or sqv"
    if not keyrings():
        return "this machine has no key of Debian's", f"install the package debian-archive-keyring, {_KEY_HINT}"
    return "", ""


def keyrings() -> list[str]:
    """The files with the keys that may sign."""
    named = os.environ.get("SPM_DEBIAN_KEYRING", "")
    if named:
        for path in named.split(":"):
            if not os.path.isfile(path):
                raise SpmError(
                    f"SPM_DEBIAN_KEYRING: expected files of keys, found no file {path}", "correct or unset it", USAGE
                )
        return [os.path.abspath(path) for path in named.split(":")]
    # The folder also has keyrings of withdrawn keys.
    return [
        path
        for place in _PLACES
        for path in sorted(glob.glob(place))
        if path.endswith(_ENDINGS) and "removed" not in os.path.basename(path)
    ]


def _signer(text: bytes, signature: bytes) -> str:
    with tempfile.TemporaryDirectory(prefix="spm-signature-") as folder:
        for name, data in (("text", text), ("signature", signature)):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(data)
        keys = [_binary(path, f"{folder}/{number}.gpg") for number, path in enumerate(keyrings())]
        program = signature_programs.present()
        assert program  # checked by missing_requirement
        return signature_programs.check(*program, keys, f"{folder}/signature", f"{folder}/text")


def _binary(path: str, decoded: str) -> str:
    """The path of a keyring in binary form, which gpgv needs; one in ASCII armour is decoded into the file `decoded`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise system_error("reading a keyring", error) from None
    try:
        keys = b"".join(map(base64.b64decode, _ARMOUR(data)))
    except binascii.Error:
        raise BadSignature(f"expected keys in {path}, found armour that cannot be read") from None
    if not keys:
        return path
    with open(decoded, "wb") as file:
        file.write(keys)
    return decoded
