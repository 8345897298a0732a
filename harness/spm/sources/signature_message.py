"""A clear-signed message (RFC 9580, section 7) taken apart: its text, byte for byte as its signature covers it, and
that signature as one in a file of its own.

What checks the signature gets exactly the text that is used, so nothing depends on how it would have read the message.
Of a line no signature covers blanks and tabs at its end, nor whether it ends with LF or CR LF: they are taken off."""

from __future__ import annotations

import re

_BEGIN, _SIGNATURE = b"-----BEGIN PGP SIGNED MESSAGE-----", b"-----BEGIN PGP SIGNATURE-----"
_END = b"-----END PGP SIGNATURE-----"
_HEADER = re.compile(rb"Hash: [A-Za-z0-9, -]+").fullmatch
_MOST_LINE = 16_000  # gpgv reads 19,995 bytes of a line of text and leaves out the rest
# sqv takes a lone CR for a line's end, and Debian's index has none of the others.
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]").search


class Malformed(Exception):
    """What is no clear-signed message; its text is what was found."""


def looks_signed(message: bytes) -> bool:
    return b"-----BEGIN PGP" in message


def split(message: bytes) -> tuple[bytes, bytes]:
    """(text, signature in its armour); raises Malformed, as where there is anything before, between or after."""
    lines = message.split(b"\n")
    stripped = [line.rstrip(b" \t\r") for line in lines]
    if stripped[0] != _BEGIN:
        raise Malformed("a text before it")
    try:
        start = stripped.index(b"") + 1
        middle = stripped.index(_SIGNATURE, start)
        end = stripped.index(_END, middle)
    except ValueError:
        raise Malformed("one that is not whole") from None
    if not all(map(_HEADER, stripped[1 : start - 1])):
        raise Malformed("a header other than Hash")
    if any(stripped[end + 1 :]):
        raise Malformed("something after it")
    if any(line.startswith(b"-") for line in stripped[middle + 1 : end]):
        raise Malformed("several signatures' blocks")
    text = b"\n".join(map(_plain, lines[start:middle]))
    return text, b"\n".join(stripped[middle : end + 1]) + b"\n"


def _plain(line: bytes) -> bytes:
    if line.startswith(b"-") and not line.startswith(b"- "):
        raise Malformed("a line that begins with a dash and is not escaped")
    plain = (line[2:] if line.startswith(b"- ") else line).rstrip(b" \t\r")
    if len(plain) > _MOST_LINE or _CONTROL(plain):
        raise Malformed("a line with control characters, or a very long one")
    return plain
