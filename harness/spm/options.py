"""The command line: a table of verbs and a table of options drive parsing, and help (help.py). (Importing argparse takes
longer than checking an installed group.)"""

from __future__ import annotations

from harness.spm.errors import SpmError, USAGE, unknown
from harness.spm.settings import PLATFORMS

PROGRAM = "python3 make.py spm"  # printed as this process was invoked (invocation.py)


class Option:
    """An option. `value` names its value in help, '' for a switch; `text` is its help."""

    def __init__(self, value: str, text: str) -> None:
        self.value, self.text = value, text


class Verb:
    """A verb. `module` has run(command, settings) -> exit status; `names` is the help's name for its arguments: '' for
    none, in brackets if optional."""

    def __init__(self, module: str, names: str, text: str, options: tuple = ()) -> None:
        self.module, self.names, self.text, self.options = module, names, text, options


COMMON = {
    "--packages": Option("FILE", "the pins (default: SPM_PACKAGES, else packages.json of this checkout)"),
    "--lib": Option("DIR", "the folder of active packages (default: SPM_LIB, else lib beside packages.json)"),
    "--store": Option(
        "DIR", "the folder of all unpacked packages, or DIR:OTHER to use what OTHER has (default: SPM_STORE, else spm in "
        "the user's cache folder)"
    ),
    "--offline": Option("", "use no network (also SPM_OFFLINE=1)"),
    "--frozen": Option("", "fail where packages.json would have to change"),
    "--dry-run": Option("", "print what would be done, change nothing"),
    "--jobs": Option("N", "parallel downloads, at most 6 per host (default: 8)"),
    "--json": Option("", "print one JSON object per line on standard output"),
    "--quiet": Option("", "print only errors and data"),
}
OWN = {
    "--platform": Option("PLATFORM", f"{' or '.join(PLATFORMS)}, if not this machine's; its links are in lib/PLATFORM"),
    "--deep": Option("", "hash every file"),
    "--repair": Option("", "repair damaged packages, fetching only what they need"),
    "--unsigned": Option("", "also accept pins from an unsigned index; packages.json records it"),
    "--case-sensitive": Option("", "allow names that differ only in case, if DIR's file system distinguishes them"),
    "--format": Option("FORMAT", "spdx (2.3, the default) or cyclonedx (1.5)"),
    "--to": Option("SOURCE", "the source to upload to (default: the only one that accepts uploads)"),
    "--gone": Option("", "also what only lib folders used that are no longer there, as this machine sees it"),
    "--none": Option("", "keep nothing any more but what leases hold"),
    "--older-than": Option("AGE", "remove unused packages not used for AGE (default: 30d)"),
    "--max-size": Option("SIZE", "then remove the least recently used unused packages until the store fits (default: 10GB)"),
}
PLACES = ("--packages", "--lib", "--store")
ENVIRONMENT = {
    "SPM_PACKAGES, SPM_LIB": "as --packages and --lib",
    "SPM_STORE, SPM_OFFLINE": "as --store; as --offline, unless it is 0",
    "SPM_DEBIAN_MIRROR": "a mirror for debian sources (default: apt's)",
    "SPM_DEBIAN_SNAPSHOT": "the same by date, for what that has dropped",
    "SPM_DEBIAN_KEYRING": "files with keys that may sign it (default: Debian's)",
    "SPM_MIRROR": "artifacts by sha256, tried first (last:PLACE: last)",
    "SPM_ARTIFACTORY_TOKEN": "for artifactory sources",
    "AWS_*": "for s3 sources, as in AWS's own tools",
    "SPM_TIMEOUT": "seconds for each response and read (default: 30)",
    "HTTP(S)_PROXY, NO_PROXY": "proxies, http or socks5h; hosts, networks without",
    "SSL_CERT_FILE, NETRC": "files: certificates to trust; users and passwords",
}
ALIASES = {"-p": "--platform", "-h": "--help", "-j": "--jobs", "-q": "--quiet", "-n": "--dry-run"}

VERBS = {
    "install": Verb("install", "NAME...", "make packages active, fetching what the store lacks", ("--platform",)),
    "install-group": Verb("install", "GROUP...", "make every package of the groups active", ("--platform",)),
    "uninstall": Verb("uninstall", "NAME...", "remove packages from lib; the store keeps them", ("--platform",)),
    "list": Verb("list", "", "list all packages of packages.json for the platform", ("--platform",)),
    "status": Verb("status", "", "show which packages are active, and which should be", ("--platform",)),
    "verify": Verb("verify", "", "compare active packages with what was unpacked", ("--platform", "--deep", "--repair")),
    "outdated": Verb("outdated", "[NAME...]", "list pins that have a newer version in their index"),
    "update": Verb("update", "NAME...", "write the newest pins into packages.json", ("--unsigned",)),
    "doctor": Verb("doctor", "", "find pins whose artifacts are no longer available"),
    "pin": Verb("pin", "ADDRESS [NAME]", "fetch an archive once and print its pin", ("--platform",)),
    "sbom": Verb("sbom", "[NAME...]", "print packages or groups and their licences as SPDX", ("--platform", "--format")),
    "publish": Verb("publish", "DIR NAME", "pack a folder, upload it, print its pin", ("--platform", "--to")),
    "mirror push": Verb("mirror_push", "URL ...", "copy all artifacts (URL GROUP...: these) to a mirror"),
    "mirror pull": Verb("mirror_pull", "URL", "fill the store from a mirror only", ("--platform",)),
    "mirror verify": Verb("mirror_verify", "URL ...", "compare every byte of a mirror with the pins"),
    "unpack": Verb("unpack", "ARCHIVE DIR", "unpack any archive by the rules for packages", ("--case-sensitive",)),
    "cache list": Verb("cache_list", "", "list all packages of the store: size, last use, users"),
    "cache keep": Verb(
        "cache_keep", "[NAME...]", "keep these (or all pins), and no others, at any age", ("--platform", "--none")
    ),
    "cache prune": Verb(
        "cache_prune", "", "remove unused packages from the store", ("--older-than", "--max-size", "--gone")
    ),
}
# verb -> more rows of its help
DETAILS = {
    "status": {
        "active": "lib links to the pinned version",
        "stored": "the store has it, lib has no link",
        "absent": "the store does not have it, lib has no link",
        "other version": "lib links to another version",
        "broken": "lib links to a missing or damaged tree",
        "blocked": "lib has something else with the link's name",
        "stray": "a link of lib that packages.json does not name",
    }
}
# verb -> the heading before it in help
HEADINGS = {"install": "packages:", "outdated": "pins and artifacts:", "cache list": "the store:"}


