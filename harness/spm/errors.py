"""Errors: one sentence, a next step and an exit status each."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from harness.spm.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    import difflib
else:
    difflib = late("difflib")

FAILED, USAGE, INTERRUPTED = 1, 2, 130


class SpmError(Exception):
    """`what` names what was expected and what was found; `hint` is the next command; `status` the exit status."""

    def __init__(self, what: str, hint: str = "", status: int = FAILED) -> None:
        super().__init__(what)
        self.what, self.hint, self.status = what, hint, status


class Refused(SpmError):
    """An archive that breaks the rules of unpacking."""

    def __init__(
        self, what: str, hint: str = "the archive is not what packages.json should pin; compare it with its publisher's"
    ) -> None:
        super().__init__(what, hint, USAGE)


class Cancelled(Exception):
    """Raised in a worker whose run has already ended; another thread reports the error."""


def nearest(word: str, words: Iterable[str], similar: float = 0.6) -> str:
    """A suffix for an error about `word`: "; the nearest is '...'" if one of `words` is as `similar`, else ''."""
    return "".join(f"; the nearest is '{near}'" for near in difflib.get_close_matches(word, list(words), 1, similar))


def unknown(kind: str, word: str, words: Iterable[str], hint: str, where: str = "") -> SpmError:
    """The error for an unknown name, with the nearest known name."""
    return SpmError(f"{where}unknown {kind} '{word}'{nearest(word, words)}", hint, USAGE)


# What needs a module that a Python can be built without.
_OPTIONAL = {
    "ssl": "https needs it",
    "lzma": "archives of xz need it",
    "bz2": "archives of bzip2 need it",
    "zlib": "archives of gzip and zip need it",
    "ctypes": "unpacking needs it",
}


def missing_module(error: ModuleNotFoundError) -> SpmError | None:
    """The error for a Python without one of its own modules; None for any other module."""
    name = (error.name or "").lstrip("_").partition(".")[0]
    if name not in _OPTIONAL:
        return None
    return SpmError(
        f"expected a Python with its module {name}, found one that was built without it: {_OPTIONAL[name]}",
        "use the python3 of this system's packages, or build Python again with that library's headers",
    )


_FULL = "python3 make.py spm cache prune --older-than 0d, or free some space, or set SPM_STORE to a larger disk"
_FORBIDDEN = "choose writable folders with --store DIR (or SPM_STORE) and --lib DIR"
NO_ROOM = "raise the limits of processes, threads and memory: ulimit -u, ulimit -v"
_HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _FULL),
    **dict.fromkeys((errno.EAGAIN, errno.ENOMEM), NO_ROOM),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _FORBIDDEN),
    errno.EFBIG: "raise the limit of a file's size (ulimit -f), or set SPM_STORE to a disk that has larger files",
    errno.EMFILE: "raise the limit of open files: ulimit -n",
}


def system_error(doing: str, error: OSError) -> SpmError:
    """An OSError as one sentence, with the hint for its kind."""
    path = error.filename2 or error.filename  # of two, the second is the path being created
    where = f" ({path})" if path else ""
    what = f"{doing}: {error.strerror or error}{where}"
    return SpmError(what, _HINTS.get(error.errno or 0, "python3 make.py spm status"))
