"""The names and paths of this machine, its user and its results, which no bundle has."""

from __future__ import annotations

import glob
import json
import os
import pwd
import re
import subprocess
from collections.abc import Iterator

from harness.make import paths
from harness.make.help_bundle.files import text_of
from harness.make.help_bundle.patterns import SECRET, looks_secret
from harness.make.help_bundle.redact import Known, Redactor
from harness.make.help_bundle.values import names_secret
from harness.spm.errors import SpmError
from harness.spm.settings import Settings

NOT_MACHINES = ("published", "reference", "nightly", "jobs", "inbox", "quarantine", "lost+found")
"""harness/base/layout.h"""

_TEXTS = ("*.md", "harness/*.md", "harness/*/*.md", "variants/*.md", "variants/*/*.md")
_GIT_S = 20
_MOST_ALARM_BYTES = 4_000_000
_MOST_RESULTS = 1000
_MOST_COMMITS = 50_000
_HOSTS = ("github.com", "githubusercontent.com", "gitlab.com", "debian.org", "ubuntu.com", "gnu.org", "kernel.org", "cmake.org",
          "kitware.com", "khronos.org", "mesa3d.org", "freedesktop.org", "python.org", "example.org", "example.com", "w3.org",
          "launchpad.net", "bugs.debian.org", "open-std.org", "cppreference.com")


def results_folder() -> str:
    """harness/base/layout.h, results_dir()"""
    return os.path.abspath(os.environ.get("LAB_RESULTS") or paths.place_for("results"))


def git(*words: str) -> str:
    """What git says of the checkout, as the harness asks it (git_command in harness/measure/provenance.cpp); "" without git
    or a checkout of git."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-C", paths.ROOT, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
                               "-c", "safe.directory=*", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, check=False, timeout=_GIT_S,
                              env={**environment, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="surrogateescape").strip("\n") if done.returncode == 0 else ""


def redactor() -> Redactor:
    """What takes this machine's names out of texts."""
    common = "\n".join(text_of(os.path.join(paths.ROOT, name)) for pattern in _TEXTS
                       for name in paths.globbed(pattern))
    everything = [*_secrets(), *_places(), *_people(), *_hosts(), *_machines(results_folder()),
                  *_other_hosts(results_folder())]
    hashes, places = _pins()
    return Redactor(everything, common, {*_HOSTS, *_hosts_of_pins()}, {*hashes, *_commits()}, places)


def _pins() -> tuple[set[str], set[str]]:
    """(the hashes, the paths of the packages' files) that packages.json has."""
    text = text_of(paths.PACKAGES, 8_000_000, paths.ROOT)
    return set(re.findall(r"\b[0-9a-fA-F]{40}\b|\b[0-9a-f]{64}\b", text)), set(re.findall(r'"path":\s*"([^"\s]{3,300})"', text))


def _commits() -> Iterator[str]:
    """The hashes of this checkout's commits, in full and as results' names have them."""
    for commit in git("rev-list", "--all", f"--max-count={_MOST_COMMITS}").split():
        yield commit
        yield commit[:12]


def bases_of_pins() -> list[str]:
    """Where packages come from, which is public like packages.json (spm refuses keys in it)."""
    try:
        sources = json.loads(text_of(paths.PACKAGES, 8_000_000, paths.ROOT))["sources"].values()
        return [base for base in (str(source.get("base", "")) for source in sources) if base]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def _hosts_of_pins() -> Iterator[str]:
    for base in bases_of_pins():
        if found := re.match(r"https?://([\w.-]+)(?=[/:]|$)", base):
            yield found[1]


def _secrets() -> Iterator[Known]:
    """Values of variables whose names look like one's for a secret: a tool may have printed them."""
    for name, value in sorted(os.environ.items()):
        is_word = re.fullmatch(r"[~./].*|\d{1,5}|[a-z]{1,4}", value) or not names_secret(name) and re.fullmatch(r"\d+|[a-z]+", value)
        if looks_secret(name) and len(value) >= 5 and not is_word and value.lower() not in ("false", "never", "always", "default"):
            yield Known(value, SECRET, "secret")


