import unittest

from harness.spm.sources import signature_message

SIGNATURE = b"-----BEGIN PGP SIGNATURE-----\n\niHUE\n=XtLy\n-----END PGP SIGNATURE-----\n"


def message(text: bytes, header: bytes = b"Hash: SHA256\n", signature: bytes = SIGNATURE) -> bytes:
    return b"-----BEGIN PGP SIGNED MESSAGE-----\n" + header + b"\n" + text + b"\n" + signature


GOOD = [
    ("a text", message(b"A: b\n c"), b"A: b\n c"),
    ("none", message(b""), b""),
    ("empty lines at its ends", message(b"\nA: b\n"), b"\nA: b\n"),
    ("lines with a dash, escaped", message(b"- " + SIGNATURE[:30] + b"- - x\n- -"), SIGNATURE[:30] + b"- x\n-"),
    ("other lines escaped too", message(b"- From x"), b"From x"),
    ("what no signature covers", message(b"A: b \t \n \t\n c\t"), b"A: b\n\n c"),
    ("the ends of lines of another system", message(b"A: b\n c").replace(b"\n", b"\r\n"), b"A: b\n c"),
    ("several hashes", message(b"A: b", b"Hash: SHA256, SHA512\nHash: SHA384\n"), b"A: b"),
    ("no header", message(b"A: b", b""), b"A: b"),
    ("tabs and more than ASCII", message("A:\tü\u2028".encode()), "A:\tü\u2028".encode()),
]
DASH = "a line that begins with a dash and is not escaped"
OTHER_KIND = "a line with control characters, or a very long one"
BAD = [
    ("a line before it", b"A: b\n" + message(b"x"), "a text before it"),
    ("an empty line before it", b"\n" + message(b"x"), "a text before it"),
    ("a key", message(b"x").replace(b"SIGNED MESSAGE", b"PUBLIC KEY BLOCK"), "a text before it"),
    ("a text after it", message(b"x") + b"A: b\n", "something after it"),
    ("two", message(b"x") * 2, "something after it"),
    ("one in another", message(message(b"x")), "something after it"),
    ("two begins", message(b"-----BEGIN PGP SIGNED MESSAGE-----\n"), DASH),
    ("two signatures' blocks", message(b"x") + SIGNATURE, "something after it"),
    ("one in another's block", message(b"x", signature=SIGNATURE.replace(b"iHUE\n", SIGNATURE)), "something after it"),
    ("two begins of a signature", message(b"x", signature=SIGNATURE[:30] + SIGNATURE), "several signatures' blocks"),
    ("no signature", message(b"x", signature=b""), "an incomplete one"),
    ("no end", message(b"x")[:-10], "an incomplete one"),
    ("no empty line", message(b"x", b"Hash: SHA256").replace(b"\n\n", b"\n"), "an incomplete one"),
    ("another header", message(b"x", b"NotDashEscaped: yes\n"), "a header other than Hash"),
    ("a text that looks like a header", message(b"x", b"Suite: stable\n"), "a header other than Hash"),
    ("a dash that is not escaped", message(b"-x"), DASH),
    ("a dash that is not escaped, alone", message(b"-"), DASH),
    *((f"the character {code:#x}", message(b"a%cb" % code), OTHER_KIND) for code in (0, 8, 11, 12, 13, 27, 127)),
    ("a line of which gpgv would not read all", message(b"x" * 16_001), OTHER_KIND),
]


class SplitTest(unittest.TestCase):
    def test_the_text_is_what_a_signature_covers(self) -> None:
        for what, whole, expected in GOOD:
            with self.subTest(what):
                self.assertEqual(signature_message.split(whole), (expected, SIGNATURE))

    def test_whatever_else_there_is_is_refused(self) -> None:
        for what, whole, expected in BAD:
            with self.subTest(what), self.assertRaises(signature_message.Malformed) as raised:
                self.assertTrue(signature_message.looks_signed(whole))
                signature_message.split(whole)
            self.assertEqual(str(raised.exception), expected)


if __name__ == "__main__":
    unittest.main()
