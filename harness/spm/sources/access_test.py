"""Proxies, certificates and credentials, with real servers and a real proxy on loopback."""

from __future__ import annotations

import base64
import http.client
import http.server
import ipaddress
import os
import select
import socket
import socketserver
import ssl
import threading
import unittest
from unittest import mock
from urllib.parse import urlsplit

from harness.spm.settings import ROOT
from harness.spm.sources import access
from harness.spm_testing.archives import deb, member
from harness.spm_testing.interrupt import PATIENCE_S
from harness.spm_testing.server import Server, redirect, refuse, send_file
from harness.spm_testing.test_case import SpmTestCase

GOOD = deb(member("./usr/tool", b"the tool"))
CERTIFICATE = f"{ROOT}/harness/spm_testing/loopback.pem"
PASSWORD = "hunter@2"


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def pass_on(one: socket.socket, other: socket.socket) -> None:
    """Copies what comes from each to the other, until one ends."""
    ends = {one: other, other: one}
    while True:
        for end in select.select(list(ends), [], [])[0]:
            if not (data := end.recv(1 << 16)):
                return
            ends[end].sendall(data)


class Proxy:
    """Passes plain requests and tunnels on; `passed` lists what, and with which credentials."""

    def __init__(self, status: int = 200) -> None:
        self.passed: list = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if not self._refused():
                    address = urlsplit(self.path)
                    onward = http.client.HTTPConnection(address.netloc)
                    onward.request("GET", address.path)
                    send_file(self, onward.getresponse().read())

            def do_CONNECT(self) -> None:
                if not self._refused():
                    host, port = self.path.split(":")
                    with socket.create_connection((host, int(port))) as onward:
                        self.send_response(200)
                        self.end_headers()
                        pass_on(self.connection, onward)

            def _refused(self) -> bool:
                outer.passed.append((f"{self.command} {self.path}", self.headers["Proxy-Authorization"]))
                if status != 200:
                    self.send_error(status)
                return status != 200

            def log_message(self, *_: int | str) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.host = f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class AccessTestCase(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.add("a", self.serve("a.deb", GOOD))
        for forget in (access.tls.cache_clear, access._netrc.cache_clear):
            forget()
            self.addCleanup(forget)

    def serve_by_tls(self) -> Server:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(CERTIFICATE)
        server = Server(tls)
        self.addCleanup(server.close)
        server.files["/a.deb"] = GOOD
        self.sources["main"]["base"] = server.base
        return server

    def proxy(self, status: int = 200) -> Proxy:
        proxy = Proxy(status)
        self.addCleanup(proxy.close)
        return proxy

    def install(self) -> tuple[int, str]:
        """Exit status and what was said, in which no password is."""
        result = self.spm("install", "a", "--quiet")
        self.assertNotIn("hunter", result.err)
        return result.status, result.err.replace(self.sources["main"]["base"], "SERVER")

    def netrc(self, text: str) -> None:
        os.environ["NETRC"] = f"{self.folder}/netrc"
        with open(os.environ["NETRC"], "w") as file:
            file.write(text)


class CertificateTest(AccessTestCase):
    def test_a_server_is_trusted_by_the_certificates_that_the_environment_names(self) -> None:
        self.serve_by_tls()
        os.environ["SSL_CERT_FILE"] = CERTIFICATE
        self.assertEqual(self.install(), (0, ""))

    def test_any_other_is_not(self) -> None:
        self.serve_by_tls()
        status, err = self.install()
        self.assertEqual(status, 1)
        self.assertRegex(
            err,
            r"^spm: error: could not fetch a\.deb: main \(SERVER\): the certificate is not trusted on this machine \(self-signed "
            r"certificate\)\nhint: name the file with your organisation's certificates in SSL_CERT_FILE\n$",
        )

    def test_a_file_without_certificates_is_named(self) -> None:
        self.serve_by_tls()
        for path, found in ((f"{self.folder}/none", "No such file or directory"), (__file__, "no certificate in it")):
            os.environ["SSL_CERT_FILE"] = path
            start = f"spm: error: SSL_CERT_FILE: expected a file of certificates, found {found}: "
            status, err = self.install()
            self.assertEqual((status, err[: len(start)]), (2, start))

    def test_a_server_without_tls_is_named(self) -> None:
        self.sources["main"]["base"] = self.server.base.replace("http:", "https:")
        status, err = self.install()
        self.assertEqual(status, 1)
        self.assertIn("main (SERVER): no TLS with this host (", err)


class ProxyTest(AccessTestCase):
    def test_plain_requests_go_by_the_proxy_with_its_credentials(self) -> None:
        for variable in ("HTTP_PROXY", "http_proxy"):
            proxy = self.proxy()
            os.environ[variable] = f"http://me:hunter%402@{proxy.host}"
            self.assertEqual(self.install(), (0, ""))
            self.assertEqual(proxy.passed, [(f"GET {self.server.base}/a.deb", basic("me", PASSWORD))])
            self.forget()

    def test_secure_ones_go_through_a_tunnel_and_the_server_learns_no_proxy_s_password(self) -> None:
        server = self.serve_by_tls()
        os.environ["SSL_CERT_FILE"] = CERTIFICATE
        for variable in ("HTTPS_PROXY", "https_proxy"):
            proxy = self.proxy()
            os.environ[variable] = f"http://me:hunter%402@{proxy.host}"
            self.assertEqual(self.install(), (0, ""))
            self.assertEqual(proxy.passed, [(f"CONNECT {urlsplit(server.base).netloc}", basic("me", PASSWORD))])
            self.assertNotIn("Proxy-Authorization", server.headers.pop())
            self.forget()

    def forget(self) -> None:
        self.spm("uninstall", "a")
        self.spm("cache", "prune", "--older-than", "0d")

    def test_the_real_command_does_all_of_it(self) -> None:
        server, proxy = self.serve_by_tls(), self.proxy()
        self.netrc(f"machine 127.0.0.1 login me password {PASSWORD}\n")
        os.environ.update(SSL_CERT_FILE=CERTIFICATE, https_proxy=f"http://you:hunter3@{proxy.host}")
        self.write()
        process = self.start("install", "a")
        self.assertRegex(process.communicate(timeout=PATIENCE_S)[1], "(?m)^spm: 1 package active in ")
        self.assertEqual([auth for _, auth in proxy.passed], [basic("you", "hunter3")])
        self.assertEqual(server.headers[0]["Authorization"], basic("me", PASSWORD))

    def test_no_proxy_is_obeyed(self) -> None:
        for variable in ("NO_PROXY", "no_proxy"):
            proxy = self.proxy(502)
            os.environ.update({"HTTP_PROXY": f"http://{proxy.host}", variable: "example.org,127.0.0.1"})
            self.assertEqual(self.install(), (0, ""))
            self.assertEqual(proxy.passed, [])
            del os.environ[variable]
            self.forget()

    def test_a_proxy_that_wants_a_password_is_named(self) -> None:
        hint = "hint: set HTTP_PROXY and HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT\n"
        for start in (lambda: None, self.serve_by_tls):
            start()
            proxy = self.proxy(407)
            os.environ.update(HTTP_PROXY=f"http://me:hunter2@{proxy.host}", HTTPS_PROXY=proxy.host)
            self.assertEqual(
                self.install(),
                (
                    1,
                    "spm: error: could not fetch a.deb: main (SERVER/a.deb): the proxy asks for a user and password "
                    f"(HTTP 407)\n{hint}",
                ),
            )

    def test_a_proxy_that_will_not_or_is_not_there_is_named(self) -> None:
        self.serve_by_tls()
        proxy = self.proxy(403)
        os.environ["HTTPS_PROXY"] = proxy.host
        self.assertIn(f"the proxy {proxy.host} does not forward the request: Forbidden (HTTP 403)\n", self.install()[1])
        os.environ["HTTPS_PROXY"] = "http://me:hunter2@127.0.0.1:9"
        self.assertIn("main (SERVER): the proxy 127.0.0.1:9: the connection was refused\n", self.install()[1])

    def test_a_wrong_address_of_a_proxy_is_one_error_that_does_not_show_it(self) -> None:
        for value in ("socks4://127.0.0.1:1080", "http://me:hunter2", "https://me:hunter2@127.0.0.1:1", "http://"):
            os.environ["HTTP_PROXY"] = value
            self.assertEqual(
                self.install(),
                (
                    2,
                    "spm: error: HTTP_PROXY: expected http://HOST:PORT, http://USER:PASSWORD@HOST:PORT or the same "
                    "with socks5 or socks5h, found another form (not shown)\nhint: correct or unset HTTP_PROXY and http_proxy\n",
                ),
            )

    def test_a_wrong_address_of_a_proxy_is_no_error_for_what_does_without_it(self) -> None:
        for environment in ({"HTTP_PROXY": "ftp://a", "NO_PROXY": "127.0.0.1"}, {"ALL_PROXY": "ftp://a", "NO_PROXY": "*"},
                            {"HTTPS_PROXY": "ftp://a"}):
            with self.subTest(environment), mock.patch.dict(os.environ, environment):
                self.assertEqual(self.install(), (0, ""))
            self.forget()

    def test_a_redirect_to_what_needs_a_proxy_with_a_wrong_address_is_an_error(self) -> None:
        os.environ.update(ALL_PROXY="ftp://a", NO_PROXY="127.0.0.1")
        self.server.files["/a.deb"] = redirect("http://other.example/a.deb")
        status, error = self.install()
        self.assertEqual((status, error.partition(": expected")[0]), (2, "spm: error: ALL_PROXY"))


class SocksProxy:
    """A SOCKS5 proxy that connects every caller to `target`. `asked` lists the hosts asked for, `logins` the users and
    passwords."""

    def __init__(self, target: str, login: tuple[str, str] | None = None, reply: int = 0) -> None:
        self.asked: list[str] = []
        self.logins: list[tuple[str, str]] = []
        host, _, port = target.rpartition(":")
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                methods = self.rfile.read(self.rfile.read(2)[1])
                wanted = 2 if login else 0
                self.wfile.write(bytes([5, wanted if wanted in methods else 255]))
                if wanted not in methods:
                    return
                if login:
                    self.rfile.read(1)
                    found = tuple(self.rfile.read(self.rfile.read(1)[0]).decode() for _ in range(2))
                    outer.logins.append(found)  # type: ignore[arg-type]
                    self.wfile.write(bytes([1, found != login]))
                    if found != login:
                        return
                kind = self.rfile.read(4)[3]
                data = self.rfile.read({1: 4, 4: 16}.get(kind) or self.rfile.read(1)[0])
                self.rfile.read(2)
                outer.asked.append(data.decode() if kind == 3 else str(ipaddress.ip_address(data)))
                self.wfile.write(bytes([5, reply, 0, 3, 1, 120, 0, 0]))
                if not reply:
                    with socket.create_connection((host, int(port))) as onward:
                        pass_on(self.connection, onward)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.host = f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class SocksTest(AccessTestCase):
    def socks(self, target: str, *arguments, **options) -> SocksProxy:
        proxy = SocksProxy(target.partition("//")[2], *arguments, **options)
        self.addCleanup(proxy.close)
        return proxy

    def forget(self) -> None:
        self.spm("uninstall", "a")
        self.spm("cache", "prune", "--older-than", "0d")

    def test_the_proxy_or_this_machine_looks_names_up(self) -> None:
        target = self.server.base
        port = target.rpartition(":")[2]
        for scheme, asked in (("socks5h", "nowhere.example"), ("socks5", "127.0.0.1")):
            proxy = self.socks(target)
            os.environ["HTTP_PROXY"] = f"{scheme}://{proxy.host}"
            self.sources["main"]["base"] = f"http://{'nowhere.example' if scheme == 'socks5h' else '127.1'}:{port}"
            self.assertEqual(self.install(), (0, ""))
            self.assertEqual(proxy.asked, [asked])
            self.forget()

    def test_tls_and_a_login(self) -> None:
        server = self.serve_by_tls()
        os.environ["SSL_CERT_FILE"] = CERTIFICATE
        proxy = self.socks(server.base, ("me", PASSWORD))
        os.environ["ALL_PROXY"] = f"socks5h://me:hunter%402@{proxy.host}"
        self.assertEqual(self.install(), (0, ""))
        self.assertEqual((proxy.asked, proxy.logins), (["127.0.0.1"], [("me", PASSWORD)]))

    def test_what_the_proxy_refuses_is_one_error(self) -> None:
        cases = [
            (("me", "x"), 0, "", "it asks for a user and password"),
            (("me", "x"), 0, "me:hunter2@", "it refuses the user and password"),
            (None, 2, "", "it could not connect to 127.0.0.1: its rules forbid it"),
            (None, 99, "", "it could not connect to 127.0.0.1: reply 99"),
        ]
        for login, reply, user, reason in cases:
            proxy = self.socks(self.server.base, login, reply=reply)
            os.environ["HTTP_PROXY"] = f"socks5h://{user}{proxy.host}"
            self.assertIn(f"main (SERVER): the proxy {proxy.host}: {reason}\n", self.install()[1])
        os.environ["HTTP_PROXY"] = "socks5h://127.0.0.1:9"
        self.assertIn("main (SERVER): the proxy 127.0.0.1:9: the connection was refused\n", self.install()[1])

    def test_a_proxy_of_another_kind_is_named(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def answer() -> None:
                caller, _ = listener.accept()
                with caller:
                    caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    caller.recv(1 << 10)

            threading.Thread(target=answer, daemon=True).start()
            os.environ["HTTP_PROXY"] = f"socks5h://127.0.0.1:{listener.getsockname()[1]}"
            self.assertIn("it does not speak SOCKS5\n", self.install()[1])

    def test_hosts_that_no_proxy_names_are_asked_directly(self) -> None:
        proxy = self.socks(self.server.base)
        os.environ.update(HTTP_PROXY=f"socks5h://{proxy.host}", NO_PROXY="127.0.0.0/8")
        self.assertEqual(self.install(), (0, ""))
        self.assertEqual(proxy.asked, [])


class NoProxyTest(unittest.TestCase):
    def test_names_addresses_networks_and_ports(self) -> None:
        cases = [
            ("10.0.0.0/8", ["10.1.2.3", "10.1.2.3:80"], ["11.1.2.3", "ten.example"]),
            ("10.1.2.3/8", ["10.9.9.9"], []),
            ("::1", ["[::1]", "[::1]:8080"], ["[::2]", "127.0.0.1"]),
            ("[::1]", ["[::1]:8080"], []),
            ("[::1]:80", ["[::1]:80"], ["[::1]:8080"]),
            ("fd00::/8", ["[fd12::1]:80"], ["[fe80::1]"]),
            ("127.0.0.1", ["127.0.0.1:9"], ["127.0.0.2"]),
            ("127.0.0.1:9", ["127.0.0.1:9"], ["127.0.0.1:10"]),
            ("example.org", ["example.org", "a.example.org:80", "EXAMPLE.ORG."], ["badexample.org", "example.org.evil"]),
            (".example.org", ["example.org", "a.example.org"], ["example.com"]),
            ("example.org:80", ["example.org:80", "example.org"], ["example.org:81"]),
            ("a.example, 10.0.0.0/8 b.example", ["a.example", "b.example", "10.0.0.1"], ["c.example"]),
            ("*", ["anything", "[::1]", "1.2.3.4"], []),
            ("", [], ["anything"]),
            ("10.0.0.0/99,:80", [], ["10.0.0.1", "[::1]:80", "a:80"]),
        ]
        for text, direct, passed in cases:
            with self.subTest(text), mock.patch.dict(os.environ, {"no_proxy": text}):
                self.assertEqual([host for host in direct + passed if access.is_direct(host)], direct)


class CredentialsTest(AccessTestCase):
    def test_a_host_gets_its_own_and_no_other_gets_any(self) -> None:
        mine = f"machine 127.0.0.1 login me password {PASSWORD}\n"
        other = "machine example.org login me password hunter2\n"
        anyone = "default login me password hunter2\n"
        for text, sent in ((other + mine, basic("me", PASSWORD)), (other, None), (anyone, None), ("", None)):
            access._netrc.cache_clear()
            self.netrc(text)
            self.assertEqual(self.install(), (0, ""))
            self.assertEqual(self.server.headers[-1]["Authorization"], sent)
            self.spm("uninstall", "a")
            self.spm("cache", "prune", "--older-than", "0d")

    def test_a_redirect_within_a_host_takes_them_along(self) -> None:
        self.netrc(f"machine 127.0.0.1 login me password {PASSWORD}\n")
        self.server.files.update({"/a.deb": redirect("/here.deb"), "/here.deb": GOOD})
        self.assertEqual(self.install(), (0, ""))
        self.assertEqual([each["Authorization"] for each in self.server.headers], [basic("me", PASSWORD)] * 2)

    def test_who_has_none_is_told_where_to_write_them(self) -> None:
        for status, reason in ((401, "the server asks for credentials (HTTP 401)"), (403, "not allowed (HTTP 403)")):
            self.server.files["/a.deb"] = refuse(status, "No")
            self.assertEqual(
                self.install(),
                (
                    1,
                    f"spm: error: could not fetch a.deb: main (SERVER/a.deb): {reason}\n"
                    "hint: write a line into ~/.netrc: machine 127.0.0.1 login USER password PASSWORD\n",
                ),
            )

    def test_a_redirect_to_an_open_line_is_refused(self) -> None:
        server = self.serve_by_tls()
        os.environ["SSL_CERT_FILE"] = CERTIFICATE
        server.files["/a.deb"] = redirect(f"{self.server.base}/a.deb")
        self.assertIn("main (SERVER/a.deb): redirected from https to http (HTTP 302)\n", self.install()[1])
        self.assertEqual(self.server.asked, [])

    def test_credentials_that_are_refused_are_not_asked_for_again(self) -> None:
        self.netrc("machine 127.0.0.1 login me password hunter2\n")
        self.server.files["/a.deb"] = refuse(401, "Unauthorized")
        self.assertEqual(
            self.install(),
            (
                1,
                "spm: error: could not fetch a.deb: main (SERVER/a.deb): the server refuses our credentials "
                "(HTTP 401)\nhint: correct the line of ~/.netrc: machine 127.0.0.1 login USER password PASSWORD\n",
            ),
        )
        self.assertEqual(self.server.asked, ["/a.deb"])

    def test_a_file_that_is_wrong_is_one_error_that_shows_no_password(self) -> None:
        for text in ("machine a login me password hunter 2\n", "password hunter2\n", "machine\n"):
            access._netrc.cache_clear()
            self.netrc(text)
            status, err = self.install()
            self.assertRegex(
                err.replace(self.folder, "FOLDER"),
                r"^spm: error: FOLDER/netrc: at or before line [12]: expected 'machine HOST login USER password "
                r"PASSWORD', found something else \(not shown\)\nhint: correct that line\n$",
            )
            self.assertEqual(status, 2)
        os.environ["NETRC"] = f"{self.folder}/none"
        status, err = self.install()
        self.assertEqual(
            (status, err.splitlines()[0]), (2, "spm: error: NETRC: No such file or directory: FOLDER/none")
        )

    def test_the_usual_place_is_the_home_folder(self) -> None:
        del os.environ["NETRC"]
        os.environ["HOME"] = self.folder
        self.assertIsNone(access.login("127.0.0.1"))
        with open(f"{self.folder}/.netrc", "w") as file:
            file.write("machine 127.0.0.1\n login me\n password x\n")
        self.assertEqual(access.login("127.0.0.1"), ("me", "x"))


if __name__ == "__main__":
    unittest.main()
