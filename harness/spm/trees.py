"""Removes folders that contain read-only files and folders, and temporary ones whatever is left in them."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """A new folder, removed at the end; what cannot be removed stays (ignore_cleanup_errors of Python 3.10)."""
    folder = tempfile.mkdtemp(prefix=prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove(path: str) -> None:
    """Removes a folder and everything below. A missing folder is fine; of a link only the link itself is removed."""
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
