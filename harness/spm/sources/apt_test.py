import os
import tempfile
import unittest

from harness.spm.sources import apt

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n'
KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"

# what the test shows, {file below etc/apt: text}, the mirrors found
GOOD = [
    (
        "one line",
        {"sources.list": "deb http://deb.example.org/debian bookworm main\n"},
        ["http://deb.example.org/debian"],
    ),
    (
        "a slash, options, more components and a comment",
        {"sources.list": f"deb [arch=amd64 signed-by={KEY}] https://a.example/debian/ trixie main contrib # ours\n"},
        ["https://a.example/debian"],
    ),
    (
        "a stanza",
        {
            "sources.list.d/debian.sources": "Types: deb\n# once elsewhere\nURIs: http://deb.example.org/debian\n"
            f"Suites: bookworm bookworm-updates\nComponents: main\nSigned-By: {KEY}\n\nTypes: deb\n"
            f"URIs: http://deb.example.org/debian-security\nSuites: bookworm-security\nComponents: main\nSigned-By: {KEY}\n"
        },
        ["http://deb.example.org/debian"],
    ),
    (
        "fields over several lines and in any case",
        {
            "sources.list.d/d.sources": "types: deb deb-src\nuris:\n http://a.example/debian\n"
            " http://b.example/debian\nsuites: stable\ncomponents: main\n"
        },
        ["http://a.example/debian", "http://b.example/debian"],
    ),
    (
        "another path",
        {"sources.list": "deb http://mirror.example/pub/linux/debian sid main\n"},
        ["http://mirror.example/pub/linux/debian"],
    ),
    (
        "a dated archive",
        {"sources.list": "deb http://old.example/archive/debian/20250520T000000Z bookworm main\n"},
        ["http://old.example/archive/debian/20250520T000000Z"],
    ),
    ("a local folder", {"sources.list": "deb file:/srv/debian bookworm main\n"}, ["file:/srv/debian"]),
    (
        "a mirror list",
        {
            "sources.list.d/d.sources": "Types: deb\nURIs: mirror+file:///etc/apt/mirrors/debian.list\nSuites: bookworm\n"
            "Components: main\n",
            "mirrors/debian.list": "# ours\nhttps://a.example/debian\thint\n",
        },
        ["https://a.example/debian"],
    ),
    (
        "the surest first: Debian's key before none",
        {
            "sources.list": "deb http://third.example/debian bookworm main\n",
            "sources.list.d/d.sources": "Types: deb\nURIs: http://deb.example.org/debian\nSuites: "
            f"bookworm\nComponents: main\nSigned-By: {KEY}\n",
        },
        ["http://deb.example.org/debian"],
    ),
    (
        "the plain path before a longer one",
        {
            "sources.list": "deb http://w.example/builds/debian bookworm main\n"
            "deb http://deb.example.org/debian bookworm main\n"
        },
        ["http://deb.example.org/debian"],
    ),
    (
        "the order of the file among equals",
        {
            "sources.list": "deb http://b.example/debian bookworm main\n"
            "deb http://a.example/debian trixie main\ndeb http://b.example/debian sid main\n"
        },
        ["http://b.example/debian", "http://a.example/debian"],
    ),
]

NONE = [
    ("nothing", {}),
    ("another's suite and path", {"sources.list": "deb https://packages.example/apt cloud-bookworm main\n"}),
    ("another's component", {"sources.list": "deb https://d.example/linux/debian bookworm stable\n"}),
    (
        "another's key",
        {"sources.list": "deb [signed-by=/etc/apt/keyrings/other.gpg] https://g.example/debian bookworm main\n"},
    ),
    (
        "another's key in place",
        {
            "sources.list.d/o.sources": "Types: deb\nURIs: https://g.example/debian\nSuites: bookworm\nComponents: main\n"
            "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBF\n -----END PGP PUBLIC KEY BLOCK-----\n"
        },
    ),
    ("a flat archive", {"sources.list": "deb https://g.example/debian ./\n"}),
    ("security updates only", {"sources.list": "deb http://deb.example.org/debian-security bookworm-security main\n"}),
    ("a comment", {"sources.list": "# deb http://deb.example.org/debian bookworm main\n"}),
    ("sources only", {"sources.list": "deb-src http://deb.example.org/debian bookworm main\n"}),
    (
        "a disabled stanza",
        {
            "sources.list.d/d.sources": "Enabled: no\nTypes: deb\nURIs: http://deb.example.org/debian\nSuites: sid\nComponents: main\n"
        },
    ),
    ("a disc", {"sources.list": "deb cdrom:[Debian]/debian bookworm main\n"}),
    ("an address with a secret", {"sources.list": "deb http://me:pw@deb.example.org/debian bookworm main\n"}),
    ("Ubuntu's archive", {"sources.list": "deb http://archive.example/ubuntu noble main\n"}),
    (
        "a file apt would not read",
        {"sources.list.d/debian.list.save": "deb http://deb.example.org/debian bookworm main\n"},
    ),
]


class AptTest(unittest.TestCase):
    def mirrors(self, files: dict, release: str = DEBIAN) -> tuple[list[str], str]:
        with tempfile.TemporaryDirectory() as root:
            for name, text in {"../os-release": release, **{name: text for name, text in files.items()}}.items():
                path = os.path.normpath(f"{root}/etc/apt/{name}")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                os.makedirs(f"{root}/etc/apt", exist_ok=True)
                with open(path, "w") as file:
                    file.write(text)
            return apt.debian_mirrors(root)

    def test_debians_own_entries_are_found(self) -> None:
        for what, files, expected in GOOD:
            with self.subTest(what):
                self.assertEqual(self.mirrors(files)[0], expected)

    def test_all_others_are_not(self) -> None:
        for what, files in NONE:
            with self.subTest(what):
                self.assertEqual(self.mirrors(files), ([], "apt's configuration has no entry of Debian's own"))

    def test_another_distribution_has_none_whatever_its_entries(self) -> None:
        files = {"sources.list": "deb http://deb.example.org/debian bookworm main\n"}
        self.assertEqual(
            self.mirrors(files, 'ID="ubuntu"\nID_LIKE=debian\n')[1], "this machine runs ubuntu, not Debian"
        )
        self.assertEqual(self.mirrors(files, "")[1], "this machine runs an unnamed system, not Debian")


if __name__ == "__main__":
    unittest.main()
