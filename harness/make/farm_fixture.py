"""A farm for tests: a cluster, a results folder, and a bundle in which a session takes a second.

The bundle is a shell script with the interface of a real one. At each of MOMENTS it looks whether it shall stay there: a
test says so with `stay`, waits with `wait_until_there`, and then does what it wants to the node."""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any

from harness.make import build, paths
from harness.make.slurm_cluster import PATIENCE_S, Cluster, wait_for

MOMENTS = ("start", "fetch", "unpacking", "unpacked", "verify", "layouts", "block1", "block2", "exhibits", "ran", "delivering",
           "delivered")
"""In the order of a job. `start`: it waits for the node's lock. `fetch`: it copies the bundle."""

_BUNDLE = r"""#!/bin/sh
# A bundle of which nothing is real but its interface.
control=@CONTROL@
at() {
  [ "$(cat "$control/$SLURMD_NODENAME.stay" 2>/dev/null)" = "$1" ] || return 0
  mv "$control/$SLURMD_NODENAME.stay" "$control/$SLURMD_NODENAME.there"
  while [ -e "$control/$SLURMD_NODENAME.there" ] && [ -z "${stopped:-}" ]; do sleep 0.1; done
}
result() { sed "s/@ID@/$1/; s/@STATE@/$2/; s/@MACHINE@/$LAB_MACHINE/" "$control/result"; }
whole() { cat >"$1.part" && mv "$1.part" "$1"; }
case $1 in
unpack)
  [ ! -d "$2" ] || exit 0
  rm -rf "$2.part"
  mkdir "$2.part" && cp "$0" "$2.part/lab" || exit 1
  at unpacking
  mv "$2.part" "$2"
  at unpacked ;;
verify)
  at verify
  [ ! -e "$(dirname "$0")/damaged" ] ;;
run)
  mine=$LAB_RESULTS/$LAB_MACHINE
  mkdir -p "$mine"
  for journal in "$mine"/*.journal; do
    [ ! -e "$journal" ] || { result "$(basename "$journal" .journal)" interrupted | whole "${journal%.journal}.json"; rm "$journal"; }
  done
  at layouts
  stopped=""
  trap 'stopped=yes' TERM
  name=$(date -u +%Y%m%dT%H%M%SZ)-stub-$$
  busy=$control/$LAB_MACHINE.busy
  [ ! -e "$busy" ] || ! kill -0 "$(cat "$busy")" 2>/dev/null || echo "twice" >>"$control/$LAB_MACHINE.log"
  echo $$ >"$busy"
  echo "begin $$" >>"$control/$LAB_MACHINE.log"
  state=complete
  for block in 1 2 3 4; do
    echo "$block" >>"$mine/$name.journal"
    at "block$block"
    sleep 0.2
    [ -z "$stopped" ] || { state="out of time"; break; }
  done
  result "$name" "$state" | whole "$mine/$name.json"
  rm "$mine/$name.journal"
  at exhibits
  echo "end $$" >>"$control/$LAB_MACHINE.log"
  echo "$mine/$name.json"
  exit "$(cat "$control/$LAB_MACHINE.status" 2>/dev/null || echo 0)" ;;
deliver)
  at ran
  mkdir -p "$LAB_RESULTS/$LAB_MACHINE/state" && mkdir -p "$3/inbox/$LAB_MACHINE" || exit 1
  for file in "$LAB_RESULTS/$LAB_MACHINE"/*.json; do
    note=$LAB_RESULTS/$LAB_MACHINE/state/${file##*/}
    [ ! -e "$note" ] && [ -e "$file" ] || continue
    cp "$file" "$3/inbox/$LAB_MACHINE/.part" || { echo "deliver: error: no space" >&2; exit 1; }
    at delivering
    mv "$3/inbox/$LAB_MACHINE/.part" "$3/inbox/$LAB_MACHINE/${file##*/}"
    at delivered
    : >"$note"
  done ;;
esac
"""


def _result() -> str:
    """A result without a process, which has no noise and so is fit; a stub fills in what stands between @."""
    path = sorted(glob.glob(os.path.join(paths.ROOT, "results", "reference", "*.json")))[0]
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    for name in ("benchmarks", "answers", "unsupported", "failures", "exhibits", "workloads", "variants"):
        result[name] = []
    result["machine"]["id"] = "@MACHINE@"
    result["session"].update(id="@ID@", state="@STATE@", waiting=[], disturbances=[])
    return "{\n" + ",\n".join(f'  "{name}": {json.dumps(value)}' for name, value in result.items()) + "\n}\n"


