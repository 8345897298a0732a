"""A Slurm of its own for tests: munged, slurmctld and several slurmd on this host, all of whose files lie in one folder. It
listens on loopback alone and needs no root, no systemd and no cgroups. Every process is ended by its own number."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable

from harness.make.console import MakeError

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
"""Debian: munge, slurmctld, slurmd, slurm-client."""

PATIENCE_S = 180
"""How long a wait for what must come lasts. It only tells a hang from a busy machine."""

_STEP_S = 0.05


def missing_program() -> str | None:
    """The first program of Slurm that this machine lacks."""
    return next((name for name in PROGRAMS if program(name) is None), None)


def program(name: str) -> str | None:
    """Its path; daemons are not in every user's PATH."""
    return shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")


def wait_for(what: str, is_so: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Returns once is_so() is true; an error that says what did not happen."""
    until = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > until:
            raise AssertionError(f"waited {patience_s:.0f} s in vain: {what}")
        time.sleep(_STEP_S)


class Cluster:
    """`folder` must have a short name, because the socket of munge lies in it. With `host_licence`, jobs that ask for the
    licence host:1 take turns."""

    def __init__(self, folder: str, nodes: int = 3) -> None:
        self.folder = folder
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self.conf = os.path.join(folder, "slurm.conf")
        self.environment = {**{name: value for name, value in os.environ.items()
                               if not name.startswith(("SLURM_", "SBATCH_", "SQUEUE_", "SINFO_", "LAB_"))},
                            "SLURM_CONF": self.conf}

    def start(self) -> None:
        for name in ("munge", "state", "spool", "log"):
            os.makedirs(self._path(name), exist_ok=True)
        os.chmod(self._path("munge"), 0o711)  # other users submit jobs, too
        with open(os.open(self._path("munge", "key"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(1024))
        with open(self.conf, "w", encoding="utf-8") as text:
            text.write(self._configuration())
        self._run("munged", "--force", "--num-threads=2", *(f"--{name}-file={self._path('munge', name)}" for name in ("key", "pid", "seed")),
                  f"--socket={self._path('munge', 'socket')}", f"--log-file={self._path('log', 'munged')}")
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        self.wait_idle()

    def stop(self) -> None:
        """Ends whatever of it still runs, with its jobs."""
        for node in self.nodes:
            self.kill_node(node)
        self.kill_controller()
        _kill(self._pid("munge", "pid"), "munged", signal.SIGTERM)

    def start_controller(self) -> None:
        self._run("slurmctld", "-f", self.conf)

    def kill_controller(self) -> None:
        """As a crash does."""
        _kill(self._pid("state", "slurmctld.pid"), "slurmctld", signal.SIGKILL)

    def start_node(self, node: str) -> None:
        os.makedirs(self._path("spool", node), exist_ok=True)
        self._run("slurmd", "-N", node, "-f", self.conf)

    def kill_daemon(self, node: str) -> None:
        """Only slurmd; its jobs go on."""
        _kill(self._pid("spool", f"{node}.pid"), "slurmd", signal.SIGKILL)

    def kill_node(self, node: str) -> None:
        """Everything of one node at once, as when its power goes."""
        self.kill_daemon(node)
        while pids := self.processes_of(node):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_STEP_S)

    def processes_of(self, node: str) -> list[int]:
        """The jobs' scripts on this node, the slurmstepd above them, and what they started."""
        found, parents = [], set()
        script = self._path("spool", node, "job")
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            words, environment = _proc(pid, "cmdline"), _proc(pid, "environ")
            is_script = any(word.startswith(script) for word in words)
            if is_script:
                parents.add(_parent(pid))
            if is_script or (f"SLURMD_NODENAME={node}" in environment and any(self.folder in each for each in environment)):
                found.append(pid)
        return [pid for pid in parents if pid > 1 and _name(pid) == "slurmstepd"] + found

    def end_jobs(self) -> None:
        """Cancels what waits or runs, and waits for its end."""
        if jobs := self.ask("squeue", "--noheader", "--format=%i").split():
            self.ask("scancel", *jobs)
            self.ask("scancel", "--signal=KILL", "--full", *jobs)
        self.wait_idle()

    def wait_idle(self) -> None:
        wait_for("all nodes idle", lambda: self.states().count("idle") == len(self.nodes))

    def states(self) -> list[str]:
        return self.ask("sinfo", "--noheader", "--Node", "--format=%t").split()

    def ask(self, *command: str) -> str:
        """What a command of Slurm prints; its error counts as no answer."""
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout

    def jobs(self, *more: str) -> dict[str, str]:
        """The state of each job by its name."""
        lines = self.ask("squeue", "--noheader", "--states=all", "--format=%j %T", *more).splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def _path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def _pid(self, *names: str) -> int:
        try:
            with open(self._path(*names), encoding="utf-8") as file:
                return int(file.read())
        except (OSError, ValueError):
            return 0

    def _run(self, name: str, *arguments: str) -> None:
        done = subprocess.run([program(name) or name, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MakeError(f"{name} ended with status {done.returncode}: {done.stderr.strip()}", "")

    def _configuration(self) -> str:
        ports = _free_ports(1 + len(self.nodes))
        host, user = socket.gethostname().split(".")[0], _user()
        facts = subprocess.run([program("slurmd") or "slurmd", "-C"], capture_output=True, text=True, check=True).stdout
        fact = dict(word.split("=", 1) for word in facts.split() if "=" in word)
        nodes = "".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={fact['CPUs']} "
                        f"RealMemory={int(fact['RealMemory']) * 9 // 10} State=UNKNOWN\n"
                        for node, port in zip(self.nodes, ports[1:]))
        return _CONFIGURATION.format(folder=self.folder, host=host, user=user, port=ports[0], nodes=nodes,
                                     names=",".join(self.nodes))


# Why: several slurmd on one host need %n in their files. A job that is requeued waits cred_expire. Without cgroups a job is
# its process group. SlurmdTimeout decides when a dead node is DOWN, ReturnToService that it is used again when it is back.
_CONFIGURATION = """ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/state/slurmctld.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdPidFile={folder}/spool/%n.pid
SlurmdSpoolDir={folder}/spool/%n
SlurmdLogFile={folder}/log/%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=5
InactiveLimit=0
KillWait=5
MinJobAge=3600
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
SelectType=select/linear
JobRequeue=1
Licenses=host:1
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
{nodes}PartitionName=lab Nodes={names} Default=YES OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP
"""


def _user() -> str:
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _proc(pid: int, name: str) -> list[str]:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:
        return []


def _stat(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return ["", "Z", "0"]
    # The name is in parentheses and may have any character.
    return [text[text.find("(") + 1:text.rfind(")")], *text[text.rfind(")") + 2:].split()]


def _name(pid: int) -> str:
    return _stat(pid)[0]


def _parent(pid: int) -> int:
    return int(_stat(pid)[2])


def _kill(pid: int, name: str, number: int) -> None:
    """Sends the signal if the process still has this name, and waits for its end."""
    if pid <= 1 or _name(pid) != name or _stat(pid)[1] == "Z":
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
    wait_for(f"the end of {name} {pid}", lambda: _name(pid) != name or _stat(pid)[1] == "Z")
