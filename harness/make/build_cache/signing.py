"""Signatures of manifests: OpenSSH's, in the namespace lab-builds, or minisign's. Their own programs make and check
them."""

import os
import shutil
import subprocess
import tempfile
from typing import NamedTuple

from harness.make.console import MakeError

NAMESPACE = "lab-builds"
SUFFIXES = {"ssh": ".sig", "minisign": ".minisig"}
"""How the file of a signature is named: that of the manifest, and this."""

PROGRAMS = {"ssh": ("ssh-keygen", "openssh-client"), "minisign": ("minisign", "minisign")}
"""The program of a kind of signature, and Debian's package of it."""

_TIMEOUT_S = 60
_MOST_KEY = 1 << 16
_PRIVATE = {"-----BEGIN OPENSSH PRIVATE KEY-----": "ssh", "untrusted comment:": "minisign"}
_SIGNER = "publisher"


class PublicKey(NamedTuple):
    """A key that the user names. `name` is the file's, without its ending."""

    kind: str
    name: str
    line: str


def public_key(path: str) -> PublicKey:
    """The public key in the file `path`; MakeError if it holds none."""
    lines = [line.strip() for line in _text(path, "--cache-key").splitlines() if line.strip()]
    name = os.path.splitext(os.path.basename(path))[0]
    if lines and lines[0].startswith("untrusted comment:") and len(lines) > 1:
        return PublicKey("minisign", name, lines[1])
    line = next((line for line in lines if not line.startswith("#")), "")
    if len(line.split()) >= 2 and line.startswith(("ssh-", "ecdsa-", "sk-")):
        return PublicKey("ssh", name, line)
    raise MakeError(f"--cache-key: expected a public key of OpenSSH or minisign, found none in '{path}'",
                    "ssh-keygen -t ed25519 -f farm makes farm, to sign with, and farm.pub", 2)


def _text(path: str, option: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_KEY)
    except OSError as error:
        raise MakeError(f"{option} '{path}': {error.strerror}", "name a file that holds a key", 2) from error


def program(kind: str) -> str:
    """The path of the program for a kind of signature; MakeError if this machine lacks it."""
    name, package = PROGRAMS[kind]
    found = shutil.which(name)
    if not found:
        raise MakeError(f"signatures of {kind} need the program {name}, which is not on the PATH",
                        f"install Debian's package {package}, or use a key of the other kind (ssh, minisign)")
    return found


def is_signed(data: bytes, signature: bytes, key: PublicKey) -> bool:
    """Whether `signature` is one of `data` by `key`; MakeError if the program for it is missing."""
    with tempfile.TemporaryDirectory() as folder:
        signed, signers = os.path.join(folder, "manifest"), os.path.join(folder, "signers")
        _write(signed, data)
        _write(signed + ".sig", signature)
        if key.kind == "minisign":
            command = [program("minisign"), "-Vq", "-m", signed, "-x", signed + ".sig", "-P", key.line]
            return _run(command, b"").returncode == 0
        _write(signers, f'{_SIGNER} namespaces="{NAMESPACE}" {key.line}\n'.encode())
        command = [program("ssh"), "-Y", "verify", "-f", signers, "-I", _SIGNER, "-n", NAMESPACE, "-s", signed + ".sig"]
        return _run(command, data).returncode == 0


class Signer:
    """A private key file, as `--sign` names it."""

    def __init__(self, path: str) -> None:
        first = _text(path, "--sign").partition("\n")[0]
        self._path = path
        self.kind = next((kind for begin, kind in _PRIVATE.items() if first.startswith(begin)), "")
        if not self.kind:
            raise MakeError(f"--sign: expected a private key of OpenSSH or minisign, found none in '{path}'",
                            "ssh-keygen -t ed25519 -f farm makes farm, to sign with, and farm.pub", 2)
        self._program = program(self.kind)
        self.suffix = SUFFIXES[self.kind]

    def public_keys(self) -> list[PublicKey]:
        """Its public key, if that lies beside it: FILE.pub, or for minisign FILE with the ending .pub."""
        beside = self._path + ".pub" if self.kind == "ssh" else os.path.splitext(self._path)[0] + ".pub"
        return [public_key(beside)] if os.path.exists(beside) else []

    def sign(self, data: bytes) -> bytes:
        """The signature of `data`. The program asks for the key's password on the terminal, if it has one."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "manifest")
            _write(path, data)
            if self.kind == "ssh":
                command = [self._program, "-q", "-Y", "sign", "-f", self._path, "-n", NAMESPACE, path]
            else:
                command = [self._program, "-S", "-m", path, "-x", path + self.suffix, "-s", self._path]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                  check=False)
            if done.returncode != 0:
                said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
                raise MakeError(f"signing with '{self._path}' failed: {os.path.basename(self._program)} says: {said}")
            with open(path + self.suffix, "rb") as file:
                return file.read()


def _run(command: list[str], data: bytes) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(command, input=data, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise MakeError(f"{command[0]} did not answer within {_TIMEOUT_S} s") from error


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
