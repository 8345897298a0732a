"""A user who may not write in this checkout: what this user makes lies elsewhere, and what is built is used as it is."""

import errno
import os

from harness.make import paths
from harness.make.console import print_line

COPY = "only what is built can be used here; for more, copy the checkout: cp -r"


def prepare() -> None:
    """Tells the processes of a verb where such a user has results (harness/base/layout.h)."""
    if not os.access(paths.ROOT, os.W_OK):
        os.environ["LAB_WORK"] = paths.work_dir()


def tell(writes: bool) -> None:
    """Tells such a user where results and reports are, if the verb `writes` some, and what cannot be read."""
    if os.access(paths.ROOT, os.W_OK):
        return
    places = [place for place in map(paths.place_for, ("results", "reports"))
              if not place.startswith(paths.ROOT + os.sep)]
    if writes and places:
        print_line(f"you may not write in {paths.ROOT}: what you make is in {' and '.join(places)}")
    if package := paths.unreadable_store():
        print_line(f"you may not read {package}: without the packages there is no pinned Vulkan driver and one layout; "
                   "SPM_STORE=<a folder for all users> is for its owner's build")


def hint_for(error: OSError) -> str:
    """The way out after an error of a file in a checkout where this user may not write; "" for other errors."""
    if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS) or os.access(paths.ROOT, os.W_OK):
        return ""
    inside = os.path.abspath(error.filename or "").startswith((paths.ROOT + os.sep, os.path.realpath(paths.ROOT) + os.sep))
    return COPY if inside else ""
