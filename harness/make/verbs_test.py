import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Any
from contextlib import redirect_stderr
from unittest import mock

from harness.make import arguments, build, button, console, logs, names, paths, toolchain
from harness.make.console import MakeError
from harness.make.host_libc import HostLibc
from harness.spm.options import VERBS as SPM_VERBS
from make import VERBS

HARNESS = build.existing_harness()
NEEDS = ["all"]
PATIENCE_S = 300
"""How long a test waits for what must come. It only tells a hang from a busy machine."""


def make(*words: str, **environment: str) -> tuple[int, str, str]:
    """make.py as a user of the checkout calls it: (exit status, standard output, standard error)."""
    done = subprocess.run([sys.executable, "make.py", *words], cwd=paths.ROOT, capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)
    return done.returncode, done.stdout, done.stderr


class Configuring(unittest.TestCase):
    """When CMake begins anew, which costs the objects of every package that is built from source."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = build.Build.__new__(build.Build)
        self.build.options, self.build.folder, self.build.packages = build.BuildOptions(), folder.name, {"a": "1"}
        self.build.tools = mock.Mock(cmake=["cmake"], cmake_arguments=[], key="gcc", launcher="")
        self.names = ["variants/a.cpp"]

    def configure(self) -> list[str]:
        """What CMake was called with; nothing where it was not."""
        def run(command: list[str], **_):
            with open(os.path.join(self.build.folder, "build.ninja"), "w", encoding="utf-8"):
                return mock.Mock(returncode=0)

        with mock.patch.object(build.subprocess, "run", side_effect=run) as called, \
                mock.patch.object(build.toolchain, "check_march"), \
                mock.patch.object(build, "_globbed", lambda: self.names):
            self.build.configure()
        return called.call_args[0][0] if called.called else []

    def test_the_launcher_is_before_those_of_the_environment_which_alone_configure_nothing(self) -> None:
        self.build.tools = mock.Mock(cmake=["cmake"], cmake_arguments=[], key="gcc", launcher="/launcher")
        with mock.patch.dict(os.environ, CMAKE_CXX_COMPILER_LAUNCHER="ccache;--flag"):
            os.environ.pop("CMAKE_C_COMPILER_LAUNCHER", None)
            called = self.configure()
        self.assertEqual([each for each in called if "LAUNCHER" in each],
                         ["-DCMAKE_C_COMPILER_LAUNCHER=/launcher", "-DCMAKE_CXX_COMPILER_LAUNCHER=/launcher;ccache;--flag"])
        self.assertEqual(self.configure(), [])

    def test_a_new_file_keeps_what_is_built_and_a_new_package_does_not(self) -> None:
        self.assertIn("--fresh", self.configure())
        self.assertEqual(self.configure(), [])
        self.names = ["variants/a.cpp", "variants/b.cpp"]
        found = self.configure()
        self.assertEqual((found[0], "--fresh" in found), ("cmake", False))
        self.assertEqual(self.configure(), [])
        self.build.packages = {"a": "2"}
        self.assertIn("--fresh", self.configure())


class CommandLine(unittest.TestCase):
    def test_a_misspelt_verb_gets_the_nearest_name_and_status_2(self) -> None:
        self.assertEqual(make("buidl"), (2, "", "make.py: error: unknown verb 'buidl'\nhint: did you mean 'build'?\n"))

    def test_a_misspelt_option_gets_the_nearest_name_and_status_2(self) -> None:
        self.assertEqual(make("--quik"),
                         (2, "", "make.py: error: unknown option '--quik'\nhint: did you mean '--quick'?\n"))
        self.assertEqual(make("build", "--confg", "debug")[::2],
                         (2, "make.py: error: unknown option '--confg'\nhint: did you mean '--config'?\n"))

    def test_a_wrong_choice_names_what_was_expected(self) -> None:
        self.assertEqual(make("build", "--config", "releas")[::2], (
            2, "make.py: error: --config: expected one of release, debug, asan, tsan, found 'releas'\n"
               "hint: did you mean 'release'?\n"))
        _, _, err = make("build", "--config", "foo")
        self.assertEqual(err.splitlines()[1], "hint: python3 make.py build --help")

    def test_options_that_exclude_each_other_are_named(self) -> None:
        self.assertEqual(make("--quick", "--full"), (
            2, "", "make.py: error: --quick and --full cannot be combined\nhint: python3 make.py --help\n"))

    def test_help_fits_a_screen(self) -> None:
        verbs = [[verb] for verb, (module, _) in VERBS.items() if module != "harness.make.binary" or HARNESS]
        for words in ([], *verbs, *(["spm", *verb.split()] for verb in SPM_VERBS)):
            status, out, _ = make(*words, "--help", COLUMNS="200")
            self.assertEqual(status, 0, words)
            lines = out.splitlines()
            self.assertLessEqual(len(lines), 40, words)
            self.assertEqual([line for line in lines if len(line) > 80], [], words)

    def test_every_verb_is_in_its_help(self) -> None:
        out = make("--help")[1]
        self.assertEqual([verb for verb in VERBS if f"\n  {verb} " not in out], [])

    def test_help_of_no_verb_builds_or_fetches_anything(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            for name in ("make.py", "packages.json", "CMakeLists.txt", "harness/__init__.py"):
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                shutil.copy(os.path.join(paths.ROOT, name), os.path.join(root, name))
            for name in ("make", "spm"):
                shutil.copytree(os.path.join(paths.ROOT, "harness", name), os.path.join(root, "harness", name))
            for verb in ("", *VERBS):
                for word in ("--help", "-h"):
                    words = [verb, word] if verb else [word]
                    done = subprocess.run([sys.executable, "make.py", *words], cwd=root, capture_output=True, text=True,
                                          check=False, env={**os.environ, "SPM_STORE": os.path.join(root, "store"),
                                                            "PYTHONDONTWRITEBYTECODE": "1"})
                    with self.subTest(words):
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertIn(f"make.py {verb}".strip(), done.stdout)
            self.assertEqual(sorted(os.listdir(root)), ["CMakeLists.txt", "harness", "make.py", "packages.json"])

    def test_output_that_nobody_reads_is_no_error(self) -> None:
        calls = [["--help"], ["--version"], ["build", "--help"], ["spm", "list"], ["doctor"]]
        for words in calls + ([["list"], ["run", "--help"]] if HARNESS else []):
            read, write = os.pipe()
            os.close(read)
            try:
                done = subprocess.run([sys.executable, os.path.join(paths.ROOT, "make.py"), *words], stdout=write,
                                      stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
            finally:
                os.close(write)
            self.assertIn(done.returncode, (0, 141), words)
            self.assertNotRegex(done.stderr, "error|rror:|roken", words)


class Console(unittest.TestCase):
    def test_durations_read_like_speech(self) -> None:
        table = {0.2: "under a second", 1: "1 s", 59: "59 s", 60: "1 min", 200: "3 min 20 s", 119.7: "2 min",
                 59.7: "1 min", 7200: "2 h", 3720: "1 h 2 min"}
        self.assertEqual({s: console.duration(s) for s in table}, table)

    def test_piped_progress_is_a_plain_line_now_and_then(self) -> None:
        now = [0.0]
        output = io.StringIO()
        with redirect_stderr(output):
            progress = console.StatusLine(clock=lambda: now[0])
            for second in range(25):
                now[0] = float(second)
                progress.update(f"at {second}")
            progress.close()
        self.assertEqual(output.getvalue(), "  at 10\n  at 20\n")


class Names(unittest.TestCase):
    def test_the_nearest_name_or_all_of_them(self) -> None:
        self.assertEqual(names.nearest_hint("toolchian", ["toolchain", "harness"]), "did you mean 'toolchain'?")
        self.assertEqual(names.nearest_hint("zzz", ["b", "a"]), "one of a, b")
        self.assertEqual(names.nearest_hint("nope", ["compare"]), "one of compare")
        self.assertEqual(names.nearest_hint("ninja_test", ["ninja", "python make.ninja_test"]),
                         "did you mean 'python make.ninja_test'?")
        many = [f"test {number:03}" for number in range(100)]
        self.assertEqual(names.nearest_hint("nothing", many), f"one of {', '.join(many[:12])}, 88 more")
        self.assertEqual(names.nearest_hint("--filter", ["--full"], "help"), "help")


class Toolchains(unittest.TestCase):
    def check(self, system: str, machine: str, libc: HostLibc, name: str = "pinned") -> None:
        with mock.patch("platform.system", return_value=system), mock.patch("platform.machine", return_value=machine), \
                mock.patch.object(toolchain, "host_libc", return_value=libc):
            toolchain.check_serves(name)

    def refusal(self, *machine: Any, **options: Any) -> tuple[str, str]:
        with self.assertRaises(MakeError) as caught:
            self.check(*machine, **options)
        return caught.exception.what, caught.exception.hint

    def test_the_pinned_toolchain_serves_with_any_c_library(self) -> None:
        for libc in (HostLibc("glibc", (2, 41)), HostLibc("glibc", (2, 31)), HostLibc("musl"), HostLibc("")):
            self.check("Linux", "x86_64", libc)

    def test_the_c_library_of_the_machine_is_used_if_it_is_new_enough(self) -> None:
        for libc, pinned in ((HostLibc("glibc", (2, 36)), False), (HostLibc("glibc", (2, 35)), True),
                             (HostLibc("musl"), True), (HostLibc(""), True)):
            with mock.patch.object(toolchain, "host_libc", return_value=libc):
                self.assertEqual(toolchain.needs_pinned_libc(), pinned)

    def scripts(self, libc: HostLibc) -> tuple[dict[str, str], list[str]]:
        """The scripts of a pinned toolchain on a machine with that C library, and CMake's arguments; @ is its folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        packages = {name: f"/store/{name}" for name in toolchain.PINNED}
        with mock.patch.object(toolchain, "host_libc", return_value=libc), mock.patch.object(toolchain, "_check_runs"), \
                mock.patch.object(paths, "BUILD", folder.name):
            tools = toolchain.find("pinned", packages)
        bin_folder = os.path.dirname(tools.compiler)
        found = {}
        for inner, _, names_ in os.walk(bin_folder):
            for name in names_:
                with open(os.path.join(inner, name), encoding="utf-8") as file:
                    found[os.path.relpath(os.path.join(inner, name), bin_folder)] = file.read()
        self.assertEqual(os.path.islink(os.path.join(os.path.dirname(bin_folder), "share")), "children/ld" in found)
        return found, [each.replace(bin_folder, "@") for each in tools.cmake_arguments]

    def test_on_an_older_c_library_each_tool_and_each_child_of_gcc_is_started_by_the_pinned_loader(self) -> None:
        libc = "/store/sysroot/usr/x86_64-linux-gnu/lib"
        loader = f"{libc}/ld-linux-x86-64.so.2"
        start = f"exec '{loader}' '--inhibit-cache' '--library-path' '{libc}:/store/runtime' --argv0 "
        found, arguments = self.scripts(HostLibc("glibc", (2, 31)))
        del found["launcher"]
        self.assertEqual({name for name in found if name.startswith("children/")},
                         {f"children/{name}" for name in ("as", "cc1", "cc1plus", "collect2", "ld", "ld.gold")})
        for name, text in found.items():
            self.assertIn(f"\n{start}", text, name)
            self.assertNotIn("LD_LIBRARY_PATH", text, name)
        self.assertIn(f"""{start}"$0" '/store/cmake/bin/cmake' "$@\"""", found["cmake"])
        for name in ("gcc", "g++"):
            self.assertIn("""-12' -B"${0%/*}/children" '--sysroot=""", found[name])
            self.assertIn(f"'-Wl,--dynamic-linker={loader}' '-Wl,-rpath={libc}' '-Wl,--disable-new-dtags'", found[name])
        self.assertIn(f"-DLAB_LOADER={loader}", arguments)

    def test_on_a_new_c_library_the_machines_own_loader_starts_everything(self) -> None:
        found, arguments = self.scripts(HostLibc("glibc", (2, 36)))
        self.assertEqual([name for name, text in found.items() if "ld-linux" in text or "children" in text], [])
        self.assertEqual([each for each in arguments if "LAB_LOADER" in each], [])

    def test_what_cannot_serve_is_said_with_the_way_out(self) -> None:
        shaders, needs = "the pinned shader compiler, which every build calls,", "needs a GNU C library of"
        other = "use an x86-64 machine with Linux"
        glibc, old, none = HostLibc("glibc", (2, 41)), HostLibc("glibc", (2, 31)), HostLibc("")
        for machine, options, what, hint in (
            (("Linux", "aarch64", glibc), {}, "the pinned toolchain runs on x86_64 Linux, this is aarch64 Linux", other),
            (("Darwin", "arm64", none), {}, "the pinned toolchain runs on x86_64 Linux, this is arm64 Darwin", other),
            (("Linux", "x86_64", old), {"name": "clang"}, f"the pinned clang {needs} 2.36 or newer, found glibc 2.31",
             toolchain.NEWER_SYSTEM),
            (("Linux", "x86_64", HostLibc("musl")), {"name": "clang"}, f"the pinned clang {needs} 2.36 or newer, found musl",
             toolchain.NEWER_SYSTEM),
            (("Linux", "x86_64", old), {"name": "system"}, f"{shaders} {needs} 2.34 or newer, found glibc 2.31",
             "leave out --toolchain: python3 make.py build"),
            (("Linux", "aarch64", glibc), {"name": "system"}, f"{shaders} runs on x86_64 Linux, this is aarch64 Linux", other),
        ):
            with self.subTest(machine, **options):
                self.assertEqual(self.refusal(*machine, **options), (what, hint))

    def test_a_missing_or_old_system_tool_is_named_before_anything_is_fetched(self) -> None:
        for path, version, found in ((None, "", "none"), ("/usr/bin/g++", "10.2.1", "10.2.1")):
            with self.subTest(found), mock.patch("shutil.which", return_value=path), \
                    mock.patch.object(toolchain, "_version_of", return_value=version):
                what, _ = self.refusal("Linux", "x86_64", HostLibc("glibc", (2, 36)), name="system")
            self.assertEqual(what, f"--toolchain system: expected g++ 12 or newer on the PATH, found {found}")

    def test_a_level_that_the_compiler_does_not_know_is_refused_before_a_build(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            compiler = os.path.join(folder, "g++")
            paths.write_if_changed(compiler, '#!/bin/sh\ntest "$1" = -march=x86-64-v3\n', 0o755)
            toolchain.check_march(compiler, "x86-64-v3")
            with self.assertRaises(MakeError) as caught:
                toolchain.check_march(compiler, "x86-64-v33")
        self.assertEqual((caught.exception.what, caught.exception.hint, caught.exception.status),
                         ("--march: expected a level that the compiler knows, found 'x86-64-v33'",
                          "did you mean 'x86-64-v3'?", 2))


class Button(unittest.TestCase):
    def test_a_stop_sent_to_it_alone_lets_the_harness_keep_what_it_has(self) -> None:
        for name, disposition in (("as a shell starts it", signal.SIG_DFL), ("under nohup", signal.SIG_IGN)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                harness, kept = os.path.join(folder, "harness"), os.path.join(folder, "kept")
                paths.write_if_changed(
                    harness, f"#!/bin/sh\ntrap 'echo > {kept}; exit 130' HUP TERM\necho begun\necho measuring\n"
                    f"for i in $(seq {20 * PATIENCE_S}); do sleep 0.05; done\n", 0o755)
                # What the harness says is passed on once it says more: then both are at work.
                stop = lambda text: os.kill(os.getpid(), signal.SIGTERM)
                former = [(number, signal.signal(number, handler)) for number, handler in
                          ((signal.SIGTERM, signal.default_int_handler), (signal.SIGHUP, disposition))]
                try:
                    with mock.patch.object(button, "print_line", stop), self.assertRaises(KeyboardInterrupt):
                        button.harness_stage(harness, "run", [])
                finally:
                    for number, handler in former:
                        signal.signal(number, handler)
                self.assertTrue(os.path.exists(kept))

    def test_an_unfit_session_is_reported_before_the_button_ends_with_its_status(self) -> None:
        for status, expected in ((0, 0), (1, 1), (4, 4), (2, None), (3, None)):
            with self.subTest(status=status), tempfile.TemporaryDirectory() as folder:
                harness = os.path.join(folder, "harness")
                paths.write_if_changed(harness, f"#!/bin/sh\necho /a/result.json\nexit {status}\n", 0o755)
                if expected is None:
                    self.assertRaises(MakeError, button.harness_stage, harness, "run", [])
                else:
                    self.assertEqual(button.harness_stage(harness, "run", []), (expected, "/a/result.json"))
        self.assertEqual(button.ending(0, 0, 0), 0)
        self.assertEqual(button.ending(0, 4, 4), 4)
        self.assertEqual(button.ending(1, 4, 4), 1)
        self.assertEqual(button.ending(0, 1, 4), 1)

    def test_a_report_is_whole_if_its_summary_is_newer_than_the_result(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            summary, result = os.path.join(folder, "summary.md"), os.path.join(folder, "result.json")
            self.assertFalse(button.is_reported(folder, result))
            for path in (summary, result):  # that of the first family, and then the session's result
                paths.write_if_changed(path, path)
            os.utime(result, (2e9, 2e9))
            self.assertFalse(button.is_reported(folder, result))
            os.utime(summary, (2e9 + 1, 2e9 + 1))
            self.assertTrue(button.is_reported(folder, result))
            self.assertFalse(button.is_reported(folder, ""))

    def test_the_time_of_a_session_is_the_harness_own(self) -> None:
        answers = {'echo \'{"budget_seconds": 120.5}\'': 120.5, "echo '{}'": 0, "exit 2": 0, "echo none": 0}
        for body, expected in answers.items():
            with self.subTest(body), tempfile.TemporaryDirectory() as folder:
                harness = os.path.join(folder, "harness")
                paths.write_if_changed(harness, f'#!/bin/sh\ntest "$*" = "run --plan --json --quick" || exit 1\n{body}\n',
                                       0o755)
                self.assertEqual(button.budget_of(harness, ["--quick"]), expected)


    def test_a_session_takes_longer_after_a_build(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ready = mock.Mock(folder=folder)
            ready.variants.return_value = [{"executable": "variants/f/a"}, {"executable": "variants/f/b"}]
            ready.seconds_of.side_effect = lambda work: 10 * work
            before = button.session_s(ready, 100)
            os.makedirs(os.path.join(folder, "layouts/variants/f/a"))
            after = button.session_s(ready, 100)
            os.makedirs(os.path.join(folder, "layouts/variants/f/b"))
            self.assertAlmostEqual(before - after, after - button.session_s(ready, 100))
            self.assertGreater(before, after)
            self.assertGreater(button.session_s(ready, 100), 100)
            self.assertEqual(button.session_s(ready, 0), 0)

    def test_a_stage_that_failed_gives_no_forecast(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(button, "print_line"), \
                mock.patch.object(button, "TIMES", os.path.join(folder, "times")):
            for status, expected in ((0, 0.0), (4, 0.0), (1, 7.0)):
                stages = button.Stages(5)
                with stages.stage("ask", 10, "probe"):
                    pass
                stages.forget_if_failed("probe", status)
                self.assertAlmostEqual(button.Stages(5).about("probe", 7.0), expected, delta=0.5)

    def test_the_first_family_takes_the_fewest_steps_of_those_with_an_answer_to_give(self) -> None:
        def ready_with(families: dict[str, tuple[int, int]]) -> mock.Mock:
            ready = mock.Mock()
            ready.variants.return_value = [{"family": name, "target": f"{name}{number}"}
                                           for name, (variants, _) in families.items() for number in range(variants)]
            ready.plan.side_effect = lambda targets: ["step"] * families[targets[1][:-1]][1]
            return ready
        many = button.FEWEST_VARIANTS
        self.assertEqual(button.first_family(ready_with({"a": (many, 90), "b": (many, 80), "c": (2, 10)}))[0], "b")
        self.assertEqual(button.first_family(ready_with({"a": (2, 90), "c": (2, 10)})), ("c", ["harness", "c0", "c1"]))

    def test_the_first_answer_is_of_the_core_workloads_of_one_family(self) -> None:
        for facts, filters in (({"core": ["x", "y"]}, "--filter f/*/x --filter f/*/y"), ({}, "--filter f/*/*")):
            with self.subTest(facts), tempfile.TemporaryDirectory() as folder:
                report = os.path.join(folder, "index.html")
                paths.write_if_changed(os.path.join(folder, "harness"), "#!/bin/sh\n"
                                       f'test "$*" = "run {filters} --budget 20 --report {folder} '
                                       f'--out {folder}/first-answer.json" || exit 2\n'
                                       f"echo > {report}\necho /a/result.json\n", 0o755)
                said: list[str] = []
                ready = mock.Mock(folder=folder)
                ready.variants.return_value = [{"family": "e", "core": ["z"]}, {"family": "f", **facts}]
                with mock.patch.object(button, "print_line", said.append):
                    button.early_answer(button.Stages(7), ready, "f", folder)
                self.assertEqual(said, ["1/7 measure f first: about 20 s", f"a first answer: {report}"])


class Files(unittest.TestCase):
    def test_an_unchanged_file_keeps_its_time_stamp(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a", "b")
            paths.write_if_changed(path, "one")
            os.utime(path, (1, 1))
            paths.write_if_changed(path, "one")
            self.assertEqual(os.stat(path).st_mtime, 1)
            paths.write_if_changed(path, "two")
            self.assertGreater(os.stat(path).st_mtime, 1)
            self.assertEqual(os.listdir(os.path.dirname(path)), ["b"])


class Locks(unittest.TestCase):
    def test_a_second_build_waits_and_names_the_first(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code = ("import sys; sys.path.insert(0, sys.argv[1]); from harness.make.build import Build\n"
                    "build = Build.__new__(Build); build.folder = sys.argv[2]\n"
                    "with build.alone(): pass")
            first = build.Build.__new__(build.Build)
            first.folder = folder
            with first.alone():
                second = subprocess.Popen([sys.executable, "-c", code, paths.ROOT, folder], stderr=subprocess.PIPE,
                                          text=True)
                assert second.stderr
                line = second.stderr.readline()
                self.assertIsNone(second.poll())
            self.assertEqual(second.wait(timeout=PATIENCE_S), 0)
            assert second.stderr
            second.stderr.close()
            self.assertRegex(line, rf"^waiting for process {os.getpid()} \(.*\), which is building \S+\n$")


class Builds(unittest.TestCase):
    def test_only_the_compilers_words_are_shown_of_a_failure(self) -> None:
        with tempfile.NamedTemporaryFile("w+") as log:
            log.write("[1/2] CXX a.o\nFAILED: b.o\nb.cpp:1: error: no\n[2/2] x\n")
            log.flush()
            self.assertEqual(logs.failures(log.name), "FAILED: b.o\nb.cpp:1: error: no")

    def test_several_globs_are_all_built_and_each_must_match(self) -> None:
        ready = build.Build.__new__(build.Build)
        listed = [{"family": "shelf", "variant": name, "target": f"variant_shelf_{name}"} for name in ("a", "ab", "c")]
        with (mock.patch.object(build.Build, "variants", return_value=listed),
              mock.patch.object(build.Build, "reload_variants")):
            self.assertEqual(ready.targets_matching(["a*", "shelf/c", "ab"]),
                             ["variant_shelf_a", "variant_shelf_ab", "variant_shelf_c"])
            self.assertEqual(ready.targets_matching([]), [])
            with self.assertRaises(MakeError) as caught:
                ready.targets_matching(["a", "shelf/x"])
        self.assertEqual(caught.exception.what, "no variant matches 'shelf/x'")

    def test_a_run_measures_nothing_that_is_older_than_its_sources(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ninja = os.path.join(folder, "ninja")
            for name, text in (("harness", ""), ("made", ""), ("CMakeCache.txt", f"CMAKE_MAKE_PROGRAM:STRING={ninja}\n"
                                                               "LAB_TOOLCHAIN:STRING=system\nLAB_MARCH:STRING=v3\n"),
                               ("configured", f"tools {build._names_key()}\n"),
                               ("variants.json", json.dumps([{"executable": name, "target": f"variant_{name}"}
                                                             for name in ("made", "not_made")]))):
                paths.write_if_changed(os.path.join(folder, name), text)
            with (mock.patch.object(build, "existing_harness", return_value=os.path.join(folder, "harness")),
                  mock.patch.object(build, "print_line"), mock.patch.object(build, "build") as built):
                for says, status in (("ninja: no work to do.", 0), ("[1/2] c++", 1)):
                    paths.write_if_changed(ninja, f"#!/bin/sh\necho '{says}'\nexit {status}\n", 0o755)
                    build.bring_up_to_date()
                built.assert_not_called()
                paths.write_if_changed(ninja, "#!/bin/sh\necho '[1/2] c++'\n", 0o755)
                build.bring_up_to_date()
                [(options, targets), _] = built.call_args
                self.assertEqual((options.toolchain, options.march), ("system", "v3"))
                self.assertEqual(targets, ["harness", "variant_made"])
                built.reset_mock()
                paths.write_if_changed(ninja, "#!/bin/sh\necho 'ninja: no work to do.'\n", 0o755)
                paths.write_if_changed(os.path.join(folder, "configured"), "tools before-a-new-file\n")
                build.bring_up_to_date()
                built.assert_called_once()
                with mock.patch.object(build.os, "access", return_value=False), self.assertRaises(MakeError) as caught:
                    build.bring_up_to_date()
                self.assertRegex(caught.exception.what, "^sources are newer than the build, and .* cannot be written$")

    def test_a_build_has_its_own_checkouts_pins(self) -> None:
        with mock.patch.dict(os.environ, SPM_PACKAGES="/nowhere/pins.json"), \
                mock.patch.object(toolchain, "check_serves"):
            build.pending(build.BuildOptions())

    def test_places_and_keys_come_from_the_command_line_or_the_environment(self) -> None:
        parser = arguments.Parser(prog="make.py build")
        build.add_arguments(parser)
        with mock.patch.dict(os.environ, LAB_BUILD_CACHE="/a http://b/c", LAB_BUILD_CACHE_KEY="k.pub"):
            self.assertEqual(build.options_from(parser.parse_args([])).cache, (["/a", "http://b/c"], ["k.pub"], False))
            self.assertEqual(build.default_options().cache, (["/a", "http://b/c"], ["k.pub"], False))
            words = ["--build-cache", "/d", "--build-cache", "/e", "--trust"]
            self.assertEqual(build.options_from(parser.parse_args(words)).cache, (["/d", "/e"], ["k.pub"], True))

    def test_arguments_need_their_values(self) -> None:
        parser = arguments.Parser(prog="make.py build")
        build.add_arguments(parser)
        with self.assertRaises(MakeError) as caught:
            parser.parse_args(["--march"])
        self.assertEqual((caught.exception.what, caught.exception.status), ("argument --march: expected one argument", 2))


if __name__ == "__main__":
    unittest.main()