def _places() -> Iterator[Known]:
    """Folders: as given, absolute and without links. Of two words for one folder, the first."""
    environment = os.environ
    try:
        settings = Settings()
        stores = [settings.store, *settings.stores_behind]
    except SpmError:
        stores = []
    home = [environment.get("HOME"), *(_entry("pw_dir", user) for user in _users())]
    groups = (
        ("<CHECKOUT>", [paths.ROOT, _logical(paths.ROOT), *_configured()]),
        ("<RESULTS>", [environment.get("LAB_RESULTS"), paths.place_for("results")]),
        ("<STORE>", [*environment.get("SPM_STORE", "").split(":"), *stores, *_stores_of_lib()]),
        ("<LIB>", [environment.get("SPM_LIB")]),
        ("<WORK>", [environment.get("LAB_WORK"), paths.work_dir()]),
        ("<HOME>", home),
        ("<CACHE>", [environment.get("XDG_CACHE_HOME"), environment.get("CCACHE_DIR")]),
        ("<DATA>", [environment.get("XDG_DATA_HOME"), environment.get("XDG_CONFIG_HOME"), environment.get("LAB_SCRATCH")]),
        ("<TMP>", [environment.get("TMPDIR"), environment.get("XDG_RUNTIME_DIR")]),
        ("<FOLDER>", [environment.get("PWD"), environment.get("OLDPWD"), _here(), *_worktrees()]),
    )
    seen = set()
    for word, given in groups:
        for path in filter(None, given):
            for each in (os.path.normpath(path), os.path.abspath(path), os.path.realpath(path)):
                if each not in seen and each not in ("/", ".", "..", "/tmp", "/var/tmp", "/usr", "/opt", "/mnt", "/srv", "/home"):
                    seen.add(each)
                    if os.path.isabs(each) or len(each) > 4:
                        yield Known(each, word, "path")
                        if word == "<CHECKOUT>":
                            # paths.work_dir() and git's work trees name folders so.
                            yield Known(each.strip("/").replace("/", "-"), "<CHECKOUT>", "name")
                            yield Known(os.path.basename(each), "<CHECKOUT>", "name")
                            parent = os.path.dirname(each)
                            if parent.count("/") > 1:
                                yield Known(parent, "<CHECKOUT>/..", "path")


def _users() -> tuple[int | None, ...]:
    """This user (None) and the owners of what this user uses."""
    return None, _owner(paths.ROOT), _owner(results_folder())


def _configured() -> set[str]:
    """Where the checkout was when its builds were configured: it may have been moved or copied since."""
    caches = glob.glob(os.path.join(glob.escape(paths.BUILD), "*", "CMakeCache.txt"))
    found = (re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.+)$", text_of(cache, 1_000_000, paths.BUILD), re.M) for cache in caches)
    return {each[1] for each in found if each}


def _stores_of_lib() -> set[str]:
    """The stores that the links in lib/ lead to, which may be another user's."""
    try:
        links = [os.path.join(paths.LIB, name) for name in os.listdir(paths.LIB)]
        return {os.readlink(link).partition("/packages/")[0] for link in links if os.path.islink(link)}
    except OSError:
        return set()


def _worktrees() -> list[str]:
    """The other folders that git has of this checkout."""
    return re.findall(r"^worktree (.+)$", git("worktree", "list", "--porcelain"), re.M)


def _here() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _logical(folder: str) -> str | None:
    """The folder as the shell came to it, by links."""
    here = os.environ.get("PWD", "")
    try:
        return here if here and os.path.samefile(here, folder) else None
    except OSError:
        return None


def _entry(field: str, user: int | None = None) -> str:
    """Of a user in the system's list, by default this one; "" if it is not there."""
    try:
        return str(getattr(pwd.getpwuid(os.getuid() if user is None else user), field))
    except KeyError:
        return ""


