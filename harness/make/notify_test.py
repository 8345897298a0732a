"""The recipes of harness/docs/notify.md with real parts on loopback: an SMTP server, curl and a web server, Prometheus with
node_exporter, and parsers of metrics."""

from __future__ import annotations

import copy
import datetime
import email
import email.policy
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

from harness.make import build, made_nights, paths

HARNESS = build.existing_harness()
NEEDS = ["harness"]
PATIENCE_S = 600
"""How long a test waits for what must come. It only tells a hang from a busy machine."""

NIGHTS = 40
SLOWER_FROM = 34
HOSTILE = 'a "quoted", <farm>\\n'
PYTHON = "/usr/bin/python3"
"""Debian's, which has the libraries of Debian's packages."""

RECEIVE_MAIL = """
import sys
from aiosmtpd.controller import Controller
class Handler:
    async def handle_DATA(self, server, session, envelope):
        with open(sys.argv[1], "ab") as file:
            file.write(envelope.content + b"\\0")
        return "250 OK"
controller = Controller(Handler(), hostname="127.0.0.1", port=int(sys.argv[2]))
controller.start()
print("ready", flush=True)
sys.stdin.read()
controller.stop()
"""

PARSE = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict
from prometheus_client.parser import text_string_to_metric_families as older
text = sys.stdin.read()
read = {family.name: [[sample.labels, sample.value] for sample in family.samples] for family in strict(text)}
assert read == {family.name: [[sample.labels, sample.value] for sample in family.samples] for family in older(text)}
print(json.dumps(read))
"""


def can_import(module: str) -> bool:
    return os.path.exists(PYTHON) and subprocess.run([PYTHON, "-c", f"import {module}"], stderr=subprocess.DEVNULL,
                                                     check=False).returncode == 0


def blocks(kind: str) -> list[str]:
    """The blocks of the page that are of this kind."""
    with open(os.path.join(paths.ROOT, "harness", "docs", "notify.md"), encoding="utf-8") as file:
        tried = file.read().split("\n## Untried\n")[0]
    return [text for found, text in re.findall(r"^```(\w*)\n(.*?)^```$", tried, re.M | re.S) if found == kind]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def write_farm(folder: str) -> None:
    """Nights up to yesterday of three machines, on which a benchmark became half as fast six nights ago; and of a fourth,
    which is silent."""
    now = datetime.datetime.now(datetime.timezone.utc)
    model = made_nights.model()
    for number, machine in enumerate(("farm-1", "farm-2", HOSTILE, "farm-4")):
        os.makedirs(os.path.join(folder, f"machine-{number}"))
        for night in range(NIGHTS - (20 if machine == "farm-4" else 0)):
            result = copy.deepcopy(model)
            result["machine"]["id"] = machine
            result["source"]["commit"] = f"{night:08x}" + 32 * "0"
            for arm in result["arms"]:  # a slower executable that did not change would be the machine
                arm["executables"] = {name: f"{night:032x}" for name in arm["executables"]}
            result["session"]["id"] = f"{night:04}"
            result["session"]["started"] = (now - datetime.timedelta(days=NIGHTS - night)).strftime("%Y-%m-%dT%H:%M:%SZ")
            for process in result["benchmarks"]:
                process["real_time"] *= 1 + 0.002 * ((night * 7 + number) % 11)
                if process["name"] == result["benchmarks"][0]["name"] and night >= SLOWER_FROM:
                    process["real_time"] *= 2
            with open(os.path.join(folder, f"machine-{number}", f"{night:04}.json"), "w", encoding="utf-8") as file:
                json.dump(result, file)


@unittest.skipUnless(HARNESS, "needs a build: python3 make.py build")
class Recipes(unittest.TestCase):
    farm: str

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.farm = os.path.join(scratch.name, "farm")
        write_farm(cls.farm)
        cls.harness(0, "history", "--farm", "--results", cls.farm)  # its index

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.results = os.path.join(self.folder, "results")
        shutil.copytree(self.farm, self.results)

    @classmethod
    def harness(cls, status: int, *words: str) -> str:
        done = subprocess.run([HARNESS or "", *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def check(self, command: str) -> None:
        """A check that tells; an alarm waits."""
        self.harness(3, "farm", "check", "--results", self.results, "--notify", command, "--page", "https://lab.example")

    def metrics(self) -> str:
        return self.harness(0, "history", "--export", "openmetrics", "--results", self.results)

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def end() -> None:
            child.terminate()
            child.wait()
            for file in (child.stdin, child.stdout):
                if file:
                    file.close()
        self.addCleanup(end)
        return child

    def fetched(self, address: str, wanted: str) -> str:
        """What the address answers once that contains what is wanted."""
        deadline = time.monotonic() + PATIENCE_S
        found = ""
        while wanted not in found:
            self.assertLess(time.monotonic(), deadline, f"{address} has no {wanted}: {found}")
            try:
                with urllib.request.urlopen(address, timeout=10) as answer:
                    found = answer.read().decode()
            except OSError:
                pass  # it is starting
            if wanted not in found:
                time.sleep(0.05)
        return found

    @unittest.skipUnless(can_import("aiosmtpd"), "needs Debian's python3-aiosmtpd")
    def test_mail_arrives_once_for_each_thing(self) -> None:
        script, = blocks("python")
        port = free_port()
        self.assertIn('"localhost", 25', script)
        mail = os.path.join(self.folder, "mail.py")
        with open(mail, "w", encoding="utf-8") as file:
            file.write(script.replace('"localhost", 25', f'"127.0.0.1", {port}'))
        box = os.path.join(self.folder, "box")
        command = f"python3 '{mail}'"
        done = subprocess.run([HARNESS or "", "farm", "check", "--results", self.results, "--notify", command],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "farm: --notify: 2 of 2 notices not told, .*Connection refused")
        server = self.start([PYTHON, "-c", RECEIVE_MAIL, box, str(port)])
        assert server.stdout is not None
        self.assertEqual(server.stdout.readline(), "ready\n")
        self.check(command)
        self.check(command)
        with open(box, "rb") as file:
            mails = [email.message_from_bytes(each, policy=email.policy.default) for each in file.read().split(b"\0")[:-1]]
        self.assertEqual(len(mails), 2)
        alarm, silence = mails
        self.assertRegex(alarm["Subject"], r"^\s*\[lab\] alarm: \S+ regressed by \+100\.. % .* on all 3 machines; 00000021")
        self.assertRegex(alarm["Message-ID"], "^<[0-9a-f]{32}@lab.example.org>$")
        self.assertRegex(str(alarm.get_payload(decode=True)), "regressed by .*https://lab.example/alarm\\?id=2")
        self.assertRegex(silence["Subject"], r"^\s*\[lab\] silence: farm-4 is silent for 21 days")

    @unittest.skipUnless(shutil.which("curl"), "needs curl")
    def test_a_web_hook_gets_each_object_and_one_that_fails_again(self) -> None:
        command, = blocks("sh")
        got: list[dict] = []
        answers = [500, 200, 200]

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(answers.pop(0))
                self.end_headers()

            def log_message(self, *arguments: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=server.serve_forever).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.assertIn("https://hooks.example", command)
        command = command.strip().replace("https://hooks.example", f"http://127.0.0.1:{server.server_port}")
        for _ in range(3):
            self.check(command)
        self.assertEqual([one["kind"] for one in got], ["alarm", "silence", "alarm"])
        self.assertEqual(got[0], got[2])
        self.assertIn(HOSTILE, got[0]["machines"])
        self.assertEqual(got[0]["commits"]["count"], None)

    @unittest.skipUnless(can_import("prometheus_client"), "needs Debian's python3-prometheus-client")
    def test_metrics_are_read_as_openmetrics_and_as_the_older_format(self) -> None:
        self.check("true")
        done = subprocess.run([PYTHON, "-c", PARSE], input=self.metrics(), capture_output=True, text=True, timeout=PATIENCE_S,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        read = json.loads(done.stdout)
        self.assertIn([{"state": "raised"}, 1], read["lab_alarms"])
        self.assertEqual({labels["machine"] for labels, _ in read["lab_machine_sessions"]}, {"farm-1", "farm-2", HOSTILE, "farm-4"})
        told = [json.loads(line) for line in self.harness(0, "history", "--json", "--results", self.results).splitlines()]
        values = {(labels["machine"], labels["benchmark"]): value
                  for labels, value in read["lab_benchmark_seconds"] + read.get("lab_benchmark_value", [])}
        self.assertEqual(values.keys(), {(one["machine"], one["benchmark"]) for one in told})
        for one in told:
            last = one["points"][-1]["median"]
            self.assertIn(round(values[one["machine"], one["benchmark"]] / last, 12), (1e-9, 1))

    @unittest.skipUnless(shutil.which("promtool"), "needs Debian's prometheus")
    def test_promtool_finds_nothing_in_metrics_and_rules(self) -> None:
        self.check("true")
        for words, text in ((["check", "metrics"], self.metrics()), (["check", "rules", "/dev/stdin"], blocks("yaml")[1])):
            done = subprocess.run(["promtool", *words], input=text, capture_output=True, text=True, timeout=PATIENCE_S,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    @unittest.skipUnless(shutil.which("prometheus") and shutil.which("prometheus-node-exporter"),
                         "needs Debian's prometheus and prometheus-node-exporter")
    def test_prometheus_has_what_it_scrapes_from_node_exporter_and_from_a_file(self) -> None:
        self.check("true")
        line, = (line for line in "".join(blocks("")).splitlines() if "node-exporter" in line)
        directory = os.path.join(self.folder, "collector")
        os.makedirs(directory)
        command = line.split("&&", 1)[1].replace("/var/lib/prometheus/node-exporter", directory).replace("/srv/results", self.results)
        subprocess.run(["sh", "-c", command], cwd=paths.ROOT, check=True, timeout=PATIENCE_S)
        self.assertEqual(os.listdir(directory), ["lab.prom"])
        exporter, prometheus = free_port(), free_port()
        self.start(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                    f"--collector.textfile.directory={directory}", f"--web.listen-address=127.0.0.1:{exporter}"])
        self.assertIn('lab_alarms{state="raised"} 1\n', self.fetched(f"http://127.0.0.1:{exporter}/metrics", "lab_alarms"))
        web = free_port()
        self.start([sys.executable, "-m", "http.server", str(web), "--bind", "127.0.0.1", "--directory", directory])
        scrape = blocks("yaml")[0].replace("lab.example:80", f"127.0.0.1:{web}")
        with open(os.path.join(self.folder, "rules.yml"), "w", encoding="utf-8") as file:
            file.write(blocks("yaml")[1])
        config = os.path.join(self.folder, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n" + scrape +
                       f"- job_name: node\n  static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]\n")
        self.start(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder}/tsdb",
                    f"--web.listen-address=127.0.0.1:{prometheus}"])
        for job in ("lab", "node"):
            query = urllib.parse.quote('count(lab_benchmark_seconds{machine="farm-1",job="%s"})' % job)
            self.fetched(f"http://127.0.0.1:{prometheus}/api/v1/query?query={query}", '"value":[')
        alerts = self.fetched(f"http://127.0.0.1:{prometheus}/api/v1/alerts", "LabMachineSilent")
        names = {one["labels"]["alertname"] for one in json.loads(alerts)["data"]["alerts"]}
        self.assertLessEqual(names, {"LabRegression", "LabMachineSilent"})

    def test_the_badge_says_what_waits(self) -> None:
        self.check("true")
        badge = self.harness(0, "history", "--export", "badge", "--results", self.results)
        self.assertIn("<title>farm: 1 regression, 1 silent</title>", badge)
        self.harness(0, "farm", "ack", re.findall(r"2\d{3}-\d\d-\d\d", self.alarms())[0], "--results", self.results)
        badge = self.harness(0, "history", "--export", "badge", "--results", self.results)
        self.assertIn("<title>farm: 1 silent</title>", badge)

    def alarms(self) -> str:
        with open(os.path.join(self.results, "alarms.jsonl"), encoding="utf-8") as file:
            return re.findall(r'"id":"([^"]*)"', file.read())[0]


if __name__ == "__main__":
    unittest.main()
