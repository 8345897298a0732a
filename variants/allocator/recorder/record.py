#!/usr/bin/env python3
"""Records the traces in variants/allocator/traces again, with this machine's Python, compiler and harness:

    python3 variants/allocator/recorder/record.py [NAME...]

Each command runs twice, without randomised addresses, and a trace whose recordings differ is reported. On another
machine the requests differ a little: other paths, another Python."""

import ctypes
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RECORDER = pathlib.Path(__file__).resolve().parent
ROOT = RECORDER.parents[2]
TRACES = RECORDER.parent / "traces"
BUILD = ROOT / "build" / "pinned-release"
MOST = 300_000  # requests: a replay takes some milliseconds, and all traces together 0.4 MB in each executable


def commands() -> dict[str, list[str]]:
    """The command of each trace, by name. The process with the most requests is kept."""
    compiler, = (ROOT / "build" / "toolchain").glob("*/bin/g++")
    result = str(sorted((ROOT / "results" / "reference").glob("*.json"))[-1])
    return {"compile": [str(compiler), "-std=c++20", "-O1", "-S", str(RECORDER / "programs" / "compile.cpp"),
                        "-o", os.devnull],
            "python": [sys.executable, "-S", "-s", str(RECORDER / "programs" / "json_job.py")],
            "harness": [str(BUILD / "harness"), "compare", result, result, "--json"]}


def keep_addresses() -> None:
    """Programs that order by address then make the same requests each time."""
    no_randomisation = 0x0040000  # ADDR_NO_RANDOMIZE, personality(2)
    ctypes.CDLL(None).personality(no_randomisation)


def record(command: list[str], folder: pathlib.Path) -> bytes:
    folder.mkdir()
    environment = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0", "PYTHONMALLOC": "malloc",
                   "LAB_TRACE": str(folder / "trace"), "LD_PRELOAD": str(BUILD / "traces" / "libtrace_recorder.so")}
    # compare ends with 3 or 4 where it has a finding or no verdict
    status = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, check=False,
                            preexec_fn=keep_addresses).returncode
    if status not in (0, 3, 4):
        sys.exit(f"record.py: error: {command[0]} ended with {status}")
    raw = max(folder.glob("trace.*"), key=lambda file: file.stat().st_size)
    packed = folder / "packed"
    subprocess.run([str(BUILD / "traces" / "pack_trace"), str(raw), str(MOST), str(packed)], check=True)
    return packed.read_bytes()


def main(names: list[str]) -> int:
    subprocess.run([sys.executable, str(ROOT / "make.py"), "build", "--variant", "allocator/c_library"], check=True)
    ninja, = (ROOT / "lib").glob("ninja-*")
    program = next(file for file in ninja.rglob("ninja") if os.access(file, os.X_OK) and file.is_file())
    subprocess.run([str(program), "-C", str(BUILD), "trace_recorder", "pack_trace", "harness"], check=True,
                   stdout=subprocess.DEVNULL)
    about = TRACES / "traces.json"
    traces = json.loads(about.read_text()) if about.exists() else {}
    for name, command in commands().items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            first, second = (record(command, pathlib.Path(scratch) / str(i)) for i in range(2))
        (TRACES / f"{name}.trace").write_bytes(first)
        words = [pathlib.Path(command[0]).name, *command[1:]]
        shown = " ".join(word.replace(str(ROOT) + "/", "") for word in words)
        traces[name] = {"sha256": hashlib.sha256(first).hexdigest(), "bytes": len(first),
                        "requests": int.from_bytes(first[17:21], "little"), "command": shown}
        print(f"{name}: {traces[name]['requests']} requests, {len(first)} bytes"
              + ("" if first == second else "; a second recording differs"))
    about.write_text(json.dumps(traces, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