def _owner(path: str) -> int | None:
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def _people() -> Iterator[Known]:
    names = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    for user in _users():
        names += [_entry("pw_name", user), *_entry("pw_gecos", user).split(",")[:1]]
        home = os.path.basename(_entry("pw_dir", user))
        names.append(home)
    names.append(os.path.basename(os.environ.get("HOME", "")))
    mail = git("config", "user.email")
    names += [git("config", "user.name"), mail, *mail.split("@")[:1]]
    for name in filter(None, map(str.strip, names)):
        if name not in ("root", "nonexistent"):
            yield Known(name, "<USER>", "name")
    said = re.findall(r'"who":\s*"([^"]+)"', text_of(os.path.join(results_folder(), "alarms.jsonl"), _MOST_ALARM_BYTES, results_folder()))
    for number, name in enumerate(sorted(set(said) - {"detector", "root"}), 1):
        yield Known(name, f"<PERSON-{number}>", "name")


def _hosts() -> Iterator[Known]:
    names = [os.uname().nodename, os.environ.get("HOSTNAME", ""), os.environ.get("HOST", ""),
             text_of("/etc/hostname").strip(), text_of("/etc/mailname").strip()]
    for line in text_of("/etc/hosts").splitlines():
        if re.match(r"\s*127\.0\.1\.", line):
            names += line.partition("#")[0].split()[1:]
    for name in filter(None, names):
        for each in (name, name.partition(".")[0]):
            if each.lower() not in ("localhost", "localdomain"):
                yield Known(each, "<HOST>", "name")
        if "." in name:
            yield Known(name.partition(".")[2], "<DOMAIN>", "name")
    for line in text_of("/etc/resolv.conf").splitlines():
        if re.match(r"\s*(search|domain)\s", line):
            for each in line.split()[1:]:
                if "." in each.strip("."):
                    yield Known(each.strip("."), "<DOMAIN>", "name")


def _other_hosts(results: str) -> Iterator[Known]:
    """The hosts that the newest results of each machine and the locks of nights name."""
    folder = glob.escape(results)
    beginnings = sorted(glob.glob(os.path.join(folder, "*", "*.json")) + glob.glob(os.path.join(folder, "*", "*.journal")),
                        key=os.path.basename)[-_MOST_RESULTS:]
    names = {each for path in beginnings for each in re.findall(r'"host_name":\s*"([^"]+)"', text_of(path, 3000, results))}
    for path in glob.glob(os.path.join(folder, "nightly", "*.lock")):
        names |= set(re.findall(r"process \d+ on (\S+), since", text_of(path, 1000, results)))
    for number, name in enumerate(sorted(names - {"localhost"}), 1):
        yield Known(name, f"<HOST-{number}>", "name")


def machines_in(results: str) -> list[str]:
    """The names of machines and nodes that a results folder has, sorted."""
    names = {name for name in _folders(results) if name not in NOT_MACHINES and not name.startswith(".")}
    for place in ("nightly", "inbox", "quarantine"):
        names |= set(_folders(os.path.join(results, place)))
    for path in glob.glob(os.path.join(glob.escape(results), "jobs", "*", "*.*")) + \
            glob.glob(os.path.join(glob.escape(results), "nightly", "*.lock")):
        name = os.path.basename(path).rpartition(".")[0]
        names |= {name} if name not in ("submitted",) else set()
    try:
        known = json.loads(text_of(os.path.join(results, "machines.json"), within=results) or "{}")
    except ValueError:
        known = {}
    if isinstance(known, dict):
        for name, facts in known.items():
            was = facts.get("was") if isinstance(facts, dict) else None
            names |= {name, *(each for each in (was if isinstance(was, list) else []) if isinstance(each, str))}
    names |= {os.environ.get(name, "") for name in ("LAB_MACHINE", "SLURMD_NODENAME")}
    return sorted(name for name in names if name and name not in (".", ".."))


def _machines(results: str) -> Iterator[Known]:
    for number, name in enumerate(machines_in(results), 1):
        yield Known(name, f"<MACHINE-{number}>", "name")


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []
