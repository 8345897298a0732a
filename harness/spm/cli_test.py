"""Whole outputs of every verb, for people and for programs, and every way to be wrong on the command line."""

import glob
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from harness.spm import help, options, settings, trees
from harness.spm.errors import SpmError
from harness.spm.settings import native_platform
from harness.spm.store.store import Store
from harness.spm_testing.test_case import CommandResult, SpmTestCase

# arguments, the first line of the error
WRONG = [
    (["lst"], "unknown verb 'lst'; the nearest is 'list'"),
    (["instal", "a"], "unknown verb 'instal'; the nearest is 'install'"),
    (["cache"], "expected cache list or cache keep or cache prune, found 'cache'"),
    (["cache", "prone"], "unknown verb 'cache prone'; the nearest is 'cache prune'"),
    (["install"], "install: expected NAME..., found none"),
    (["install", "alpa"], "unknown package 'alpa'; the nearest is 'alpha'"),
    (["install-group", "tols"], "unknown group 'tols'; the nearest is 'tools'"),
    (["uninstall", "bet"], "unknown package 'bet'; the nearest is 'beta'"),
    (["install", "alpha", "--jbs", "3"], "install: unknown option '--jbs'; the nearest is '--jobs'"),
    (["install", "alpha", "-x"], "install: unknown option '-x'"),
    (["install", "qqq"], "unknown package 'qqq'"),
    (["install", "alpha", "--deep"], "install: unknown option '--deep'; the nearest is '"),
    (["install", "alpha", "--jobs", "0"], "install: --jobs expects a number from 1 to 64, found '0'"),
    (["install", "alpha", "--jobs", "9" * 5000], "install: --jobs expects a number from 1 to 64, found '9"),
    (["install", "alpha", "--jobs="], "install: --jobs expects N, found nothing"),
    (["cache", "prune", "--max-size", "9" * 400], "--max-size: expected a size like 10GB or 500MB, found '9"),
    (["mirror", "push", ""], "mirror push: expected one URL or folder, found 0"),
    (["install", "alpha", "--jobs=x"], "install: --jobs expects a number from 1 to 64, found 'x'"),
    (["install", "alpha", "--quiet=1"], "install: --quiet expects no value, found '1'"),
    (
        ["install-group", "-p", "linux-arm64", "tools"],
        "install-group: --platform expects linux-x86_64 or linux-aarch64, found 'linux-arm64'",
    ),
    (
        ["install", "-p", "linux-aarch64" if native_platform() != "linux-aarch64" else "linux-x86_64", "alpha"],
        f"package 'alpha' is for {native_platform()}, not for ",
    ),
    (["list", "alpha"], "list: expected no names, found 'alpha'"),
    (["cache", "prune", "--older-than", "month"], "--older-than: expected an age like 30d or 12h, found 'month'"),
    (["cache", "prune", "--max-size", "big"], "--max-size: expected a size like 10GB or 500MB, found 'big'"),
]


