"""`build --verify-build`: compiles a random tenth of the fetched objects here and compares their bytes."""

import contextlib
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from harness.make import paths
from harness.make.build_cache import record
from harness.make.build_cache.steps import Steps
from harness.make.console import MakeError, StatusLine, how_ended, print_line
from harness.spm import parallel
from harness.spm.formatting import plural

KEPT = "differs"
"""In the build folder: both files of each difference."""


def verify(steps: Steps, targets: Sequence[str], seed: str) -> None:
    """Compiles a tenth of the fetched objects of `targets` again, at least one; raises MakeError if one differs."""
    fetched = record.recorded(steps.folder)
    commands = {name: words for name, words in steps.all(targets).items() if name in fetched}
    if not commands:
        print_line("verify-build: no object of this build was fetched")
        return
    seed = seed or str(random.SystemRandom().randrange(1 << 32))
    chosen = sorted(random.Random(seed).sample(sorted(commands), -(-len(commands) // 10)))
    kept = os.path.join(steps.folder, KEPT)
    shutil.rmtree(kept, ignore_errors=True)
    differing = []
    progress = StatusLine()
    with tempfile.TemporaryDirectory(dir=steps.folder) as scratch, contextlib.closing(progress):
        def compiled(name: str) -> str:
            return _compiled(steps.folder, commands[name], os.path.join(scratch, f"{chosen.index(name)}.o"))

        done = 0
        for name, path in parallel.each(compiled, chosen, os.cpu_count() or 1):
            done += 1
            progress.update(f"verify {done}/{len(chosen)}")
            if not record.is_object(path, fetched[name]["sha256"]):
                _keep(kept, name, os.path.join(steps.folder, name), path)
                differing.append(name)
    if differing:
        first = sorted(differing)[0]
        more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
        raise MakeError(f"verify-build: {first}{more}: the object from {fetched[first]['place']} differs from the one "
                        f"that is compiled here (seed {seed})",
                        f"both files are in {os.path.relpath(kept, paths.ROOT)}; build without --build-cache")
    print_line(f"verify-build: {plural(len(chosen), 'object')} of {len(commands)} fetched ones compiled here to the same "
               f"bytes (seed {seed})")


def _compiled(folder: str, words: Sequence[str], output: str) -> str:
    """Runs a compile command, without launchers, for another output."""
    command = list(words)
    for option, value in {"-o": output, "-MF": output + ".d", "-MT": output}.items():
        if option in command:
            command[command.index(option) + 1] = value
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        print_line(done.stderr.rstrip())
        raise MakeError(f"verify-build: compiling again failed with {how_ended(done.returncode)}")
    return output


def _keep(kept: str, name: str, fetched: str, compiled: str) -> None:
    for ending, path in (("fetched", fetched), ("compiled", compiled)):
        target = os.path.join(kept, f"{name}.{ending}")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target)
