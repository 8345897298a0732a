import argparse
import contextlib
import fcntl
import io
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

from harness.make import build, nightly, paths
from harness.make.console import MakeError

DAY = 86400
FIRST = 1785625200
EARLIER_S = 100
"""What building and measuring an earlier commit takes."""

HARNESS = next((path for path in (os.path.join(paths.build_dir(toolchain, "release"), "harness")
                                  for toolchain in build.TOOLCHAINS) if os.path.exists(path)), None)

# Stands for the harness: history is the real one, run copies what the test has prepared, report and bisect only answer.
FAKE = r"""#!/bin/sh
[ "$*" != "run --plan --json" ] || {{ echo '{{"machine": "farm"}}'; exit; }}
verb=$1; shift
echo "$verb $*" >> "{root}/calls"
case $verb in
history) exec "{harness}" history "$@" ;;
run)
  mkdir -p "$LAB_RESULTS/farm"
  [ "$1" != --revision ] || mv "{root}/$2" "{root}/next.json" 2>/dev/null
  [ -e "{root}/next.json" ] || exit 1
  path=$LAB_RESULTS/farm/$(sed 's/.*"id": "\([0-9]*\)", "started.*/\1/' "{root}/next.json").json
  mv "{root}/next.json" "$path"
  [ ! -e "{root}/crash" ] || {{ rm "{root}/crash"; kill -9 $PPID; while [ -e "{root}/linger" ]; do sleep 0.01; done; }}
  echo "$path" ;;
report) mkdir -p "$3"; echo page > "$3/index.html" ;;
bisect)
  [ ! -e "{root}/crash_bisect" ] || {{ rm "{root}/crash_bisect"; kill -9 $PPID; exit; }}
  . "{root}/bisect" ;;
esac
"""


FIT = {"fit": True, "sentences": [], "notes": [], "unusual": [], "away": [], "too_young": []}
"""What the harness says of a night that nothing speaks against."""


def commit_of(night):
    return f"{night + 1:012x}" + 28 * "0"


def night_of(commit):
    return int(commit[:12], 16) - 1


def result(night, times, **changes):
    """A night's result as `run` writes it: one process of every benchmark."""
    started = nightly._utc(FIRST + DAY * night)
    facts = dict.fromkeys(("kernel", "microcode", "governor", "turbo", "smt", "aslr", "transparent_huge_pages", "libc",
                           "distribution"), "same") | {"load_avg": [0, 0, 0]}
    process = {"run_type": "iteration", "repetitions": 1, "iterations": 1, "cpu_time": 1, "time_unit": "ns",
               "process": 0, "block": 0, "position": 0, "arm": "head", "cpu": None, "threads": 1, "seed": 1, "checksum": "aa",
               "operations": 1, "wall_seconds": 1, "samples": {"work": [1]}, "counters": {}}
    return {
        "schema": 1,
        "context": {"date": started, "host_name": "farm", "executable": "harness", "num_cpus": 1, "mhz_per_cpu": 1,
                    "cpu_scaling_enabled": False, "caches": [], "load_avg": [], "library_build_type": "release"},
        "machine": {"id": "farm", "name": "farm", "cpu_model": "", "architecture": "", "sockets": 1,
                    "physical_cores": 1, "logical_cores": 1, "memory_gib": 1, "virtual": False, "gpus": []},
        "facts": facts,
        "build": {"toolchain": "pinned", "config": "release", "march": "", "compiler": "", "flags": ""},
        "pins": {},
        "source": {"commit": commit_of(night), "dirty": False, "state": "clean"},
        "session": {"id": f"{night:04}", "started": started, "ended": started, "seed": 1, "mode": "quick",
                    "budget_seconds": 0, "blocks": 1, "protocol": 1, "state": "complete", "unusual": []},
        "workloads": [{"family": "shelf", "name": "store", "title": "", "version": 1, "phases": ["work"],
                       "operations": 1, "operation": "", "parallel": False}],
        "variants": [],
        "benchmarks": [{"name": name, "run_name": name, "real_time": time, **process} for name, time in times.items()],
        "answers": [], "unsupported": [], "failures": []} | changes


class FakeWorld(nightly.World):
    build_seconds = 0
    bisect_seconds = 0

    def __init__(self, root, night=0):
        self.root = root
        self.night = night
        self.building = 0

    def now(self):
        return FIRST + DAY * self.night

    def clock(self):
        passed = 0
        with contextlib.suppress(FileNotFoundError), open(os.path.join(self.root, "calls"), encoding="utf-8") as file:
            calls = file.read()
            passed = EARLIER_S * calls.count("--revision") + self.bisect_seconds * calls.count("bisect ")
        return float(DAY * self.night + self.building + passed)

    def harness(self):
        self.building = self.build_seconds
        return os.path.join(self.root, "harness")

    def commits(self, count):
        return [commit_of(night) for night in range(self.night, -1, -1)][:count]

    def between(self, good, bad):
        return [commit_of(night) for night in range(night_of(bad), night_of(good), -1)]


