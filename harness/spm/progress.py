"""What an install says while it works: lines that redraw themselves on a terminal, a plain line every few seconds
elsewhere, one JSON object per event for programs, or nothing.

All reports have the same events; they may come from any thread. Used as a context manager, a report ticks as time passes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time

from harness.spm import words

_REDRAW_S = 0.1
_LINE_S = 3.0
_MOST_ROWS = 8
_MOST_NAMES = 3


def report_for(settings):
    if settings.json:
        return JsonReport()
    if settings.quiet:
        return Report()
    plain = not sys.stderr.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return LinesReport() if plain else TerminalReport()


@contextlib.contextmanager
def counting(settings, total: int):
    """Gives a function to call as each of `total` questions is answered."""
    report, done = report_for(settings), 0

    def counted():
        nonlocal done
        done += 1
        report.counted(done, total)

    try:
        yield counted
    finally:
        report.close()


class Report:
    """Says nothing; counts what the others show."""

    tick_s = 1.0

    def __init__(self):
        self._lock = threading.RLock()
        self._started = time.monotonic()
        self._total = self._finished = self._received = 0
        self._active: dict[str, list] = {}  # sha256 -> [name, size, bytes so far, bytes of this run]
        self._unpacking: dict[str, int] = {}

    def started(self, packages: int, artifacts: int, size: int):
        self._total, self._started = size, time.monotonic()

    def begun(self, artifact):
        with self._lock:
            self._active[artifact.sha256] = [artifact.file_name, artifact.size, 0, 0]

    def resumed(self, artifact, done: int):
        """So much is here before a transfer begins."""
        self._active[artifact.sha256][2] = done

    def advanced(self, artifact, done: int):
        active = self._active[artifact.sha256]
        active[3] += done - active[2]
        active[2] = done

    def ended(self, artifact, fetched: bool):
        with self._lock:
            self._received += self._active.pop(artifact.sha256)[3]
            self._finished += artifact.size if fetched else 0

    def sending(self, artifact):
        """An upload begins, which `advanced` follows as it does a download."""
        Report.begun(self, artifact)

    def sent(self, artifact, whole: bool):
        Report.ended(self, artifact, whole)

    def found(self, artifact):
        """The artifact is here already."""
        with self._lock:
            self._finished += artifact.size

    def attempt_failed(self, artifact, attempt):
        pass

    def asked_to_wait(self, place: str, seconds: float):
        """A server will take no request for so long."""

    def unpacking(self, package: str, change: int):
        with self._lock:
            self._unpacking[package] = self._unpacking.get(package, 0) + change
            if not self._unpacking[package]:
                del self._unpacking[package]

    def stored(self, item, size: int, files: int):
        pass

    def linked(self, item):
        pass

    def waiting(self, what: str, holder: str):
        pass

    def note(self, text: str):
        pass

    def counted(self, done: int, total: int):
        """So many of so many questions are answered; no other event comes in such a run."""

    def __enter__(self):
        self._over = threading.Event()
        self._ticking = threading.Thread(target=self._tick_on, daemon=True)
        self._ticking.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._ticking.join()
        self.close()

    def _tick_on(self):
        while not self._over.wait(self.tick_s):
            self.tick()

    def tick(self):
        pass

    def close(self):
        pass

    def _summary(self) -> str:
        active = list(self._active.values())
        done = self._finished + sum(each[2] for each in active)
        received = self._received + sum(each[3] for each in active)
        elapsed = max(time.monotonic() - self._started, 1e-3)
        if done >= self._total:
            return f"{words.size(self._total)} fetched, unpacking {', '.join(sorted(self._unpacking)) or 'done'}"
        left = words.seconds((self._total - done) * elapsed / received) if received else "?"
        return f"{words.size(done)} of {words.size(self._total)}, {words.size(received / elapsed)}/s, {left} left"


class LinesReport(Report):
    """A plain line every few seconds."""

    def __init__(self):
        super().__init__()
        self._next = time.monotonic() + _LINE_S

    def attempt_failed(self, artifact, attempt):
        self.note(f"{attempt.source} did not deliver {artifact.file_name}: {attempt.reason}")

    def asked_to_wait(self, place, seconds):
        self.note(f"{place} asks to wait {words.seconds(seconds)}")

    def waiting(self, what, holder):
        self.note(f"waiting for {holder} to finish with {what}")

    def note(self, text):
        with self._lock:
            print(f"spm: {text}", file=sys.stderr, flush=True)

    def counted(self, done, total):
        if self._is_time():
            self.note(_count(done, total))

    def tick(self):
        if self._is_time():
            self.note(self._summary() + self._fetching())

    def _fetching(self) -> str:
        names = [name for name, *_ in list(self._active.values())]
        return f"; fetching {', '.join(names[:_MOST_NAMES])}" + " ..." * (len(names) > _MOST_NAMES) if names else ""

    def _is_time(self) -> bool:
        due = time.monotonic() >= self._next
        if due:
            self._next = time.monotonic() + _LINE_S
        return due


class TerminalReport(LinesReport):
    """One row per active download and a total, redrawn in place."""

    tick_s = _REDRAW_S

    def __init__(self):
        super().__init__()
        self._rows = 0

    def note(self, text):
        with self._lock:
            self._erase()
            print(f"spm: {text}", file=sys.stderr, flush=True)

    def tick(self):
        with self._lock:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80  # 0: a terminal that nobody has measured
            active = list(self._active.values())
            rows = [self._row(*each[:3], width) for each in active[:_MOST_ROWS]]
            if len(active) > _MOST_ROWS:
                rows.append(f"  and {len(active) - _MOST_ROWS} more")
            rows.append(f"\x1b[1m{self._summary()[:width - 1]}\x1b[0m")
            sys.stderr.write(self._erasure() + "\n".join(rows) + "\n")
            sys.stderr.flush()
            self._rows = len(rows)

    def counted(self, done, total):
        with self._lock:
            sys.stderr.write(f"{self._erasure()}{_count(done, total)}\n")
            sys.stderr.flush()
            self._rows = 1

    def close(self):
        with self._lock:
            self._erase()

    @staticmethod
    def _row(name: str, size: int, done: int, width: int) -> str:
        tail = f" {words.size(done):>8} of {words.size(size):>8} {100 * done // size:3}%"
        room = max(8, width - len(tail) - 3)
        return f"  {name if len(name) <= room else name[:room - 3] + '...':<{min(room, 48)}}{tail}"

    def _erasure(self) -> str:
        return f"\x1b[{self._rows}A\x1b[J" if self._rows else ""

    def _erase(self):
        sys.stderr.write(self._erasure())
        self._rows = 0


class JsonReport(Report):
    """One object per event on standard output."""

    def _event(self, kind: str, **fields):
        with self._lock:
            print(json.dumps({"event": kind, **fields}), flush=True)

    def started(self, packages, artifacts, size):
        super().started(packages, artifacts, size)
        self._event("started", packages=packages, artifacts=artifacts, bytes=size)

    def begun(self, artifact):
        super().begun(artifact)
        self._event("download", path=artifact.path, sha256=artifact.sha256, bytes=artifact.size)

    def ended(self, artifact, fetched):
        super().ended(artifact, fetched)
        if fetched:
            self._event("downloaded", path=artifact.path, sha256=artifact.sha256, bytes=artifact.size)

    def sending(self, artifact):
        super().sending(artifact)
        self._event("upload", path=artifact.path, sha256=artifact.sha256, bytes=artifact.size)

    def sent(self, artifact, whole):
        super().sent(artifact, whole)
        if whole:
            self._event("uploaded", path=artifact.path, sha256=artifact.sha256, bytes=artifact.size)

    def attempt_failed(self, artifact, attempt):
        self._event(
            "attempt_failed", path=artifact.path, source=attempt.source, address=attempt.address, reason=attempt.reason
        )

    def asked_to_wait(self, place, seconds):
        self._event("asked_to_wait", place=place, seconds=seconds)

    def stored(self, item, size, files):
        self._event(
            "stored",
            package=item.package.name,
            version=item.entry.version,
            path=item.entry.tree,
            bytes=size,
            files=files,
        )

    def linked(self, item):
        self._event("linked", package=item.package.name, version=item.entry.version, path=item.link)

    def waiting(self, what, holder):
        self._event("waiting", what=what, holder=holder)


def _count(done: int, total: int) -> str:
    return f"{done:,} of {total:,} asked"
