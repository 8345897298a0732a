"""The programs that check a detached signature: gpgv, or Sequoia's sqv, the only one on a minimal Debian 13.

Both give the same result, except for an expired key: gpgv refuses it. sqv (and Sequoia's own gpgv) accepts what the key
signed before it expired."""

from __future__ import annotations

import os
import shutil
import subprocess

_GOOD_HASHES = ("8", "9", "10", "11")  # SHA-2, by OpenPGP's numbers
_HASHES = {"1": "MD5", "2": "SHA-1", "3": "RIPEMD-160"}
_TIMEOUT_S = 60


class BadSignature(Exception):
    """The error's text is what is wrong with the signature."""


class UnknownKey(Exception):
    """The signer's key, which is the error's text, is not among the given ones."""


def present() -> tuple[str, str] | None:
    """The name and the path of the program that this machine has; None where it has none."""
    for name in PROGRAMS:
        if path := shutil.which(name):
            return name, os.path.abspath(path)
    return None


def check(name: str, path: str, keyrings: list[str], signature: str, text: str) -> str:
    """The fingerprint of a key of `keyrings` that signed the file `text`; raises BadSignature and UnknownKey."""
    options, signer = PROGRAMS[name]
    command = [path, *options, *(word for each in keyrings for word in ("--keyring", each)), signature, text]
    environment = {**os.environ, "LC_ALL": "C"}
    home = os.path.dirname(signature)  # ignore the user's files
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_S,
            cwd=home,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise BadSignature(f"{name} did not answer within {_TIMEOUT_S} s") from None
    except OSError as error:
        raise BadSignature(f"{path} cannot be run: {error.strerror or error}") from None
    # The output before a crash is incomplete.
    if result.returncode not in (0, 1, 2):
        how = f"signal {-result.returncode}" if result.returncode < 0 else f"status {result.returncode}"
        raise BadSignature(f"{name} ended with {how}")
    return signer(result)


def gpgv_signer(answer: subprocess.CompletedProcess[str]) -> str:
    """The key of the first good signature that gpgv reports by its status lines; raises BadSignature and UnknownKey."""
    good, signer, unknown, other = False, "", "", ""
    for words in (line.split() for line in answer.stdout.splitlines() if line.startswith("[GNUPG:] ")):
        kind, *rest = words[1:] or [""]
        if kind in ("NEWSIG", "GOODSIG"):
            good = kind == "GOODSIG"
        elif kind == "VALIDSIG" and len(rest) == 10 and good and not signer:
            number, key = rest[7], rest[9]
            if number in _GOOD_HASHES:
                signer = key
            else:
                other = f"its signature rests on {_HASHES.get(number, f'hash {number}')}, by key {key}"
        elif kind == "BADSIG":
            raise _changed()
        elif kind == "NO_PUBKEY" and rest:
            unknown = rest[0]
        elif kind in ("EXPKEYSIG", "REVKEYSIG", "EXPSIG") and rest:
            other = f"its signature is {'revoked' if kind == 'REVKEYSIG' else 'expired'}, by key {rest[0]}"
    # Status 2 is a success where one of several signers is unknown.
    if signer and answer.returncode in (0, 2):
        return signer
    if other:
        raise BadSignature(other)
    if unknown:
        raise UnknownKey(unknown)
    raise BadSignature("expected a signature that gpgv accepts, found none")


def sqv_signer(answer: subprocess.CompletedProcess[str]) -> str:
    """The key of the first good signature that sqv names; raises BadSignature and UnknownKey."""
    complaint = " ".join(answer.stderr.split("\n\n")[0].split())
    if "has been manipulated" in complaint:  # it goes on to the next signature
        raise _changed()
    if answer.returncode == 0 and (signers := answer.stdout.split()):
        return signers[0]
    lines = answer.stderr.splitlines()
    if lines and all(line.startswith("Missing key ") for line in lines):
        raise UnknownKey(lines[0].split()[2].rstrip(","))
    raise BadSignature(f"sqv says: {complaint or 'nothing'}")


def _changed() -> BadSignature:
    return BadSignature("the signature does not fit the text: one of them was changed")


# In the order of preference: the options before the keyrings, and the function that reads the output. sqv gets its two
# files without the option that 1.3 has for the first, because 1.1 does not have it.
PROGRAMS = {
    "gpgv": (("--homedir", ".", "--status-fd", "1"), gpgv_signer),
    "sqv": ((), sqv_signer),
}
