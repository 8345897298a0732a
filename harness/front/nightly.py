"""`nightly`: what cron calls. Fetch, build, run, history, report, JUnit, and a bisect where something became slower.

Everything that must outlive a checkout lies in the folder of results:
  <machine>/*.json      results, as `run` writes them
  nightly/state.json    which changes were told, and how far their bisects are
  nightly/<utc>/        a night's report, history.txt, junit.xml; the newest --keep of them
  nightly/lock          held while a night lasts; says whose
A night that is killed loses what it had not yet written: `run` keeps its journal, and the next night goes on from the
results and the state that are there. Every file is written beside and renamed.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from xml.sax.saxutils import quoteattr

from harness.front import build, paths
from harness.front.arguments import Parser
from harness.front.button import harness_stage
from harness.front.talk import FrontError, duration, say

KEEP = 30
"""Reports kept where nobody says otherwise."""

RUN_SHARE = 2 / 3
"""Of a budget, measuring gets this much; a bisect gets what is left."""

BISECT_S = 3600
"""A bisect's time where there is no budget."""

LEAST_BISECT_S = 60
"""With less left, a bisect waits for the next night."""

NEAR = 8
"""Sessions by which a change that is told already may seem to have moved, as more nights become known."""

STATUSES = {"regression": 3, "unfit": 4, "failed": 1, "fine": 0}


class World:
    """What a night needs of the world; tests have their own."""

    now = staticmethod(time.time)
    clock = staticmethod(time.monotonic)

    def harness(self):
        """Fetches and builds; the harness's path."""
        return os.path.join(build.build(build.Options()).folder, "harness")

    def commits(self, count):
        """The last `count` commits along the first parents, the newest first; none where there is no git."""
        done = _git(paths.ROOT, "rev-list", "--first-parent", f"--max-count={count}", "HEAD")
        return done.stdout.split() if done.returncode == 0 else []

    def build_commit(self, commit):
        """Builds it in a tree of its own, by its own make.py; the build folder, or FrontError."""
        tree = os.path.join(paths.BUILD, "backfill")
        _git(paths.ROOT, "worktree", "prune")
        if not os.path.exists(os.path.join(tree, ".git")):
            done = _git(paths.ROOT, "worktree", "add", "--force", "--force", "--detach", tree, commit)
        else:
            done = _git(tree, "checkout", "--force", "--detach", commit)
        if done.returncode != 0:
            raise FrontError(f"checking out {commit[:12]}: {_last_line(done.stderr)}")
        done = subprocess.run([sys.executable, os.path.join(tree, "make.py"), "build"], cwd=tree, env=_outside(),
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise FrontError(f"building {commit[:12]}: {_last_line(done.stderr)}")
        return os.path.join(tree, "build", "pinned-release")


def _git(folder, *arguments):
    return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=False)


def _last_line(text):
    return text.strip().rpartition("\n")[2] or "no word why"


def _outside():
    """The environment for another checkout: what was set for this one does not hold there."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LAB_") and name != "SPM_LIB"}


@contextlib.contextmanager
def only_night(folder):
    """Holds the lock of `folder`, or fails with who holds it: two nights would measure each other."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "it does not say which"
            raise FrontError(f"another night is at work in '{folder}': {holder}",
                             "let it end, or give this one its own --results") from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {os.uname().nodename}, since {_utc(time.time())}")
        file.flush()
        yield


def _utc(seconds, form="%Y-%m-%dT%H:%M:%SZ"):
    return time.strftime(form, time.gmtime(seconds))


class State:
    """The changes that were told. Without a file, all that is known before this night counts as told."""

    def __init__(self, path):
        self._path = path
        self.is_new = not os.path.exists(path)
        self.alarms = []
        if self.is_new:
            return
        try:
            with open(path, encoding="utf-8") as file:
                self.alarms = json.load(file)["alarms"]
        except (ValueError, KeyError, TypeError):
            os.replace(path, path + ".unreadable")
            say(f"nightly: '{path}' was no state and is now {path}.unreadable: old changes may be told once more")

    def save(self):
        """Writes it."""
        paths.write_if_changed(self._path, json.dumps({"alarms": self.alarms}, indent=1) + "\n")

    def knows(self, alarm, sessions):
        """Whether the change was told: the same series, and nearly the same session."""
        place = {session: i for i, session in enumerate(sessions)}
        return any(old["series"] == alarm["series"] and old["session"] in place and
                   abs(place[old["session"]] - place[alarm["session"]]) <= NEAR for old in self.alarms)


def alarms_in(history, tonight, state):
    """Regressions of the code that nobody was told of yet: one a change, the greatest first."""
    found = [alarm for alarm in state.alarms if not alarm["told"]]  # their night was cut off
    for series in history:
        sessions = [point["session"] for point in series["points"]]
        for change in series["change_points"]:
            if change["cause"] != "code" or change["ratio"] <= 1:
                continue
            alarm = {"series": [series["machine"], series["benchmark"], series["version"]],
                     "session": sessions[change["index"]], "ratio": change["ratio"], "low": change["low"],
                     "high": change["high"], "nights": change["nights"], "commits": change["commits"], "told": False,
                     "bisect": None}
            if state.knows(alarm, sessions):
                continue
            if state.is_new and sessions[change["detected_at"]] != tonight:
                alarm.update(told=True, bisect={"answer": "from before the first night"})
            else:
                found.append(alarm)
            state.alarms.append(alarm)
    return sorted(found, key=lambda alarm: -alarm["ratio"])