class Command:
    """A parsed command line: `options` maps long names to a value, or to True for a switch."""

    def __init__(self, verb: str, names: list[str], options: dict) -> None:
        self.verb, self.names, self.options = verb, names, options


def parse(arguments: list[str]) -> Command:
    """Parses a command line, with options also before the verb. The verb is '' if only help is requested."""
    words: list[str] = []
    names: list[str] = []
    options: dict = {}
    verb = ""
    rest, over = arguments[::-1], False
    while rest:
        word = rest.pop()
        if over or not word.startswith("-") or word == "-":
            (names if verb else words).append(word)
            verb = verb or _verb(words, options)
        elif word == "--":
            over = True
        else:
            name, value = _option(verb, word, rest)
            options[name] = value
    if "--help" not in options:
        if not words:
            raise SpmError(f"expected a verb, found none{_taken(options)}", f"{PROGRAM} --help", USAGE)
        if not verb:
            raise _unknown_verb(words, options)
        _check(verb, names, options)
    return Command(verb, names, options)


def _option(verb: str, word: str, rest: list[str]) -> tuple[str, str | bool]:
    """(long name, value) of an option; the value may be the last word of `rest`, which is then removed."""
    given, equals, value = word.partition("=")
    if word[:2] in ALIASES and word[2:].isdigit():  # -j4
        given, equals, value = word[:2], "=", word[2:]
    name = ALIASES.get(given, given)
    if name == "--help":
        return name, True
    known = _known(verb)
    if name not in known:
        raise _unknown_option(verb, given)
    if not known[name].value:
        if equals:
            raise _usage(verb, f"{given} expects no value, found '{value}'")
        return name, True
    if not equals and rest:
        value = rest.pop()
        if value.startswith("--"):  # such a value needs `=`
            raise _usage(verb, f"{given} expects {known[name].value}, found the option '{value}'")
    if not value:  # also an unset shell variable: the default would not be what the user meant
        raise _usage(verb, f"{given} expects {known[name].value}, found nothing")
    return name, value


def _known(verb: str) -> dict[str, Option]:
    """The options of a verb; of all verbs while the verb is not known."""
    return {**COMMON, **{name: OWN[name] for name in VERBS[verb].options}} if verb else {**COMMON, **OWN}


def _unknown_option(verb: str, given: str) -> SpmError:
    where, program = _where(verb)
    return unknown("option", given, [*_known(verb), "--help"], f"{program} --help", where)


def _verb(words: list[str], options: dict) -> str:
    """The verb that the words form, or '' while they are the first half of one."""
    found = " ".join(words)
    if found in VERBS:
        return found
    if not any(verb.startswith(f"{found} ") for verb in VERBS):
        raise _unknown_verb(words, options)
    return ""


def _unknown_verb(words: list[str], options: dict) -> SpmError:
    found = " ".join(words)
    verbs = [verb for verb in VERBS if verb.startswith(f"{found} ")]
    error = unknown("verb", found, VERBS, f"{PROGRAM} --help")
    if verbs:
        error.what = f"expected {' or '.join(verbs)}, found '{found}'"
    error.what += _taken(options)
    return error


def _taken(options: dict) -> str:
    """A suffix for the error about a missing verb, if an option took the verb as its value."""
    return "".join(f" ('{value}' is the value of {name})" for name, value in options.items() if value in VERBS)


def _check(verb: str, names: list[str], options: dict) -> None:
    for name in options:
        if name not in _known(verb):  # it came before the verb
            raise _unknown_option(verb, name)
    expected = VERBS[verb].names
    if expected and not expected.startswith("[") and not names:
        raise _usage(verb, f"expected {expected}, found none")
    if names and not expected:
        raise _usage(verb, f"expected no names, found '{names[0]}'")
    jobs = options.get("--jobs", "8")
    if jobs not in map(str, range(1, 65)):
        raise _usage(verb, f"--jobs expects a number from 1 to 64, found '{jobs}'")
    platform = options.get("--platform", PLATFORMS[0])
    if platform not in PLATFORMS:
        raise _usage(verb, f"--platform expects {' or '.join(PLATFORMS)}, found '{platform}'")


def _where(verb: str) -> tuple[str, str]:
    """(prefix of an error about a verb, command whose --help explains it); '' means no verb yet."""
    return (f"{verb}: ", f"{PROGRAM} {verb}") if verb else ("", PROGRAM)


def _usage(verb: str, what: str) -> SpmError:
    where, program = _where(verb)
    return SpmError(f"{where}{what}", f"{program} --help", USAGE)
