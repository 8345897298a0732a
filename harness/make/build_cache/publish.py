"""`publish-build PLACE`: puts the objects of a build where other checkouts can fetch them.

Objects go first, then the signature, then the manifest. Entries that others published stay, if this publisher may vouch
for them: what it signs, it signs whole."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from harness.make import build
from harness.make.arguments import Parser
from harness.make.build_cache import record, signing
from harness.make.build_cache.inputs import Inputs
from harness.make.build_cache.place import (
    MANIFEST, MOST_MANIFEST_BYTES, MOST_SIGNATURE_BYTES, Entries, Entry, Manifest, Place, Refused, packed, text_of)
from harness.make.console import MakeError, StatusLine, duration, print_line
from harness.spm import parallel
from harness.spm.formatting import plural, size
from harness.spm.sources.transport import TransferError
from harness.spm.transfer.host_slots import PER_HOST

ATTEMPTS = 3
"""How often the manifest is written if another publisher overwrites it."""


class Published(NamedTuple):
    """How many objects are offered, how many of them were sent with how many bytes, and the names of those that were
    there with other bytes."""

    objects: int
    sent: int
    size: int
    replaced: list[str]


def publish(place: Place, folder: str, inputs: Mapping[str, Inputs], signer: signing.Signer | None,
            keys: Sequence[signing.PublicKey], trust: bool) -> Published:
    """Publishes the objects of the build `folder` that have `inputs`. `keys` and `trust` say which entries stay."""
    try:
        before = _earlier(place, signer, keys, trust)
        new, sent, sent_bytes, replaced = _put_objects(place, folder, inputs, before)
        for _ in range(ATTEMPTS):
            if _put_manifest(place, {**_without(before, new), **new}, signer):
                return Published(len(new), sent, sent_bytes, replaced)
            before = _earlier(place, signer, keys, trust)
    except TransferError as error:
        raise MakeError(f"publishing to {place.name}: {error.reason}", error.hint) from error
    raise MakeError(f"publishing to {place.name}: somebody else writes its manifest at the same time",
                    "publish again, one after the other")


def _earlier(place: Place, signer: signing.Signer | None, keys: Sequence[signing.PublicKey], trust: bool) -> Entries:
    """The entries that stay. An unsigned manifest never replaces a signed one, and a signed one takes over only what is
    signed by one of `keys`, or with `trust` what is not signed."""
    if not signer:
        if place.is_signed():
            raise MakeError(f"publishing to {place.name}: its manifest is signed", "publish with --sign FILE")
        found: Manifest | None = _manifest(place, (), True)
    else:
        found = _manifest(place, keys, trust)
    return found.entries if found else {}


def _manifest(place: Place, keys: Sequence[signing.PublicKey], trust: bool) -> Manifest | None:
    try:
        return place.manifest(keys, trust)
    except Refused as error:
        raise MakeError(f"publishing to {place.name}: {error}",
                        "name the key of its publisher with --cache-key FILE, or publish to an empty place") from error


def _without(before: Entries, new: Entries) -> Entries:
    """The earlier entries; the new ones come after them."""
    return {key: entry for key, entry in before.items() if key not in new}


def _put_objects(place: Place, folder: str, inputs: Mapping[str, Inputs],
                 before: Entries) -> tuple[Entries, int, int, list[str]]:
    """(the entries of all objects, how many were sent, their bytes, the names of those that were there with others)"""
    def put(name: str) -> tuple[Entry, bool]:
        each = inputs[name]
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        entry, stored = packed(data, each.name)
        known = before.get(each.key)
        if known and known.sha256 == entry.sha256:
            return known, False
        place.put_object(entry, stored)
        return entry, True

    found, sent, sent_bytes, replaced = {}, 0, 0, []
    progress = StatusLine()
    for name, (entry, is_new) in parallel.each(put, sorted(inputs), PER_HOST):
        found[inputs[name].key] = entry
        progress.update(f"publish object {len(found)}/{len(inputs)}")
        if is_new:
            sent += 1
            sent_bytes += entry.size
            replaced += [entry.name] if inputs[name].key in before else []
    progress.close()
    return dict(sorted(found.items())), sent, sent_bytes, sorted(replaced)


def _put_manifest(place: Place, entries: Entries, signer: signing.Signer | None) -> bool:
    """Writes the manifest with its signature, unless it is there; whether it is there afterwards."""
    data = text_of(entries)
    if _is_there(place, data) and (not signer or place.read(MANIFEST + signer.suffix, MOST_SIGNATURE_BYTES)):
        return True
    if signer:
        place.put(MANIFEST + signer.suffix, signer.sign(data))
    place.put(MANIFEST, data)
    return _is_there(place, data)


def _is_there(place: Place, data: bytes) -> bool:
    return place.read(MANIFEST, MOST_MANIFEST_BYTES) == data


def main(argv: list[str]) -> int:
    """python3 make.py publish-build PLACE"""
    parser = Parser(prog="make.py publish-build", description="Build, and put the objects where others can fetch them: a "
                                                              "folder, an http address that accepts PUT, or a bucket.")
    parser.add_argument("place", metavar="PLACE")
    parser.add_argument("--sign", metavar="FILE", help="private key of OpenSSH or minisign (default: no signature)")
    build.add_arguments(parser)
    arguments = parser.parse_args(argv)
    options = build.options_from(arguments)
    if options.toolchain != "pinned":
        raise MakeError("publish-build: only objects of the pinned compiler are the same everywhere",
                        "python3 make.py publish-build PLACE", 2)
    signer = signing.Signer(arguments.sign) if arguments.sign else None
    keys = [signing.public_key(path) for path in options.cache.keys] + (signer.public_keys() if signer else [])
    place = Place(arguments.place)
    ready = build.build(options)
    if isinstance(ready, build.FinishedBuild):
        raise MakeError(f"publish-build: you may not write in '{ready.folder}'", build.OWNER_BUILDS)
    started = time.monotonic()
    with ready.alone():
        steps = ready.compile_steps()
        fetched = record.recorded(ready.folder)
        commands = steps.all(())
        # This machine vouches for what it compiled itself.
        inputs = {name: each for name, each in steps.inputs(commands).items() if name not in fetched}
        done = publish(place, ready.folder, inputs, signer, keys, options.cache.trust)
    for name in done.replaced:
        print_line(f"{name}: another build published other bytes under the same key; these replace them")
    left_out = f", {plural(len(fetched), 'fetched one')} left out" if fetched else ""
    signed = f"signed with {arguments.sign}" if signer else "not signed: whoever fetches it needs --trust"
    print_line(f"published {plural(done.objects, 'object')}{left_out} to {place.name}: {done.sent} sent "
               f"({size(done.size)}) in {duration(time.monotonic() - started)}, {signed}")
    return 0
