import base64
import html
import json
import random
import shlex
import string
import unittest
from urllib.parse import quote

from harness.make.help_bundle.redact import Known, Redactor

COMMON = "the folder of a build; the root of a machine is farm-3 or node1; a collector has the results of each host"


def redactor(*known: tuple[str, str, str]) -> Redactor:
    return Redactor([Known(*each) for each in known], COMMON, ["packages.example.org"])


PATHS = redactor(("/home/alice b", "<HOME>", "path"), ("/home/alice b/lab", "<CHECKOUT>", "path"), ("/root", "<HOME>", "path"),
                 ("/srv/data", "<STORE>", "path"))
NAMES = redactor(("alice", "<USER>", "name"), ("a", "<USER>", "name"), ("collector", "<HOST>", "name"),
                 ("Vega.corp.example", "<HOST>", "name"), ("node1", "<MACHINE-1>", "name"), ("17", "<MACHINE-2>", "name"))

IN_PATHS = {
    "cd /home/alice b/lab/build": "cd <CHECKOUT>/build",
    "cd /home/alice b/other": "cd <HOME>/other",
    "/home/alice b/lab2 and /home/alice b": "<CHECKOUT>2 and <HOME>",
    "-I/home/alice\\ b/lab/x": "-I<CHECKOUT>/x",
    "file:///home/alice%20b/lab/x": "file:<CHECKOUT>/x",
    "%2Fhome%2falice%20b%2Flab": "<CHECKOUT>",
    "%252Fhome%252Falice%2520b": "<HOME>",
    "\\/home\\/alice b\\/lab\\/x": "<CHECKOUT>\\/x",
    "/home//alice b/./lab": "<CHECKOUT>",
    "/HOME/Alice B/lab": "<CHECKOUT>",
    "CMake wrapped /home/alice\n  b/lab": "CMake wrapped <CHECKOUT>",
    "/ho\x1b[1mme/ali\x1b[0mce b/x": "<HOME>/x",
    "/ho\0me/ali\u200bce b": "<HOME>",
    '"\\u002fhome\\u002f\\u0061lice b"': '"<HOME>"',
    "/home/\\141lice b": "<HOME>",
    "/home/\\x61lice b": "<HOME>",
    "/home/&#97;lice b": "<HOME>",
    "/home/bob/x and /Users/bob": "/home/<OTHER-USER>/x and /Users/<OTHER-USER>",
    "the root folder of sysroot/root/x, --root, -I/root/y: /root.": "the root folder of sysroot/root/x, --root, -I<HOME>/y: <HOME>.",
    "/srv/database": "<STORE>base",
    "no name in here: 100 % of a&b \\n $x": "no name in here: 100 % of a&b \\n $x",
}

IN_NAMES = {
    "alice, ALICE, malice, alice_x": "<USER>, <USER>, m<USER>, <USER>_x",
    "a folder of a build by hand: x=a": "a folder of a build by hand: x=a",
    "user=a uid=1000(a) /home/a/x ~a/y a@z": "user=<USER> uid=1000(<USER>) /home/<USER>/x ~<USER>/y <USER>@<HOST>",
    '{"who": "a", "at": "a b"}': '{"who": "<USER>", "at": "a b"}',
    "the collector, process 12 on collector, since": "the collector, process 12 on <HOST>, since",
    "ssh:collector:/srv": "ssh:<HOST>:/srv",
    '"host_name": "collector"': '"host_name": "<HOST>"',
    "VEGA.CORP.EXAMPLE vega.corp.example:80": "<HOST> <HOST>:80",
    "node1 node12 LAB_MACHINE=node1 lab-node1": "<MACHINE-1> node12 LAB_MACHINE=<MACHINE-1> lab-<MACHINE-1>",
    "17 of 17 steps, <RESULTS>/17/x.json, LAB_MACHINE=17": "17 of 17 steps, <RESULTS>/<MACHINE-2>/x.json, LAB_MACHINE=<MACHINE-2>",
    '{"17": {"was": ["collector", "x"]}}': '{"<MACHINE-2>": {"was": ["<HOST>", "x"]}}',
    "https://mirror.internal/x https://packages.example.org/y s3://bucket/z":
        "https://<SERVER-1>/<PATH> https://packages.example.org/y s3://<SERVER-2>/<PATH>",
}


