"""pin ADDRESS [NAME]: fetches an archive once and prints the entry of packages.json that pins it.

The source is the one of packages.json whose base the address begins with, else a new one, which is printed too. The
bytes are those of one download: compare the hash with the publisher's."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from typing import Any

from harness.spm import formatting, sources
from harness.spm.errors import SpmError, system_error, USAGE
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Manifest
from harness.spm.settings import Settings
from harness.spm.sources import reading, Source, transport
from harness.spm.sources.transport import TransferError
from harness.spm.verbs import new_pin, table

_HELP = "python3 make.py spm pin --help"
_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9+~]*(?:[-_.][A-Za-z][A-Za-z0-9+~]*)*?)[-_.]v?\d").match
_KINDS = ("http", "s3", "artifactory", "file")


def run(command: Command, settings: Settings) -> int:
    if len(command.names) > 2:
        raise SpmError(f"pin: expected ADDRESS [NAME], found {len(command.names)} names", _HELP, USAGE)
    address = command.names[0] if "://" in command.names[0] else transport.file_address(os.path.abspath(command.names[0]))
    file_name = address.rpartition("/")[2]
    named = _NAMED(file_name)
    name = command.names[1] if len(command.names) == 2 else named[1] if named else ""
    if not name:
        raise SpmError(f"pin: expected a name, found none in '{file_name}'", "python3 make.py spm pin ADDRESS NAME", USAGE)
    manifest = manifests.load(settings.packages)
    source_name, fields, path = _source_of(address, manifest)
    added = {} if source_name in manifest.sources else {source_name: fields}
    source = sources.open_source(fields, settings)
    try:
        with tempfile.TemporaryDirectory(prefix="spm-pin-") as scratch:
            archive = f"{scratch}/archive"
            size, digest = reading.with_retries(lambda: _fetched(source, source.address(path), archive))
            artifact = {"sources": [source_name], "path": path, "size": size, "sha256": digest}
            new_pin.check_unpacks(archive, f"pin {file_name}", artifact, f"{scratch}/tree")
    except OSError as error:
        raise system_error(f"pin {transport.shown(address)}", error) from None
    except sources.Unavailable as error:
        raise SpmError(f"pin {transport.shown(address)}: {error.reason}", error.hint) from None
    except TransferError as error:
        raise SpmError(f"pin {transport.shown(address)}: {error.reason}", error.hint or "check the address") from None
    platform = command.options.get("--platform")
    entry = new_pin.entry(manifest, name, platform, artifact, added)
    if not settings.quiet and not settings.json:
        table.print_note(f"{formatting.size(size)} with sha256 {digest}: compare it with the publisher's")
    printed: dict[str, Any] = {"packages": {name: entry}}
    if added:
        printed = {"sources": added, **printed}
    print(json.dumps(printed, indent=None if settings.json else 2))
    return 0


def _source_of(address: str, manifest: Manifest) -> tuple[str, dict, str]:
    """(name, fields, path of the artifact): of the source with the longest base, else a new one."""
    best: tuple[str, dict, str] | None = None
    for name, fields in manifest.sources.items():
        base = fields.get("base", "")
        if fields["type"] in _KINDS and "endpoint" not in fields:
            known = transport.file_address(os.path.abspath(base)) if fields["type"] == "file" else base
            path = address.removeprefix(known.rstrip("/") + "/")
            if path != address and (best is None or len(path) < len(best[2])):
                best = name, fields, path
    if best:
        return best
    base, _, path = address.rpartition("/")
    if address.startswith("file://"):
        return _unused("files", manifest), {"type": "file", "base": transport.file_path(base)}, transport.file_path(f"/{path}")[1:]
    kind = "s3" if address.startswith("s3://") else "http"
    host = base.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
    return _unused(re.sub("[^A-Za-z0-9.-]", "-", host) or kind, manifest), {"type": kind, "base": base}, path


def _unused(name: str, manifest: Manifest) -> str:
    names = [name, *(f"{name}-{number}" for number in range(2, len(manifest.sources) + 3))]
    return next(each for each in names if each not in manifest.sources)


def _fetched(source: Source, address: str, path: str) -> tuple[int, str]:
    """(size, sha256) of the file at `address`, written to `path`."""
    digest, done = hashlib.sha256(), 0
    with contextlib.closing(source.open(address)) as body, open(path, "wb") as file:
        while piece := body.read(1 << 18):
            digest.update(piece)
            file.write(piece)
            done += len(piece)
    if body.length not in (None, done):
        raise TransferError(f"truncated: {done:,} of {body.length:,} bytes", passing=True)
    return done, digest.hexdigest()
