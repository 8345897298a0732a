import random
import string
import sys
import unittest

from harness.make.help_bundle.patterns import SECRET, is_random, looks_like_key, without_addresses, without_keys

KEY = "-----BEGIN {0} PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nQyNTUxOQAAACDrPZ\n-----END {0} PRIVATE KEY-----"

KEYS = {
    # a text: what of it is secret
    KEY.format("OPENSSH"): "b3BlbnNzaC1rZXktdjE",
    f'{{"key": "{KEY.format("EC")}"}}'.replace("\n", "\\n"): "b3BlbnNzaC1rZXktdjE",
    "before\n" + KEY.format("RSA").split("\n", 1)[1] + "\nafter": "b3BlbnNzaC1rZXktdjE",
    "before\n" + KEY.format("RSA").rsplit("\n", 1)[0]: "b3BlbnNzaC1rZXktdjE",
    "AKIAIOSFODNN7EXAMPLE": "AKIAIOSFODNN7EXAMPLE",
    "fetching with ghp_16C7e42F292c6912E7710c838347Ae178B4a failed": "ghp_16C7e42F292c",
    "glpat-ABCdefGHI123jklMNO45": "glpat-ABC",
    "github_pat_11ABCDEFG0abcdefghijkl_mn": "11ABCDEFG0",
    "xoxb-17653672481-19874698323": "17653672481",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N": "eyJzdWIi",
    "Authorization: Bearer mF_9.B5f-4.1JqM": "mF_9",
    "curl -H 'Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='": "QWxhZGRp",
    "bearer mF_9.B5f-4.1JqM": "mF_9",
    "X-JFrog-Art-Api: abcdefgh": "abcdefgh",
    "Set-Cookie: id=opensesame; Secure": "opensesame",
    "https://builder:hunter2@mirror.example.org/x": "hunter2",
    "https://builder:hun/ter2@mirror.example.org/x": "ter2",
    "https:\\/\\/builder:hunter2@mirror.example.org": "hunter2",
    "https://opensesame@mirror.example.org/x": "opensesame",
    "socks5h://a:hunter2@proxy:1080": "hunter2",
    "password=hunter2": "hunter2",
    "PASSWORD: 'open sesame now'": "sesame",
    '{"user_password": "hunter2", "x": 1}': "hunter2",
    '{\\"token\\": \\"hunter2\\"}': "hunter2",
    "SPM_ARTIFACTORY_TOKEN=opensesame": "opensesame",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "wJalrXUtnFEMI",
    "tool --password opensesame --jobs 2": "opensesame",
    "machine mirror.example.org login builder password opensesame": "opensesame",
    "the password is hunter2": "hunter2",
    "key 0123456789abcdef0123": "0123456789abcdef0123",
    "the secret is wJalrXUtnFEMIK7MDENGbPxRfiCY": "wJalrXUtnFEMI",
    "4f3c2a1b9d8e7f6a5b4c3d2e1f0a9b8c is your token": "4f3c2a1b9d8e7f6a",
    "https://bucket.example.org/a?X-Amz-Signature=4f3c2a1b9d8e&x=1": "4f3c2a1b9d8e",
    "curl -u bob:hunterzz https://x": "hunterzz",
    "curl -ubob:hunterzz x": "hunterzz",
    "curl --user=bob:hunterzz": "hunterzz",
    "curl --user 'bob:hunter zz' x": "hunter zz",
    "DefaultEndpointsProtocol=https;AccountKey=aB3abcdefzz0123==;x": "aB3abcdefzz0123",
    '{"auths": {"r": {"auth": "Ym9iOlNFQ1JFVA=="}}}': "Ym9iOlNF",
    "<password>hunterzz</password>": "hunterzz",
    "<server><password>\nhunterzz\n</password></server>": "hunterzz",
    '<a pass="hunter zz"/>': "hunter zz",
    "x DB_PASS=hunterzz y": "hunterzz",
    "DB_PASS=open hunterzz": "hunterzz",
    "db_pass: open hunterzz": "hunterzz",
    "x MYAPP_PW=hunterzz": "hunterzz",
    "psk=hunterzz": "hunterzz",
    "x dbPass=hunter&zz,hunterzz": "hunterzz",
    "GET /x?pass=hunterzz": "hunterzz",
    "GET /x?access=hunterzz&b=1": "hunterzz",
    '"password": ["a", "hunterzz"]': "hunterzz",
    '"token": {"value": "}hunterzz"}': "hunterzz",
    '"password":\n  "hunterzz"': "hunterzz",
    '{\\"password\\": \\"a\\\\\\"hunterzz\\"}': "hunterzz",
    "password: |\n  one\n\n  hunterzz\nafter: 1": "hunterzz",
    "[3/9] out| password: >-\n[3/9] out|   hunterzz\n[3/9] out| b: 1": "hunterzz",
    "tokens:\n  - hunterzz\nafter: 1": "hunterzz",
    "- name: DB_PASS\n  value: hunterzz": "hunterzz",
    '{"name": "DB_PASS", "value": "hunterzz"}': "hunterzz",
    '["tool", "--password", "hunterzz"]': "hunterzz",
    "x password='a'\"b hunterzz\"": "hunterzz",
    'password="""a\nhunterzz"""': "hunterzz",
    "sshpass -p hunterzz ssh x": "hunterzz",
    "sshpass -phunterzz ssh x": "hunterzz",
    "mysql -u root -phunterzz db": "hunterzz",
    "db.example.org:5432:lab:bob:hunterzz": "hunterzz",
    "*:*:*:bob:hunterzz": "hunterzz",
    "bob:$6$saltsalt$hunterzz/x:19000:0": "hunterzz",
    "bob:$apr1$salt$hunterzz": "hunterzz",
    "Password for bobby: hunterzz": "hunterzz",
    "the password is hunterz": "hunterz",
    "Passwort: hunter zz": "hunter zz",
    "X-Api-Key hunterzz7": "hunterzz7",
    "https://api.telegram.org/bot123456789:AAHunterzzHunterzzHunterzz/x": "AAHunterzz",
    "https://discord.com/api/webhooks/123456/hunterzz": "hunterzz",
    "SK0123456789abcdef0123456789abcdef": "0123456789abcdef",
    "2048 SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDVrzDv3pzaaaa1234 x": "uNiVztks",
    "PuTTY-User-Key-File-2: ssh-rsa\nPublic-Lines: 1\nhunterzz\nPrivate-Lines: 1\nzz\nPrivate-MAC: 0a": "hunterzz",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQp4": "LS0tLS1CRUdJT",
    "-----BEGIN A KEY-----".replace("A", "A" * 30) + "\nhunterzz": "hunterzz",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me": "AAAAC3Nza",
}

INNOCENT = (
    "collect2 -plugin-opt=-pass-through=-lgcc -fpass-plugin=x.so -Rpass-missed=.*",
    "error: expected unqualified-id before 'token' in token_list.cpp",
    "-- Check for working C compiler: <CHECKOUT>/build/toolchain/7bfcec66a6b9e682/bin/gcc - skipped",
    "[494/663] Building CXX object obj/CMakeFiles/variant_command_bucket_v7_keys_by_depth24.dir/command_bucket/key_v7.cpp.o",
    '"path": "pool/main/g/glslang/glslang-tools_12.0.0-2_amd64.deb"',
    '"sha256": "cf6f84508ea8f6244aba2101180a9c4592830dbfce3e7076f2d632a46404c27e"',
    "commit 4cb9e6a621432f5c81f1e7e8c6c3dbbc4b18f0ac is slower",
    "passes=12 passed: 44 author: x keys_by_depth24 = 7",
    "pinned toolchain  runs here (glibc 2.36)",
    "https://packages.example.org/debian/pool/main/g/gcc-12",
    "parser_token.cpp:12:3: error: sort_key = 5; std::vector<token> x; PWD=/x",
    "CMAKE_CXX_FLAGS=-O2 -DNDEBUG: pinned: 3 keys: 4 spin=2 opinion=1 mapping: 2",
    "0x7f0123456789 7f0123456000-7f0123457000 r-xp 20261128T010203Z-0123456789ab.json 00581ddb0000..2d8954de0000",
    "git@@ f@plt memcpy@@GLIBC_2.14 libmine.so@0123abcd",
)

ADDRESSES = {
    "from alice.b+c@mail.example.org": "from <MAIL>",
    "ssh git@collector ls": "ssh <USER>@<HOST> ls",
    "root@10.0.0.5:/srv": "<USER>@<HOST>:/srv",
    "connect to 192.168.3.77:8080": "connect to <IP>:8080",
    "connect to 8.8.4.4.": "connect to <IP>.",
    "[2001:db8::17]:443": "[<IP>]:443",
    "fe80::3c12:aff:fe01:2%eth0": "<IP>",
    "::ffff:10.1.2.3": "<IP>",
    "ether 3c:12:0a:01:fe:9d txq": "ether <MAC> txq",
    "3C-12-0A-01-FE-9D": "<MAC>",
    "root=UUID=3e6be9de-8139-11d1-9106-a43f08d823a6": "root=UUID=<UUID>",
    "listening on 127.0.0.1:8000 and ::1": "listening on 127.0.0.1:8000 and ::1",
    "foo version 1.2.3.4, bar-1.2.3.4.tar.gz, libx.so.1.2.3.4": "foo version 1.2.3.4, bar-1.2.3.4.tar.gz, libx.so.1.2.3.4",
    '"conformance": "1.3.0.0"': '"conformance": "1.3.0.0"',
    "Mesa 1.2.3.4-5 and v1.2.3.4 and 1.2.3.4.5": "Mesa 1.2.3.4-5 and v1.2.3.4 and 1.2.3.4.5",
    "at 12:34:56 in a::b and fed::ad, ::operator new, std::pmr": "at 12:34:56 in a::b and fed::ad, ::operator new, std::pmr",
    "999.1.1.1": "999.1.1.1",
    "from fdab::cafe": "from <IP>",
    "001a.2b3c.4d5e": "<MAC>",
    "lladdr 001a2b3c4d5e.": "lladdr <MAC>.",
    "ip-10-11-12-13.ec2.internal is up": "<HOST> is up",
    "ip-10-11-12-13: up": "<HOST>: up",
    "77.113.0.203.in-addr.arpa": "<HOST>",
    "mesa-203.0.113.79": "mesa-<IP>",
    "machine-id 0123456789abcdef0123456789abcde0": "machine-id <ID>",
    "x 4cb9e6a621432f5c81f1e7e8c6c3dbbc4b18f0ac": "x <ID>",
    '"version": "1.3.239.0-1"': '"version": "1.3.239.0-1"',
}


