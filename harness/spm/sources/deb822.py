"""Debian's stanzas: fields of a name, a colon and a value that goes on over indented lines."""


def fields(stanza: str) -> dict[str, str]:
    """{name in lower case: value}; the lines of a value are stripped and end with a newline each but the last."""
    found: dict[str, str] = {}
    name = ""
    for line in stanza.splitlines():
        if line[:1] in (" ", "\t") and name:
            found[name] += "\n" + line.strip()
        elif ":" in line:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            found[name] = value.strip()
    return found
