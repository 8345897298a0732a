"""serve as a farm's keeper starts it: real processes, sockets on loopback, results that come while it runs."""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from harness.make import build, made_nights, paths
from harness.spm_testing.interrupt import PATIENCE_S, with_signals_of_a_terminal

HARNESS = build.existing_harness()
NEEDS = ["harness"]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin") or ""
NGINX_SETTINGS = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {location}
  }}
}}
"""


def proxy_settings() -> str:
    """The block of nginx settings that the page on serve shows."""
    with open(os.path.join(paths.ROOT, "harness", "docs", "serve.md"), encoding="utf-8") as file:
        return file.read().split("```nginx\n")[1].split("```")[0]


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Server:
    """A running `serve`, ended with the test."""

    def __init__(self, results: str, *arguments: str, port: int = 0) -> None:
        command = ["python3", "make.py", "serve", "--results", results, "--port", str(port), *arguments]
        self.process = subprocess.Popen(command, cwd=paths.ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("serve: http://"):
            raise AssertionError(f"{line!r}, {self.process.communicate()[1]}")
        self.address = line.split()[1]
        self.port = int(self.address.rstrip("/").rsplit(":", 1)[1])

    def ask(self, target: str, method: str = "GET", body: str | None = None, **headers: str) -> tuple[int, dict[str, str], str]:
        """Status, headers by lower-case name, and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
            reply = connection.getresponse()
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read().decode()

    def json(self, target: str) -> Any:
        """What an address that gives JSON says."""
        status, _, body = self.ask(target)
        assert status == 200, (target, status, body)
        return json.loads(body)

    def await_state(self) -> None:
        """Returns when the results have been read."""
        end = time.monotonic() + PATIENCE_S
        while self.ask("/api/grid")[0] != 200:
            assert time.monotonic() < end, self.ask("/api/status")
            time.sleep(0.05)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ends it; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


