"""The kinds of sources and their fields in packages.json. The module sources/<kind>.py opens a source of that kind."""

_URL = r"https?://[^/?#\s]+(/[^?#\s]*)?"
_HTTP = (_URL, "http:// or https://, a host and a path, without ? and #")
_BUCKET = r"s3://[A-Za-z0-9][A-Za-z0-9._-]+(/[^?#\s]*)?|https?://[^/?#\s]+/[^/?#\s]+(/[^?#\s]*)?"
# An address that git would take for an option or for a command to run is neither of these.
_REPOSITORY = r"(file|https|ssh)://[^?#\s]+|[^-:?#\s][^:?#\s]*"

SUITE = r"(?!\.)[^/\\?#\s]+(/(?!\.)[^/\\?#\s]+)*"

# kind -> the fields that packages.json must give besides `type`, those that it may give, and what its artifacts' paths
# must be besides a path; each as the pattern of the whole value and what that is
FIELDS = {
    "debian": (
        {},
        {
            "suite": (SUITE, "a release's name, like bookworm"),  # for `outdated`; else the source's own name
            "base": (r"(?!)", "none (a debian source takes its address from the machine)"),
        },
        None,
    ),
    "http": ({"base": _HTTP}, {}, None),
    "s3": (
        {"base": (_BUCKET, "s3://bucket/prefix or http(s)://endpoint/bucket/prefix, without ? and #")},
        {"endpoint": _HTTP, "region": (r"[a-z0-9-]+", "a region's name, like eu-central-1")},
        None,
    ),
    "artifactory": ({"base": _HTTP}, {}, None),
    "git": (
        {"base": (_REPOSITORY, "a repository's folder or its file, https or ssh address, without ? and #")},
        {},
        (r"[0-9a-f]{40}([0-9a-f]{24})?", "a commit's 40 or 64 hexadecimal digits (its source is a git repository)"),
    ),
    "file": ({"base": (r"(?s).+", "a folder")}, {}, None),
}
