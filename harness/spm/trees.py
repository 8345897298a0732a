"""Removes folders that contain read-only files and folders."""

import os


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
