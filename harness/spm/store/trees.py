"""Removing folders whose files and folders are read-only."""

from __future__ import annotations

import os


def remove(path: str) -> None:
    """Removes a folder and everything below; no folder is fine, and so is a link, of which only the link goes."""
    try:
        os.unlink(path)
        return
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        pass  # the kernel's two ways to say that it is a folder
    os.chmod(path, 0o700)
    with os.scandir(path) as entries:
        below = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for each, folder in below:
        if folder:
            remove(each)
        else:
            os.unlink(each)
    os.rmdir(path)