class Patterns(unittest.TestCase):
    def test_keys_are_taken_out(self) -> None:
        for text, secret in KEYS.items():
            with self.subTest(text):
                self.assertIn(secret, text)
                found = without_keys(text)
                self.assertNotIn(secret, found)
                self.assertIn(SECRET, found)

    def test_what_stands_around_a_key_stays(self) -> None:
        text = "one\n" + KEY.format("RSA").split("\n", 1)[1] + "\ntwo\n" + KEY.format("EC") + "\nthree"
        self.assertEqual(without_keys(text), f"one\n{SECRET}\ntwo\n{SECRET}\nthree")

    def test_a_key_whose_begin_is_cut_off_goes_from_between_other_lines(self) -> None:
        drawn = random.Random(5)
        body = ["".join(drawn.choices(string.ascii_letters + string.digits + "+/", k=64)) for _ in range(20)] + ["aZ9xQ4=="]
        for before, between in (("[3/9] out| ", []), ("", ["[4/9] Building x.o"]), ("> ", ["[4/9] Building x.o", "note: a b"])):
            lines = [line for each in body for line in (*between, before + each)]
            for end in (["-----END RSA PRIVATE KEY-----"], []):
                found = without_keys("\n".join(["one", *lines, *(before + each for each in end), "two words"]))
                self.assertEqual([each for each in body[:-1] + body[-1:] * bool(end) if each in found], [])
                self.assertEqual(found.count("Building x.o"), len(body) * bool(between))
                self.assertTrue(found.startswith("one\n") and found.endswith("\ntwo words"), found)

    def test_many_ends_of_keys_take_no_time_of_their_square(self) -> None:
        def steps(lines: int) -> int:
            text = "-----END A KEY-----\n" * lines
            count = 0

            def counted(frame: object, event: str, _: object) -> None:
                nonlocal count
                count += event in ("call", "c_call")

            sys.setprofile(counted)
            try:
                without_keys(text)
            finally:
                sys.setprofile(None)
            return count

        self.assertLess(steps(4000), 5 * steps(1000))
        self.assertEqual(without_keys("-----END A KEY-----\n" * 12_500), f"{SECRET}\n" * 12_500)

    def test_known_hashes_stay(self) -> None:
        for known in ("4cb9e6a621432f5c81f1e7e8c6c3dbbc4b18f0ac", "4cb9e6a62143", "0a" * 32):
            self.assertEqual(without_addresses(f"x {known}", {known}), f"x {known}")
            self.assertNotIn(known, without_addresses(f"x {known}"))

    def test_ordinary_lines_stay_as_they_are(self) -> None:
        for text in INNOCENT:
            with self.subTest(text):
                self.assertEqual(without_addresses(without_keys(text)), text)

    def test_addresses_are_taken_out_and_versions_are_not(self) -> None:
        for text, expected in ADDRESSES.items():
            with self.subTest(text):
                self.assertEqual(without_addresses(text), expected)

    def test_random_keys_beside_such_a_word_are_taken_out(self) -> None:
        drawn = random.Random(7)
        missed = 0
        for _ in range(400):
            characters = drawn.choice((string.ascii_letters + string.digits + "+/", "0123456789abcdef", string.ascii_letters + string.digits))
            key = "".join(drawn.choices(characters, k=drawn.randint(24, 64)))
            for text in (f"token {key}", f"secret: {key}", f"{key} is the key", f"--api-key {key}", f"https://u:{key}@x.org/"):
                missed += key in without_keys(text)
            self.assertIn("key", without_keys(f"key {key}"))
        self.assertEqual(missed, 0)

    def test_cleaning_twice_changes_nothing(self) -> None:
        for text in [*KEYS, *ADDRESSES, *INNOCENT]:
            once = without_addresses(without_keys(text))
            self.assertEqual(without_addresses(without_keys(once)), once)

    def test_values_of_variables_that_look_like_keys(self) -> None:
        for value in ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "0123456789abcdef0123", "http://a:b@c/", "wJalrXUtnFEMIK7MDENGbPxRfiCY"):
            self.assertTrue(looks_like_key(value), value)
        for value in ("/usr/bin:/bin", "-O2 -march=native", "C.UTF-8", "farm-3", "x86_64-linux-gnu-g++-12", "7200"):
            self.assertFalse(looks_like_key(value), value)
        self.assertFalse(is_random("CMakeFiles/variant_command_bucket_v7"))


if __name__ == "__main__":
    unittest.main()
