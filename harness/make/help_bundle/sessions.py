"""What a bundle says of the results: the last failures, the newest sessions and how to repeat them, what is unfinished, and a
farm's state. Results are up to 64 MiB, so only the newest are read, and packed ones, which Python cannot unpack, are counted."""

from __future__ import annotations

import collections
import glob
import json
import os
import re
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.make import paths
from harness.make.help_bundle import files, known
from harness.make.help_bundle.files import Unreadable, bytes_of, changed_at, read, size_of, text_of

FAILURES = 5
_READ_SESSIONS = 12
_MOST_RESULT_BYTES = 80_000_000
_MOST_READ_BYTES = 200_000_000
_MOST_FILTERS = 20
_MOST_VARIANTS = 200
_MORE_FAILURES = 50
_TAIL_LINES = 60
_TAIL_BYTES = 2000
"""harness/base/child.h, tail_limit"""

_SAID = re.compile(r'("said":\s*"[^"]{190,})[^"\s]*"')
"""harness/app/farm_job.sh, fail(): cut after 200 characters, perhaps inside of a name."""


class Session(NamedTuple):
    """One result, or the journal of a session that runs or was killed. `result` has the fields of formats.md; `problem` is
    why it could not be read."""

    path: str
    result: dict[str, Any]
    problem: str = ""


def newest_sessions() -> list[Session]:
    """The newest results and journals of all machines, the newest first."""
    results = glob.escape(known.results_folder())
    found = [path for pattern in ("*.json", "*.journal") for path in glob.glob(os.path.join(results, "*", pattern))]
    own = [path for path in found if os.path.basename(os.path.dirname(path)) not in known.NOT_MACHINES]
    own.sort(key=lambda path: (_time_of(path), path), reverse=True)
    sessions: list[Session] = []
    left = _MOST_READ_BYTES
    for path in own[:_READ_SESSIONS]:
        left -= bytes_of(path)
        if sessions and left < 0:
            break
        sessions.append(_session(path))
    return sessions


def _time_of(path: str) -> str:
    """Names of results begin with their time; others count as oldest."""
    name = os.path.basename(path)
    return name if name[:8].isdigit() else ""


def _session(path: str) -> Session:
    try:
        text, is_whole = read(path, _MOST_RESULT_BYTES, within=known.results_folder())
    except Unreadable as problem:
        return Session(path, {}, f"not readable: {problem}")
    try:
        if path.endswith(".journal"):
            return Session(path, _of_journal(text))
        result = json.loads(text) if is_whole else None
    except (ValueError, RecursionError) as problem:
        return Session(path, {}, f"no result: {type(problem).__name__}")
    return Session(path, _needed(result)) if isinstance(result, dict) else Session(path, {}, "no result")


def _needed(result: dict[str, Any]) -> dict[str, Any]:
    """The result without its samples, which are most of it."""
    processes = [{name: each.get(name) for name in ("name", "process")} for each in _list(result, "benchmarks")]
    return {**{name: value for name, value in result.items() if name not in ("workloads", "variants")}, "benchmarks": processes}


def _of_journal(text: str) -> dict[str, Any]:
    lines = text.split("\n")[:-1]
    if not lines:
        return {}
    result = json.loads(lines[0])
    if not isinstance(result, dict):
        return {}
    for line in lines[1:]:
        added = json.loads(line)
        for kind, name in (("process", "benchmarks"), ("failure", "failures")):
            if isinstance(added, dict) and kind in added:
                result.setdefault(name, []).append(added[kind])
    return result


