"""Whether a key of Debian's has signed a text, by gpgv.

The keys are those in the files that SPM_DEBIAN_KEYRING names, else Debian's own as its package debian-archive-keyring
brings them: a key that apt trusts for some other archive must not vouch for Debian's."""

from __future__ import annotations

import base64
import glob
import os
import re
import shutil
import subprocess
import tempfile

from harness.spm.errors import SpmError, USAGE

_PLACES = ("/usr/share/keyrings/debian-archive-*", "/etc/apt/trusted.gpg.d/debian-archive-*")
_ENDINGS = (".gpg", ".pgp", ".asc")
_BEGIN, _END = b"-----BEGIN PGP SIGNED MESSAGE-----\n", b"-----BEGIN PGP SIGNATURE-----\n"
_GOOD_HASHES = ("8", "9", "10", "11")  # SHA-2, by OpenPGP's numbers
_TIMEOUT_S = 60
# Header lines, an empty line, the keys in base64, perhaps a checksum.
_ARMOUR = re.compile(
    rb"-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n(.*?)\n(?:=.{4}\r?\n)?-----END PGP", re.S
).findall


class BadSignature(Exception):
    """`reason`: what is wrong with the signature; `hint`: what the user can do."""

    def __init__(self, reason: str, hint: str = ""):
        super().__init__(reason)
        self.reason, self.hint = reason, hint


class Signed:
    """A text and the fingerprint of who signed it; where that was not checked, '' and in `unchecked` the reason."""

    def __init__(self, text: bytes, signer: str = "", unchecked: str = ""):
        self.text, self.signer, self.unchecked = text, signer, unchecked


def signed_text(message: bytes) -> Signed:
    """The text of a clear-signed message, as gpgv reads it; raises BadSignature.

    Without gpgv or a key to check with, the text as it stands, marked as unchecked."""
    # One message and nothing beside it: what no signature covers must not be taken for what one does.
    if not message.startswith(_BEGIN) or message.count(b"-----BEGIN ") != 2 or message.count(b"\n" + _END) != 1:
        raise BadSignature("expected one signed message, found something else")
    keys, program = keyrings(), shutil.which("gpgv")
    if not program or not keys:
        lack = "no gpgv" if not program else "no key of Debian's (package debian-archive-keyring)"
        return Signed(_plain(message), unchecked=f"this machine has {lack}")
    with tempfile.TemporaryDirectory(prefix="spm-gpgv-") as folder:
        return _checked(message, program, keys, folder)


def keyrings() -> list[str]:
    """The files with the keys that may sign."""
    named = os.environ.get("SPM_DEBIAN_KEYRING", "")
    if named:
        for path in named.split(":"):
            if not os.path.isfile(path):
                raise SpmError(
                    f"SPM_DEBIAN_KEYRING: expected files of keys, found no file {path}", "correct or unset it", USAGE
                )
        return named.split(":")
    # What Debian has withdrawn lies beside what it uses.
    return [
        path
        for place in _PLACES
        for path in sorted(glob.glob(place))
        if path.endswith(_ENDINGS) and "removed" not in os.path.basename(path)
    ]


def _checked(message: bytes, program: str, keys: list[str], folder: str) -> Signed:
    with open(f"{folder}/message", "wb") as file:
        file.write(message)
    command = [program, "--homedir", folder, "--status-fd", "1", "--output", f"{folder}/text"]
    for number, path in enumerate(keys):
        command += ["--keyring", _binary(path, f"{folder}/{number}.gpg")]
    try:
        # Its exit status is of no use: it is a failure where one of several signers is unknown.
        result = subprocess.run(
            [*command, f"{folder}/message"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadSignature(f"gpgv did not answer ({error})") from None
    signer = _signer(result.stdout.decode("utf-8", "replace"))
    with open(f"{folder}/text", "rb") as file:
        return Signed(file.read(), signer)


def _signer(status: str) -> str:
    """The fingerprint of the first good signature that gpgv reports; raises BadSignature."""
    good, signer, unknown, other = False, "", "", ""
    for words in (line.split() for line in status.splitlines() if line.startswith("[GNUPG:] ")):
        match words[1:]:
            case ["NEWSIG", *_]:
                good = False
            case ["GOODSIG", *_]:
                good = True
            case ["VALIDSIG", fingerprint, _, _, _, _, _, _, hash_number, *_] if good and not signer:
                signer = fingerprint if hash_number in _GOOD_HASHES else ""
            case ["BADSIG", *_]:
                raise BadSignature("the signature does not fit the text: one of them was changed")
            case ["NO_PUBKEY", key, *_]:
                unknown = key
            case [("EXPKEYSIG" | "REVKEYSIG" | "EXPSIG") as kind, key, *_]:
                other = f"{'revoked' if kind == 'REVKEYSIG' else 'expired'}, by key {key}"
    if signer:
        return signer
    if other:
        raise BadSignature(f"its signature is {other}")
    if unknown:
        raise BadSignature(
            f"it is signed by a key that is not Debian's as this machine knows it, {unknown}",
            "update the package debian-archive-keyring, or name a file with the archive's key in SPM_DEBIAN_KEYRING",
        )
    raise BadSignature("expected a signature that gpgv takes for good, found none")


def _binary(path: str, beside: str) -> str:
    """A keyring as gpgv reads it: one in ASCII armour is decoded into the file `beside`."""
    with open(path, "rb") as file:
        data = file.read()
    blocks = _ARMOUR(data)
    if not blocks:
        return path
    with open(beside, "wb") as file:
        file.write(b"".join(map(base64.b64decode, blocks)))
    return beside


def _plain(message: bytes) -> bytes:
    text = message.split(b"\n\n", 1)[-1].partition(b"\n" + _END)[0]
    return re.sub(rb"(?m)^- ", b"", text)