def prepare(root, night, times, name="next.json", **changes):
    with open(os.path.join(root, name), "w", encoding="utf-8") as file:
        json.dump(result(night, times, **changes), file)


@unittest.skipIf(HARNESS is None, "the harness is not built")
class Nightly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.results = os.path.join(self.root, "kept")
        path = os.path.join(self.root, "harness")
        paths.write_if_changed(path, FAKE.format(root=self.root, harness=HARNESS), 0o755)
        self.put("bisect", "")

    def put(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(text)

    def bisect_says(self, answer, status=0):
        self.put("bisect", f"cat <<'END'\n{json.dumps(answer)}\nEND\nexit {status}\n" if answer else f"exit {status}\n")

    def night(self, number, *words):
        """(exit status, standard output)"""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()) as talk:
            status = nightly.main(["--results", self.results, *words], FakeWorld(self.root, number))
        self.talk = talk.getvalue()
        return status, output.getvalue()

    def calls(self, verb):
        with open(os.path.join(self.root, "calls"), encoding="utf-8") as file:
            return [line.rstrip("\n") for line in file if line.startswith(verb)]

    def killed_night(self, number, crash="crash"):
        """A night of which nothing stays but what it had written."""
        self.put(crash, "")
        child = os.fork()
        if child == 0:
            try:
                self.night(number)
            finally:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], signal.SIGKILL)
        if os.path.exists(os.path.join(self.root, "linger")):
            return
        with open(os.path.join(self.results, "nightly", "lock"), encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until its child has gone, too

    def test_thirty_nights_of_200_benchmarks_raise_one_alarm_for_the_one_that_became_slower(self):
        noise = random.Random(20260802)
        names = [f"shelf/v{i:03}/store" for i in range(200)]
        culprit = {"culprit": commit_of(20), "probability": 0.994, "answer": "culprit"}
        self.bisect_says(culprit)
        told = []
        for night in range(30):
            times = {name: 100 * math.exp(0.01 * noise.gauss(0, 1)) for name in names}
            if night >= 20:
                times[names[70]] *= math.exp(0.03)
            prepare(self.root, night, times)
            if night == 12:
                self.killed_night(night)
                continue
            status, line = self.night(night)
            self.assertEqual(line.count("\n"), 1)
            if status:
                self.assertEqual(status, 3, line)
                told.append((night, line))
        self.assertEqual(len(told), 1, told)
        night, line = told[0]
        self.assertLessEqual(night, 25)
        self.assertRegex(line, r"^nightly: regression: 1 slower: shelf/v070/store \+\d\.\d\d % .*; 199 others quiet")
        self.assertIn(f"culprit {commit_of(20)[:12]} (99.4 %)", line)
        bisects = self.calls("bisect")
        self.assertEqual(len(bisects), 1)
        good, bad = (night_of(bisects[0].split()[place]) for place in (2, 4))
        self.assertLess(good, 20)
        self.assertGreaterEqual(bad, 20)
        self.assertEqual(len(os.listdir(os.path.join(self.results, "farm"))), 30)

    def slow_nights(self, count):
        """`count` nights of one benchmark, twice as slow from night 40 on; the third such night can tell."""
        noise = random.Random(3)
        for night in range(count):
            time = 100 * math.exp(0.01 * noise.gauss(0, 1)) * (2 if night >= 40 else 1)
            prepare(self.root, night, {"shelf/a/store": time})
            yield night

    def test_an_alarm_of_a_night_that_was_cut_off_is_told_by_the_next(self):
        statuses = {}
        for night in self.slow_nights(45):
            if night == 42:
                self.killed_night(night)
                continue
            statuses[night] = self.night(night)[0]
        self.assertEqual([night for night, status in statuses.items() if status == 3], [43])

    def test_what_was_known_before_the_first_night_is_no_alarm(self):
        for night in self.slow_nights(45):
            if night < 44:
                os.makedirs(os.path.join(self.results, "farm"), exist_ok=True)
                os.replace(os.path.join(self.root, "next.json"), os.path.join(self.results, "farm", f"{night:04}.json"))
        self.assertEqual(self.night(44)[0], 0)
        self.assertEqual(self.calls("bisect"), [])
        with open(os.path.join(self.results, "nightly", "state.json"), encoding="utf-8") as file:
            self.assertEqual([alarm["session"] for alarm in json.load(file)["alarms"]], ["0040"])

    def more_nights(self, first, last):
        """Their summary lines; the benchmark stays twice as slow."""
        lines = []
        for night in range(first, last + 1):
            prepare(self.root, night, {"shelf/a/store": 200})
            lines.append(self.night(night)[1])
        return lines

    def test_a_bisect_without_an_answer_goes_on_the_next_night_and_its_answer_is_told(self):
        self.bisect_says({"culprit": None, "probability": 0.5, "answer": "undecided"}, 1)
        lines = [self.night(night)[1] for night in self.slow_nights(43)]
        self.assertRegex(lines[42], r"^nightly: regression: 1 slower: .*, bisect undecided, try 1 of 5; 0 others quiet")
        self.bisect_says(None, 2)
        self.assertRegex(self.more_nights(43, 43)[0],
                         "^nightly: fine: 1 quiet; told before: .*, bisect failed: harness bisect ended with exit "
                         "status 2, try 2 of 5; bisects that go on another night: 1; ")
        self.bisect_says({"culprit": commit_of(40), "probability": 0.99, "answer": "culprit"})
        lines = self.more_nights(44, 45)
        self.assertIn("told before: shelf/a/store +", lines[0])
        self.assertIn(f", culprit {commit_of(40)[:12]} (99.0 %); ", lines[0])
        self.assertNotIn("told before", lines[1])
        self.assertEqual(len(self.calls("bisect")), 3)

    def test_the_bisect_that_had_least_tries_goes_first(self):
        alarm = {"session": "0000", "ratio": 2, "low": None, "high": None, "nights": 3, "told": True, "bisect": None,
                 "commits": {"from": commit_of(0), "to": commit_of(1)}}
        os.makedirs(os.path.join(self.results, "nightly"))
        with open(os.path.join(self.results, "nightly", "state.json"), "w", encoding="utf-8") as file:
            json.dump({"alarms": [alarm | {"series": ["farm", f"shelf/{name}/store", 1], "tries": tries}
                                  for name, tries in (("a", 1), ("b", 0), ("c", 0), ("d", 5))]}, file)
        prepare(self.root, 0, {"shelf/a/store": 100})
        self.night(0)
        self.assertEqual([re.search("shelf/.", call)[0] for call in self.calls("bisect")],
                         ["shelf/b", "shelf/c", "shelf/a"])

    def two_alarms(self, *words):
        """The line of a night with two alarms whose commits overlap; the greater, b, is bisected first."""
        alarm = {"session": "0000", "low": None, "high": None, "nights": 3, "told": False, "bisect": None, "tries": 0}
        os.makedirs(os.path.join(self.results, "nightly"))
        with open(os.path.join(self.results, "nightly", "state.json"), "w", encoding="utf-8") as file:
            json.dump({"alarms": [alarm | {"series": ["farm", f"shelf/{name}/store", 1], "ratio": ratio,
                                           "commits": {"from": commit_of(0), "to": commit_of(last)}}
                                  for name, ratio, last in (("a", 1.05, 8), ("b", 1.2, 9))]}, file)
        prepare(self.root, 0, {"shelf/a/store": 100})
        return self.night(0, *words)[1]

    def pair_says(self, answer):
        """Bisects of a commit and the one before it say `answer`; b's culprit is commit 4, a's own commit 6."""
        culprit = lambda night: json.dumps(
            {"answer": "culprit", "culprit": commit_of(night), "probability": 0.99, "ratio": 1.2})
        self.put("bisect", f"""case "$*" in
                               *{commit_of(3)}*{commit_of(4)}*) {answer} ;;
                               *b/store*) echo '{culprit(4)}' ;;
                               *) echo '{culprit(6)}' ;;
                               esac""")

    def asked(self):
        """(good, bad, benchmark) of every bisect, commits by night."""
        calls = [re.findall("--(?:good|bad|benchmark) ([^ ]+)", call) for call in self.calls("bisect")]
        return [(night_of(good), night_of(bad), benchmark[6]) for good, bad, benchmark in calls]

    def culprits(self):
        with open(os.path.join(self.results, "nightly", "state.json"), encoding="utf-8") as file:
            return [alarm["bisect"].get("culprit") for alarm in json.load(file)["alarms"]]

    def test_what_one_commit_made_slower_is_bisected_once_and_told_together(self):
        self.bisect_says({"culprit": commit_of(4), "probability": 0.99, "answer": "culprit", "ratio": 1.05})
        line = self.two_alarms()
        self.assertEqual(self.asked(), [(0, 9, "b"), (3, 4, "a")])
        self.assertIn("2 slower: shelf/b/store +20.00 %, shelf/a/store +5.00 %, culprit 000000000005 (99.0 %); ", line)

    def test_a_benchmark_that_anothers_culprit_did_not_make_slower_has_its_own_bisect(self):
        culprit = {"answer": "culprit", "culprit": commit_of(4), "probability": 0.99}
        for answer in ({"answer": "none"}, {"answer": "undecided"}, culprit | {"ratio": 0.97},
                       culprit | {"ratio": 1.01}):
            with self.subTest(answer):
                self.setUp()
                self.pair_says(f"echo '{json.dumps(answer)}'")
                self.assertEqual(self.two_alarms().count("culprit"), 2)
                self.assertEqual(self.asked(), [(0, 9, "b"), (3, 4, "a"), (0, 8, "a")])
                self.assertEqual(self.culprits(), [commit_of(6), commit_of(4)])

    def test_a_pair_that_could_not_be_measured_is_asked_again_and_one_that_could_is_not(self):
        undecided = """echo '{"answer": "undecided"}'; exit 1"""
        for pair, again in (("exit 2", [(3, 4, "a"), (0, 8, "a")]), (undecided, [(0, 8, "a")])):
            with self.subTest(pair):
                self.setUp()
                self.put("bisect", f"""case "$*" in *{commit_of(3)}*{commit_of(4)}*) {pair} ;; *a/store*) {undecided} ;;
                    *) echo '{{"answer": "culprit", "culprit": "{commit_of(4)}", "probability": 0.99, "ratio": 1.2}}' ;;
                    esac""")
                self.two_alarms()
                prepare(self.root, 1, {"shelf/a/store": 100})
                self.night(1)
                self.assertEqual(self.asked(), [(0, 9, "b"), (3, 4, "a"), (0, 8, "a"), *again])

    def test_asking_for_anothers_culprit_takes_a_share_of_the_time_and_no_bisect_begins_with_too_little(self):
        self.pair_says("""echo '{"answer": "none"}'""")
        with unittest.mock.patch.object(FakeWorld, "bisect_seconds", 480):
            line = self.two_alarms("--budget", "1000")
        self.assertEqual([re.search("--budget ([0-9]+)", call)[1] for call in self.calls("bisect")], ["1000", "130"])
        self.assertIn("shelf/a/store +5.00 % in", line)
        self.assertIn("bisect cut off, try 1 of 5", line)
        self.assertIn("no time is left to bisect shelf/a/store: the next night goes on", self.talk)

    def test_the_summary_names_few_of_many_and_junit_all(self):
        alarms = [{"series": ["farm", f"shelf/v{i}/store", 1], "ratio": 1.5, "low": None, "high": None, "bisect": None,
                   "tries": 0, "commits": {"from": "a" * 40, "to": "b" * 40}} for i in range(7)]
        self.assertEqual(nightly.alarms_text(alarms),
                         f"{', '.join(f'shelf/v{i}/store +50.00 %' for i in range(5))} and 2 more in "
                         f"{'a' * 12}..{'b' * 12}, not bisected yet")
        self.assertEqual(nightly.junit([], [], alarms, FIT).count("<failure"), 7)

    def test_a_bisect_that_fails_every_night_is_given_up(self):
        self.bisect_says(None, 1)
        for night in self.slow_nights(43):
            self.night(night)
        lines = self.more_nights(43, 48)
        self.assertEqual(len(self.calls("bisect")), nightly.MOST_TRIES)
        self.assertIn("bisect ended with exit status 1, given up", lines[3])
        self.assertNotIn("told before", lines[4])
        self.assertNotIn("another night", lines[4])

    def test_a_night_killed_in_its_bisect_is_told_by_the_next_which_goes_on_with_it(self):
        self.bisect_says({"culprit": commit_of(40), "probability": 0.99, "answer": "culprit"})
        for night in self.slow_nights(43):
            if night == 42:
                self.killed_night(night, "crash_bisect")
            else:
                self.night(night)
        prepare(self.root, 43, {"shelf/a/store": 200})
        status, line = self.night(43)
        self.assertEqual(status, 3, line)
        self.assertIn(f"culprit {commit_of(40)[:12]}", line)
        self.assertEqual(len(self.calls("bisect")), 2)

    def test_another_machines_alarms_are_left_to_it(self):
        self.bisect_says(None, 1)
        for night in self.slow_nights(43):
            self.night(night)
        self.assertEqual(len(self.calls("bisect")), 1)
        prepare(self.root, 43, {"shelf/a/store": 200},
                machine=result(0, {})["machine"] | {"id": "mill"})
        self.assertEqual(self.night(43)[0], 0)
        self.assertEqual(len(self.calls("bisect")), 1)

    def test_the_exit_status_and_the_line_say_what_the_night_was(self):
        times = {"shelf/a/store": 100}
        failure = {"benchmark": "shelf/b/store", "process": 0, "block": 0, "kind": "crash",
                   "detail": "signal 11 & <more>", "output_tail": ""}
        dirty = {"commit": commit_of(0), "dirty": True, "state": "dirty"}
        table = [({}, 0, "fine: 1 too young to tell (19 more nights)"),
                 ({"failures": [failure]}, 1, "failed: 1 failed: shelf/b/store"),
                 ({"source": dirty}, 4, "unfit: history leaves this session out: dirty source; "
                  "commit what was changed, or take it back"),
                 ({"source": dirty, "failures": [failure]}, 1, "failed: 1 failed: shelf/b/store; history leaves this "
                  "session out: dirty source; commit what was changed, or take it back"),
                 ({"benchmarks": []}, 1, "failed: 0 failed: nothing ran")]
        for number, (changes, status, line) in enumerate(table):
            prepare(self.root, number, times, **changes)
            found = self.night(number)
            self.assertEqual(found[0], status, line)
            self.assertTrue(found[1].startswith(f"nightly: {line}; "), found[1])
        self.assertEqual(self.night(9)[1], "nightly: failed: no result; under a second\n")

    def test_junit_names_every_benchmark_and_what_became_of_it(self):
        alarm = {"series": ["farm", "shelf/a/store", 1], "ratio": 1.5, "low": None, "high": None, "bisect": None,
                 "tries": 0, "commits": {"from": "a" * 40, "to": None}}
        failure = {"benchmark": "shelf/b/store", "kind": "crash", "detail": "<&\x01>"}
        self.assertEqual(
            nightly.junit(["shelf/a/store", "shelf/c/store"], [failure], [alarm], FIT),
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<testsuite name="nightly" tests="4" failures="1" errors="1" skipped="0">\n'
            '  <testcase classname="nightly" name="session"/>\n'
            '  <testcase classname="shelf" name="a/store"><failure '
            'message="slower: shelf/a/store +50.00 % in aaaaaaaaaaaa..no git, not bisected yet"/></testcase>\n'
            '  <testcase classname="shelf" name="b/store"><error message="crash: &lt;&amp;?&gt;"/></testcase>\n'
            '  <testcase classname="shelf" name="c/store"/>\n'
            '</testsuite>\n')

    def test_junit_skips_what_could_not_be_judged_and_has_what_was_unusual(self):
        failure = {"benchmark": "shelf/b/store", "kind": "crash", "detail": "signal 11"}
        young = {"benchmark": "shelf/a/store", "sentence": "too young to tell: 4 more nights"}
        night = FIT | {"unusual": ["load 3 & <more>"], "notes": ["20 of 20 benchmarks as far"], "too_young": [young],
                       "away": [{"benchmark": "shelf/c/store", "ratio": 1.251}]}
        self.assertEqual(
            nightly.junit(["shelf/a/store", "shelf/c/store"], [failure], [], night),
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<testsuite name="nightly" tests="4" failures="0" errors="1" skipped="1">\n'
            '  <properties>\n'
            '    <property name="unusual" value="load 3 &amp; &lt;more&gt;"/>\n'
            '    <property name="note" value="20 of 20 benchmarks as far"/>\n'
            '    <property name="far from its level" value="shelf/c/store: 1.25 times its level"/>\n'
            '  </properties>\n'
            '  <testcase classname="nightly" name="session"/>\n'
            '  <testcase classname="shelf" name="a/store">'
            '<skipped message="too young to tell: 4 more nights"/></testcase>\n'
            '  <testcase classname="shelf" name="b/store"><error message="crash: signal 11"/></testcase>\n'
            '  <testcase classname="shelf" name="c/store"/>\n'
            '</testsuite>\n')
        unfit = nightly.junit(["shelf/a/store", "shelf/c/store"], [failure], [],
                              FIT | {"fit": False, "sentences": ["much is far off", "wait"]})
        self.assertEqual(unfit.count('<skipped message="unfit: much is far off; wait"/>'), 3)
        self.assertIn('tests="4" failures="0" errors="1" skipped="3"', unfit)

    def test_what_was_unusual_is_in_the_line_and_in_junit(self):
        for night, count in enumerate((0, 2, 6)):
            session = result(night, {})["session"] | {"unusual": [f"load {i}: stop it" for i in range(count)]}
            prepare(self.root, night, {"shelf/a/store": 100}, session=session)
            line = self.night(night)[1]
            expected = {0: "", 2: "; unusual: load 0; load 1",
                        6: "; unusual: load 2; load 3; load 4; load 5; and 2 more in junit.xml"}[count]
            self.assertIn(f"more nights){expected}; ", line)
            self.assertNotIn("stop it", line)
            self.assertEqual(self.newest("junit.xml").count('<property name="unusual"'), count)

    def newest(self, name):
        """The text of a file of the last night's report."""
        folder = os.path.join(self.results, "nightly")
        report = max(entry for entry in os.listdir(folder) if entry[0].isdigit())
        with open(os.path.join(folder, report, name), encoding="utf-8") as file:
            return file.read()

    def farm(self, first, count, change):
        """(night, status, line) of the nights from `first` on, of `count` with 35 benchmarks with noise of 1 to 5 %;
        `change(night, times)` may change the times. Of those before, the results are there."""
        noise = random.Random(20260803)
        os.makedirs(os.path.join(self.results, "farm"))
        for night in range(count):
            times = {f"shelf/v{i:02}/store": 100 * math.exp((0.01 + 0.04 * i / 34) * noise.gauss(0, 1))
                     for i in range(35)}
            change(night, times)
            prepare(self.root, night, times)
            if night >= first:
                yield night, *self.night(night)
            else:
                os.replace(os.path.join(self.root, "next.json"), os.path.join(self.results, "farm", f"{night:04}.json"))

    def test_a_ruined_night_is_unfit_and_the_next_one_fine(self):
        ruin = random.Random(7)

        def change(night, times):
            for name in ruin.sample(sorted(times), 17) if night in (6, 12) else ():
                times[name] *= ruin.uniform(1.5, 10.7)

        for night, status, line in self.farm(4, 14, change):
            self.assertEqual(status, 4 if night in (6, 12) else 0, line)
            if status == 4:
                self.assertRegex(line, r"^nightly: unfit: 1[67] of 35 benchmarks far from their level at once "
                                 r"\(1[67] slower, 0 faster\); "
                                 "the next night like it is a new level, and judged as one, but not where it came "
                                 "within a series' first 15 nights: ")
                self.assertEqual(self.newest("junit.xml").count("<skipped"), 36)
            else:
                self.assertIn(f"fine: 35 too young to tell ({19 - night} more nights)", line)

    def test_what_ruined_nights_find_is_told_only_where_it_lasts(self):
        ruin = random.Random(8)

        def change(night, times):
            for i, name in enumerate(sorted(times)):
                if night in (30, 31, 32) and i >= 18:
                    times[name] *= ruin.uniform(1.5, 10.7)
                if night >= 30 and i == 3:
                    times[name] *= 1.5

        found = list(self.farm(28, 36, change))
        self.assertEqual([night for night, status, _ in found if status == 4], [30, 31, 32])
        told = [(night, line) for night, status, line in found if status == 3]
        self.assertEqual([night for night, _ in told], [33], told)
        self.assertIn("nightly: regression: 1 slower: shelf/v03/store +", told[0][1])

    def test_what_makes_everything_slower_for_good_is_unfit_once_and_then_told_as_a_change(self):
        def change(night, times):
            for name in times if night >= 30 else ():
                times[name] *= 1.5

        found = list(self.farm(28, 36, change))
        self.assertEqual([night for night, status, _ in found if status == 4], [30])
        self.assertRegex(found[3][2], r"^nightly: fine: 35 quiet; 3\d of 35 benchmarks as far from their level as last "
                         "night: history judges that within 4 nights; ")
        slower = sum(int(re.search(r"(\d+) slower:", line)[1]) for _, status, line in found if status == 3)
        self.assertEqual(slower, 35)

    def test_a_disturbed_farm_hears_every_night_what_to_do_and_nothing_of_changes(self):
        blocks = [{"block": i, "seconds": 10, "foreign": 16.4 if i else 0, "stolen": 0} for i in range(10)]
        for night in range(3):
            session = result(night, {})["session"] | {"disturbances": blocks}
            prepare(self.root, night, {"shelf/a/store": 100}, session=session)
            status, line = self.night(night)
            self.assertEqual(status, 4, line)
            why = "other processes used 164 % of a CPU in 9 of 10 blocks; 10 % is the limit; "
            what_to_do = "measure when nothing else runs, or on a machine of its own; "
            self.assertTrue(line.startswith(f"nightly: unfit: {why}{what_to_do}"), line)
            self.assertEqual(self.newest("junit.xml").count("<skipped"), 2)
        self.assertEqual(self.calls("bisect"), [])
        prepare(self.root, 3, {"shelf/a/store": 100})
        self.assertIn("fine: 1 too young to tell (19 more nights); ", self.night(3)[1])  # those are in no series

    def test_a_night_leaves_a_report_a_history_and_junit_and_the_oldest_go(self):
        for night in range(4):
            prepare(self.root, night, {"shelf/a/store": 100})
            self.assertEqual(self.night(night, "--keep", "2")[0], 0)
        folder = os.path.join(self.results, "nightly")
        reports = sorted(name for name in os.listdir(folder) if name[0].isdigit())
        self.assertEqual(reports, [nightly._utc(FIRST + DAY * night, "%Y%m%dT%H%M%SZ") for night in (2, 3)])
        newest = os.path.join(folder, reports[1])
        self.assertEqual(sorted(os.listdir(newest)), ["history.txt", "index.html", "junit.xml"])
        xml.etree.ElementTree.parse(os.path.join(newest, "junit.xml"))
        self.assertEqual(len(os.listdir(os.path.join(self.results, "farm"))), 4)

    def test_a_second_night_at_once_is_refused_with_who_is_at_work(self):
        with nightly.only_night(os.path.join(self.results, "nightly")):
            with self.assertRaises(MakeError) as caught:
                self.night(0)
        self.assertEqual(caught.exception.status, 1)
        self.assertIn(f"process {os.getpid()} on ", caught.exception.what)

    def test_a_killed_nights_run_keeps_others_out_while_it_measures(self):
        self.put("linger", "")
        prepare(self.root, 0, {"shelf/a/store": 100})
        self.killed_night(0)
        try:
            with self.assertRaises(MakeError) as caught:
                self.night(1)
            self.assertIn("another night is at work", caught.exception.what)
        finally:
            os.unlink(os.path.join(self.root, "linger"))

    def test_backfill_measures_what_came_since_the_oldest_first_and_leaves_out_what_does_not_build(self):
        for night in (2, 3):
            prepare(self.root, night, {"shelf/a/store": 100}, commit_of(night))
        self.night(4, "--backfill", "3", "--budget", "1200")
        earlier = [f"run --revision {commit_of(night)} --budget {seconds}"
                   for night, seconds in ((1, 200), (2, 233), (3, 300))]
        self.assertEqual(self.calls("run"), [*earlier, "run --budget 500"])  # and 400 to bisect
        self.assertIn(f"nightly: {commit_of(1)[:12]} is left out\n", self.talk)
        prepare(self.root, 6, {"shelf/a/store": 100})
        self.night(6, "--backfill", "9")
        self.assertEqual([call.rstrip() for call in self.calls("run")[4:]],
                         [f"run --revision {commit_of(night)} --quick" for night in (4, 5)] +
                         ["run"])
        self.assertIn("nightly: git knows 6 earlier commits, not 9: in a shallow clone", self.talk)

    def test_backfill_leaves_out_what_the_budget_has_no_time_for(self):
        prepare(self.root, 4, {"shelf/a/store": 100})
        self.night(4, "--backfill", "3", "--budget", "300")
        self.assertEqual(self.calls("run"), ["run --budget 200"])
        self.assertIn("no time is left for 3 earlier commits", self.talk)

    def test_what_earlier_commits_took_to_build_leaves_tonight_its_share(self):
        prepare(self.root, 4, {"shelf/a/store": 100})
        with unittest.mock.patch.dict(globals(), EARLIER_S=900):
            self.night(4, "--backfill", "3", "--budget", "1800")
        self.assertEqual(self.calls("run"), [f"run --revision {commit_of(1)} --budget 300", "run --budget 300"])
        self.assertIn("no time is left for 2 earlier commits", self.talk)

    def test_a_budget_that_earlier_commits_took_names_them(self):
        with unittest.mock.patch.dict(globals(), EARLIER_S=1800):
            status, line = self.night(4, "--backfill", "3", "--budget", "1800")
        self.assertEqual((status, line), (1, "nightly: failed: building and earlier commits took all of the 30 min: "
                                             "nothing was measured; 30 min\n"))

    def test_backfill_goes_by_what_this_machine_measured(self):
        prepare(self.root, 5, {"shelf/a/store": 100}, machine=result(0, {})["machine"] | {"id": "mill"})
        self.night(5)
        prepare(self.root, 6, {"shelf/a/store": 100})
        self.night(6, "--backfill", "3")
        self.assertEqual([call.split()[2] for call in self.calls("run --revision")],
                         [commit_of(night) for night in (3, 4, 5)])

    def test_a_commit_that_was_measured_has_no_backfill_behind_it(self):
        prepare(self.root, 4, {"shelf/a/store": 100})
        self.night(4, "--backfill", "3", "--budget", "200")
        self.night(4, "--backfill", "3")
        self.assertEqual(self.calls("run"), ["run --budget 133", "run "])

    def test_a_plan_that_names_no_machine_costs_only_the_backfill(self):
        plain = FAKE.replace("machine", "other").format(root=self.root, harness=HARNESS)
        paths.write_if_changed(os.path.join(self.root, "harness"), plain, 0o755)
        prepare(self.root, 4, {"shelf/a/store": 100})
        self.assertEqual(self.night(4, "--backfill", "3")[0], 0)
        self.assertEqual(self.calls("run"), ["run "])
        self.assertIn("nightly: no backfill: run --plan does not say which machine this is\n", self.talk)

    @unittest.skipUnless(HARNESS and os.path.exists(os.path.join(os.path.dirname(HARNESS), "variants.json")),
                         "the variants are not built")
    def test_the_harness_says_which_machine_this_is(self):
        options = argparse.Namespace(results=self.results, budget=None, backfill=0, keep=1)
        with unittest.mock.patch.dict(os.environ, LAB_MACHINE="mill.2"):
            night = nightly.Night(options, FakeWorld(self.root))
        night.binary = HARNESS
        self.assertEqual(night.machine(), "mill.2")
        self.assertFalse(os.path.exists(self.results))

    def test_a_budget_that_building_took_measures_nothing_and_says_so(self):
        prepare(self.root, 0, {"shelf/a/store": 100})
        with unittest.mock.patch.object(FakeWorld, "build_seconds", 1200):
            status, line = self.night(0, "--budget", "600")
        self.assertEqual((status, line), (1, "nightly: failed: building took all of the 10 min: nothing was measured; "
                                             "20 min\n"))

    @unittest.skipIf(shutil.which("git") is None, "git is not there")
    def test_git_says_which_commits_lie_between_two(self):
        command = ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b"]
        git = lambda *words: subprocess.run([*command, *words], capture_output=True, text=True,
                                            check=True).stdout.strip()
        git("init", "--quiet")
        commits = []
        for _ in range(4):
            git("commit", "--quiet", "--allow-empty", "--message", "x")
            commits.append(git("rev-parse", "HEAD"))
        with unittest.mock.patch.object(paths, "ROOT", self.root):
            self.assertEqual(nightly.World().between(commits[0], commits[2]), [commits[2], commits[1]])
            self.assertEqual(nightly.World().commits(2), [commits[3], commits[2]])
            with self.assertRaises(MakeError):
                nightly.World().between("no-such-commit", commits[2])

    def test_without_git_there_is_no_backfill_and_the_night_goes_on(self):
        prepare(self.root, 0, {"shelf/a/store": 100})
        with unittest.mock.patch.object(FakeWorld, "commits", nightly.World.commits), \
                unittest.mock.patch.dict(os.environ, PATH=self.root):
            os.symlink("/bin/mkdir", os.path.join(self.root, "mkdir"))
            os.symlink("/bin/sed", os.path.join(self.root, "sed"))
            os.symlink("/bin/mv", os.path.join(self.root, "mv"))
            self.assertEqual(self.night(0, "--backfill", "3")[0], 0)
        self.assertIn("nightly: no backfill: git: No such file or directory\n", self.talk)

    def test_results_that_cannot_be_read_are_a_failed_night_with_its_session_and_report_kept(self):
        os.makedirs(self.results)
        os.symlink("mill", os.path.join(self.results, "mill"))  # leads nowhere
        prepare(self.root, 0, {"shelf/a/store": 100})
        status, line = self.night(0)
        self.assertEqual((status, line.split("; ")[0]), (1, "nightly: failed: history ended with exit status 2"))
        self.assertTrue(line.endswith("/index.html\n"), line)
        self.assertEqual(os.listdir(os.path.join(self.results, "farm")), ["0000.json"])

    def test_a_full_disk_is_a_failed_night_in_a_sentence(self):
        prepare(self.root, 0, {"shelf/a/store": 100})
        full = OSError(28, "No space left on device", "state.json")
        with unittest.mock.patch.object(nightly.paths, "write_if_changed", side_effect=full):
            status, line = self.night(0)
        self.assertEqual((status, line.split("; ")[0]), (1, "nightly: failed: state.json: No space left on device"))

    def test_an_alarm_that_a_full_disk_kept_out_of_the_line_is_told_by_the_next_night(self):
        full = OSError(28, "No space left on device", "history.txt")
        statuses = []
        for night in self.slow_nights(44):
            with unittest.mock.patch.object(nightly.Night, "write", side_effect=full if night == 42 else None):
                statuses.append(self.night(night)[0])
        self.assertEqual(statuses[41:], [0, 1, 3])

    def test_a_state_that_cannot_be_read_is_set_aside(self):
        os.makedirs(os.path.join(self.results, "nightly"))
        state = os.path.join(self.results, "nightly", "state.json")
        for text in ("", "{}", "[]", "\x00", '{"alarms": [{}]}', '{"alarms": [1]}'):
            with open(state, "w", encoding="utf-8") as file:
                file.write(text)
            prepare(self.root, 0, {"shelf/a/store": 100})
            self.assertEqual(self.night(0)[0], 0, text)
            self.assertIn("was no state", self.talk)

    def test_bad_options_are_refused_with_status_2_and_what_was_expected(self):
        seconds = "expected a number of seconds of at least 1 and below 1e9, found"
        whole = "expected a whole number of at least"
        table = [(["--budget", "0.5"], f"--budget: {seconds} '0.5'"),
                 (["--budget", "nan"], f"--budget: {seconds} 'nan'"),
                 (["--budget", "1e9"], f"--budget: {seconds} '1e9'"),
                 (["--keep", "0"], f"--keep: {whole} 1 and below 1e9, found '0'"),
                 (["--keep", "x"], f"--keep: {whole} 1 and below 1e9, found 'x'"),
                 (["--backfill", "-1"], f"--backfill: {whole} 0 and below 1e9, found '-1'"),
                 (["--results", ""], "--results: expected a folder, found nothing"),
                 (["--results="], "--results: expected a folder, found nothing")]
        for words, what in table:
            with self.assertRaises(MakeError) as caught:
                self.night(0, *words)
            found = caught.exception
            self.assertEqual((found.what, found.hint, found.status), (f"argument {what}", "python3 make.py nightly --help", 2))
        with self.assertRaises(MakeError) as caught:
            self.night(0, "x")
        self.assertEqual(caught.exception.status, 2)

    def test_results_that_are_no_folder_are_refused_with_status_2(self):
        for name in ("file", "taken/nightly"):
            path = os.path.join(self.root, name)
            paths.write_if_changed(path, "")
        os.makedirs(os.path.join(self.root, "locked", "nightly", "lock"))
        table = [("file", "file/nightly", "Not a directory"), ("file/below", "file/below", "Not a directory"),
                 ("taken", "taken/nightly", "File exists"), ("locked", "locked/nightly/lock", "Is a directory")]
        for name, found, why in table:
            with self.assertRaises(MakeError) as caught:
                self.night(0, "--results", os.path.join(self.root, name))
            self.assertEqual(caught.exception.what, "--results: expected a folder that can be written, found "
                             f"'{os.path.join(self.root, found)}': {why}")
            self.assertEqual((caught.exception.hint, caught.exception.status), ("--results DIR, or LAB_RESULTS", 2))


if __name__ == "__main__":
    unittest.main()