# options before the verb: the command line, its verb, names and options
BEFORE = [
    ("--store S --quiet install a", "install", ["a"], {"--store": "S", "--quiet": True}),
    ("-q --store=S install a", "install", ["a"], {"--quiet": True, "--store": "S"}),
    ("--json cache list", "cache list", [], {"--json": True}),
    ("-j4 install a", "install", ["a"], {"--jobs": "4"}),
    ("--store=--json list", "list", [], {"--store": "--json"}),
    ("cache --json list", "cache list", [], {"--json": True}),
    ("-n cache --store S prune --jobs 2", "cache prune", [], {"--dry-run": True, "--store": "S", "--jobs": "2"}),
    ("--older-than 0d cache prune", "cache prune", [], {"--older-than": "0d"}),
    ("--store install install install", "install", ["install"], {"--store": "install"}),
    ("--packages list list", "list", [], {"--packages": "list"}),
    ("--lib cache cache list", "cache list", [], {"--lib": "cache"}),
    ("-- install -a", "install", ["-a"], {}),
    ("cache -- list", "cache list", [], {}),
    ("install -- -a --json", "install", ["-a", "--json"], {}),
    ("install list cache", "install", ["list", "cache"], {}),
]
# the command line, the error, its hint's arguments
WRONG_BEFORE = [
    ("--qiet install a", "unknown option '--qiet'; the nearest is '--quiet'", "--help"),
    ("--stor S install a", "unknown option '--stor'; the nearest is '--store'", "--help"),
    ("--older-thn 0d cache prune", "unknown option '--older-thn'; the nearest is '--older-than'", "--help"),
    ("cache --jsn list", "unknown option '--jsn'; the nearest is '--json'", "--help"),
    ("--quiet", "expected a verb, found none", "--help"),
    ("--", "expected a verb, found none", "--help"),
    ("--store", "--store expects DIR, found nothing", "--help"),
    ("--store= install a", "--store expects DIR, found nothing", "--help"),
    ("--json=1 list", "--json expects no value, found '1'", "--help"),
    ("--store install", "expected a verb, found none ('install' is the value of --store)", "--help"),
    ("--store install a", "unknown verb 'a' ('install' is the value of --store)", "--help"),
    ("--json cache", "expected cache list or cache keep or cache prune, found 'cache'", "--help"),
    ("--store --json install a", "--store expects DIR, found the option '--json'", "--help"),
    ("install a --jobs --quiet", "install: --jobs expects N, found the option '--quiet'", "install --help"),
    ("--json cache prone", "unknown verb 'cache prone'; the nearest is 'cache prune'", "--help"),
    ("--deep install a", "install: unknown option '--deep'; the nearest is '--help'", "install --help"),
    ("--jobs 0 install a", "install: --jobs expects a number from 1 to 64, found '0'", "install --help"),
]


