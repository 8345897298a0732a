"""What the farm's page says of PostgreSQL, done with a real one."""

from __future__ import annotations

import functools
import glob
import json
import os
import pwd
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest

from harness.make import build, paths

HARNESS = build.existing_harness()
NEEDS = ["harness"]
NIGHTS = 24
PATIENCE_S = 600
"""How long a test waits for what must come. It only tells a hang from a busy machine."""


def programs() -> str | None:
    """The folder of the newest PostgreSQL's programs that Debian has installed, as its server's are in no PATH."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    return os.path.dirname(max(found, key=lambda name: float(name.split("/")[4]))) if found else None


PROGRAMS = programs()


def blocks() -> list[str]:
    """The statements in the section of the farm's page: the table with its rows, and Grafana's query."""
    with open(os.path.join(paths.ROOT, "harness", "docs", "farm.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Other programs\n")[1].split("\n## ")[0]
    return re.findall(r"^```\n(.*?)^```", section, re.M | re.S)


class Server:
    """A server with all its files in `folder` and a socket there, without TCP. Root cannot run one, so nobody does."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._user = "nobody" if os.getuid() == 0 else None
        os.chmod(folder, 0o755)
        self.data = os.path.join(folder, "data")
        os.mkdir(self.data, 0o700)
        if self._user:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
            os.chown(self.data, pwd.getpwnam(self._user).pw_uid, -1)
        self._run("initdb", "--pgdata", self.data, "--username=lab", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
                  "--no-sync")
        self._run("pg_ctl", "--pgdata", self.data, "--log", os.path.join(folder, "log"), "--wait", "--silent",
                  f"--options=-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off", "start")

    def _run(self, program: str, *arguments: str) -> None:
        command = [os.path.join(PROGRAMS or "", program), *arguments]
        if self._user:
            command = ["runuser", "-u", self._user, "--", *command]
        # A file, because the server keeps the descriptors of pg_ctl.
        with open(os.path.join(self.folder, "output"), "w+", encoding="utf-8") as output:
            done = subprocess.run(command, cwd=self.folder, stdout=output, stderr=subprocess.STDOUT, timeout=PATIENCE_S,
                                  check=False)
            output.seek(0)
            assert done.returncode == 0, output.read()

    def psql(self, *arguments: str) -> str:
        command = [os.path.join(PROGRAMS or "", "psql"), "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", self.folder,
                   "-U", "lab", "-d", "postgres", *arguments]
        done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stop(self) -> None:
        self._run("pg_ctl", "--pgdata", self.data, "--wait", "--silent", "--mode=immediate", "stop")


@functools.lru_cache(maxsize=None)
def _smallest_text() -> str:
    kept = glob.glob(os.path.join(paths.ROOT, "results", "reference", "*.json"))
    with open(min(kept, key=os.path.getsize), encoding="utf-8") as file:
        model = json.load(file)
    model["source"] = {"commit": "1" * 40, "dirty": False, "state": "clean"}
    model["session"].update(disturbances=[], unusual=[], state="complete", waiting=[])
    model["build"]["config"] = "release"
    model["arms"] = [arm for arm in model["arms"] if arm["name"] == "head"]
    names = sorted({process["name"] for process in model["benchmarks"] if process["arm"] == "head"})[:3]
    model["benchmarks"] = [each for each in model["benchmarks"] if each["arm"] == "head" and each["name"] in names]
    model["exhibits"], model["failures"] = [], []
    return json.dumps(model)


def smallest_session() -> dict:
    """Three benchmarks of the smallest result in the reference, as a quiet night of a clean checkout has them."""
    return json.loads(_smallest_text())


def write_nights(folder: str) -> None:
    """Nights of two machines."""
    for machine in ("a \"quoted\", farm", "b"):
        os.makedirs(os.path.join(folder, machine))
        for night in range(NIGHTS):
            result = smallest_session()
            result["machine"]["id"] = machine
            result["session"]["id"] = f"{night:04}"
            result["session"]["started"] = f"2026-08-{night + 1:02}T23:00:00Z"
            for process in result["benchmarks"]:
                process["real_time"] *= 1 + 0.01 * (night * 7 % 11)
            with open(os.path.join(folder, machine, f"{night:04}.json"), "w", encoding="utf-8") as file:
                json.dump(result, file)


@unittest.skipUnless(HARNESS, "needs a build")
@unittest.skipUnless(PROGRAMS, "needs PostgreSQL's server")
@unittest.skipUnless(os.getuid() != 0 or shutil.which("runuser"), "needs runuser")
class Postgres(unittest.TestCase):
    def test_it_has_what_history_says_after_the_statements_of_the_farms_page(self) -> None:
        with tempfile.TemporaryDirectory() as results, tempfile.TemporaryDirectory() as folder:
            write_nights(results)
            told = subprocess.run(["python3", "make.py", "history", "--json", "--results", results], cwd=paths.ROOT,
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
            series = [json.loads(line) for line in told.splitlines()]
            self.assertGreaterEqual(len(series), 6)
            server = Server(folder)
            try:
                table, query = blocks()
                script = os.path.join(folder, "point.sql")
                with open(script, "w", encoding="utf-8") as file:
                    file.write(table.replace("/net/lab", results))
                for _ in range(2):  # as often as you like
                    server.psql("-1", "-f", script)
                    self.assertEqual(int(server.psql("-c", "SELECT count(*) FROM point")),
                                     sum(len(one["points"]) for one in series))
                for one in series:
                    where = "WHERE machine = $$%s$$ AND benchmark = $$%s$$" % (one["machine"], one["benchmark"])
                    found = server.psql("-c", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY median) FROM point " + where)
                    median = statistics.median(point["median"] for point in one["points"])
                    self.assertAlmostEqual(float(found), median, delta=1e-9 * median)
                shown = series[0]["benchmark"]
                drawn = server.psql("-c", query.replace("$benchmark", shown)).splitlines()
                self.assertEqual(len(drawn), sum(len(one["points"]) for one in series if one["benchmark"] == shown))
            finally:
                server.stop()


if __name__ == "__main__":
    unittest.main()
