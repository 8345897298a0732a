"""publish DIR NAME: packs a folder, uploads it to a source of packages.json, and prints the entry to put there.

The archive's name contains its hash, so a published archive never changes and the same folder is uploaded only once.
With --to and a git source the arguments are COMMIT NAME: nothing is uploaded, and the entry pins the commit's
archive."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from typing import Any

from harness.spm import formatting, parallel, sources
from harness.spm.errors import SpmError, system_error, USAGE
from harness.spm.hashing import sha256_of
from harness.spm.options import Command
from harness.spm.pins import manifest as manifests
from harness.spm.pins.manifest import Manifest
from harness.spm.settings import Settings
from harness.spm.sources import pack, Source, transport
from harness.spm.sources.pack import PackMember
from harness.spm.sources.transport import TransferError
from harness.spm.transfer import upload
from harness.spm.verbs import new_pin, table

_HELP = "python3 make.py spm publish --help"


def run(command: Command, settings: Settings) -> int:
    if len(command.names) != 2:
        raise SpmError(f"publish: expected DIR NAME, found {formatting.plural(len(command.names), 'name')}", _HELP, USAGE)
    what, name = command.names
    manifest = manifests.load(settings.packages)
    target = _target(manifest, command.options.get("--to"))
    commit = what if manifest.sources[target]["type"] == "git" else ""
    if not commit and not os.path.isdir(what):
        raise SpmError(f"publish: expected a folder, found none at {what}", _HELP, USAGE)
    source, platform = sources.open_source(manifest.sources[target], settings), command.options.get("--platform")
    # Finds mistakes in the entry before the long work.
    new_pin.entry(manifest, name, platform, _artifact(target, commit, name, 1, "0" * 64))
    try:
        with tempfile.TemporaryDirectory(prefix="spm-publish-") as scratch:
            archive = f"{scratch}/archive"
            if commit:
                _export(source, commit, archive)
            else:
                pack.write_tar_xz(archive, _members(what), _time())
            with open(archive, "rb") as file:
                size, digest = os.fstat(file.fileno()).st_size, sha256_of(file).hexdigest()
            fields = _artifact(target, commit, name, size, digest)
            entry = new_pin.entry(manifest, name, platform, fields)
            new_pin.check_unpacks(archive, f"publish {what}", fields, f"{scratch}/tree")
            summary = f"{formatting.size(size)} of {commit}" if commit else _upload(source, archive, fields, settings)
    except OSError as error:
        raise system_error(f"publish {what}", error) from None
    except sources.Unavailable as error:
        raise SpmError(f"publish with {target}: {error.reason}", error.hint) from None
    except TransferError as error:
        hint = error.hint or f"check that {target} answers here, and takes uploads"
        raise SpmError(f"publish with {target}: {error.reason}", hint) from None
    if not settings.quiet and not settings.json:
        table.print_note(summary)
    print(json.dumps({name: entry}, indent=None if settings.json else 2))
    return 0


def _target(manifest: Manifest, given: str | None) -> Any:
    """The name of the source to upload to."""
    able = [name for name, fields in manifest.sources.items() if fields["type"] in sources.UPLOADS]
    if given is None and len(able) == 1:
        return able[0]
    if given in able or given in manifest.sources and manifest.sources[given]["type"] == "git":
        return given
    if given in manifest.sources:
        kind = manifest.sources[given]["type"]
        what = f"a source that takes uploads ({', '.join(sources.UPLOADS)}), found '{given}', which is {kind}"
    elif given is not None:
        what = f"the name of a source of {manifest.path}, found '{given}'"
    else:
        found = f"{len(able)}: {', '.join(able)}" if able else "none"
        what = f"one source of {manifest.path} that takes uploads ({', '.join(sources.UPLOADS)}), found {found}"
    hint = f"name one with --to: {', '.join(able)}" if able else "add one to `sources`, or see harness/spm/README.md"
    raise SpmError(f"publish: expected {what}", hint, USAGE)


def _artifact(target: str, commit: str, name: str, size: int, sha256: str) -> dict:
    path = commit or f"{name}/{name}-{sha256[:12]}.tar.xz"
    return {"sources": [target], "path": path, "size": size, "sha256": sha256}


def _members(folder: str) -> list[PackMember]:
    members = list(pack.members_of(folder))
    if not members:
        raise SpmError(f"publish: expected files in {folder}, found none", _HELP, USAGE)
    return members


def _time() -> int:
    """The time stamp of all members of the archive: SOURCE_DATE_EPOCH, else 0."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "") or "0"
    if not (text.isascii() and text.isdigit()):
        raise SpmError(f"SOURCE_DATE_EPOCH: expected seconds since 1970, found '{text}'", "unset it", USAGE)
    return int(text)


def _export(source: Any, commit: str, path: str) -> None:
    def export(address: str) -> None:
        with contextlib.closing(source.open(address)) as body, open(path, "wb") as file:
            shutil.copyfileobj(body, file)

    # In a thread, because a wait for git may not notice an interrupt.
    for _ in parallel.each(export, [source.address(commit)], 1, source.cancel):
        pass


def _upload(source: Source, archive: str, fields: dict, settings: Settings) -> str:
    """Uploads the archive and reads it back, unless it already exists; returns a sentence for the user."""
    address = source.address(fields["path"])
    what = f"{formatting.size(fields['size'])} at {transport.shown(address)}"
    if settings.dry_run:
        return f"would publish {what}"
    there = upload.holds(source, [address], fields["size"]) and _digest(source, address) == fields["sha256"]
    if not there:
        upload.put(source, address, archive, fields["size"], fields["sha256"])
        found = _digest(source, address)
        if found != fields["sha256"]:
            raise TransferError(f"expected sha256 {fields['sha256']} after the upload, found {found}")
    return f"{'there already' if there else 'published'}: {what}"


def _digest(source: Source, address: str) -> str:
    digest = hashlib.sha256()
    with contextlib.closing(source.open(address)) as body:
        while piece := body.read(1 << 18):
            digest.update(piece)
    return digest.hexdigest()