class Events:
    """A stream of events."""

    def __init__(self, server: Server) -> None:
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
        self.socket.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.text = ""

    def next(self, name: str, within: float = PATIENCE_S) -> Any:
        """The data of the next event of this name; None if none comes in time."""
        end = time.monotonic() + within
        while True:
            while "\n\n" in self.text:
                block, self.text = self.text.split("\n\n", 1)
                lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
                if lines.get("event") == name:
                    return json.loads(lines["data"])
            ready, _, _ = select.select([self.socket], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            got = self.socket.recv(65536)
            if not got:
                raise AssertionError("the stream has ended")
            self.text += got.decode()

    def next_state(self, after: int) -> Any:
        """The data of the next event of a state that is newer than version `after`."""
        while True:
            told = self.next("index")
            assert told is not None, "no newer state was told"
            if told["version"] > after:
                return told

    def close(self) -> None:
        """Ends the stream."""
        self.socket.close()


@unittest.skipUnless(HARNESS, "needs a build: python3 make.py build")
class Serve(unittest.TestCase):
    def setUp(self) -> None:
        with_signals_of_a_terminal(self)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.realpath(scratch.name)
        self.results = os.path.join(self.folder, "results")
        os.mkdir(self.results)

    @contextlib.contextmanager
    def serving(self, *arguments: str, port: int = 0) -> Iterator[Server]:
        """A server that has read the results."""
        server = Server(self.results, *arguments, port=port)
        try:
            yield server
        finally:
            server.end()

    @contextlib.contextmanager
    def streaming(self, server: Server) -> Iterator[Events]:
        """A stream whose first event has come."""
        events = Events(server)
        try:
            self.assertLessEqual({"version", "build"}, set(events.next("hello")))
            yield events
        finally:
            events.close()

    def add_night(self, night: int, machine: str = "b") -> str:
        """One more result; its path."""
        return made_nights.write(self.results, made_nights.night_of(made_nights.model(), machine, night))

    def test_it_shows_every_view_and_says_of_others_that_there_is_none(self) -> None:
        made_nights.write_nights(self.results, nights=4)
        with self.serving() as server:
            server.await_state()
            grid = server.json("/api/grid")
            self.assertEqual(sorted(each["id"] for each in grid["machines"]), sorted(made_nights.MACHINES))
            machine, benchmark = quote(made_nights.MACHINES[0]), quote(grid["benchmarks"][0], safe="")
            for view in ("/", f"/series?m={machine}&b={benchmark}", f"/machine?id={machine}", f"/commit?sha={'1' * 40}",
                         f"/compare?a={machine}&b=b", "/atlas"):
                status, headers, body = server.ask(view)
                self.assertEqual((status, headers["content-type"]), (200, "text/html; charset=utf-8"), (view, body))
                self.assertIn("script-src 'self'", headers["content-security-policy"])
                self.assertIn("</html>", body)
                self.assertEqual(server.ask(view, If_None_Match=headers["etag"])[0], 304, view)
                part = server.json(f"{view}{'&' if '?' in view else '?'}part=1")
                self.assertLessEqual({"version", "title", "header", "main", "charts", "matrices"}, set(part), view)
            for none in ("/nothing", "/series", "/series?m=x&b=y", "/machine?id=", "/alarm?id=x", "/night/b/../b/0000.json",
                         "/night/b/9999.json/index.html", "/..%2f..%2fetc%2fpasswd", "/api/nothing", "/index.sqlite"):
                self.assertEqual(server.ask(none)[0], 404, none)
            self.assertEqual(server.ask("/atlas.csv")[1]["content-type"], "text/plain; charset=utf-8")
            for script in ("report.css", "report.js", "vega.js", "live.js", "live_worker.js", "badge.svg"):
                self.assertEqual(server.ask(f"/{script}")[0], 200, script)

    def test_a_night_is_the_report_of_its_session(self) -> None:
        made_nights.write_nights(self.results, nights=2)
        with self.serving() as server:
            server.await_state()
            status, headers, _ = server.ask(f"/night?session={quote(made_nights.MACHINES[0])}/0001.json")
            self.assertEqual(status, 302)
            status, page_headers, body = server.ask("/" + headers["location"].removeprefix("./"))
            self.assertEqual(status, 200, body)
            self.assertIn("2026-08-02T23:00:00Z", body)
            self.assertEqual(server.ask(f"/night/{quote(made_nights.MACHINES[0])}/0001.json/session.html")[0], 200)
            self.assertNotIn("eval", page_headers["content-security-policy"])

    def test_what_comes_is_told_and_shown(self) -> None:
        made_nights.write_nights(self.results, nights=3)
        with self.serving() as server:
            server.await_state()
            with self.streaming(server) as events:
                before = server.json("/api/grid")["version"]
                path = self.add_night(3)
                told = events.next_state(before)
                self.assertEqual(told["machines"], ["b"])
                self.assertEqual(len(told["series"]), 3)
                self.assertEqual(server.json("/api/grid")["version"], told["version"])
                os.remove(path)
                told = events.next_state(told["version"])
                self.add_night(0, "c")
                told = events.next_state(told["version"])
                self.assertEqual(told["machines"], ["c"])
                with open(os.path.join(self.results, "b", "broken.json"), "w", encoding="utf-8") as file:
                    file.write("{")
                self.add_night(4)
                while "b" not in told["machines"]:
                    told = events.next_state(told["version"])

    def test_a_folder_without_results_says_what_to_do_and_fills_itself(self) -> None:
        with self.serving() as server:
            self.assertEqual(server.ask("/")[0], 200)
            server.await_state()
            with self.streaming(server) as events:
                before = server.json("/api/status")["version"]
                self.add_night(0)
                self.assertEqual(events.next_state(before)["machines"], ["b"])
                self.assertIn("0000", json.dumps(server.json("/api/series?m=b&b=" + quote(server.json("/api/grid")["benchmarks"][0]))))

    def test_it_is_idle_while_this_host_measures(self) -> None:
        made_nights.write_nights(self.results, nights=2)
        head = {**made_nights.model(), "benchmarks": []}
        head["machine"].update(id="b")
        head["context"].update(host_name=socket.gethostname())
        head["session"].update(id="running")
        with open(os.path.join(self.results, "b", "running.journal"), "w", encoding="utf-8") as journal:
            json.dump(head, journal)
            journal.write("\n")
            journal.flush()
            fcntl.flock(journal, fcntl.LOCK_EX)
            with self.serving() as server, self.streaming(server) as events:
                running: list[dict[str, Any]] = []
                while not running:
                    running = events.next("session")["running"]
                self.assertEqual([each["machine"] for each in running], ["b"])
                self.assertTrue(running[0]["here"])
                self.assertEqual(server.ask("/api/grid")[0], 503)
                self.assertIn("read", server.ask("/")[2])
                self.assertIsNone(events.next("index", within=6))
                fcntl.flock(journal, fcntl.LOCK_UN)
                self.assertIsNotNone(events.next("index"))
                self.assertEqual(server.ask("/api/grid")[0], 200)

    def test_others_hear_nothing(self) -> None:
        made_nights.write_nights(self.results, nights=1)
        with self.serving("--allow-host", "Farm.example.org") as server:
            server.await_state()
            for target in ("/", "/events", "/api/grid", "/live.js"):
                self.assertEqual(server.ask(target, Host="evil.example")[0], 403)
                self.assertEqual(server.ask(target, Origin="http://evil.example")[0], 403)
            self.assertEqual(server.ask("/", Host="farm.example.org", Origin="https://farm.example.org")[0], 200)
            for method in ("POST", "PUT", "DELETE", "OPTIONS"):
                self.assertEqual(server.ask("/", method)[0], 405)
            self.assertEqual(server.ask("/ack", "POST", "{}")[0], 403)

    def test_who_has_the_token_may_acknowledge(self) -> None:
        made_nights.write_nights(self.results, nights=1)
        with open(os.path.join(self.results, "alarms.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"at": "2026-08-02T00:00:00Z", "who": "detector", "id": "a1", "step": "raised", "note": "",
                                   "commits": {"from": None, "to": "1" * 40}, "benchmarks": ["x"]}) + "\n")
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write("0123456789abcdef\n")
        os.chmod(token, 0o600)
        with self.serving("--token", token) as server:
            server.await_state()
            said = {"Authorization": "Bearer 0123456789abcdef", "Content_Type": "application/json"}
            wrong = {**said, "Authorization": "Bearer 0123456789abcdeX"}
            body = json.dumps({"id": "a1", "note": "it is <b>known</b>", "who": "Ada"})
            self.assertEqual(server.ask("/ack", "POST", body, **wrong)[0], 403)
            for method in ("GET", "HEAD", "PUT"):
                self.assertEqual(server.ask("/ack", method, body, **said)[0], 405)
            self.assertEqual(server.ask("/ack", "POST", "{}", **said)[0], 400)
            self.assertEqual(server.ask("/ack", "POST", '{"id": "a2"}', **said)[0], 404)
            with self.streaming(server) as events:
                self.assertEqual(server.ask("/ack", "POST", body, **said)[0], 200)
                self.assertIsNotNone(events.next("index"))
            with open(os.path.join(self.results, "alarms.jsonl"), encoding="utf-8") as file:
                last = json.loads(file.readlines()[-1])
            self.assertEqual((last["id"], last["step"], last["who"], last["note"]),
                             ("a1", "acknowledged", "Ada", "it is <b>known</b>"))
            self.assertNotIn("<b>known", server.ask("/alarm?id=a1")[2])

    def test_it_ends_well_comes_back_at_its_port_and_survives_its_folder(self) -> None:
        made_nights.write_nights(self.results, nights=2)
        server = Server(self.results)
        server.await_state()
        with self.streaming(server):
            self.assertEqual(server.end(), 0)
        again = Server(self.results, port=server.port)
        again.await_state()
        self.assertEqual(again.end(signal.SIGINT), 0)
        killed = Server(self.results, port=server.port)
        killed.await_state()
        self.assertEqual(killed.end(signal.SIGKILL), -signal.SIGKILL)
        with self.serving(port=server.port) as last:
            last.await_state()
            with self.streaming(last) as events:
                os.rename(self.results, self.results + ".gone")
                while not last.json("/api/status")["problem"]:
                    time.sleep(0.05)
                self.assertEqual(last.ask("/")[0], 200)
                os.rename(self.results + ".gone", self.results)
                self.add_night(2)
                self.assertIsNotNone(events.next("index"))
                os.remove(os.path.join(self.results, "index.sqlite"))
                self.add_night(3)
                self.assertIsNotNone(events.next("index"))
                self.assertEqual(last.json("/api/status")["problem"], "")

    def test_wrong_usage_is_told_in_one_sentence(self) -> None:
        public = os.path.join(self.folder, "token")
        with open(public, "w", encoding="utf-8") as file:
            file.write("0123456789abcdef\n")
        os.chmod(public, 0o644)
        for arguments, said in ((["--results", os.path.join(self.folder, "none")], "expected a folder, found none"),
                                (["--port", "65536"], "65535"), (["--listen", "farm.example.org"], "expected an IP address"),
                                (["--allow-host", "https://farm"], "expected a name"), (["--token", public], "found mode 644"),
                                (["--develop", "none"], "expected a folder, found none"), (["word"], "word")):
            done = subprocess.run(["python3", "make.py", "serve", "--results", self.results, *arguments], cwd=paths.ROOT,
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    @unittest.skipUnless(NGINX, "needs nginx")
    def test_it_works_below_a_path_of_a_proxy(self) -> None:
        made_nights.write_nights(self.results, nights=1)
        port = free_port()
        with self.serving("--allow-host", "farm.example.org") as server:
            server.await_state()
            settings = os.path.join(self.folder, "nginx.conf")
            location = proxy_settings().replace("8323", str(server.port))
            with open(settings, "w", encoding="utf-8") as file:
                file.write(NGINX_SETTINGS.format(folder=self.folder, port=port, location=location))
            with subprocess.Popen([NGINX, "-c", settings, "-p", self.folder, "-g", "user root;" if os.getuid() == 0 else ""],
                                  stderr=subprocess.PIPE, text=True) as nginx:
                try:
                    end = time.monotonic() + PATIENCE_S
                    while True:
                        try:
                            socket.create_connection(("127.0.0.1", port)).close()
                            break
                        except OSError:
                            self.assertIsNone(nginx.poll())
                            self.assertLess(time.monotonic(), end)
                            time.sleep(0.05)
                    direct, server.port = server.port, port
                    self.assertEqual(server.ask("/lab/", Host="farm.example.org")[0], 200)
                    self.assertEqual(server.ask("/lab/live.js", Host="farm.example.org")[0], 200)
                    self.assertEqual(server.ask("/lab/", Host="evil.example")[0], 403)
                    with contextlib.closing(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)) as stream:
                        stream.sendall(b"GET /lab/events HTTP/1.1\r\nHost: farm.example.org\r\n\r\n")
                        text = b""
                        while b"event: hello" not in text:
                            text += stream.recv(4096)
                    server.port = direct
                finally:
                    nginx.terminate()
                    nginx.communicate(timeout=PATIENCE_S)


if __name__ == "__main__":
    unittest.main()