class CommandLineTest(SpmTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_simple("alpha", groups=["tools", "base"])
        self.add_simple("beta", groups=["tools"], license="BSD-3-Clause")

    def spm_later(self, *arguments: str) -> CommandResult:
        with mock.patch("time.time", return_value=time.time() + 7300):
            return self.spm(*arguments)

    def versions(self) -> dict[str, str]:
        return {row["name"]: row["version"] for row in self.spm("list", "--json").objects()}

    def test_every_mistake_gets_one_line_a_hint_and_status_2(self) -> None:
        for arguments, expected in WRONG:
            with self.subTest(arguments=arguments):
                result = self.spm(*arguments)
                first, second = result.err.splitlines()
                self.assertEqual(first[: len(expected) + 12], f"spm: error: {expected}")
                self.assertEqual("nearest" in first, "nearest" in expected)
                self.assertEqual(second[:26], "hint: python3 make.py spm ")
                self.assertEqual((result.status, result.out), (2, ""))

    def test_an_option_without_its_value_is_named(self) -> None:
        with self.assertRaisesRegex(SpmError, "^install: --jobs expects N, found nothing$"):
            options.parse(["install", "alpha", "--jobs"])

    def test_options_may_stand_before_the_verb_and_in_it(self) -> None:
        for arguments, verb, names, given in BEFORE:
            with self.subTest(arguments=arguments):
                command = options.parse(arguments.split(" "))
                self.assertEqual((command.verb, command.names, command.options), (verb, names, given))

    def test_a_mistake_before_the_verb_is_named_for_what_it_is(self) -> None:
        for arguments, expected, hint in WRONG_BEFORE:
            with self.subTest(arguments=arguments):
                with self.assertRaises(SpmError) as caught:
                    options.parse(arguments.split(" "))
                found = caught.exception
                self.assertEqual((found.what, found.hint, found.status), (expected, f"python3 make.py spm {hint}", 2))

    def test_help_may_stand_before_the_verb(self) -> None:
        general, of_install = self.spm("--help").out, self.spm("install", "--help").out
        for arguments in (["help"], ["-h"], ["--quiet", "--help"], ["cache", "--help"]):
            self.assertEqual((self.spm(*arguments).status, self.spm(*arguments).out), (0, general), arguments)
        for arguments in (["help", "install"], ["--help", "install"]):
            self.assertEqual(self.spm(*arguments).out, of_install, arguments)

    def test_help_names_every_verb_and_every_option(self) -> None:
        text = help.help_text()
        for verb in options.VERBS:
            self.assertIn(f"\n  {verb}", text)
            self.assertEqual(
                self.spm(verb, "--help").status if " " not in verb else self.spm(*verb.split(), "-h").status, 0
            )
        self.assertEqual(self.spm("cache", "prune", "--help").out, PRUNE_HELP)

    def test_help_explains_every_state_of_status(self) -> None:
        lines = self.spm("status", "--help").out.partition("\nstates:\n")[2].splitlines()
        self.assertEqual([line.split("  ")[1] for line in lines],
                         ["active", "stored", "absent", "other version", "broken", "blocked", "stray"])

    def test_help_names_every_variable_where_names_stand(self) -> None:
        for names, text in options.ENVIRONMENT.items():
            self.assertNotRegex(text, "[A-Z]_", names)

    def test_installing_says_what_was_done(self) -> None:
        result = self.spm("install-group", "tools")
        self.assertRegex(result.err, r"^spm: 2 packages active in \d\.\d s: 2 packages of 9 B unpacked, 2 links set\n$")
        self.assertEqual((result.status, result.out), (0, ""))
        self.assertEqual(self.spm("install", "alpha").err, "spm: 1 package active, nothing to do\n")
        self.assertEqual(self.spm("install", "alpha", "-q").err, "")

    def test_events_are_objects(self) -> None:
        version = self.versions()["alpha"]
        data = self.server.files["/alpha.deb"]
        tree = f"FOLDER/store/packages/alpha/{version}/tree"
        pin = {"path": "alpha.deb", "sha256": self.packages["alpha"]["artifacts"][0]["sha256"], "bytes": len(data)}
        result = self.spm("install", "alpha", "--json")
        self.assertEqual(
            result.objects(),
            [
                {"event": "started", "packages": 1, "artifacts": 1, "bytes": len(data)},
                {"event": "download", **pin},
                {"event": "downloaded", **pin},
                {"event": "stored", "package": "alpha", "version": version, "path": tree, "bytes": 5, "files": 1},
                {"event": "linked", "package": "alpha", "version": version, "path": "FOLDER/lib/alpha-1"},
                {
                    "event": "active",
                    "package": "alpha",
                    "version": version,
                    "path": "FOLDER/lib/alpha-1",
                    "changed": True,
                },
            ],
        )
        self.assertEqual(result.err, "")
        self.assertEqual(
            self.spm("install", "alpha", "--json").objects(),
            [
                {
                    "event": "active",
                    "package": "alpha",
                    "version": version,
                    "path": "FOLDER/lib/alpha-1",
                    "changed": False,
                }
            ],
        )
        self.assertEqual(self.spm("install", "beta", "--json", "--dry-run").objects()[0]["event"], "would")

    def test_an_error_is_an_event_too(self) -> None:
        self.server.files.clear()
        result = self.spm("install", "alpha", "--json")
        self.assertEqual(
            result.objects()[-1],
            {
                "event": "error",
                "what": "could not fetch alpha.deb: main (SERVER/alpha.deb): not there (HTTP 404)",
                "hint": "name another copy of the artifacts with SPM_MIRROR or SPM_DEBIAN_MIRROR",
                "status": 1,
            },
        )
        self.assertEqual(result.err.count("\n"), 2)

    def test_list(self) -> None:
        versions = self.versions()
        self.spm("install", "alpha")
        size = len(self.server.files["/alpha.deb"])
        result = self.spm("list")
        self.assertEqual(
            result.out,
            "name   lib      groups       download bytes  version       active\n"
            f"alpha  alpha-1  tools, base  {size} B           {versions['alpha'][:12]}  yes\n"
            f"beta   beta-1   tools        {size} B           {versions['beta'][:12]}  no\n",
        )
        self.assertEqual(
            self.spm("list", "--json").objects()[1],
            {
                "name": "beta",
                "lib": "beta-1",
                "groups": ["tools"],
                "platforms": [native_platform()],
                "license": "BSD-3-Clause",
                "artifacts": 1,
                "download_bytes": size,
                "version": versions["beta"],
                "active": False,
            },
        )

    def test_status_tells_every_state(self) -> None:
        self.assertEqual(self.states(), {"alpha": "absent", "beta": "absent"})
        self.spm("install-group", "tools")
        self.assertEqual(self.states(), {"alpha": "active", "beta": "active"})
        self.assertEqual(self.spm("uninstall", "beta").err, "spm: beta: FOLDER/lib/beta-1 removed\n")
        self.assertEqual(self.states(), {"alpha": "active", "beta": "stored"})
        self.add_simple("alpha", "changed")
        self.assertEqual(self.states(), {"alpha": "other version", "beta": "stored"})
        os.symlink(f"{self.folder}/gone/packages/beta/{'0' * 64}/tree", f"{self.lib}/beta-1")
        self.assertEqual(self.states()["beta"], "broken")
        os.unlink(f"{self.lib}/beta-1")
        os.symlink("nowhere", f"{self.lib}/beta-1")
        self.assertEqual(self.states()["beta"], "blocked")
        os.unlink(f"{self.lib}/beta-1")
        os.mkdir(f"{self.lib}/beta-1")
        self.assertEqual(self.states()["beta"], "blocked")
        del self.packages["alpha"]
        self.assertEqual(self.states(), {"beta": "blocked", "alpha": "stray"})

    def states(self) -> dict[str, str]:
        return {row["name"]: row["state"] for row in self.spm("status", "--json").objects()}

    def test_status_for_people(self) -> None:
        self.spm("install", "alpha")
        versions = self.versions()
        self.assertEqual(
            self.spm("status").out,
            "name   lib      state   version\n"
            f"alpha  alpha-1  active  {versions['alpha'][:12]}\n"
            f"beta   beta-1   absent  {versions['beta'][:12]}\n",
        )

    def test_verify_finds_damage_and_install_repairs_it(self) -> None:
        self.spm("install-group", "tools")
        self.assertEqual(self.spm("verify").out, "name   state  files  problems\nalpha  whole  1\nbeta   whole  1\n")
        tree = os.readlink(f"{self.lib}/alpha-1")
        os.chmod(f"{tree}/alpha", 0o644)
        with open(f"{tree}/alpha", "r+") as file:
            file.write("ALPHA")
        os.chmod(f"{tree}/alpha", 0o444)
        os.utime(f"{tree}/alpha", (1_600_000_000, 1_600_000_000))
        self.assertEqual(self.spm("verify").status, 0)
        result = self.spm("verify", "--deep")
        self.assertRegex(
            result.out,
            r"^name +state +files +problems\nalpha +damaged +1 +alpha: expected sha256 \w{64}, found \w{64}\nbeta +whole +1\n$",
        )
        self.assertEqual(
            result.err,
            "spm: error: 1 of 2 packages differ from what was unpacked\nhint: python3 make.py spm verify --repair "
            "--packages FOLDER/packages.json --lib FOLDER/lib --store FOLDER/store\n",
        )
        self.assertEqual(result.status, 1)
        self.assertEqual(self.spm("install", "alpha").status, 0)
        self.assertEqual(
            [(row["state"], row["problems"]) for row in self.spm("verify", "--deep", "--json").objects()],
            [("whole", [])] * 2,
        )

    def test_verify_says_when_the_link_is_not_the_pinned_one(self) -> None:
        self.spm("install", "alpha")
        self.add_simple("alpha", "changed")
        result = self.spm("verify", "--json")
        row, error = result.objects()
        self.assertEqual((row["state"], row["problems"]), ("not linked", ["FOLDER/lib/alpha-1 links to another version"]))
        what = "1 of 1 packages are not linked to their pinned version"
        places = "--packages FOLDER/packages.json --lib FOLDER/lib --store FOLDER/store"
        hint = f"python3 make.py spm install alpha {places}"
        self.assertEqual(error, {"event": "error", "what": what, "hint": hint, "status": 1})
        self.assertEqual((result.status, result.err), (1, f"spm: error: {what}\nhint: {hint}\n"))
        self.assertEqual(self.spm("verify", "--quiet").err, result.err)

    def test_a_link_to_another_version_leaves_the_entry_valid_for_other_checkouts(self) -> None:
        first, second = self.lib, f"{self.folder}/second"
        self.spm("install", "alpha")
        pinned = self.packages["alpha"]
        self.lib = second
        self.add_simple("alpha", "changed")
        self.spm("install", "alpha")
        before = glob.glob(f"{self.store}/packages/alpha/*/used")
        self.assertEqual(len(before), 2)
        self.packages["alpha"] = pinned
        blocked = f"{self.folder}/third"
        os.makedirs(f"{blocked}/alpha-1")
        for self.lib in (second, blocked):
            self.assertEqual(self.spm("verify").status, 1)
            self.assertEqual(self.spm("verify", "--deep", "--json").objects()[0]["state"], "not linked")
            self.assertEqual(sorted(glob.glob(f"{self.store}/packages/alpha/*/used")), sorted(before))
        self.lib = first
        self.assertEqual(self.spm("verify", "--deep").status, 0)

    def test_a_name_in_lib_that_is_not_a_link_has_installs_hint(self) -> None:
        os.makedirs(f"{self.lib}/alpha-1")
        result = self.spm("verify")
        self.assertEqual(result.out.splitlines()[1], "alpha  not linked  0      FOLDER/lib/alpha-1 is not a link that spm made")
        self.assertEqual(
            result.err,
            "spm: error: 1 of 1 packages are not linked to their pinned version\n"
            "hint: move FOLDER/lib/alpha-1 away, or name another folder with --lib DIR\n",
        )

    def test_links_into_another_store_are_not_damaged_packages(self) -> None:
        self.spm("install-group", "tools")
        self.store = f"{self.folder}/other"
        result = self.spm("verify")
        self.assertIn("FOLDER/lib/alpha-1 links into another store\n", result.out)
        self.assertIn("\nhint: name the store of these links with --store DIR or SPM_STORE\n", result.err)

    def test_verifying_nothing_is_an_error_if_there_are_packages(self) -> None:
        what = "0 packages are active in FOLDER/lib: nothing was verified\n"
        for arguments in ([], ["--quiet"]):
            result = self.spm("verify", *arguments)
            self.assertEqual((result.status, result.err.splitlines(True)[0]), (1, f"spm: error: {what}"))
        self.packages.clear()
        result = self.spm("verify")
        self.assertEqual((result.status, result.err), (0, f"spm: {what}"))
        self.assertEqual(self.spm("verify", "--quiet").err, "")

    def test_cache_list_tells_size_last_use_and_users(self) -> None:
        self.spm("install-group", "tools")
        self.spm("uninstall", "beta")
        versions = self.versions()
        result = self.spm_later("cache", "list")
        self.assertEqual(result.err, "spm: 2 packages of 9 B, 4 B of it unused\n")
        self.assertEqual(
            result.out,
            "name   lib      version       bytes  files  last use  used by\n"
            f"alpha  alpha-1  {versions['alpha'][:12]}  5 B    1      2 h ago   FOLDER/lib\n"
            f"beta   beta-1   {versions['beta'][:12]}  4 B    1      2 h ago\n",
        )
        rows = self.spm("cache", "list", "--json").objects()
        self.assertAlmostEqual(rows[0].pop("last_use"), time.time(), delta=100)
        self.assertEqual(
            rows[0],
            {
                "name": "alpha",
                "lib": "alpha-1",
                "version": versions["alpha"],
                "bytes": 5,
                "files": 1,
                "used_by": ["FOLDER/lib"],
            },
        )

    def test_who_only_looks_changes_nothing(self) -> None:
        self.spm("install", "alpha")
        (used,) = glob.glob(f"{self.store}/packages/alpha/*/used")
        os.utime(used, (0, 0))

        def facts() -> dict[str, tuple[int, int]]:
            found = {}
            for folder, folders, names in os.walk(self.store):
                for path in (folder, *(f"{folder}/{name}" for name in folders + names)):
                    found[path] = os.lstat(path).st_mtime_ns, os.lstat(path).st_size
            return found

        before = facts()
        self.spm("install", "alpha", "--dry-run")
        self.assertEqual(facts(), before)
        trees.remove(self.lib)  # whose lease is left
        self.assertEqual(self.spm("cache", "list", "--json").objects()[0]["used_by"], ["FOLDER/lib"])
        self.assertNotIn("alpha", self.spm("cache", "prune", "--older-than", "0d", "--dry-run").out)
        self.assertIn("alpha", self.spm("cache", "prune", "--older-than", "0d", "--gone", "--dry-run").out)
        self.assertEqual(facts(), before)

    def test_cache_prune_removes_what_nobody_uses(self) -> None:
        self.spm("install-group", "tools")
        self.spm("uninstall", "beta")
        version = self.versions()["beta"]
        self.assertEqual(self.spm("cache", "prune").err, "spm: 0 packages of 0 B removed\n")
        dry = self.spm("cache", "prune", "--older-than", "0d", "--dry-run")
        self.assertEqual((dry.out, dry.err), (f"beta {version} 4 B\n", "spm: 1 package of 4 B would be removed\n"))
        self.assertEqual(
            self.spm("cache", "prune", "--older-than", "0d", "--json").objects(),
            [{"event": "pruned", "package": "beta", "version": version, "bytes": 4}],
        )
        self.assertEqual(os.listdir(f"{self.store}/packages"), ["alpha"])
        self.assertEqual(self.read("alpha-1/alpha"), "alpha")

    def test_output_that_cannot_be_written_is_one_error(self) -> None:
        for unbuffered, verb in (("", "list"), ("1", "list"), ("", "--help")):
            with open("/dev/full", "w") as full, mock.patch.dict(os.environ, PYTHONUNBUFFERED=unbuffered):
                self.write()
                command = [sys.executable, f"{settings.ROOT}/make.py", "spm", *self.arguments(verb)]
                done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.stderr, OUTPUT_FULL)
            self.assertEqual(done.returncode, 1)

    def test_an_error_is_told_to_whoever_reads_standard_error_alone(self) -> None:
        self.write()
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, f"{settings.ROOT}/make.py", "spm", *self.arguments("install", "alpa", "--json")]
        with open(writer, "w") as pipe, open("/dev/full", "w") as full:
            for output in (pipe, full):
                done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True)
                first, _ = done.stderr.splitlines()
                self.assertEqual(first, "spm: error: unknown package 'alpa'; the nearest is 'alpha'")
                self.assertEqual(done.returncode, 2)

    def shell(self, script: str, **environment: str) -> subprocess.CompletedProcess:
        """Runs a shell's script, in which "$@" is spm's usual places and `spm` the command."""
        self.write()
        script = f'spm() {{ "$PYTHON" "$MAKE" spm "$@"; }}; {script}'
        environment = {**os.environ, "PYTHON": sys.executable, "MAKE": f"{settings.ROOT}/make.py", **environment}
        command = ["sh", "-c", script, "sh", *self.arguments()]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def test_a_caller_who_closed_standard_error_gets_all_else(self) -> None:
        done = self.shell('spm install "$@" alpha 2>&-')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.read("alpha-1/alpha"), "alpha")
        done = self.shell('spm install "$@" nope 2>&-')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", ""))

    def test_the_variable_names_the_pins(self) -> None:
        done = self.shell('spm list --json | wc -l; SPM_PACKAGES=packages.json spm list --json | wc -l', SPM_LIB="lib")
        self.assertEqual(done.stdout.split()[1], "2")
        self.assertNotEqual(done.stdout.split()[0], "2")
        another = "correct or unset SPM_PACKAGES, or name it with --packages FILE"
        for name, sentence, hint in (
            ("gone.json", "expected a file, found none", another),
            (".", "cannot be read: Is a directory", another),
            (
                "text",
                "line 1 column 1: expected JSON, found: Expecting value",
                f"correct that line of {self.folder}/text, or set SPM_PACKAGES if you mean another file",
            ),
        ):
            with open(f"{self.folder}/text", "w") as file:
                file.write("pins")
            done = self.shell("spm list", SPM_PACKAGES=name)
            path = os.path.abspath(f"{self.folder}/{name}")
            self.assertEqual(done.stderr, f"spm: error: {path}: {sentence}\nhint: {hint}\n")
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("SPM_PACKAGES", self.shell(f"spm list --packages {name}").stderr)

    def test_a_current_folder_that_was_removed_is_one_error(self) -> None:
        done = self.shell('mkdir gone && cd gone && rmdir ../gone && spm list --packages packages.json')
        self.assertEqual(done.stderr, "spm: error: expected a current folder, found that it has been removed\nhint: cd .\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_a_table_is_one_line_a_row_in_any_encoding(self) -> None:
        self.lib = f"{self.folder}/l\u00fc\x1b\nb"
        self.spm("install", "alpha")
        done = self.shell('spm cache list "$@"', PYTHONIOENCODING="ascii")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\n.*  /\S*/l\\xfc\\x1b\\nb\n$")
        self.assertEqual(done.stdout.count("\n"), 2)

    def unread(self, *arguments: str, both: bool = False, **environment: str) -> tuple[int, str]:
        """(status, standard error) of a command of which nobody reads the output, nor with `both` the errors."""
        self.write()
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, f"{settings.ROOT}/make.py", "spm", *self.arguments(*arguments)]
        with open(writer, "w") as pipe:
            err = pipe if both else subprocess.PIPE
            done = subprocess.run(command, stdout=pipe, stderr=err, text=True, env={**os.environ, **environment})
        return done.returncode, done.stderr or ""

    def test_output_that_nobody_reads_is_no_error(self) -> None:
        for unbuffered in ("", "1"):
            for verb in ("list", "--help"):
                self.assertEqual(self.unread(verb, PYTHONUNBUFFERED=unbuffered), (0, ""))

    def test_a_reader_who_leaves_ends_no_work(self) -> None:
        for unbuffered in ("", "1"):
            for both in (False, True):
                with self.subTest(unbuffered=unbuffered, both=both):
                    again = {"both": both, "PYTHONUNBUFFERED": unbuffered}
                    verbs = ("install", "--json", "alpha", "beta"), ("uninstall", "--json", "alpha", "beta")
                    self.assertEqual(self.unread(*verbs[0], **again), (0, ""))
                    self.assertEqual([self.read(f"{name}-1/{name}") for name in ("alpha", "beta")], ["alpha", "beta"])
                    self.assertEqual(self.unread(*verbs[1], **again), (0, ""))
                    self.assertEqual(self.in_lib(), [])
                    self.assertEqual(self.unread("cache", "prune", "--older-than", "0d", "--json", **again), (0, ""))
                    self.assertEqual(os.listdir(f"{self.store}/packages"), [])

    def test_a_reader_who_leaves_hides_no_failure(self) -> None:
        self.spm("install", "alpha")
        (tree,) = glob.glob(f"{self.store}/packages/alpha/*/tree")
        os.chmod(tree, 0o755)
        os.unlink(f"{tree}/alpha")
        for both in (False, True):
            status, said = self.unread("verify", "--quiet", both=both)
            self.assertEqual((status, said[:12]), (1, "" if both else "spm: error: "))


