"""What copyright files and licence texts state."""

import unittest

from harness.spm.sbom import copyright_file, expressions, licence, licence_names
from harness.spm.sbom.statement import reference
from harness.spm.sbom.licence_texts import recognised

FORMAT = "Format: https://example.org/copyright-format/1.0/\n"
MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice (including the next
paragraph) shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
TITLED = f"The MIT License (MIT)\n=====================\n\nCopyright \u00a9 2020 A. Holder <a@example.org>\nAll rights reserved.\n\n{MIT}"

# Debian's short name -> its meaning; '' for none
NAMES = {
    "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later", "GPL-2.0+": "GPL-2.0-or-later", "gpl3+": "GPL-3.0-or-later",
    "GPL-3.0-only": "GPL-3.0-only", "LGPL-2.1+": "LGPL-2.1-or-later", "LGPL-3": "LGPL-3.0-only", "AGPL-3+": "AGPL-3.0-or-later",
    "GFDL-1.2+": "GFDL-1.2-or-later", "GFDL-NIV-1.3+": "GFDL-1.3-no-invariants-or-later", "GPL-2.1": "", "GPL-4": "", "GPL": "",
    "Expat": "MIT", "EXPAT": "MIT", "zlib": "Zlib", "BSD-3-clause": "BSD-3-Clause", "BSD3": "BSD-3-Clause", "Apache-2": "Apache-2.0",
    "Artistic": "Artistic-1.0-Perl", "Perl": "Artistic-1.0-Perl OR GPL-1.0-or-later", "MIT": "", "BSD": "", "public-domain": "",
    "GPL-3+ with Bison exception": "GPL-3.0-or-later WITH Bison-exception-2.2",
    "GPL-2+  with  Autoconf  exception": "GPL-2.0-or-later WITH Autoconf-exception-2.0",
    "GPL-3+ with autoconf exception": "GPL-3.0-or-later WITH Autoconf-exception-3.0",
    "GPL-2+ with OpenSSL exception": "", "MIT with Bison exception": "", "": "", "other": "",
}
# A License field's line -> its expression, where A to D stand for licences with a text of their own
LINES = {
    "GPL-2+ and Expat": "GPL-2.0-or-later AND MIT",
    "GPL-1+ or Artistic": "Artistic-1.0-Perl OR GPL-1.0-or-later",
    "ISC or Zlib and Expat": "ISC OR MIT AND Zlib",
    "ISC or Zlib, and Expat": "(ISC OR Zlib) AND MIT",
    "ISC, or Zlib and Expat": "ISC OR MIT AND Zlib",
    "Expat and Expat": "MIT",
    "MPL-1.1 or GPL-2+ or LGPL-2.1+": "GPL-2.0-or-later OR LGPL-2.1-or-later OR MPL-1.1",
    "GPL-2+ with Libtool exception and GPL-3+": "GPL-2.0-or-later WITH Libtool-exception AND GPL-3.0-or-later",
    "MIT | Zlib": "MIT OR Zlib",
}
# texts that are expressions, in their usual form; '' for those that are none
EXPRESSIONS = {
    "MIT": "MIT", " MIT  and (Zlib) ": "MIT AND Zlib", "GPL-2.0+": "GPL-2.0-or-later", "GPL-2.0": "GPL-2.0-only",
    "Apache-2.0 WITH LLVM-exception": "Apache-2.0 WITH LLVM-exception", "MIT AND (ISC OR Zlib)": "MIT AND (ISC OR Zlib)",
    "(MIT AND ISC) OR Zlib": "MIT AND ISC OR Zlib", "LicenseRef-a.B-1": "LicenseRef-a.B-1", "": "", "MIT AND": "", "MIT Zlib": "",
    "(MIT": "", "MIT)": "", "AND": "", "NOASSERTION": "", "various: each its own": "", "LicenseRef-": "", "LicenseRef-a_b": "",
    "MIT WITH": "", "MIT WITH no-exception": "", "mit/x11": "", "(" * 9999: "",
}


class NamesTest(unittest.TestCase):
    def test_short_names(self) -> None:
        self.assertEqual({name: licence_names.meaning(name) for name in NAMES}, NAMES)

    def test_every_meaning_is_an_expression(self) -> None:
        known = [*licence_names.NAMES.values(), *licence_names.DEPRECATED.values()]
        self.assertEqual([each for each in known if expressions.normal(each) != each], [])
        words = {exception for by_major in licence_names.EXCEPTIONS.values() for exception in by_major.values()}
        self.assertEqual(words - licence_names.KNOWN_EXCEPTIONS, set())

    def test_expressions(self) -> None:
        self.assertEqual({text: expressions.normal(text) for text in EXPRESSIONS}, EXPRESSIONS)

    def test_parts_are_joined_once_each_and_in_order(self) -> None:
        self.assertEqual(expressions.all_of(["Zlib", "MIT OR ISC", "MIT", "MIT AND Zlib", ""]), "MIT AND (MIT OR ISC) AND Zlib")
        self.assertEqual(expressions.any_of(["Zlib", "MIT AND ISC", "Zlib"]), "MIT AND ISC OR Zlib")
        self.assertEqual((expressions.all_of([]), expressions.all_of(["MIT OR ISC"])), ("", "MIT OR ISC"))
        self.assertEqual(expressions.all_of(["A AND (B OR C)", "(B OR C) AND D"]), "A AND (B OR C) AND D")


