"""A place of fetched objects: a folder, a web server or a bucket, as spm's mirrors are.

    <place>/lab-builds/objects/<first two digits>/<sha256>   an object, compressed
    <place>/lab-builds/manifest.json                          {key: the object's entry}
    <place>/lab-builds/manifest.json.sig or .minisig          the manifest's signature

Objects are under their own hash, so only the manifest says what is right, and only it is signed."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.make import paths
from harness.make.build_cache import signing
from harness.make.console import MakeError
from harness.spm.errors import SpmError
from harness.spm.settings import Settings
from harness.spm.sources import reading, transport
from harness.spm.sources.mirror import Mirror, source_at
from harness.spm.sources.transport import TransferError
from harness.spm.transfer import upload

SCHEMA = 1
MANIFEST = "manifest.json"
MOST_ENTRIES = 40_000
MOST_MANIFEST_BYTES = 32 << 20
MOST_OBJECT_BYTES = 64 << 20
MOST_SIGNATURE_BYTES = 1 << 16
SECOND_LOOK_S = 0.5
_SHA256 = re.compile("[0-9a-f]{64}")
_ABSENT = (404, 410)


class Entry(NamedTuple):
    """An object at a place: hash and size of the compressed file, the object's hash, and its name (Inputs.name)."""

    stored: str
    size: int
    sha256: str
    name: str


Entries = dict[str, Entry]
"""{key: Entry}, in the order in which they were published."""


class Refused(Exception):
    """A place is not used; the text is the reason."""


class Manifest(NamedTuple):
    """`signer` is the name of the key that signed it; "" if nobody checked."""

    entries: Entries
    signer: str


class Place:
    """One place. Nothing is retried, because what does not come is built here."""

    def __init__(self, base: str) -> None:
        settings = Settings(packages=paths.PACKAGES, quiet=True)
        below = f"{base.rstrip('/')}/lab-builds"
        try:
            self._top = source_at(below, settings, "build cache")
            self._objects = Mirror(f"{below}/objects", settings)
        except SpmError as error:
            raise MakeError(error.what, error.hint, error.status) from error
        self.name = transport.shown(base) if "://" in base else base

    def object(self, entry: Entry, advanced: Callable[[int], Any] = lambda size: None) -> bytes:
        """The object of an entry; raises TransferError if the right bytes do not come."""
        data = reading.read(self._objects, self._objects.address(entry.stored), entry.size, 1, advanced)
        return unpacked(data, entry)

    def put_object(self, entry: Entry, data: bytes) -> None:
        """Puts the compressed object there, unless it is there with its size; raises TransferError."""
        address = self._objects.address(entry.stored)
        if not upload.holds(self._objects, [address], entry.size):
            with tempfile.NamedTemporaryFile() as file:
                file.write(data)
                file.flush()
                upload.put(self._objects, address, file.name, entry.size, entry.stored)

    def read(self, name: str, most: int) -> bytes | None:
        """A file beside the objects; None if it is not there. Raises TransferError."""
        try:
            return bytes(reading.read(self._top, self._top.address(name), most, 1))
        except TransferError as error:
            if error.status in _ABSENT:
                return None
            raise

    def put(self, name: str, data: bytes) -> None:
        """Puts a file beside the objects; raises TransferError."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            upload.put(self._top, self._top.address(name), file.name, len(data), digest(data))

    def manifest(self, keys: Sequence[signing.PublicKey], trust: bool) -> Manifest | None:
        """The manifest, None if nothing was published there. Raises Refused if it is not acceptable: it must be signed
        by one of `keys`. With `trust` one without a signature is accepted, and without keys any."""
        if not keys and not trust:
            raise Refused("no key is named that its signature should be of (--cache-key FILE), nor --trust")
        try:
            try:
                return self._manifest(keys, trust)
            except Refused:  # perhaps read while somebody published
                time.sleep(SECOND_LOOK_S)
                return self._manifest(keys, trust)
        except TransferError as error:
            raise Refused(error.reason) from error

    def _manifest(self, keys: Sequence[signing.PublicKey], trust: bool) -> Manifest | None:
        data = self.read(MANIFEST, MOST_MANIFEST_BYTES)
        if data is None:
            return None
        signer = self._signer(data, keys, trust)
        return Manifest(parsed(data), signer)

    def _signer(self, data: bytes, keys: Sequence[signing.PublicKey], trust: bool) -> str:
        found = False
        for key in keys:
            signature = self.read(MANIFEST + signing.SUFFIXES[key.kind], MOST_SIGNATURE_BYTES)
            found = found or signature is not None
            if signature is not None and signing.is_signed(data, signature, key):
                return key.name
        names = " or ".join(key.name for key in keys)
        if found:
            raise Refused(f"its manifest has no valid signature of {names}")
        if not trust:
            raise Refused(f"its manifest has no signature, which {names} should have made (--trust accepts that)")
        return ""

    def is_signed(self) -> bool:
        """Whether there is a signature of any kind; raises TransferError."""
        return any(self.read(MANIFEST + suffix, MOST_SIGNATURE_BYTES) is not None
                   for suffix in signing.SUFFIXES.values())


def digest(data: bytes) -> str:
    """The sha256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def packed(data: bytes, name: str) -> tuple[Entry, bytes]:
    """The entry of an object, and what is stored of it."""
    stored = zlib.compress(data, 6)
    return Entry(digest(stored), len(stored), digest(data), name), stored


def unpacked(stored: bytes, entry: Entry) -> bytes:
    """The object of an entry from what is stored of it; raises TransferError for wrong bytes."""
    if digest(stored) != entry.stored:
        raise TransferError("an object has other bytes than its manifest says")
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(stored, MOST_OBJECT_BYTES + 1)
    except zlib.error as error:
        raise TransferError("an object is no zlib stream") from error
    if len(data) > MOST_OBJECT_BYTES or not inflater.eof or inflater.unused_data or digest(data) != entry.sha256:
        raise TransferError("an object unpacks to other bytes than its manifest says")
    return data


def text_of(entries: Mapping[str, Entry]) -> bytes:
    """The manifest's bytes, with the newest entries of all that it may have."""
    newest = list(entries.items())[-MOST_ENTRIES:]
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(list(entry))}" for key, entry in newest)
    return f'{{"schema": {SCHEMA}, "objects": {{\n{lines}\n}}}}\n'.encode()


def parsed(data: bytes) -> Entries:
    """The entries of a manifest; raises Refused if it has another form."""
    try:
        found = json.loads(data)
        if found["schema"] != SCHEMA:
            raise Refused(f"its manifest has schema {found['schema']!r}, this checkout reads {SCHEMA}")
        entries = {key: Entry(*fields) for key, fields in found["objects"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Refused("its manifest cannot be read") from error
    if len(entries) > MOST_ENTRIES or not all(_is_valid(key, entry) for key, entry in entries.items()):
        raise Refused("its manifest cannot be read")
    return entries


def _is_valid(key: str, entry: Entry) -> bool:
    return all(isinstance(each, str) and _SHA256.fullmatch(each) for each in (key, entry.stored, entry.sha256)) and \
        type(entry.size) is int and 0 < entry.size <= MOST_OBJECT_BYTES and isinstance(entry.name, str)