class DefaultPlacesTest(unittest.TestCase):
    def store(self, **environment: str) -> str:
        with mock.patch.dict(os.environ, environment, clear=True):
            return settings.Settings(packages="/x/packages.json").store

    def test_the_store_is_in_the_users_cache_folder(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            home = os.path.realpath(home)
            self.assertEqual(self.store(SPM_STORE="/s", HOME=home, XDG_CACHE_HOME=home), "/s")
            self.assertEqual(self.store(HOME=home, XDG_CACHE_HOME=f"{home}/c"), f"{home}/c/spm")
            self.assertEqual(self.store(HOME=home, XDG_CACHE_HOME="relative"), f"{home}/.cache/spm")
            self.assertEqual(self.store(HOME=home), f"{home}/.cache/spm")

    def test_without_a_home_the_store_is_a_folder_of_the_users_own(self) -> None:
        with mock.patch("os.access", return_value=False), mock.patch.object(settings, "_fallback", str.upper):
            self.assertEqual(self.store(HOME="/home/x"), f"/VAR/TMP/SPM-{os.getuid()}")
        with tempfile.TemporaryDirectory() as folder:
            place = f"{folder}/spm"
            self.assertEqual([settings._fallback(place) for _ in range(2)], [place, place])
            self.assertEqual(os.stat(place).st_mode & 0o777, 0o700)
            os.rmdir(place)
            os.symlink(folder, place)  # as somebody else would lay it out for us
            with self.assertRaisesRegex(SpmError, "belongs to another user$"):
                settings._fallback(place)

    def test_a_place_where_no_store_can_be_names_what_to_set(self) -> None:
        with self.assertRaisesRegex(SpmError, "^store: expected a place for a folder, found none: /proc/") as caught:
            Store("/proc/nope/.cache/spm").prepare()
        self.assertEqual(caught.exception.hint, "name a folder with --store DIR or SPM_STORE")

    def test_a_missing_home_is_looked_up(self) -> None:
        with mock.patch("pwd.getpwuid", return_value=mock.Mock(pw_dir="/tmp")):
            self.assertEqual(self.store(), "/tmp/.cache/spm")

    def test_the_pins_are_the_options_the_variables_or_the_checkouts(self) -> None:
        with mock.patch.dict(os.environ, clear=True):
            self.assertEqual(settings.Settings().packages, f"{settings.ROOT}/packages.json")
            os.environ["SPM_PACKAGES"] = ""
            self.assertEqual(settings.Settings().packages, f"{settings.ROOT}/packages.json")
            os.environ["SPM_PACKAGES"] = "/v/pins.json"
            self.assertEqual((settings.Settings().packages, settings.Settings().lib), ("/v/pins.json", "/v/lib"))
            self.assertEqual(settings.Settings(packages="/x/packages.json").packages, "/x/packages.json")

    def test_lib_stands_beside_the_pins(self) -> None:
        with mock.patch.dict(os.environ, {"SPM_STORE": "/s"}, clear=True):
            self.assertEqual(settings.Settings(packages="/x/packages.json").lib, "/x/lib")
            os.environ["SPM_LIB"] = "/l"
            self.assertEqual(settings.Settings(packages="/x/packages.json").lib, "/l")
            self.assertEqual(settings.Settings(packages="/x/packages.json", lib="/m").lib, "/m")


OUTPUT_FULL = """\
spm: error: standard output: No space left on device
hint: send it where it can be written
"""
PRUNE_HELP = """\
usage: python3 make.py spm cache prune [OPTION]...
remove unused packages from the store

  --older-than AGE  remove unused packages not used for AGE (default: 30d)
  --max-size SIZE   then remove the least recently used unused packages until
                    the store fits (default: 10GB)
  --gone            also what only lib folders used that are no longer there, as
                    this machine sees it
  --packages FILE   the pins (default: SPM_PACKAGES, else packages.json of this
                    checkout)
  --lib DIR         the folder of active packages (default: SPM_LIB, else lib
                    beside packages.json)
  --store DIR       the folder of all unpacked packages, or DIR:OTHER to use
                    what OTHER has (default: SPM_STORE, else spm in the user's
                    cache folder)
  --offline         use no network (also SPM_OFFLINE=1)
  --frozen          fail where packages.json would have to change
  -n, --dry-run     print what would be done, change nothing
  -j, --jobs N      parallel downloads, at most 6 per host (default: 8)
  --json            print one JSON object per line on standard output
  -q, --quiet       print only errors and data
"""


if __name__ == "__main__":
    unittest.main()
