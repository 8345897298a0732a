"""A Debian archive for tests: an index signed by generated keys, on the test's own server."""

from __future__ import annotations

import email.utils
import functools
import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any
from harness.spm_testing.server import Server

CHECKERS = tuple(name for name in ("gpgv", "sqv") if shutil.which("gpg") and shutil.which(name))
HAS_GPG, HAS_SQV = "gpgv" in CHECKERS, "sqv" in CHECKERS  # with gpg, which makes the keys


IN_2020 = ("--faked-system-time", "20200601T000000")


def only_programs(folder: str, *names: str) -> str:
    """A PATH with only these programs of this machine."""
    place = f"{folder}/programs-{'-'.join(names)}"
    os.makedirs(place, exist_ok=True)
    for name in names:
        if not os.path.lexists(f"{place}/{name}"):
            os.symlink(shutil.which(name) or name, f"{place}/{name}")
    return place


DATED = time.time() - 86400  # of the indexes
DAY = time.strftime("%Y-%m-%d", time.gmtime(DATED))


def recorded(pin: dict, version: str, signer: str = "") -> dict:
    """A pin with what an update records of its version and index."""
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(DATED))
    return {**pin, "version": version, "index": {"suite": "bookworm", "date": date, "signer": signer}}


class Keys:
    """Signing keys in a GnuPG folder of their own."""

    def __init__(self) -> None:
        self._home = tempfile.mkdtemp(prefix="spm-gpg-")
        self._made: set[str] = set()

    @functools.cache
    def fingerprint(self, name: str) -> str:
        """The fingerprint of the key `name`, which is made first if needed."""
        if name not in self._made:
            self._gpg("--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "never")
        listed = self._gpg("--with-colons", "--list-keys", f"={name}").decode()
        return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))

    def keyring(self, path: str, name: str, armour: bool = False) -> str:
        """Writes the public key to `path`, as gpgv takes it or in ASCII armour."""
        self.fingerprint(name)
        with open(path, "wb") as file:
            file.write(self._gpg(*["--armor"] * armour, "--export", f"={name}"))
        return path

    def sign(self, text: str, *names: str, options: Iterable[str] = ("--clearsign",), digest: str = "SHA256") -> bytes:
        users = [word for name in names for word in ("--local-user", self.fingerprint(name))]
        return self._gpg(*users, "--digest-algo", digest, *options, input=text.encode())

    def make_old(self, name: str, life: str) -> None:
        """Makes the key `name` with a creation time in 2020, valid for `life` from then."""
        self._made.add(name)
        self._gpg(*IN_2020, "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", life)

    def revoke(self, name: str) -> None:
        fingerprint = self.fingerprint(name)
        with open(f"{self._home}/openpgp-revocs.d/{fingerprint}.rev", "rb") as file:
            self._gpg("--import", input=file.read().replace(b":-----BEGIN", b"-----BEGIN"))

    def close(self) -> None:
        subprocess.run(["gpgconf", "--homedir", self._home, "--kill", "all"], check=True)
        while os.path.isdir(self._home):  # the agent removes its sockets when it ends, perhaps meanwhile
            shutil.rmtree(self._home, ignore_errors=True)

    def _gpg(self, *arguments: str, input: bytes = b"") -> bytes:
        command = ["gpg", "--homedir", self._home, "--batch", "--quiet", "--no-tty", *arguments]
        return subprocess.run(command, input=input, capture_output=True, check=True).stdout


def unchecked(text: str) -> bytes:
    """A message that looks signed but has no valid signature."""
    signature = "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n"
    return f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{text}{signature}".encode()


class Archive:
    """One suite with packages for amd64 and arm64 and sources; `publish` puts it below /debian on the server."""

    def __init__(self, server: Server, suite: str = "bookworm") -> None:
        self.server, self.suite = server, suite
        self.base = server.base + "/debian"
        paths = ("binary-amd64/Packages", "binary-arm64/Packages", "source/Sources")
        self.stanzas: dict[str, list[str]] = {path: [] for path in paths}
        self.by_hash = True
        self.compress: dict[str, Callable[[bytes], bytes]] = {".xz": lzma.compress}
        self.fields: dict[str, str | None] = {}  # of InRelease, instead of the defaults; None omits one
        os.environ["SPM_DEBIAN_MIRROR"] = self.base

    def deb(self, name: str, version: str, architecture: str = "amd64") -> dict:
        """A binary package in the index; returns its pin."""
        plain = version.partition(":")[2] or version
        pin = _pin(f"pool/main/{name[0]}/{name}/{name}_{plain}_{architecture}.deb")
        stanza = f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nDescription: words\n .\n more\n"
        stanza += f"Filename: {pin['path']}\nSize: {pin['size']}\nSHA256: {pin['sha256']}\n"
        for each in ("amd64", "arm64") if architecture == "all" else (architecture,):
            self.stanzas[f"binary-{each}/Packages"].append(stanza)
        return pin

    def source(self, name: str, version: str, ending: str = ".orig.tar.gz") -> dict:
        """A source package in the index; returns the pin of its file with that ending."""
        upstream = version.rpartition("-")[0]
        folder = f"pool/main/{name[0]}/{name}"
        pins = [
            _pin(f"{folder}/{name}_{upstream}{ending}"),
            _pin(f"{folder}/{name}_{version}.debian.tar.xz"),
            _pin(f"{folder}/{name}_{version}.dsc"),
        ]
        lines = "".join(f" {pin['sha256']} {pin['size']} {pin['path'].rpartition('/')[2]}\n" for pin in pins)
        self.stanzas["source/Sources"].append(
            f"Package: {name}\nBinary: lib{name}\nVersion: {version}\nChecksums-Sha256:\n{lines}Directory: {folder}\n"
        )
        return pins[0]

    def text(self) -> str:
        """InRelease's text; puts the files that it lists on the server."""
        lines = []
        for path, stanzas in self.stanzas.items():
            data = "\n".join(stanzas).encode()
            for ending, compress in self.compress.items():
                raw = compress(data)
                digest = hashlib.sha256(raw).hexdigest()
                lines.append(f" {digest} {len(raw)} main/{path}{ending}\n")
                folder = f"/debian/dists/{self.suite}/main/{path.rpartition('/')[0]}"
                self.server.files[f"/debian/dists/{self.suite}/main/{path}{ending}"] = raw
                if self.by_hash:
                    self.server.files[f"{folder}/by-hash/SHA256/{digest}"] = raw
        fields = {
            "Origin": "Debian",
            "Suite": "stable",
            "Codename": self.suite,
            "Date": email.utils.formatdate(DATED, usegmt=True),
            "Acquire-By-Hash": "yes" if self.by_hash else None,
            "Architectures": "all amd64 arm64",
            **self.fields,
            "SHA256": "\n" + "".join(lines).rstrip("\n"),
        }
        return "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)

    def publish(self, sign: Callable[..., Any] = unchecked) -> None:
        """Puts all files on the server; `sign` converts the text of InRelease to the signed message."""
        self.server.files[f"/debian/dists/{self.suite}/InRelease"] = sign(self.text())


def in_days(days: float) -> str:
    return email.utils.formatdate(time.time() + 86400 * days, usegmt=True)


def _pin(path: str) -> dict:
    data = path.encode()
    return {"path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
