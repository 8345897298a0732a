"""Progress reports: redrawn lines on a terminal, a plain line every few seconds elsewhere, one JSON object per event
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

_REDRAW_S = 0.1
_LINE_S = 3.0
_MOST_ROWS = 8
_MOST_NAMES = 3
_WINDOW_S = 10.0  # the time span of a rate
_SAMPLE_S = 0.5
_SILENT_S = 5.0  # without a byte for so long, the row says so
_NARROW = 60  # columns; narrower rows leave out the sizes


def report_for(settings: Settings) -> Report:
    if settings.json:
        return JsonReport()
    if settings.quiet:
        return Report()
    plain = not sys.stderr.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return LinesReport() if plain else TerminalReport()


class Attempt:
    """A failed attempt at one source; `place` is the address part that all of the source's artifacts share."""

    def __init__(self, source: str, place: str, address: str, reason: str, hint: str = "") -> None:
        self.source, self.place, self.address, self.reason, self.hint = source, place, address, reason, hint


class _Transfer:
    """A running transfer: `done` bytes have arrived, `moved` of them in this run; `place` sends the rest."""

    __slots__ = ("name", "size", "done", "moved", "place", "last")

    def __init__(self, artifact: Artifact) -> None:
        self.name, self.size = formatting.printable(artifact.file_name), artifact.size
        self.done = self.moved = 0
        self.place, self.last = "", time.monotonic()

    def advance(self, done: int) -> None:
        self.moved += max(0, done - self.done)  # negative when the transfer starts again
        self.done, self.last = done, time.monotonic()

    def silence(self) -> str:
        """How long no byte has arrived, and from where; '' while that is short."""
        silent = time.monotonic() - self.last
        source = f" from {self.place}" if self.place else ""
        return f"no byte for {silent:.0f} s{source}" if silent >= _SILENT_S else ""


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

    def started(self, packages: int, artifacts: int, size: int) -> None:
        self._total = size
        self._samples = deque([(time.monotonic(), 0)])

    def begun(self, artifact: Artifact) -> None:
        with self._lock:
            self._active[artifact.sha256] = _Transfer(artifact)

    def asked(self, artifact: Artifact, place: str) -> None:
        """The artifact, or the rest of it, is requested from `place`."""
        self._active[artifact.sha256].place = place

    def resumed(self, artifact: Artifact, done: int) -> None:
        """`done` bytes exist before the transfer begins."""
        self._active[artifact.sha256].done = done

    def advanced(self, artifact: Artifact, done: int) -> None:
        self._active[artifact.sha256].advance(done)

    def ended(self, artifact: Artifact, fetched: bool) -> None:
        with self._lock:
            transfer = self._active.pop(artifact.sha256, None)
            self._moved += transfer.moved if transfer else 0
            self._finished += artifact.size if fetched else 0

    def sending(self, artifact: Artifact) -> None:
        """An upload begins; `advanced` reports its progress."""
        Report.begun(self, artifact)

    def sent(self, artifact: Artifact, whole: bool) -> None:
        Report.ended(self, artifact, whole)

    def found(self, artifact: Artifact) -> None:
        """The artifact already exists."""
        with self._lock:
            self._finished += artifact.size

    def attempt_failed(self, artifact: Artifact, attempt: Attempt) -> None:
        pass

    def asked_to_wait(self, place: str, seconds: float) -> None:
        """A server accepts no request for `seconds`."""

    def unpacking(self, package: str, change: int) -> None:
        with self._lock:
            at_it = self._unpacking.setdefault(package, [0, time.monotonic()])
            at_it[0] += change
            if not at_it[0]:
                del self._unpacking[package]

    def stored(self, package: str, version: str, tree: str, size: int, files: int) -> None:
        pass

    def linked(self, package: str, version: str, link: str) -> None:
        pass

    def waiting(self, what: str, holder: str) -> None:
        pass

    def flushing(self) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def asking(self, questions: int) -> None:
        """Announces `questions` short requests, each followed by `answered`, in a run without downloads."""
        self._questions = questions

    def answered(self) -> None:
        with self._lock:
            self._answers += 1

    def __enter__(self) -> Report:
        self._over = threading.Event()
        self._ticking = threading.Thread(target=self._tick_on, daemon=True)
        self._ticking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._ticking.join()
        self.close()

    def _tick_on(self) -> None:
        while not self._over.wait(self.tick_s):
            self.tick()

    def tick(self) -> None:
        pass

    def close(self) -> None:
        pass

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

    def _summary(self) -> str:
        if self._questions:
            return f"{self._answers:,} of {self._questions:,} places asked"
        done, rate = self._amounts()
        if done >= self._total:
            return f"{formatting.size(self._total)} fetched, unpacking {self._packages()}"
        left_s = (self._total - done) / rate if rate else 0
        speed = f"{formatting.size(rate)}/s, {formatting.seconds(left_s)} left" if rate else self._silence()
        return f"{formatting.size(done)} of {formatting.size(self._total)}, {speed}"

    def _packages(self) -> str:
        """The packages being unpacked, the longest running first."""
        with self._lock:
            longest = sorted(self._unpacking.items(), key=lambda each: each[1][1])
        now, names = time.monotonic(), []
        for name, (_, since) in longest[:_MOST_NAMES]:
            names.append(f"{name} for {now - since:.0f} s" if now - since >= _SILENT_S else name)
        more = f" and {len(longest) - _MOST_NAMES} more" if len(longest) > _MOST_NAMES else ""
        return (", ".join(names) or "done") + more

    def _silence(self) -> str:
        with self._lock:
            last = max((each.last for each in self._active.values()), default=None)
        return f"no byte for {time.monotonic() - last:.0f} s" if last else "no byte yet"