def alarm_text(alarm):
    """'allocator/tlsf/churn +3.1 % [+2.6 %, +3.7 %] in 1a2b3c4d5e6f..5e6f7a8b9c0d, culprit ...'"""
    percent = lambda ratio: f"{100 * (ratio - 1):+.2f} %"
    interval = "" if alarm["low"] is None else f" [{percent(alarm['low'])}, {percent(alarm['high'])}]"
    ends = [(alarm["commits"][end] or "no git")[:12] for end in ("from", "to")]
    text = f"{alarm['series'][1]} {percent(alarm['ratio'])}{interval} in {ends[0]}..{ends[1]}"
    answer = alarm["bisect"] or {}
    if answer.get("culprit"):
        text += f", culprit {answer['culprit'][:12]} ({100 * answer['probability']:.1f} %)"
    return text


def junit(rows, failures, alarms):
    """The night as JUnit: a case a benchmark; what became slower is a failure, what could not be measured an error."""
    problems = {alarm["series"][1]: ("failure", f"slower: {alarm_text(alarm)}") for alarm in alarms}
    for failure in failures:
        problems.setdefault(failure["benchmark"], ("error", f"{failure['kind']}: {failure['detail']}"))
    names = sorted({*rows, *problems})
    count = lambda kind: sum(1 for found, _ in problems.values() if found == kind)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="nightly" tests="{len(names)}" failures="{count("failure")}" errors="{count("error")}">']
    for name in names:
        family, _, rest = name.partition("/")
        case = f"  <testcase classname={quoteattr(family)} name={quoteattr(rest)}"
        if name not in problems:
            lines.append(case + "/>")
            continue
        kind, message = problems[name]
        printable = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "?", message)
        lines.append(f"{case}><{kind} message={quoteattr(printable)}/></testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


class Night:
    """One night in one folder of results."""

    def __init__(self, arguments, world):
        self.results = os.path.abspath(arguments.results)
        self.folder = os.path.join(self.results, "nightly")
        self.budget = arguments.budget
        self.backfill = arguments.backfill
        self.keep = arguments.keep
        self.world = world
        self.started = world.clock()
        self.report = os.path.join(self.folder, _utc(world.now(), "%Y%m%dT%H%M%SZ"))
        self.environment = {**os.environ, "LAB_RESULTS": self.results}
        self.binary = None
        self.state = None

    def harness(self, verb, arguments, fine=(0, 1), **environment):
        """(exit status, standard output's last line) of one verb."""
        return harness_stage(self.binary, verb, arguments, fine, {**self.environment, **environment})

    def left(self):
        """Seconds of the budget, or None where there is none."""
        return None if self.budget is None else max(0.0, self.budget - (self.world.clock() - self.started))

    def history(self):
        """Every series, as `history --json` prints them."""
        done = subprocess.run([self.binary, "history", "--results", self.results, "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.environment, check=False)
        if done.returncode not in (0, 2):
            raise FrontError(f"history ended with exit status {done.returncode}: {_last_line(done.stderr)}",
                             f"python3 make.py history --results {self.results}")
        # 2: there is none yet.
        return [json.loads(line) for line in done.stdout.splitlines()]

    def measure(self, seconds, quick, **environment):
        """One session; (exit status, the result's path)."""
        pace = ["--quick"] if quick else [] if seconds is None else ["--budget", f"{seconds:.0f}"]
        return self.harness("run", pace, **environment)

    def measure_missing(self, commits):
        """Earlier commits, the oldest first: a history is in the order of its sessions."""
        left = self.left()
        share = None if left is None else RUN_SHARE * left / (len(commits) + 1)
        for number, commit in enumerate(commits):
            say(f"nightly: backfill {number + 1}/{len(commits)}: {commit[:12]}")
            try:
                folder = self.world.build_commit(commit)
                tree = os.path.dirname(os.path.dirname(folder))
                self.measure(share, share is None, LAB_BUILD=folder, LAB_ROOT=tree, SPM_LIB="")
            except FrontError as error:
                say(f"nightly: {commit[:12]} is left out: {error.what}")

    def missing(self):
        """Commits before tonight's that came after the last one measured, the oldest first."""
        measured = {point["commit"] for series in self.history() for point in series["points"]}
        missing = []
        for commit in self.world.commits(self.backfill + 1)[1:]:
            if commit in measured:
                break
            missing.append(commit)
        return missing[::-1]

    def bisect(self, state):
        """Goes on with every alarm whose culprit is not known, the newest first, while there is time."""
        for alarm in reversed(state.alarms):
            ends = alarm["commits"]
            seconds = BISECT_S if self.left() is None else self.left()
            if (alarm["bisect"] or {}).get("answer", "undecided") != "undecided" or not ends["from"] or not ends["to"]:
                continue
            if ends["from"] == ends["to"]:
                alarm["bisect"] = {"answer": "none", "reason": "one commit on both sides"}
                continue
            if seconds < LEAST_BISECT_S:
                say(f"nightly: no time is left to bisect {alarm['series'][1]}: the next night goes on")
                return
            try:
                status, line = self.harness("bisect", ["--good", ends["from"], "--bad", ends["to"], "--benchmark",
                                                       alarm["series"][1], "--budget", f"{seconds:.0f}", "--json"])
                alarm["bisect"] = json.loads(line) if line else {"answer": "undecided" if status == 1 else "failed"}
            except (FrontError, ValueError) as error:
                alarm["bisect"] = {"answer": "failed", "reason": str(error)}
            state.save()

    def write(self, name, text):
        """One file of the report."""
        paths.write_if_changed(os.path.join(self.report, name), text)

    def told(self):
        """The summary is out: the next night says nothing of tonight's alarms."""
        if self.state is None:
            return
        for alarm in self.state.alarms:
            alarm["told"] = True
        self.state.save()

    def prune(self):
        """Removes the oldest reports; results are never touched."""
        reports = sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"\d{8}T\d{6}Z", name))
        for name in reports[:-self.keep]:
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def judge(self, result):
        """History, bisect, JUnit; (verdict, what the summary says)."""
        with open(result, encoding="utf-8") as file:
            head = json.load(file)
        session = head["session"]["id"]
        history = self.history()
        tonight = [series for series in history if any(point["session"] == session for point in series["points"])]
        self.state = state = State(os.path.join(self.folder, "state.json"))
        alarms = alarms_in(history, session, state)
        state.save()
        self.bisect(state)
        state.save()
        self.write("junit.xml", junit([series["benchmark"] for series in tonight], head["failures"], alarms))
        quiet = len(tonight) - len(alarms)
        if alarms:
            texts = "; ".join(alarm_text(alarm) for alarm in alarms)
            return "regression", f"{len(alarms)} slower: {texts}; {quiet} others quiet"
        if not tonight and head["benchmarks"]:
            return "unfit", "this session carries no verdict: history left it out"
        if head["failures"] or not head["benchmarks"]:
            first = head["failures"][0]["benchmark"] if head["failures"] else "nothing ran"
            return "failed", f"{len(head['failures'])} failed: {first}"
        return "fine", f"{quiet} quiet"

    def run(self):
        """(verdict, sentence)"""
        self.binary = self.world.harness()
        if self.backfill:
            self.measure_missing(self.missing())
        left = self.left()
        status, result = self.measure(None if left is None else RUN_SHARE * left, False)
        if not result:
            return "failed", "no result"
        verdict, sentence = self.judge(result)
        try:
            status += self.harness("report", [result, "--out", self.report])[0]
        except FrontError as error:
            say(f"nightly: no report: {error.what}")
            status = 1
        text = subprocess.run([self.binary, "history", "--results", self.results], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=self.environment, check=False).stdout
        self.write("history.txt", text)
        if verdict == "fine" and status != 0:
            verdict = "failed"
        return verdict, sentence


def main(argv, world=None):
    """python3 make.py nightly"""
    parser = Parser(prog="make.py nightly",
                    description="What cron calls: fetch, build, run, judge, report; the last line sums up. Exit status: "
                    "0 fine, 1 failed, 3 something became slower, 4 unfit for a verdict.")
    parser.add_argument("--budget", type=_number(float, 1), metavar="SECONDS",
                        help="of the whole night: two thirds of what building leaves for measuring, the rest to bisect")
    parser.add_argument("--results", metavar="DIR",
                        default=os.environ.get("LAB_RESULTS") or os.path.join(paths.ROOT, "results"),
                        help="results, reports and state: a folder that outlives the checkout (default: results)")
    parser.add_argument("--backfill", type=_number(int, 0), default=0, metavar="N",
                        help="first measure up to N commits that came after the last one measured")
    parser.add_argument("--keep", type=_number(int, 1), default=KEEP, metavar="N",
                        help=f"reports that stay (default: {KEEP}); results always do")
    arguments = parser.parse_args(argv)
    world = world or World()
    night = Night(arguments, world)
    with only_night(night.folder):
        try:
            verdict, sentence = night.run()
        except FrontError as error:
            say(f"make.py: error: {error.what}")
            if error.hint:
                say(f"hint: {error.hint}")
            verdict, sentence = "failed", error.what
        night.prune()
        page = os.path.join(night.report, "index.html")
        where = f"; {page}" if os.path.exists(page) else ""
        print(f"nightly: {verdict}: {sentence}; {duration(world.clock() - night.started)}{where}", flush=True)
        night.told()
    return STATUSES[verdict]


def _number(kind, least):
    def read(text):
        value = kind(text)
        if not least <= value < 1e9:
            raise ValueError
        return value
    read.__name__ = "whole number" if kind is int else "number of seconds"
    return read