class TextsTest(unittest.TestCase):
    def test_titles_notices_and_line_breaks_do_not_matter(self) -> None:
        for text in (MIT, TITLED, MIT.replace("\n", " ").upper(), "\n".join(f"  {line}" for line in MIT.split("\n"))):
            self.assertEqual(recognised(text), "MIT", text)

    def test_any_other_word_matters(self) -> None:
        for text in (
            MIT.replace("sublicense, ", ""), f"{MIT}\nNot for evil.", f"Not for evil.\n\n{MIT}", MIT[:-50], "", "MIT License", MIT * 99,
        ):
            self.assertEqual(recognised(text), "", text)


class CopyrightFileTest(unittest.TestCase):
    def expression(self, text: str) -> str:
        found = copyright_file.parse(text)
        return found.expression if found else "none"

    def test_lines(self) -> None:
        texts = "".join(f"\n\nLicense: {name}\n {MIT.replace(chr(10) * 2, chr(10) + '.' + chr(10)).replace(chr(10), chr(10) + ' ')}" for name in ("MIT",))
        for line, expected in LINES.items():
            with self.subTest(line):
                self.assertEqual(self.expression(f"{FORMAT}\nFiles: *\nCopyright: a\nLicense: {line}{texts}"), expected)

    def test_a_whole_file(self) -> None:
        text = f"""\
{FORMAT}Upstream-Name: a
License: Zlib

# A remark.
Files: *
Copyright: 2001 Zo\u00eb
           2002, Al
License: GPL-2+

Files: b/*
Copyright: 2001 Zo\u00eb
License: own and ISC
\t
Files: c/*
Copyright: none
License: mine
 Do what
 .
   you like.

License: own
 Do not.

License: GPL-2+
 On Debian systems, see usr/share/common-licenses/GPL-2.

License: unused
 Nobody names it.
"""
        mine, own = "Do what\n\n  you like.", "Do not."
        refs = [reference("mine", mine), reference("own", own)]
        found = copyright_file.parse(text)
        assert found
        self.assertEqual(found.expression, f"GPL-2.0-or-later AND ISC AND {refs[0]} AND {refs[1]} AND Zlib")
        self.assertEqual(found.extracted, {refs[0]: ("mine", mine), refs[1]: ("own", own)})
        self.assertEqual(found.notices, ["2001 Zo\u00eb", "2002, Al", "none"])
        self.assertEqual(refs[1], "LicenseRef-own-" + refs[1][-12:])

    def test_a_name_without_a_text_says_so(self) -> None:
        found = copyright_file.parse(f"{FORMAT}\nFiles: *\nLicense: odd name+~_/2\n")
        assert found
        ((ref, (name, text)),) = found.extracted.items()
        self.assertRegex(ref, "^LicenseRef-odd-name-2-[0-9a-f]{12}$")
        self.assertEqual((name, text), ("odd name+~_/2", "The copyright file names the licence 'odd name+~_/2' and has no text of it."))

    def test_a_text_decides_on_an_ambiguous_name(self) -> None:
        body = MIT.replace("\n\n", "\n.\n").replace("\n", "\n ")
        self.assertEqual(self.expression(f"{FORMAT}\nFiles: *\nLicense: MIT\n {body}"), "MIT")
        self.assertEqual(self.expression(f"{FORMAT}\nFiles: *\nLicense: X11\n {body}"), "MIT")
        other = self.expression(f"{FORMAT}\nFiles: *\nLicense: MIT\n {body.replace('sublicense', 'sell')}")
        self.assertRegex(other, "^LicenseRef-MIT-[0-9a-f]{12}$")

    def test_what_is_no_such_file(self) -> None:
        for text in ("", "\n\n", "This package was debianized by A.", "License: MIT\n", FORMAT, f"{FORMAT}\nFiles: *\nCopyright: a\n",
                     " leading\n", "Format: other\n\nFiles: *\nLicense: MIT\n"):
            self.assertIsNone(copyright_file.parse(text), text)

    def test_older_headers(self) -> None:
        for header in ("Format-Specification: https://example.org/dep5.mdwn?rev=174", "Format: https://example.org/DEP5/"):
            self.assertEqual(self.expression(f"{header}\n\nFiles: *\nLicence: Zlib\n"), "Zlib")


class FilesTest(unittest.TestCase):
    def test_every_file_counts(self) -> None:
        found = licence.of_files({"a/LICENSE": TITLED, "a/COPYING": "Do it. \r\n".replace("\r", ""), "a/NOTICE": "  \n"})
        (ref,) = found.extracted
        self.assertEqual((found.expression, found.extracted[ref]), (f"{ref} AND MIT", ("COPYING", "Do it.")))

    def test_the_folder_of_licences_names_them(self) -> None:
        found = licence.of_files({"a/LICENSES/GPL-2.0-only.txt": "x", "a/licenses/MIT": "y", "a/LICENSES/Own": "z"})
        self.assertRegex(found.expression, "^GPL-2.0-only AND LicenseRef-Own-[0-9a-f]{12} AND MIT$")

    def test_the_same_text_has_the_same_reference(self) -> None:
        first, second = (licence.of_files({f"{name}/LICENSE": "Do it.\n"}) for name in "ab")
        self.assertEqual(first.expression, second.expression)
        self.assertEqual(licence.of_files({}).expression, "")


if __name__ == "__main__":
    unittest.main()