def _list(result: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = result.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _dict(result: dict[str, Any], name: str) -> dict[str, Any]:
    found = result.get(name)
    return found if isinstance(found, dict) else {}


def failures_text(sessions: list[Session]) -> str:
    """The last failures of benchmarks, the newest first."""
    shown: list[str] = []
    more: collections.Counter[str] = collections.Counter()
    for session in sessions:
        for failure in reversed(_list(session.result, "failures")):
            if len(shown) < FAILURES:
                shown.append(_failure(session, failure))
            else:
                more[f"{failure.get('benchmark', '?')}: {failure.get('kind', '?')}"] += 1
    if more:
        shown.append("".join(f"{line}\n" for line in ["== earlier", *list(more)[:_MORE_FAILURES]]))
    return "\n".join(shown) or "No failure in the newest sessions.\n"


def _failure(session: Session, failure: dict[str, Any]) -> str:
    seed = _dict(session.result, "session").get("seed", 1)
    name = str(failure.get("benchmark", "?"))
    output = files.whole_lines(str(failure.get("output_tail", "")), _TAIL_BYTES).splitlines()
    return (f"== {name}: {failure.get('kind', '?')}\n"
            f"session:  {session.path}\n"
            f"process:  {failure.get('process', '?')} in block {failure.get('block', '?')}, arm {failure.get('arm') or 'head'}\n"
            f"detail:   {failure.get('detail', '')}\n"
            f"repeat:   python3 make.py run --filter {shlex.quote(name)} --processes 1 --seed {seed}\n"
            f"output:\n" + "".join(f"  {line}\n" for line in output[-_TAIL_LINES:]))


def sessions_text(sessions: list[Session]) -> str:
    """The newest sessions: what was unusual, and how to repeat each."""
    shown = [_described(session) for session in sessions[:3]]
    return "\n".join(shown) or "No session yet.\n"


def _described(session: Session) -> str:
    lines = [f"== {session.path}, {size_of(session.path)}"]
    if session.problem or not session.result:
        return "\n".join([*lines, session.problem or "no complete line", ""])
    result, head = session.result, _dict(session.result, "session")
    source, build = _dict(result, "source"), _dict(result, "build")
    lines.append(f"repeat:   {repeating(result)}")
    lines.append(f"commit:   {source.get('commit') or 'unknown'}, {source.get('state', '?')}")
    lines.append("build:    " + ", ".join(str(build.get(name, "?")) for name in ("toolchain", "config", "march", "compiler", "flags")))
    lines.append("session:  " + ", ".join(f"{name} {head.get(name, '?')}" for name in (
        "state", "started", "ended", "mode", "budget_seconds", "blocks", "seed", "protocol")))
    lines.append("facts:    " + ", ".join(f"{name} {value}" for name, value in _dict(result, "facts").items()))
    lines.append("measured: " + ", ".join(f"{len(_list(result, name))} {words}" for name, words in (
        ("benchmarks", "processes"), ("failures", "failures"), ("unsupported", "unsupported"), ("exhibits", "exhibits"))))
    variants = collections.Counter(name.rpartition("/")[0] for name in _benchmarks(result))
    lines.append("of:       " + ", ".join(f"{name} ({count})" for name, count in sorted(variants.items())[:_MOST_VARIANTS]))
    unusual = head.get("unusual")
    lines.append("unusual:")
    lines += [f"  - {each}" for each in unusual] if isinstance(unusual, list) and unusual else ["  nothing"]
    return "\n".join([*lines, ""])


def repeating(result: dict[str, Any]) -> str:
    """The command that repeats a session, as far as its result says it: a result has no filters, so those of few benchmarks are
    written out, and of many none."""
    head = _dict(result, "session")
    machine = str(_dict(result, "machine").get("id", ""))
    arms = {str(arm.get("name")): arm for arm in _list(result, "arms")}
    names = _benchmarks(result)
    mode = head.get("mode")
    words = [f"LAB_MACHINE={shlex.quote(machine)}"] if _dict(result, "machine").get("name") else []
    words += ["python3", "make.py", "run"]
    if mode == "processes":
        most = max([each.get("process", 0) for each in _list(result, "benchmarks")
                    if isinstance(each.get("process"), int)] or [0])
        words += ["--processes", str(most + 1)]
    elif mode in ("quick", "full"):
        words.append(f"--{mode}")
    if budget := head.get("budget_seconds"):
        words += ["--budget", f"{budget:g}" if isinstance(budget, (int, float)) else str(budget)]
    if base := arms.get("base"):
        words += ["--against", str(_dict(base, "source").get("commit") or "BASE")]
    words += ["--malloc FILE"] * any("@" in name for name in names)
    if 0 < len(names) <= _MOST_FILTERS:
        words += [f"--filter {shlex.quote(name)}" for name in names]
    words += ["--seed", str(head.get("seed", 1))]
    notes = [f"{len(names)} benchmarks; the result does not keep the filters"] * (len(names) > _MOST_FILTERS)
    notes += ["it has not ended: more of them, and more processes"] * (head.get("state") == "interrupted")
    return " ".join(words) + (f"   # {'; '.join(notes)}" if notes else "")


def _benchmarks(result: dict[str, Any]) -> list[str]:
    """The names of those that were measured or failed, sorted."""
    return sorted({str(each.get("name", "?")) for each in _list(result, "benchmarks")} |
                  {str(each.get("benchmark", "?")) for each in _list(result, "failures")})


def state_text(sessions: list[Session]) -> str:
    """What is in the results folder, what is unfinished there, and what a farm keeps."""
    results = known.results_folder()
    lines = [f"results folder: {results}" + ("" if os.path.isdir(results) else " (not there)"), "", "Machines:"]
    machines = [name for name in known.machines_in(results) if os.path.isdir(os.path.join(results, name))]
    for name in machines[:200]:
        names = _names(os.path.join(results, name))
        counts = {ending: sum(each.endswith(ending) for each in names) for ending in (".json", ".json.zst", ".journal", ".exhibits")}
        newest = max((each for each in names if each[:8].isdigit()), default="none")
        lines.append(f"  {os.path.join(results, name)}: " + ", ".join(f"{count} {ending}" for ending, count in counts.items()) + f"; newest {newest}")
    lines += ["", "Journals of sessions that run or were killed:"]
    journals = sorted(glob.glob(os.path.join(glob.escape(results), "*", "*.journal")))
    lines += [f"  {path}: {size_of(path)}, {_lock_of(path)}" for path in journals[:50]] or ["  none"]
    lines += ["", "Locks of nights:"]
    locks = sorted(glob.glob(os.path.join(glob.escape(results), "nightly", "*.lock")))
    lines += [f"  {path}: {_lock_of(path)}; {text_of(path, within=results)[:300].strip() or 'empty: the last night ended by itself'}"
              for path in locks[:50]] or ["  none"]
    lines += ["", "Locks of builds:"]
    locks = sorted(glob.glob(os.path.join(glob.escape(paths.BUILD), "*", "lock")))
    lines += [f"  {path}: {_lock_of(path)}; {text_of(path, within=paths.BUILD)[:300].strip()}" for path in locks[:20]] or ["  none"]
    lines += ["", "Inbox and quarantine:"]
    lines += [f"  {place}: {sum(len(inner) for _, _, inner in os.walk(os.path.join(results, place)))} files"
              for place in ("inbox", "quarantine")]
    whys = sorted(glob.glob(os.path.join(glob.escape(results), "quarantine", "*", "*.why")))
    lines += [f"  {path}: {text_of(path, within=results)[:500].strip()}" for path in whys[-10:]]
    lines += ["", "Files:", *(f"  {name}: {size_of(os.path.join(results, name))}" for name in
                              ("index.sqlite", "alarms.jsonl", "machines.json") if os.path.exists(os.path.join(results, name)))]
    unread = [f"  {session.path}: {session.problem}" for session in sessions if session.problem]
    return "\n".join([*lines, *(["", "Not readable:", *unread] if unread else [])]) + "\n"


def without_cut_words(text: str) -> str:
    """The file of a farm's job without the word at which its last error was cut."""
    return _SAID.sub(lambda found: found[1].rpartition(" ")[0] + '"', text)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _lock_of(path: str) -> str:
    """Whether a process of this machine holds the file's lock. Asking by a lock of our own might stop one that begins."""
    try:
        facts = os.stat(path)
    except OSError as error:
        return f"not readable: {error.strerror}"
    device = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"
    is_held = any(device in line.split() for line in text_of("/proc/locks").splitlines())
    return "held: it runs" if is_held else "not held on this machine"


def state_files() -> Iterator[tuple[str, str]]:
    """(name in the bundle, path) of the newest files that tell how nights and a farm's jobs went."""
    results = known.results_folder()
    for pattern, most in (("nightly/*/state.json", 10), ("jobs/*/*.out", 6), ("jobs/*/*.json", 12), ("jobs/*.log", 3),
                          ("nightly/*/*/history.txt", 2), ("alarms.jsonl", 1), ("machines.json", 1)):
        found = glob.glob(os.path.join(glob.escape(results), pattern))
        found.sort(key=changed_at, reverse=True)
        for path in found[:most]:
            yield f"results/{os.path.relpath(path, results)}", path
