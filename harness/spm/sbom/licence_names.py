"""Licences' names: SPDX's identifiers, and Debian's short names (the copyright format 1.0) with the identifiers they mean.

A Debian short name is read as follows, without regard to case:
  - the table NAMES;
  - a name of FAMILIES, a version and perhaps a '+': GPL-2+ is GPL-2.0-or-later, LGPL-2.1 is LGPL-2.1-only;
  - `<name> with <word> exception`, if EXCEPTIONS has the word: GPL-3+ with Bison exception is
    GPL-3.0-or-later WITH Bison-exception-2.2;
  - an SPDX identifier is itself.
Every other name means nothing beyond its own file, and so does one of AMBIGUOUS, unless its text decides
(licence_texts.py): MIT in particular names five texts. Those become LicenseRefs with their text."""

import re

# The identifiers of SPDX's list that are written as they are; those of the other tables are known, too.
IDENTIFIERS = """
0BSD AFL-2.1 AFL-3.0 AGPL-3.0-only AGPL-3.0-or-later Apache-1.0 Apache-1.1 Apache-2.0 APSL-2.0 Artistic-1.0
Artistic-1.0-Perl Artistic-1.0-cl8 Artistic-2.0 Beerware BSD-1-Clause BSD-2-Clause BSD-2-Clause-Patent
BSD-2-Clause-Views BSD-3-Clause BSD-3-Clause-Clear BSD-3-Clause-LBNL BSD-4-Clause BSD-4-Clause-UC BSD-Source-Code
BSL-1.0 BlueOak-1.0.0 blessing bzip2-1.0.6 CC-BY-3.0 CC-BY-4.0 CC-BY-SA-3.0 CC-BY-SA-4.0 CC0-1.0 CDDL-1.0 CDDL-1.1
curl ECL-2.0 EPL-1.0 EPL-2.0 EUPL-1.1 EUPL-1.2 FSFAP FSFUL FSFULLR FTL GFDL-1.1-only GFDL-1.1-or-later GFDL-1.2-only
GFDL-1.2-or-later GFDL-1.3-only GFDL-1.3-or-later GPL-1.0-only GPL-1.0-or-later GPL-2.0-only GPL-2.0-or-later
GPL-3.0-only GPL-3.0-or-later HPND HPND-sell-variant ICU IJG IPL-1.0 ISC JSON LGPL-2.0-only LGPL-2.0-or-later
LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later libpng-2.0 Libpng libtiff LPPL-1.3c MIT MIT-0 MIT-CMU
MPL-1.0 MPL-1.1 MPL-2.0 MS-PL MS-RL MulanPSL-2.0 NCSA NTP OFL-1.0 OFL-1.1 OLDAP-2.8 OpenSSL PHP-3.01 PostgreSQL
PSF-2.0 Python-2.0 QPL-1.0 Ruby SGI-B-2.0 Sleepycat SMLNJ SSH-OpenSSH SunPro TCL Unicode-3.0 Unicode-DFS-2015
Unicode-DFS-2016 Unlicense UPL-1.0 Vim W3C WTFPL X11 Xnet Zend-2.0 Zlib ZPL-2.1 zlib-acknowledgement
""".split()
EXCEPTION_IDENTIFIERS = """
Autoconf-exception-2.0 Autoconf-exception-3.0 Bison-exception-2.2 Bootloader-exception Classpath-exception-2.0
eCos-exception-2.0 Font-exception-2.0 GCC-exception-2.0 GCC-exception-3.1 Libtool-exception Linux-syscall-note
LLVM-exception OCaml-LGPL-linking-exception OpenJDK-assembly-exception-1.0 Qt-GPL-exception-1.0 Texinfo-exception
u-boot-exception-2.0 WxWindows-exception-3.1
""".split()
# Identifiers that SPDX has replaced, but that packages.json may name; they mean what the second says.
DEPRECATED = {
    f"{family}{version}{plus}": f"{family}{version}-{'or-later' if plus else 'only'}"
    for family, versions in {"GPL-": ("1.0", "2.0", "3.0"), "LGPL-": ("2.0", "2.1", "3.0"), "AGPL-": ("3.0",)}.items()
    for version in versions
    for plus in ("", "+")
}

# Debian's short names, in lower case, that are no identifier of SPDX.
NAMES = {
    "apache-1": "Apache-1.0",
    "apache-2": "Apache-2.0",
    "apache-2-llvm-exceptions": "Apache-2.0 WITH LLVM-exception",
    "artistic": "Artistic-1.0-Perl",  # the format's own: the licence of Perl
    "artistic-1": "Artistic-1.0-Perl",
    "artistic-2": "Artistic-2.0",
    "bsd-0-clause": "0BSD",
    "bsd-2": "BSD-2-Clause",
    "bsd2": "BSD-2-Clause",
    "bsd-3": "BSD-3-Clause",
    "bsd3": "BSD-3-Clause",
    "bsd-4": "BSD-4-Clause",
    "boost": "BSL-1.0",
    "boost-1.0": "BSL-1.0",
    "bsl": "BSL-1.0",
    "bsl-1": "BSL-1.0",
    "cc0": "CC0-1.0",
    "cddl": "CDDL-1.0",
    "expat": "MIT",
    "eclipse": "EPL-1.0",
    "ijg": "IJG",
    "mpl-2": "MPL-2.0",
    "openldap-2.8": "OLDAP-2.8",
    "perl": "Artistic-1.0-Perl OR GPL-1.0-or-later",
    "psf-2": "PSF-2.0",
    "python-2": "Python-2.0",
    "sgi-2": "SGI-B-2.0",
    "unlicence": "Unlicense",
    "w3c": "W3C",
}
FAMILIES = ("GPL", "LGPL", "AGPL", "GFDL")
_VERSIONED = re.compile(r"(a?gpl|lgpl|gfdl)-?(?:v\.?)?(\d)(?:\.(\d))?(?:\.0)?(\+)?").fullmatch
_NO_INVARIANTS = re.compile(r"gfdl-niv-(1\.[123])(\+)?").fullmatch
# word of the exception -> its identifier, by the licence's major version where that matters
EXCEPTIONS: dict[str, dict[str, str]] = {
    "autoconf": {"2": "Autoconf-exception-2.0", "3": "Autoconf-exception-3.0"},
    "bison": {"": "Bison-exception-2.2"},
    "classpath": {"": "Classpath-exception-2.0"},
    "font": {"": "Font-exception-2.0"},
    "gcc": {"2": "GCC-exception-2.0", "3": "GCC-exception-3.1"},
    "libtool": {"": "Libtool-exception"},
    "llvm": {"": "LLVM-exception"},
    "texinfo": {"": "Texinfo-exception"},
}
# What the format leaves to each file, or what other lists and habits use for several texts.
AMBIGUOUS = {"mit", "bsd", "x11", "mit/x11", "python", "gpl", "lgpl", "gfdl"}
_WITH = re.compile(r"(.+?)(?: |-)with(?: |-)(?:the )?(\S+?)(?: |-)exception").fullmatch
_BY_LOWER = {each.lower(): each for each in IDENTIFIERS}
_GFDL = [f"GFDL-{version}-no-invariants-{which}" for version in ("1.1", "1.2", "1.3") for which in ("only", "or-later")]
KNOWN = frozenset([*IDENTIFIERS, *_GFDL])
KNOWN_EXCEPTIONS = frozenset(EXCEPTION_IDENTIFIERS)


def meaning(name: str) -> str:
    """The SPDX expression that a Debian short name means, '' for a name without a general meaning."""
    lower = " ".join(name.lower().split())
    if lower in AMBIGUOUS:
        return ""
    if lower in NAMES:
        return NAMES[lower]
    if versioned := _VERSIONED(lower):
        family, major, minor, plus = versioned.groups()
        found = f"{family.upper()}-{major}.{minor or '0'}-{'or-later' if plus else 'only'}"
        return found if found in KNOWN else ""
    if match := _NO_INVARIANTS(lower):
        return f"GFDL-{match[1]}-no-invariants-{'or-later' if match[2] else 'only'}"
    if match := _WITH(lower):
        licence, choices = meaning(match[1]), EXCEPTIONS.get(match[2], {})
        major = re.search(r"-(\d)", licence)
        exception = choices.get("") or choices.get(major[1] if major else "")
        return f"{licence} WITH {exception}" if licence in KNOWN and exception else ""
    return _BY_LOWER.get(lower, "")
