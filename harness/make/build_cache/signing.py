"""Signatures of manifests: OpenSSH's, in the namespace lab-builds, or minisign's. Their own programs make and check
them. minisign is pinned, for machines that have neither."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import NamedTuple

from harness.make import pinned, toolchain
from harness.make.console import MakeError

NAMESPACE = "lab-builds"
SUFFIXES = {"ssh": ".sig", "minisign": ".minisig"}
"""How the file of a signature is named: that of the manifest, and this."""

PROGRAMS = {"ssh": "ssh-keygen", "minisign": "minisign"}
GROUP = "signatures"
"""The group of packages.json with minisign. It is installed only where its program is missing and a key of it is named."""

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


class _Program(NamedTuple):
    path: str
    environment: dict[str, str] | None = None


def _program(kind: str) -> _Program:
    """The program for a kind of signature; MakeError if it is missing and cannot be fetched."""
    if found := shutil.which(PROGRAMS[kind]):
        return _Program(found)
    if kind == "ssh":
        raise MakeError("a signature of OpenSSH needs the program ssh-keygen, which is not on the PATH",
                        "install it (Debian's package openssh-client), or use a key of minisign, which is then fetched")
    toolchain.check_machines_libc("the pinned minisign", "install minisign, or use a key of OpenSSH")
    folder = pinned.install((GROUP,), quiet=True)["minisign"]
    libraries = toolchain.library_path(os.path.join(folder, "lib", toolchain.TRIPLE))
    return _Program(os.path.join(folder, "bin", "minisign"), {**os.environ, **libraries})


def is_signed(data: bytes, signature: bytes, key: PublicKey) -> bool:
    """Whether `signature` is one of `data` by `key`; MakeError if the program for it is missing."""
    with tempfile.TemporaryDirectory() as folder:
        signed, signers = os.path.join(folder, "manifest"), os.path.join(folder, "signers")
        _write(signed, data)
        _write(signed + ".sig", signature)
        if key.kind == "minisign":
            return _accepts("minisign", ["-Vq", "-m", signed, "-x", signed + ".sig", "-P", key.line], b"")
        _write(signers, f'{_SIGNER} namespaces="{NAMESPACE}" {key.line}\n'.encode())
        options = ["-Y", "verify", "-f", signers, "-I", _SIGNER, "-n", NAMESPACE, "-s", signed + ".sig"]
        return _accepts("ssh", options, data)


class Signer:
    """A private key file, as `--sign` names it."""

    def __init__(self, path: str) -> None:
        first = _text(path, "--sign").partition("\n")[0]
        self._path = path
        self.kind = next((kind for begin, kind in _PRIVATE.items() if first.startswith(begin)), "")
        if not self.kind:
            raise MakeError(f"--sign: expected a private key of OpenSSH or minisign, found none in '{path}'",
                            "ssh-keygen -t ed25519 -f farm makes farm, to sign with, and farm.pub", 2)
        self._program = _program(self.kind)
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
                options = ["-q", "-Y", "sign", "-f", self._path, "-n", NAMESPACE, path]
            else:
                options = ["-S", "-m", path, "-x", path + self.suffix, "-s", self._path]
            done = subprocess.run([self._program.path, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, errors="replace", env=self._program.environment, check=False)
            if done.returncode != 0:
                said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
                raise MakeError(f"signing with '{self._path}' failed: {PROGRAMS[self.kind]} says: {said}")
            with open(path + self.suffix, "rb") as file:
                return file.read()


def _accepts(kind: str, options: list[str], data: bytes) -> bool:
    """Whether the program of a kind of signature ends well, with `data` on its standard input."""
    program = _program(kind)
    try:
        done = subprocess.run([program.path, *options], input=data, capture_output=True, timeout=_TIMEOUT_S,
                              env=program.environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise MakeError(f"{PROGRAMS[kind]} did not answer within {_TIMEOUT_S} s") from error
    return done.returncode == 0


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
