"""`nightly`: what cron calls. Fetch, build, run, history, report, JUnit, and a bisect where something became slower.

Everything that must outlive a checkout lies in the folder of results:
  <machine>/*.json      results, as `run` writes them
  nightly/state.json    which changes were told, and how far their bisects are
  nightly/<utc>/        a night's report, history.txt, junit.xml; the newest --keep of them
  nightly/lock          held while a night lasts; says whose
A night that is killed loses what it had not yet written: `run` keeps its journal, `bisect` its record, and the next
night goes on from the results and the state that are there. Every file is written beside and renamed.
"""

import argparse
import contextlib
import fcntl
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import time
from xml.sax.saxutils import quoteattr

from harness.make import build, paths
from harness.make.arguments import Parser
from harness.make.button import harness_stage
from harness.make.console import MakeError, duration, print_error, print_line
from harness.spm.lock import try_lock

KEEP = 30
"""Reports kept where nobody says otherwise."""

RUN_SHARE = 2 / 3
"""Of a budget, measuring and building earlier commits get this much; a bisect gets what is left."""

BISECT_S = 3600
"""A bisect's time where there is no budget."""

LEAST_S = 60
"""With less left, a bisect or an earlier commit waits for another night."""

MOST_TRIES = 5
"""Nights that go on with one bisect: what has failed so often would take the time of others for ever."""

FINAL = ("culprit", "candidates", "none")
"""Answers of a bisect after which it is over."""

CUT_OFF = {"answer": "cut off"}
"""Stands for the answer of a bisect that had no time, or was killed."""

PAIR_SHARE = 1 / 4
"""Of the time for a bisect, asking whether a known culprit is this one's gets this much."""

EXPLAINS = 1 / 2
"""Of a slowdown, on the logarithm: a commit that is good for less is not its culprit."""

MOST_NAMED = 5
"""Benchmarks that the summary names for one cause; junit.xml has all."""

MOST_UNUSUAL = 4
"""Unusual things that the summary names, the last ones, which are of the session itself; junit.xml has all of them and
what to do."""

NEAR = 8
"""Sessions by which a change that is told already may seem to have moved, as more nights become known."""

FIELDS = {"series", "session", "ratio", "low", "high", "nights", "commits", "told", "bisect", "tries"}
"""Of an alarm in the state. One that was bisected may have "asked", too: culprits of others that are not its own."""

STATUSES = {"regression": 3, "unfit": 4, "failed": 1, "fine": 0}