class Farm:
    """`cluster` runs and is this test's alone, or shared with farms of other nights."""

    def __init__(self, cluster: Cluster, night: str) -> None:
        self.cluster = cluster
        self.night = night
        self.place = os.path.join(cluster.folder, night)
        self.results = os.path.join(self.place, "results")
        self.control = os.path.join(self.place, "control")
        for folder in (self.results, self.control):
            os.makedirs(folder)
        with open(os.path.join(self.control, "result"), "w", encoding="utf-8") as file:
            file.write(_result())
        self.bundle = self.write("bundle", _BUNDLE.replace("@CONTROL@", self.control))

    def write(self, name: str, text: str, mode: int = 0o755) -> str:
        path = os.path.join(self.place, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def command(self, verb: str, *more: str) -> list[str]:
        harness = build.existing_harness()
        assert harness
        bundle = [self.bundle] if verb == "submit" else []
        return [harness, "farm", verb, *bundle, "--results", self.results, "--night", self.night, *more]

    @property
    def environment(self) -> dict[str, str]:
        return {**self.cluster.environment, "LAB_SCRATCH": os.path.join(self.place, "scratch")}

    def call(self, verb: str, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(verb, *more), env={**self.environment, **environment}, capture_output=True,
                              text=True, check=False, timeout=PATIENCE_S)

    def submit(self, *more: str) -> str:
        """What it printed; it must end well."""
        done = self.call("submit", *more)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def status(self) -> dict[str, Any]:
        """Each node of `farm status --json`."""
        return {node["node"]: node for node in self.whole_status()["nodes"]}

    def whole_status(self) -> Any:
        done = self.call("status", "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def states(self) -> dict[str, str]:
        return {name: node["state"] for name, node in self.status().items()}

    def wait_states(self, wanted: dict[str, str]) -> None:
        def is_so() -> bool:
            found = self.states()
            return all(found.get(node) == state for node, state in wanted.items())
        try:
            wait_for("", is_so)
        except AssertionError:
            raise AssertionError(f"waited in vain for {wanted}, found {self.status()}\n{self.logs()}") from None

    def stay(self, node: str, moment: str) -> None:
        """The next job of the node stays at this moment."""
        with open(self._flag(node, "stay"), "w", encoding="utf-8") as file:
            file.write(moment)

    def wait_until_there(self, node: str) -> None:
        try:
            wait_for("", lambda: os.path.exists(self._flag(node, "there")))
        except AssertionError:
            raise AssertionError(f"{node} did not come there: {self.status()}\n{self.logs()}") from None

    def go_on(self, node: str) -> None:
        os.unlink(self._flag(node, "there"))

    def forget(self, node: str) -> None:
        """What was killed there does not stay again."""
        for kind in ("stay", "there"):
            if os.path.exists(self._flag(node, kind)):
                os.unlink(self._flag(node, kind))

    def end_with(self, node: str, status: int) -> None:
        with open(self._flag(node, "status"), "w", encoding="utf-8") as file:
            file.write(str(status))

    def sessions(self, node: str) -> list[str]:
        """The states of the sessions that were delivered, sorted."""
        found = []
        for path in glob.glob(os.path.join(self.results, "inbox", node, "*.json")):
            with open(path, encoding="utf-8") as file:
                found.append(json.load(file)["session"]["state"])
        return sorted(found)

    def turns(self, node: str) -> list[str]:
        """"begin" and "end" of each session that measured there, in order; "twice" where two did at once."""
        with open(os.path.join(self.control, f"{node}.log"), encoding="utf-8") as file:
            return [line.split()[0] for line in file]

    def on_node(self, node: str) -> str:
        """The place on the node, which outlives its jobs."""
        found, = glob.glob(os.path.join(self.place, "scratch", f"lab-*-{node}"))
        return found

    def logs(self) -> str:
        """What the jobs printed, for a test that fails."""
        text = ""
        for path in sorted(glob.glob(os.path.join(self.place, "scratch", "*", "farm-*", "jobs", "*", "*.out"))):
            with open(path, encoding="utf-8", errors="replace") as file:
                text += f"--- {path}\n{file.read()}"
        return text

    def _flag(self, node: str, kind: str) -> str:
        return os.path.join(self.control, f"{node}.{kind}")


def start_cluster() -> Cluster:
    """In a new folder, which other users may enter."""
    folder = tempfile.mkdtemp(prefix="slurm-")
    os.chmod(folder, 0o711)
    cluster = Cluster(folder)
    try:
        cluster.start()
    except BaseException:
        stop_cluster(cluster)
        raise
    return cluster


def stop_cluster(cluster: Cluster) -> None:
    cluster.stop()
    shutil.rmtree(cluster.folder, ignore_errors=True)
