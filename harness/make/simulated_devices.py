"""Builds Mesa's DRM shims, which simulate the devices that real Vulkan drivers are then asked about.

A shim is a library for LD_PRELOAD. It answers a driver's system calls as the kernel would on a machine with that device.
Each is one target of Mesa's own build, so Mesa is configured with everything else off, and only these targets are built.
The configuration requires bison, flex and expat, but none of the targets uses them.

The shims are built once, with the pinned compiler, and serve the builds of every config and toolchain."""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time

from harness.make import logs, ninja, paths
from harness.make.console import MakeError, duration, how_ended, print_line
from harness.make.toolchain import Toolchain, library_path
from harness.spm.atomic import atomic_file
from harness.spm.lock import Lock

GROUP = "simulated-devices"
"""The optional group of packages.json."""

FOLDER = os.path.join(paths.BUILD, GROUP)
"""Holds the shims, and the file BUILT once all of them are complete."""

BUILT = "built"
SHIMS = ("src/intel/tools/libintel_noop_drm_shim.so", "src/amd/drm-shim/libamdgpu_noop_drm_shim.so",
         "src/nouveau/drm-shim/libnouveau_noop_drm_shim.so")
"""Targets of Mesa's build. The harness finds them by their file names."""

# The Gallium drivers are not built; each makes Mesa enter the folder of one shim.
OPTIONS = ("--buildtype=release", "-Dauto_features=disabled", "-Dtools=drm-shim,intel", "-Dvulkan-drivers=",
           "-Dgallium-drivers=crocus,nouveau,r600", "-Dplatforms=", "-Dexpat=enabled", "-Dllvm=disabled",
           "-Dopengl=false", "-Dshared-glapi=disabled", "-Dvideo-codecs=")


def build(tools: Toolchain, packages: dict[str, str]) -> None:
    """Builds the shims from `packages` ({name: folder}) unless they are up to date. Raises MakeError."""
    used = [packages[name] for name in ("mesa-source", "mesa-build")]
    key = hashlib.sha256(json.dumps([tools.key, used, OPTIONS, SHIMS]).encode()).hexdigest()
    stamp = os.path.join(FOLDER, BUILT)
    if paths.read_if_there(stamp) == key:
        return
    os.makedirs(FOLDER, exist_ok=True)
    lock = Lock(os.path.join(FOLDER, "lock"))
    lock.take(waiting=lambda holder: print_line(f"waiting for {holder}, which is building the simulated devices"))
    with lock:
        if paths.read_if_there(stamp) == key:
            return
        started = time.monotonic()
        print_line("building the simulated devices, once: about a minute")
        work = os.path.join(FOLDER, "mesa")
        _build_mesa(tools, packages, work)
        # While a shim is replaced there is no stamp, so a kill leaves nothing that the harness would use.
        if os.path.exists(stamp):
            os.unlink(stamp)
        for shim in SHIMS:
            with atomic_file(os.path.join(FOLDER, os.path.basename(shim))) as name:
                shutil.copyfile(os.path.join(work, shim), name)
        paths.write_if_changed(stamp, key)
        shutil.rmtree(work)
        print_line(f"built the simulated devices in {duration(time.monotonic() - started)}")


def _build_mesa(tools: Toolchain, packages: dict[str, str], work: str) -> None:
    """Builds the shims into the new folder `work`."""
    if os.path.exists(work):
        shutil.rmtree(work)
    own = os.path.join(work, "tools")
    os.makedirs(own)
    # Mesa's build calls `python3`.
    os.symlink(sys.executable, os.path.join(own, "python3"))
    environment = _environment(tools, packages["mesa-build"], own)
    log = os.path.join(FOLDER, "configure.log")
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run([sys.executable, "-m", "mesonbuild.mesonmain", "setup", work, packages["mesa-source"],
                               *OPTIONS], env=environment, stdout=file, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        print_line(logs.tail(log))
        raise MakeError(f"configuring Mesa for the simulated devices failed with {how_ended(done.returncode)}",
                        f"the whole log: {log}")
    log = os.path.join(FOLDER, "build.log")
    status = ninja.run([*tools.ninja, "-C", work, *SHIMS], log, "simulated devices", environment)
    if status != 0:
        print_line(logs.failures(log))
        raise MakeError("building the simulated devices failed", f"the whole log: {log}")


def _environment(tools: Toolchain, mesa_build: str, own: str) -> dict[str, str]:
    """The whole environment of meson and ninja: nothing of the user's, such as CFLAGS, has an effect."""
    binaries = os.path.dirname(tools.compiler)
    libraries = os.path.join(mesa_build, "usr/lib/x86_64-linux-gnu")
    (name, value), = library_path(libraries).items()
    return {
        "PATH": os.pathsep.join((own, binaries, os.path.join(mesa_build, "usr/bin"), os.environ.get("PATH", ""))),
        # meson splits these two, and PKG_CONFIG, like a shell.
        "CC": shlex.quote(os.path.join(binaries, "gcc")),
        "CXX": shlex.quote(tools.compiler),
        "NINJA": tools.ninja[0],
        "PKG_CONFIG": shlex.join(("env", f"{name}={value}", os.path.join(mesa_build, "usr/bin/pkgconf"))),
        "PKG_CONFIG_LIBDIR": os.path.join(libraries, "pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": mesa_build,
        "PYTHONPATH": os.path.join(mesa_build, "usr/lib/python3/dist-packages"),
        # The store is read-only, so compiled Python files go to the build folder.
        "PYTHONPYCACHEPREFIX": os.path.join(own, "pycache"),
        "PYTHONUTF8": "1",
        "TMPDIR": own,
    }