class World:
    """What a night needs of the world; tests have their own."""

    now = staticmethod(time.time)
    clock = staticmethod(time.monotonic)

    def harness(self):
        """Fetches and builds; the harness's path."""
        return os.path.join(build.build(build.Options()).folder, "harness")

    def commits(self, count):
        """The last `count` commits along the first parents, the newest first; MakeError where git does not say."""
        return self._revisions(f"--max-count={count}", "HEAD")

    def between(self, good, bad):
        """The commits after `good` up to `bad` in the same way."""
        return self._revisions(f"{good}..{bad}")

    def _revisions(self, *words):
        command = ["git", "-C", paths.ROOT, "rev-list", "--first-parent", *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise MakeError(f"git: {error.strerror}") from error
        if done.returncode != 0:
            raise MakeError(f"git rev-list: {done.stderr.strip() or 'no word why'}")
        return done.stdout.split()


@contextlib.contextmanager
def only_night(folder):
    """Holds the lock of `folder`, or fails with who holds it: two nights would measure each other. Gives its
    descriptor: a child that has it, too, keeps the lock while it lives, whatever becomes of the night."""
    try:
        os.makedirs(folder, exist_ok=True)
        lock = open(os.path.join(folder, "lock"), "a+", encoding="utf-8")
    except OSError as error:
        raise MakeError(f"--results: expected a folder that can be written, found '{error.filename}': "
                         f"{error.strerror}", "--results DIR, or LAB_RESULTS", 2) from error
    with lock as file:
        if not try_lock(file, fcntl.LOCK_EX):
            file.seek(0)
            holder = file.read().strip() or "it does not say which"
            raise MakeError(f"another night is at work in '{folder}': {holder}",
                             "let it end, or give this one its own --results")
        with contextlib.suppress(OSError):  # of a full disk the night itself has to tell
            file.truncate(0)
            holder = f"process {os.getpid()} on {os.uname().nodename}, since {_utc(time.time())}"
            os.write(file.fileno(), holder.encode())
        yield file.fileno()


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
                alarms = json.load(file)["alarms"]
            if any(FIELDS - alarm.keys() for alarm in alarms):
                raise KeyError
            self.alarms = alarms
        except (ValueError, KeyError, TypeError, AttributeError):
            os.replace(path, path + ".unreadable")
            print_line(f"nightly: '{path}' was no state and is now {path}.unreadable: old changes may be told once more")

    def save(self):
        """Writes it."""
        paths.write_if_changed(self._path, json.dumps({"alarms": self.alarms}, indent=1) + "\n")

    def alarms_of(self, machine):
        """Those of one machine: no other can bisect them."""
        return [alarm for alarm in self.alarms if alarm["series"][0] == machine]

    def knows(self, alarm, sessions):
        """Whether the change was told: the same series, and nearly the same session."""
        place = {session: i for i, session in enumerate(sessions)}
        return any(old["series"] == alarm["series"] and old["session"] in place and
                   abs(place[old["session"]] - place[alarm["session"]]) <= NEAR for old in self.alarms)


def alarms_in(history, machine, night, state):
    """Regressions of the machine's code that nobody was told of yet: one a change, the greatest first. None in a
    night that is not fit: the next one that is has them, where its times still say so."""
    found = [alarm for alarm in state.alarms_of(machine) if not alarm["told"]] if night["fit"] else []
    for series in history:
        if series["machine"] != machine:
            continue
        sessions = [point["session"] for point in series["points"]]
        for change in series["change_points"]:
            if change["cause"] != "code" or change["ratio"] <= 1:
                continue
            is_new = sessions[change["detected_at"]] == night["session"]
            from_before = state.is_new and not is_new
            if not from_before and not (night["fit"] and (is_new or lasts(change, series["points"]))):
                continue
            alarm = {"series": [series["machine"], series["benchmark"], series["version"]],
                     "session": sessions[change["index"]], "ratio": change["ratio"], "low": change["low"],
                     "high": change["high"], "nights": change["nights"], "commits": change["commits"], "told": False,
                     "bisect": None, "tries": 0}
            if state.knows(alarm, sessions):
                continue
            if from_before:
                alarm.update(told=True, bisect={"answer": "none", "reason": "from before the first night"})
            else:
                found.append(alarm)
            state.alarms.append(alarm)
    return sorted(found, key=lambda alarm: -alarm["ratio"])


def lasts(change, points):
    """Whether the last time is nearer to the new level than to the old: what nights that were not fit have found may
    be their own disturbance."""
    last = math.log(points[-1]["median"])
    return abs(last - math.log(change["after"])) < abs(last - math.log(change["before"]))


def alarms_text(alarms):
    """'allocator/tlsf/churn +3.1 % [+2.6 %, +3.7 %] in 1a2b3c4d5e6f..5e6f7a8b9c0d, culprit ...': what has the same
    culprit, or came in the same commits and has none yet, is told together."""
    causes = {}
    for alarm in alarms:
        culprit = (alarm["bisect"] or {}).get("culprit")
        causes.setdefault(culprit or (range_text(alarm), bisect_text(alarm)), []).append(alarm)
    texts = []
    for slower in causes.values():
        named = ", ".join(map(slower_text, slower[:MOST_NAMED]))
        more = f" and {len(slower) - MOST_NAMED} more" if len(slower) > MOST_NAMED else ""
        ranges = set(map(range_text, slower))
        commits = f" in {ranges.pop()}" if len(ranges) == 1 else ""
        least_sure = min(slower, key=lambda alarm: (alarm["bisect"] or {}).get("probability") or 0)
        texts.append(f"{named}{more}{commits}, {bisect_text(least_sure)}")
    return "; ".join(texts)


def range_text(alarm):
    """'1a2b3c4d5e6f..5e6f7a8b9c0d'"""
    return "..".join(short(alarm["commits"][end]) for end in ("from", "to"))


def slower_text(alarm):
    """'allocator/tlsf/churn +3.1 % [+2.6 %, +3.7 %]'"""
    percent = lambda ratio: f"{100 * (ratio - 1):+.2f} %"
    interval = "" if alarm["low"] is None else f" [{percent(alarm['low'])}, {percent(alarm['high'])}]"
    return f"{alarm['series'][1]} {percent(alarm['ratio'])}{interval}"


def short(commit):
    """A commit as a line names it; None is a build outside git."""
    return (commit or "no git")[:12]


def explains(answer, alarm):
    """Whether a bisect's culprit made the benchmark slower by most of what the alarm says."""
    slower = alarm["low"] if (alarm["low"] or 0) > 1 else alarm["ratio"]
    return math.log(answer["ratio"]) >= EXPLAINS * math.log(slower)


def is_open(alarm):
    """Whether its bisect has no answer yet and may still have one."""
    answer = (alarm["bisect"] or {}).get("answer")
    return answer not in FINAL and alarm["tries"] < MOST_TRIES and None not in alarm["commits"].values()


def bisect_text(alarm):
    """'culprit 5e6f7a8b9c0d (99.4 %)', or how far its bisect is."""
    found = alarm["bisect"]
    if found is None:
        return "not bisected yet"
    answer = found["answer"]
    if answer == "culprit":
        return f"culprit {short(found['culprit'])} ({100 * found['probability']:.1f} %)"
    if answer == "candidates":
        return f"one of {len(found['candidates'])} commits"
    if answer == "none":
        return f"bisect: {found.get('reason', 'the ends do not differ')}"
    tries = f"try {alarm['tries']} of {MOST_TRIES}" if alarm["tries"] < MOST_TRIES else "given up"
    return f"bisect {answer}, {tries}"


def quiet_text(rows, alarms, night, others=""):
    """'12 quiet, 3 too young to tell (4 more nights)': what was measured tonight and is no alarm."""
    young = {young["benchmark"] for young in night["too_young"]}
    quiet = len(rows - {alarm["series"][1] for alarm in alarms} - young)
    texts = [f"{quiet}{others} quiet"] if quiet or not young else []
    return ", ".join([*texts, night["too_young_sentence"]] if young else texts)


def unusual_text(sentences):
    """'; unusual: the load average is 3.1; ...', or '' where nothing was: each sentence up to what to do about it."""
    if not sentences:
        return ""
    more = f"; and {len(sentences) - MOST_UNUSUAL} more in junit.xml" if len(sentences) > MOST_UNUSUAL else ""
    return "; unusual: " + "; ".join(sentence.split(": ")[0] for sentence in sentences[-MOST_UNUSUAL:]) + more


def junit(rows, failures, alarms, night):
    """The night as JUnit: a case a benchmark and one for the session. What became slower is a failure, what could not
    be measured an error, what could not be judged is skipped; what was unusual, and what is far from its level, are
    properties."""
    unfit = "" if night["fit"] else f"unfit: {'; '.join(night['sentences'])}"
    cases = {name: ("skipped", unfit) if unfit else None for name in rows}
    cases["nightly/session"] = ("skipped", unfit) if unfit else None
    if not unfit:
        cases |= {young["benchmark"]: ("skipped", young["sentence"]) for young in night["too_young"]}
    errors = {}
    for failure in failures:
        errors.setdefault(failure["benchmark"], ("error", f"{failure['kind']}: {failure['detail']}"))
    cases |= errors
    cases |= {alarm["series"][1]: ("failure", f"slower: {alarms_text([alarm])}") for alarm in alarms}
    count = lambda kind: sum(1 for case in cases.values() if case and case[0] == kind)
    quoted = lambda text: quoteattr(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "?", text))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="nightly" tests="{len(cases)}" failures="{count("failure")}" errors="{count("error")}" '
             f'skipped="{count("skipped")}">']
    away = [f"{one['benchmark']}: {one['ratio']:.2f} times its level" for one in night["away"]]
    told = [(name, sentence) for name, sentences in (("unusual", night["unusual"]), ("note", night["notes"]),
                                                     ("far from its level", away)) for sentence in sentences]
    if told:
        lines += ["  <properties>",
                  *(f"    <property name={quoted(name)} value={quoted(sentence)}/>" for name, sentence in told),
                  "  </properties>"]
    for name, problem in sorted(cases.items(), key=lambda case: case[0]):
        family, _, rest = name.partition("/")
        case = f"  <testcase classname={quoteattr(family)} name={quoteattr(rest)}"
        lines.append(f"{case}><{problem[0]} message={quoted(problem[1])}/></testcase>" if problem else case + "/>")
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
        self.alarms = []
        self.kept = 0
        self.before = "building"
        self.lock = None

    def harness(self, verb, arguments, fine=(0, 1)):
        """(exit status, standard output's last line) of one verb."""
        return harness_stage(self.binary, verb, arguments, fine, self.environment, [self.lock])

    def left(self):
        """Seconds of the budget."""
        return max(0.0, self.budget - (self.world.clock() - self.started))

    def share(self, sessions, beside=0.0):
        """Seconds for each of so many sessions that are still to come, `beside` what others need; None without a
        budget."""
        return None if self.budget is None else max(0.0, self.left() - self.kept - beside) / sessions

    def history(self, *words):
        """What `history --json` prints, a list of objects: every series without `words`."""
        done = subprocess.run([self.binary, "history", "--results", self.results, "--json", *words],
                              stdout=subprocess.PIPE, text=True, env=self.environment, check=False)
        if done.returncode != 0:
            raise MakeError(f"history ended with exit status {done.returncode}",
                             f"python3 make.py history --results {self.results}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def machine(self):
        """This machine's id."""
        plan = subprocess.run([self.binary, "run", "--plan", "--json"], stdout=subprocess.PIPE, text=True,
                              env=self.environment, check=False).stdout
        try:
            return json.loads(plan)["machine"]
        except (ValueError, KeyError, TypeError):
            raise MakeError("run --plan does not say which machine this is",
                             "python3 make.py run --plan --json") from None

    def measure_missing(self):
        """Earlier commits, the oldest first: a history is in the order of its sessions."""
        try:
            commits = self.missing()
        except MakeError as error:
            return print_line(f"nightly: no backfill: {error.what}")
        tonight = self.share(len(commits) + 1)
        for number, commit in enumerate(commits):
            to_come = len(commits) - number
            seconds = self.share(to_come + 1)
            if seconds is not None:  # a share bounds measuring: what building took must not be tonight's
                seconds = min(seconds, self.share(to_come, tonight))
                if seconds < LEAST_S:
                    return print_line(f"nightly: no time is left for {to_come} earlier commits: a larger --budget")
            self.before = "building and earlier commits"
            print_line(f"nightly: backfill {number + 1}/{len(commits)}: {commit[:12]}")
            pace = ["--quick"] if seconds is None else ["--budget", f"{seconds:.0f}"]
            try:
                result = self.harness("run", ["--revision", commit, *pace])[1]
            except MakeError:
                result = ""  # it has said why
            if not result:
                print_line(f"nightly: {commit[:12]} is left out")

    def missing(self):
        """Commits before tonight's that came after the last one this machine measured, the oldest first."""
        machine = self.machine()
        measured = {point["commit"] for series in self.history() if series["machine"] == machine
                    for point in series["points"]}
        commits = self.world.commits(self.backfill + 1)
        if len(commits) <= self.backfill:
            print_line(f"nightly: git knows {len(commits) - 1} earlier commits, not {self.backfill}: in a shallow clone, "
                "git fetch --unshallow brings them")
        missing = list(itertools.takewhile(lambda commit: commit not in measured, commits))
        return missing[:0:-1]

    def bisect(self, machine, fit):
        """Goes on with what has no answer yet, what was tried least first and the greatest of these, while there is
        time; in a night that is not fit, with what was told alone. Returns what it went on with."""
        tried = []
        waiting = [alarm for alarm in self.state.alarms_of(machine) if is_open(alarm) and (fit or alarm["told"])]
        for alarm in sorted(waiting, key=lambda alarm: (alarm["tries"], -alarm["ratio"])):
            ends = alarm["commits"]
            if ends["from"] == ends["to"]:
                alarm["bisect"] = {"answer": "none", "reason": "one commit on both sides"}
                continue
            deadline = self.world.clock() + (BISECT_S if self.budget is None else self.left())
            if not self.is_time_left(alarm, deadline):
                break
            alarm["tries"] += 1
            alarm["bisect"] = CUT_OFF
            self.state.save()
            answer = self.culprit_of_others(alarm, deadline)
            if answer is None and self.is_time_left(alarm, deadline):
                answer = self.ask(alarm, ends["from"], ends["to"], deadline - self.world.clock())
            alarm["bisect"] = answer or CUT_OFF
            self.state.save()
            tried.append(alarm)
        return tried

    def is_time_left(self, alarm, deadline):
        """Whether a bisect can begin; says so where not."""
        if deadline - self.world.clock() >= LEAST_S:
            return True
        print_line(f"nightly: no time is left to bisect {alarm['series'][1]}: the next night goes on")
        return False

    def culprit_of_others(self, alarm, deadline):
        """One commit often makes many benchmarks slower: a culprit of others that lies among the alarm's commits is
        held against the commit before it, two builds that are mostly there, before the whole range is bisected. The
        bisect's answer where it made this benchmark slower by most of the change, too; else None."""
        ends = alarm["commits"]
        try:
            within = [*self.world.between(ends["from"], ends["to"]), ends["from"]]
        except MakeError:
            return None  # the bisect itself will say what git lacks
        asked = alarm.setdefault("asked", [])
        for other in self.state.alarms_of(alarm["series"][0]):
            culprit = (other["bisect"] or {}).get("culprit")
            if len(within) == 2 or culprit not in within[:-1] or culprit in asked:
                continue  # between two commits the alarm's own bisect is the same
            left = deadline - self.world.clock()
            if left < LEAST_S:
                break
            answer = self.ask(alarm, within[within.index(culprit) + 1], culprit, max(LEAST_S, PAIR_SHARE * left))
            if answer["answer"] == "culprit" and explains(answer, alarm):
                return answer
            if answer["answer"] in ("culprit", "none", "undecided"):  # what failed may succeed another night
                asked.append(culprit)
                self.state.save()
        return None

    def ask(self, alarm, good, bad, seconds):
        """The answer of a bisect of the alarm's benchmark, or why there is none."""
        try:
            status, line = self.harness("bisect", ["--good", good, "--bad", bad, "--benchmark", alarm["series"][1],
                                                   "--budget", f"{seconds:.0f}", "--json"])
            return json.loads(line) if line else {"answer": f"ended with exit status {status}"}
        except (MakeError, ValueError) as error:
            return {"answer": f"failed: {error}"}

    def write(self, name, text):
        """One file of the report."""
        paths.write_if_changed(os.path.join(self.report, name), text)

    def told(self):
        """The summary is out: the next night says nothing of tonight's alarms."""
        for alarm in self.alarms:
            alarm["told"] = True
        try:
            if self.alarms:
                self.state.save()
        except OSError as error:
            print_line(f"nightly: the state is not written ({error.strerror}): what was told will be told again")

    def prune(self):
        """Removes the oldest reports; results are never touched."""
        reports = sorted(name for name in os.listdir(self.folder) if re.fullmatch(r"\d{8}T\d{6}Z", name))
        for name in reports[:-self.keep]:
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def judge(self, result):
        """History, bisect, JUnit; (verdict, what the summary says)."""
        with open(result, encoding="utf-8") as file:
            head = json.load(file)
        machine = head["machine"]["id"]
        history = self.history()
        [night] = self.history("--night", result)
        self.state = State(os.path.join(self.folder, "state.json"))
        alarms = alarms_in(history, machine, night, self.state)
        self.state.save()
        tried = self.bisect(machine, night["fit"])
        self.state.save()
        rows = {row["name"] for row in head["benchmarks"] if row.get("arm", "head") == "head"}
        self.write("junit.xml", junit(rows, head["failures"], alarms, night))
        self.alarms = alarms
        before = [alarm for alarm in tried if alarm not in alarms]
        earlier = "".join(f"; {note}" for note in night["notes"]) + unusual_text(night["unusual"])
        earlier += f"; told before: {alarms_text(before)}" if before else ""
        if waiting := sum(map(is_open, self.state.alarms_of(machine))):
            earlier += f"; bisects that go on another night: {waiting}"
        failed = f"{len(head['failures'])} failed: {head['failures'][0]['benchmark']}" if head["failures"] else ""
        if rows and not night["fit"]:
            told = "; ".join([*filter(None, [failed]), *night["sentences"]]) + earlier
            return ("failed" if failed else "unfit"), told
        if alarms:
            quiet = quiet_text(rows, alarms, night, " others")
            return "regression", "; ".join([f"{len(alarms)} slower: {alarms_text(alarms)}", quiet,
                                            *filter(None, [failed])]) + earlier
        if failed or not rows:
            return "failed", (failed or "0 failed: nothing ran") + earlier
        return "fine", quiet_text(rows, alarms, night) + earlier

    def run(self):
        """(verdict, sentence)"""
        self.binary = self.world.harness()
        if self.budget is not None:
            self.kept = (1 - RUN_SHARE) * self.left()
        if self.backfill:
            self.measure_missing()
        seconds = self.share(1)
        if seconds is not None and seconds < 1:
            raise MakeError(f"{self.before} took all of the {duration(self.budget)}: nothing was measured",
                             "a larger --budget; what is built stays where the checkout does")
        status, result = self.harness("run", [] if seconds is None else ["--budget", f"{seconds:.0f}"])
        if not result:
            return "failed", "no result"
        try:
            verdict, sentence = self.judge(result)
        except MakeError as error:
            print_error(error)
            verdict, sentence = "failed", error.what
        try:
            status += self.harness("report", [result, "--out", self.report])[0]
        except MakeError as error:
            print_line(f"nightly: no report: {error.what}")
            status = 1
        text = subprocess.run([self.binary, "history", "--results", self.results], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=self.environment, check=False).stdout
        self.write("history.txt", text)
        if verdict == "fine" and status != 0:
            verdict, sentence = "failed", f"{sentence}; the session or its report failed"
        return verdict, sentence


def main(argv, world=None):
    """python3 make.py nightly"""
    parser = Parser(prog="make.py nightly",
                    description="What cron calls: fetch, build, run, judge, report; the last line sums up. Exit "
                    "status: 0 fine, 1 failed, 3 something became slower, 4 unfit for a verdict.")
    parser.add_argument("--budget", type=_number(float, 1), metavar="SECONDS",
                        help="of the whole night: two thirds of what building leaves for measuring, the rest to bisect")
    parser.add_argument("--results", metavar="DIR", type=_folder,
                        default=os.environ.get("LAB_RESULTS") or os.path.join(paths.ROOT, "results"),
                        help="results, reports and state: a folder that outlives the checkout (default: results)")
    parser.add_argument("--backfill", type=_number(int, 0), default=0, metavar="N",
                        help="first measure up to N commits that came after the last one this machine measured")
    parser.add_argument("--keep", type=_number(int, 1), default=KEEP, metavar="N",
                        help=f"reports that stay (default: {KEEP}); results always do")
    arguments = parser.parse_args(argv)
    world = world or World()
    night = Night(arguments, world)
    with only_night(night.folder) as night.lock:
        try:
            verdict, sentence = night.run()
        except (MakeError, OSError) as error:
            night.alarms = []  # the line has no room for them: the next night's will
            if isinstance(error, OSError):
                error = MakeError(f"{error.filename}: {error.strerror}")
            print_error(error)
            verdict, sentence = "failed", error.what
        night.prune()
        page = os.path.join(night.report, "index.html")
        where = f"; {page}" if os.path.exists(page) else ""
        print(f"nightly: {verdict}: {sentence}; {duration(world.clock() - night.started)}{where}", flush=True)
        night.told()
    return STATUSES[verdict]


def _folder(text):
    if not text:
        raise argparse.ArgumentTypeError("expected a folder, found nothing")
    return text


def _number(kind, least):
    what = "whole number" if kind is int else "number of seconds"

    def read(text):
        with contextlib.suppress(ValueError):
            value = kind(text)
            if least <= value < 1e9:
                return value
        raise argparse.ArgumentTypeError(f"expected a {what} of at least {least} and below 1e9, found '{text}'")
    return read
