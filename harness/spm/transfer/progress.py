"""Progress reports: one redrawn line on a terminal, a plain line every few seconds elsewhere, one JSON object per event
for programs, or nothing.

All reports have the same events, which may come from any thread. As a context manager, a report redraws
periodically."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque

from harness.spm import formatting
from harness.spm.pins.manifest import Artifact
from harness.spm.settings import Settings
from harness.spm.threads import starting

_REDRAW_S = 0.1
_LINE_S = 3.0
_MOST_NAMES = 3
_WINDOW_S = 10.0  # the time span of a rate
_SAMPLE_S = 0.5
_SILENT_S = 5.0  # after so long without a byte, or at one package, the line says how long


def report_for(settings: Settings) -> Report:
    if settings.json:
        return JsonReport()
    if settings.quiet:
        return Report()
    plain = not sys.stderr.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return LinesReport() if plain else TerminalReport()


class _Transfer:
    """A running transfer: `done` bytes have arrived, `moved` of them in this run; `place` sends the rest."""

    def __init__(self, artifact: Artifact) -> None:
        self.name = artifact.file_name
        self.done = self.moved = 0
        self.place, self.last = "", time.monotonic()

    def advance(self, done: int) -> None:
        self.moved += max(0, done - self.done)  # negative when the transfer starts again
        self.done, self.last = done, time.monotonic()

    def __str__(self) -> str:
        silent = time.monotonic() - self.last
        source = f" from {self.place}" if self.place else ""
        return f"{self.name} (no byte for {silent:.0f} s{source})" if silent >= _SILENT_S else self.name


class Report:
    """Prints nothing; keeps the counts that the other reports show."""

    tick_s = 1.0

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._total = self._finished = self._moved = 0
        self._active: dict[str, _Transfer] = {}  # by sha256
        self._unpacking: dict[str, list] = {}  # package -> [threads at it, since when]
        self._questions = self._answers = 0
        self._samples = deque([(time.monotonic(), 0)])  # (time, bytes moved by then)
        self._next = time.monotonic() + _LINE_S  # when the next line is due

    def event(self, kind: str, **fields: float | str) -> None:
        """What changes no count; `fields` are those of its JSON object."""

    def _of(self, kind: str, artifact: Artifact) -> None:
        self.event(kind, path=artifact.path, sha256=artifact.sha256, bytes=artifact.size)

    def started(self, packages: int, artifacts: int, size: int) -> None:
        self._total = size
        self._samples = deque([(time.monotonic(), 0)])
        self.event("started", packages=packages, artifacts=artifacts, bytes=size)

    def begun(self, artifact: Artifact, kind: str = "download") -> None:
        """A transfer begins; `advanced` reports its progress. Its `kind` may also be "upload", ended as "uploaded"."""
        with self._lock:
            self._active[artifact.sha256] = _Transfer(artifact)
        self._of(kind, artifact)

    def asked(self, artifact: Artifact, place: str) -> None:
        """The artifact, or the rest of it, is requested from `place`."""
        self._active[artifact.sha256].place = place

    def resumed(self, artifact: Artifact, done: int) -> None:
        """`done` bytes exist before the transfer begins."""
        self._active[artifact.sha256].done = done

    def advanced(self, artifact: Artifact, done: int) -> None:
        self._active[artifact.sha256].advance(done)

    def ended(self, artifact: Artifact, whole: bool, kind: str = "downloaded") -> None:
        with self._lock:
            transfer = self._active.pop(artifact.sha256, None)
            self._moved += transfer.moved if transfer else 0
            self._finished += artifact.size if whole else 0
        if whole:
            self._of(kind, artifact)

    def found(self, artifact: Artifact) -> None:
        """The artifact already exists."""
        with self._lock:
            self._finished += artifact.size

    def unpacking(self, package: str, change: int) -> None:
        with self._lock:
            at_it = self._unpacking.setdefault(package, [0, time.monotonic()])
            at_it[0] += change
            if not at_it[0]:
                del self._unpacking[package]

    def note(self, text: str) -> None:
        """A sentence for a person."""

    def asking(self, questions: int) -> None:
        """Announces `questions` short requests, each followed by `answered`, in a run without downloads."""
        self._questions = questions

    def answered(self) -> None:
        with self._lock:
            self._answers += 1

    def __enter__(self) -> Report:
        self._over = threading.Event()
        self._ticking = threading.Thread(target=self._tick_on, daemon=True)
        with starting():
            self._ticking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._ticking.join()
        self.close()

    def _tick_on(self) -> None:
        while not self._over.wait(self.tick_s):
            self.tick()

    def tick(self) -> None: ...

    def close(self) -> None: ...

    def _is_due(self) -> bool:
        """Whether a line should be printed now."""
        due = time.monotonic() >= self._next
        if due:
            self._next = time.monotonic() + _LINE_S
        return due

    def _amounts(self) -> tuple[int, float]:
        """(total bytes done, recent bytes per second)"""
        with self._lock:
            now, active = time.monotonic(), list(self._active.values())
            moved = self._moved + sum(each.moved for each in active)
            if now - self._samples[-1][0] >= _SAMPLE_S:
                self._samples.append((now, moved))
            while len(self._samples) > 2 and now - self._samples[1][0] >= _WINDOW_S:
                self._samples.popleft()
            since, before = self._samples[0]
            return self._finished + sum(each.done for each in active), (moved - before) / max(now - since, 1e-3)


class LinesReport(Report):
    """A plain line every few seconds, and one for each event that keeps the user waiting."""

    def event(self, kind: str, **fields: float | str) -> None:
        sentence = {
            "attempt_failed": "{source} did not deliver {name}: {reason}",
            "asked_to_wait": "{place} asks to wait {time}",
            "waiting": "waiting for {holder} to finish with {what}",
            "flushing": "waiting for the disk to write the packages and other programs' unwritten data",
        }.get(kind)
        if sentence:
            name, wait = os.path.basename(str(fields.get("path", ""))), formatting.seconds(float(fields.get("seconds", 0)))
            self.note(sentence.format(name=name, time=wait, **fields))

    def note(self, text: str) -> None:
        with self._lock:
            print(f"spm: {formatting.printable(text)}", file=sys.stderr, flush=True)

    def tick(self) -> None:
        line = self._line()
        if self._is_due():
            self.note(line)

    def _line(self) -> str:
        if self._questions:
            return f"{self._answers:,} of {self._questions:,} places asked"
        done, rate = self._amounts()
        with self._lock:
            active = list(self._active.values())
            unpacking = sorted(self._unpacking.items(), key=lambda each: each[1][1])  # the longest first
        if done >= self._total:
            return f"{formatting.size(self._total)} fetched, unpacking {self._packages(unpacking)}"
        if rate:
            speed = f"{formatting.size(rate)}/s, {formatting.seconds((self._total - done) / rate)} left"
        elif active:
            speed = f"no byte for {time.monotonic() - max(each.last for each in active):.0f} s"
        else:
            speed = "no byte yet"
        names = ", ".join(map(str, active[:_MOST_NAMES])) + " ..." * (len(active) > _MOST_NAMES)
        fetching = f"; fetching {names}" if active else ""
        return f"{formatting.size(done)} of {formatting.size(self._total)}, {speed}{fetching}"

    @staticmethod
    def _packages(longest: list[tuple[str, list]]) -> str:
        now = time.monotonic()
        names = [name + f" for {now - since:.0f} s" * (now - since >= _SILENT_S) for name, (_, since) in longest[:_MOST_NAMES]]
        more = f" and {len(longest) - _MOST_NAMES} more" if len(longest) > _MOST_NAMES else ""
        return (", ".join(names) or "done") + more


class TerminalReport(LinesReport):
    """The line is redrawn in place."""

    tick_s = _REDRAW_S

    def note(self, text: str) -> None:
        with self._lock:
            self.close()
            super().note(text)

    def tick(self) -> None:
        with self._lock:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80  # 0: a terminal of unknown size
            sys.stderr.write(f"\r{formatting.fit(formatting.printable(self._line()), width - 1)}\x1b[K")
            sys.stderr.flush()

    def close(self) -> None:
        with self._lock:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class JsonReport(Report):
    """One object per event on standard output."""

    def event(self, kind: str, **fields: float | str) -> None:
        with self._lock:
            print(json.dumps({"event": kind, **fields}), flush=True)

    def tick(self) -> None:
        done, rate = self._amounts()
        if self._total and self._is_due():
            self.event("progress", bytes=done, of=self._total, bytes_per_s=round(rate))