class LinesReport(Report):
    """A plain line every few seconds."""

    def attempt_failed(self, artifact: Artifact, attempt: Attempt) -> None:
        self.note(f"{attempt.source} did not deliver {artifact.file_name}: {attempt.reason}")

    def asked_to_wait(self, place: str, seconds: float) -> None:
        self.note(f"{place} asks to wait {formatting.seconds(seconds)}")

    def waiting(self, what: str, holder: str) -> None:
        self.note(f"waiting for {holder} to finish with {what}")

    def flushing(self) -> None:
        self.note("waiting for the disk to write the packages and other programs' unwritten data")

    def note(self, text: str) -> None:
        with self._lock:
            print(f"spm: {formatting.printable(text)}", file=sys.stderr, flush=True)

    def tick(self) -> None:
        summary = self._summary()
        if self._is_due():
            self.note(summary + self._fetching())

    def _fetching(self) -> str:
        with self._lock:
            active = list(self._active.values())
        names = [f"{each.name} ({silence})" if (silence := each.silence()) else each.name for each in active]
        return f"; fetching {', '.join(names[:_MOST_NAMES])}" + " ..." * (len(names) > _MOST_NAMES) if names else ""


class TerminalReport(LinesReport):
    """One row per active transfer and a total, redrawn in place."""

    tick_s = _REDRAW_S

    def __init__(self) -> None:
        super().__init__()
        self._drawn: list[int] = []  # columns of each row on the screen

    def note(self, text: str) -> None:
        with self._lock:
            self._erase()
            super().note(text)

    def tick(self) -> None:
        with self._lock:
            width, height = self._screen()
            rows = self._rows(width, min(_MOST_ROWS, height - 2))
            # Overwrites the old rows; erasing them first would flicker.
            lines = "".join(f"{row}\x1b[K\n" for row in rows[:-1])
            sys.stderr.write(f"{self._up(width)}{lines}\x1b[1m{rows[-1]}\x1b[0m\x1b[K\n\x1b[J")
            sys.stderr.flush()
            self._drawn = [formatting.columns(row) for row in rows]

    def close(self) -> None:
        with self._lock:
            self._erase()

    def _rows(self, width: int, most: int) -> list[str]:
        active = list(self._active.values())
        shown = active if len(active) <= most else active[: max(0, most - 1)]
        rows = [self._row(each, width) for each in shown]
        if len(shown) < len(active):
            rows.append(formatting.fit(f"  and {len(active) - len(shown)} more", width - 1))
        return [*rows, formatting.fit(self._summary(), width - 1)]

    @staticmethod
    def _row(transfer: _Transfer, width: int) -> str:
        tail = f" {100 * transfer.done // transfer.size:3}%"
        if width >= _NARROW:
            tail = f" {formatting.size(transfer.done):>8} of {formatting.size(transfer.size):>8}{tail}"
        room = max(4, min(width - len(tail) - 3, 48))
        name = formatting.fit(transfer.name, room)
        silence = transfer.silence()
        row = f"  {name}{' ' * (room - formatting.columns(name))}{tail}{'  ' * bool(silence)}{silence}"
        return formatting.fit(row, width - 1)

    @staticmethod
    def _screen() -> tuple[int, int]:
        size = os.get_terminal_size(sys.stderr.fileno())
        return size.columns or 80, size.lines or 24  # 0: a terminal of unknown size

    def _up(self, width: int) -> str:
        """The escape codes to the first row; a narrowed terminal has wrapped the longer rows."""
        lines = sum(-(-columns // width) or 1 for columns in self._drawn)
        return f"\x1b[{lines}A\r" if lines else ""

    def _erase(self) -> None:
        if self._drawn:
            sys.stderr.write(f"{self._up(self._screen()[0])}\x1b[J")
            sys.stderr.flush()
        self._drawn = []


class JsonReport(Report):
    """One object per event on standard output."""

    def _event(self, kind: str, **fields: float | str) -> None:
        with self._lock:
            print(json.dumps({"event": kind, **fields}), flush=True)

    def _of(self, kind: str, artifact: Artifact) -> None:
        self._event(kind, path=artifact.path, sha256=artifact.sha256, bytes=artifact.size)

    def tick(self) -> None:
        done, rate = self._amounts()
        if self._total and self._is_due():
            self._event("progress", bytes=done, of=self._total, bytes_per_s=round(rate))

    def started(self, packages: int, artifacts: int, size: int) -> None:
        super().started(packages, artifacts, size)
        self._event("started", packages=packages, artifacts=artifacts, bytes=size)

    def begun(self, artifact: Artifact) -> None:
        super().begun(artifact)
        self._of("download", artifact)

    def ended(self, artifact: Artifact, fetched: bool) -> None:
        super().ended(artifact, fetched)
        if fetched:
            self._of("downloaded", artifact)

    def sending(self, artifact: Artifact) -> None:
        super().sending(artifact)
        self._of("upload", artifact)

    def sent(self, artifact: Artifact, whole: bool) -> None:
        super().sent(artifact, whole)
        if whole:
            self._of("uploaded", artifact)

    def attempt_failed(self, artifact: Artifact, attempt: Attempt) -> None:
        fields = {"source": attempt.source, "address": attempt.address, "reason": attempt.reason}
        self._event("attempt_failed", path=artifact.path, **fields)

    def asked_to_wait(self, place: str, seconds: float) -> None:
        self._event("asked_to_wait", place=place, seconds=seconds)

    def stored(self, package: str, version: str, tree: str, size: int, files: int) -> None:
        self._event("stored", package=package, version=version, path=tree, bytes=size, files=files)

    def linked(self, package: str, version: str, link: str) -> None:
        self._event("linked", package=package, version=version, path=link)

    def waiting(self, what: str, holder: str) -> None:
        self._event("waiting", what=what, holder=holder)

    def flushing(self) -> None:
        self._event("flushing")
