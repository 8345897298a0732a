"""Splits a clear-signed message (RFC 9580, section 7) into its text, exactly as the signature covers it, and a detached
signature.

The program that checks the signature gets exactly the text that is used, so nothing depends on how it parses messages.
A signature does not cover blanks and tabs at the end of a line or the kind of line end, so they are removed."""

import re

_BEGIN, _SIGNATURE = b"-----BEGIN PGP SIGNED MESSAGE-----", b"-----BEGIN PGP SIGNATURE-----"
_END = b"-----END PGP SIGNATURE-----"
_HEADER = re.compile(rb"Hash: [A-Za-z0-9, -]+").fullmatch
_MOST_LINE = 16_000  # gpgv reads 19,995 bytes of a line of text and leaves out the rest
# sqv treats a lone CR as a line end; Debian's index has no other control characters.
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]").search


class Malformed(Exception):
    """Not a clear-signed message; the error's text is what was found."""


def looks_signed(message: bytes) -> bool:
    return b"-----BEGIN PGP" in message


def split(message: bytes) -> tuple[bytes, bytes]:
    """(text, armoured signature); raises Malformed, also if there is anything before, between or after them."""
    lines = message.split(b"\n")
    stripped = [line.rstrip(b" \t\r") for line in lines]
    if stripped[0] != _BEGIN:
        raise Malformed("a text before it")
    try:
        start = stripped.index(b"") + 1
        middle = stripped.index(_SIGNATURE, start)
        end = stripped.index(_END, middle)
    except ValueError:
        raise Malformed("an incomplete one") from None
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