class Redacting(unittest.TestCase):
    def test_paths_in_every_form(self) -> None:
        for text, expected in IN_PATHS.items():
            with self.subTest(text):
                self.assertEqual(PATHS(text), expected)

    def test_names_and_ordinary_words(self) -> None:
        for text, expected in IN_NAMES.items():
            with self.subTest(text):
                self.assertEqual(NAMES(text), expected)

    def test_a_server_of_an_address_is_known_where_it_stands_alone(self) -> None:
        known = redactor()
        known.add_servers("GET https://mirror.internal/x")
        self.assertEqual(known("resolving mirror.internal: no such host"), "resolving <SERVER-1>: no such host")

    def test_hosts_outside_of_addresses(self) -> None:
        known = redactor(("bigbox7", "<HOST>", "name"))
        for text, expected in {
            "Could not resolve host: git.secretcorp.internal": "Could not resolve host: <SERVER-1>",
            "ssh build7.corp: refused": "ssh <SERVER-2>: refused",
            "open \\\\fileserver3\\share": "open \\\\<SERVER-3>\\share",
            "<HOST>.corp-internal.lan": "<HOST>",
            "bigbox7.corp-internal.zz is up": "<HOST> is up",
            "db3.prod.foo.io closed": "<SERVER-4> closed",
            "bigbox7.json, bigbox7.json.zst": "<HOST>.json, <HOST>.json.zst",
            "packages.example.org std.io x.at(3) a.b.in x.internal(2) host build.py lib/x.so.1.2": "packages.example.org std.io x.at(3) a.b.in x.internal(2) host build.py lib/x.so.1.2",
        }.items():
            with self.subTest(text):
                self.assertEqual(known(text), expected)

    def test_paths_of_addresses_go_unless_a_package_lies_there(self) -> None:
        known = Redactor([], COMMON, ["packages.example.org"], (), ["pool/a/b.deb"])
        self.assertEqual(known("https://h.corp/k/pool/a/b.deb https://h.corp/pool/a/b.deb https://h.corp/T0/qqq http://127.0.0.1:8/x"),
                         "https://<SERVER-1>/<PATH>/pool/a/b.deb https://<SERVER-1>/pool/a/b.deb https://<SERVER-1>/<PATH> http://127.0.0.1:8/x")

    def test_encoded_wide_and_split_names(self) -> None:
        for name, word in (("alice", "<USER>"), ("/home/alice b", "<HOME>")):
            known = redactor(("alice", "<USER>", "name"), ("/home/alice b", "<HOME>", "path"))
            data = name.encode()
            for before in (b"", b"x", b"xy"):
                for after in (b"", b"/z", b" yz"):
                    for text in (base64.b64encode(before + data + after).decode(), (before + data + after).hex(),
                                 (before + data + after).hex(" "), (before + data + after).hex(" ", 2).upper()):
                        found = known(f"see {text} here")
                        self.assertIn("<", found, (text, word))
                        self.assertNotIn(base64.b64encode(data).decode()[:5], found)
                        self.assertNotIn(data.hex(), found)
        self.assertEqual(known("by \uff41\uff4c\uff49\uff43\uff45!"), "by <USER>!")
        self.assertEqual(known("cc /home/ali\\\nce\\ b/x"), "cc <HOME>/x")
        self.assertEqual(known("cc -c \\\n  -o x"), "cc -c \\\n  -o x")

    def test_a_secret_is_found_inside_of_words(self) -> None:
        self.assertEqual(redactor(("opensesame", "<SECRET>", "secret"))("xopensesame7, OpenSesame"), "x<SECRET>7, <SECRET>")

    def test_random_names_in_random_forms(self) -> None:
        drawn = random.Random(43)
        letters = string.ascii_letters + string.digits + "_-."
        more = letters + " äößéжλ'()[]+*?$&%#~^"
        leaks = []

        def name(characters: str, least: int) -> str:
            first = drawn.choice(string.ascii_letters)
            return first + "".join(drawn.choices(characters, k=drawn.randint(least, 14))).rstrip(" .") + "q"

        for _ in range(30):
            user, host, machine = (name(letters, 3) for _ in range(3))
            folders = [name(more, 4) for _ in range(3)]
            home, checkout = "/home/" + folders[0], "/".join(["/srv", *folders])
            known = redactor((home, "<HOME>", "path"), (checkout, "<CHECKOUT>", "path"), (user, "<USER>", "name"),
                             (host, "<HOST>", "name"), (machine, "<MACHINE-1>", "name"))
            for value in (home, checkout, user, host, machine):
                forms = {value, quote(value), quote(value, safe=""), quote(quote(value, safe="")), json.dumps(value),
                         json.dumps(json.dumps(value)), json.dumps(value, ensure_ascii=False), html.escape(value), shlex.quote(value),
                         value.replace("/", "\\/"), value.upper(), value.lower(), value.replace(" ", "\\ "),
                         "".join(f"\\x{byte:02x}" for byte in value.encode()), "".join(f"&#{ord(each)};" for each in value),
                         "".join(f"\\{byte:03o}" for byte in value.encode()), "".join(f"%{byte:02X}" for byte in value.encode()),
                         "\0".join(value), value.replace(" ", "$ ")}
                for form in forms:
                    for line in (f"x {form} y", f"error: {form}", f'"a": "{form}/z"', f"\\n{form}:3", f"-I{form}/include" if "/" in form else form):
                        found = known(line)
                        if value.lower() in found.lower() or form.lower() in found.lower() or "<" not in found:
                            leaks.append((value, line, found))
        self.assertEqual(leaks, [])


if __name__ == "__main__":
    unittest.main()
