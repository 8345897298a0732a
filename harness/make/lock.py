"""One process at a time in a build folder: a kernel lock, gone with its holder however that ends."""

import contextlib
import fcntl
import os

from harness.make.console import say
from harness.spm import waits


@contextlib.contextmanager
def only_one(path, doing):
    """Holds `path`'s lock; one line names the holder where somebody else has it, then waits."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        if not waits.try_lock(file, fcntl.LOCK_EX):
            file.seek(0)
            say(f"waiting for process {file.read().strip() or 'unknown'}, which is {doing}")
            waits.lock(file, fcntl.LOCK_EX)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield
