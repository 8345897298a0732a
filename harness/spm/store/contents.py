"""What a tree holds: the list beside it in the store (files.json), and how a tree differs from its list.

    { "files":   [[path, mode, size, time, sha256], ...],   time in whole seconds
      "links":   [[path, target], ...],
      "folders": [path, ...] }                              each sorted by path"""

from __future__ import annotations

import hashlib
import os
import stat

FILE, LINK, FOLDER = "file", "link", "folder"
MODE, EXECUTABLE_MODE, FOLDER_MODE = 0o444, 0o555, 0o555


class Node:
    """One path of a tree: `content` is a file's sha256 or a link's target, `owner` the artifact that brought it."""

    __slots__ = ("kind", "owner", "mode", "size", "time", "content")

    def __init__(self, kind, owner, mode=0, size=0, time=0, content=""):
        self.kind, self.owner, self.mode, self.size, self.time, self.content = kind, owner, mode, size, time, content

    def same_as(self, other) -> bool:
        return (self.kind, self.mode, self.size, self.content) == (other.kind, other.mode, other.size, other.content)


def document(nodes: dict[str, Node]) -> dict:
    """files.json of a tree."""
    paths = sorted(nodes)
    files = [(path, nodes[path]) for path in paths if nodes[path].kind == FILE]
    return {
        "files": [[path, node.mode, node.size, node.time, node.content] for path, node in files],
        "links": [[path, nodes[path].content] for path in paths if nodes[path].kind == LINK],
        "folders": [path for path in paths if nodes[path].kind == FOLDER],
    }


def problems(tree: str, expected: dict, deep: bool = False) -> list[str]:
    """How the tree on disk differs from its list, a sentence each, sorted by path; `deep` hashes every file."""
    files = {path: facts for path, *facts in expected["files"]}
    links = dict(expected["links"])
    folders = set(expected["folders"])
    found = []
    pending = [(tree, "")]
    while pending:
        folder, prefix = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = prefix + entry.name
                    facts = files.pop(path, None)
                    if facts:
                        reason = _file_problem(entry, facts, deep)
                    elif path in folders and entry.is_dir(follow_symlinks=False):
                        folders.remove(path)
                        pending.append((entry.path, path + "/"))
                        continue
                    elif path in links and entry.is_symlink():
                        target = links.pop(path)
                        now = os.readlink(entry.path)
                        reason = "" if now == target else f"expected a link to {target}, found one to {now}"
                    else:
                        reason = "expected nothing, or something else, here"
                    if reason:
                        found.append((path, reason))
        except OSError as error:
            found.append((prefix.rstrip("/") or ".", error.strerror or str(error)))
    found += [(path, "is missing") for path in (*files, *links, *folders)]
    return [f"{path}: {reason}" for path, reason in sorted(dict(found).items())]


def _file_problem(entry: os.DirEntry, expected: list, deep: bool) -> str:
    mode, size, time, digest = expected
    facts = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(facts.st_mode):
        return "expected a file, found something else"
    if facts.st_size != size:
        return f"expected {size:,} bytes, found {facts.st_size:,}"
    if (facts.st_mode ^ mode) & 0o111:
        return f"expected mode {mode:o}, found {stat.S_IMODE(facts.st_mode):o}"
    if int(facts.st_mtime) != time:
        return "was changed after it was unpacked"
    if deep:
        with open(entry.path, "rb") as file:
            now = hashlib.file_digest(file, "sha256").hexdigest()
        if now != digest:
            return f"expected sha256 {digest}, found {now}"
    return ""
