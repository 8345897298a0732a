#include "harness/base/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/patience_test.h"
#include "harness/measure/fake_build.h"

namespace lab {

namespace {

ChildSpec shell(const std::string& script) {
  ChildSpec spec;
  spec.command = {"sh", "-c", script};
  spec.timeout_seconds = kPatience;
  return spec;
}

/// Whether a process lives that is more than a zombie.
bool lives(const std::string& pid) {
  const Expected<std::string> status = read_file("/proc/" + pid + "/stat");
  return status && status->find(") Z") == std::string::npos;
}

bool dies(const std::string& pid) {
  return comes_true([&] { return !lives(pid); });
}

}  // namespace

TEST(Child, returns_its_output_and_its_exit_status) {
  const ChildOutcome outcome = run_child(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(outcome.end, ChildEnd::kExited);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.error_tail, "err\n");
  EXPECT_GT(outcome.wall_seconds, 0);
}

TEST(Child, returns_all_of_a_large_output) {
  const ChildOutcome outcome = run_child(
      shell("i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done"));
  EXPECT_EQ(outcome.output.size(), 3000u * 41);
}

TEST(Child, keeps_only_the_end_of_standard_error) {
  ChildSpec spec = shell("i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done");
  spec.tail_limit = 20;
  EXPECT_EQ(run_child(spec).error_tail, "line 1998\nline 1999\n");
}

TEST(Child, passes_on_its_standard_error_at_once) {
  // It ends only when its first word has been passed on.
  const ScratchFolder folder;
  ChildSpec spec =
      shell(fmt::format("printf first >&2; until test -e {0}/heard; do sleep 0.01; done; printf 'second third' >&2",
                        folder.path().string()));
  spec.tail_limit = 5;
  std::string heard;
  spec.on_error = [&](std::string_view text) {
    heard += text;
    if (heard == "first") folder.write("heard", "");
  };
  const ChildOutcome outcome = run_child(spec);
  EXPECT_EQ(heard, "firstsecond third");
  EXPECT_EQ(outcome.error_tail, "third");
}

TEST(Child, passes_on_whole_lines_of_its_output_at_once) {
  // It ends only when its first line has been passed on.
  const ScratchFolder folder;
  ChildSpec spec = shell(
      fmt::format("echo one; until test -e {}/heard; do sleep 0.01; done; printf 'tw'; printf 'o\\n\\nfour\\nrest'",
                  folder.path().string()));
  std::vector<std::string> lines;
  spec.on_line = [&](std::string_view line) {
    lines.emplace_back(line);
    folder.write("heard", "");
  };
  const ChildOutcome outcome = run_child(spec);
  EXPECT_EQ(outcome.end, ChildEnd::kExited);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "", "four"}));
  EXPECT_EQ(outcome.output, "rest");
}

TEST(Child, that_prints_nothing_is_killed_with_all_it_started) {
  std::vector<std::string> lines;
  EXPECT_TRUE(succeeds_given_time(0.2, [&](double seconds) {
    lines.clear();
    ChildSpec spec = shell("echo one; sh -c 'echo $$; exec sleep 10000'");
    spec.silence_seconds = seconds;
    spec.on_line = [&](std::string_view line) { lines.emplace_back(line); };
    const ChildOutcome outcome = run_child(spec);
    EXPECT_EQ(outcome.end, ChildEnd::kSilent);
    EXPECT_EQ(describe_end(spec, outcome), fmt::format("no line of output for {:.3g} s", seconds));
    return lines.size() == 2;
  }));
  EXPECT_TRUE(dies(lines.at(1)));
}

TEST(Child, may_run_long_while_it_prints_lines) {
  EXPECT_TRUE(succeeds_given_time(0.2, [](double seconds) {
    // Together they take longer than a silence may.
    ChildSpec spec = shell(fmt::format("for i in 1 2 3 4 5; do echo $i; sleep {}; done", seconds / 3));
    spec.silence_seconds = seconds;
    const ChildOutcome outcome = run_child(spec);
    return outcome.end == ChildEnd::kExited && outcome.output == "1\n2\n3\n4\n5\n";
  }));
}

TEST(Child, gets_only_the_given_environment_if_it_inherits_none) {
  ChildSpec spec;
  spec.command = {"/usr/bin/env"};
  spec.environment = {"WORD=given", "PLACE=here"};
  spec.inherits_environment = false;
  EXPECT_EQ(run_child(spec).output, "WORD=given\nPLACE=here\n");
}

TEST(Child, writes_no_core_dump_if_not_allowed) {
  ChildSpec spec = shell("ulimit -c");
  spec.core_dump = false;
  EXPECT_EQ(run_child(spec).output, "0\n");
}

TEST(Child, that_prints_too_much_is_killed) {
  ChildSpec spec = shell("while :; do echo 0123456789; done");
  spec.output_limit = 100'000;
  const ChildOutcome outcome = run_child(spec);
  EXPECT_EQ(outcome.end, ChildEnd::kTooMuchOutput);
  EXPECT_EQ(describe_end(spec, outcome), "more than 100000 bytes of output");
}

TEST(Child, that_is_killed_by_a_signal_reports_it) {
  const ChildSpec spec = shell("kill -SEGV $$");
  const ChildOutcome outcome = run_child(spec);
  EXPECT_EQ(outcome.end, ChildEnd::kSignalled);
  EXPECT_EQ(describe_end(spec, outcome), "signal 11 (Segmentation fault)");
}

TEST(Child, that_does_not_exist_is_reported) {
  ChildSpec spec;
  spec.command = {"/no/such/program"};
  const ChildOutcome outcome = run_child(spec);
  EXPECT_EQ(outcome.end, ChildEnd::kNotStarted);
  EXPECT_EQ(outcome.code, ENOENT);
  EXPECT_EQ(describe_end(spec, outcome), "'/no/such/program' could not be started: No such file or directory");
}

TEST(Child, that_hangs_is_killed_with_everything_it_started) {
  ScratchFolder folder;
  const std::string pid_file = (folder.path() / "pid").string();
  ChildSpec spec = shell("sleep 10000 & echo $! >" + pid_file + "; echo begun; wait");
  EXPECT_TRUE(succeeds_given_time(0.2, [&](double seconds) {
    spec.timeout_seconds = seconds;
    const ChildOutcome outcome = run_child(spec);
    EXPECT_EQ(outcome.end, ChildEnd::kTimedOut);
    EXPECT_EQ(describe_end(spec, outcome), fmt::format("no end within {:.3g} s", seconds));
    EXPECT_GE(outcome.wall_seconds, seconds);
    return outcome.output == "begun\n";
  }));
  std::string pid = *read_file(pid_file);
  pid.pop_back();
  EXPECT_TRUE(dies(pid));
}

TEST(Child, that_leaves_a_process_behind_is_not_waited_for_longer) {
  ScratchFolder folder;
  const std::string pid_file = (folder.path() / "pid").string();
  // It holds standard output open.
  const ChildOutcome outcome = run_child(shell("sleep 10000 & echo $! >" + pid_file + "; echo done"));
  EXPECT_EQ(outcome.end, ChildEnd::kExited);
  EXPECT_EQ(outcome.output, "done\n");
  std::string pid = *read_file(pid_file);
  pid.pop_back();
  EXPECT_TRUE(dies(pid));
}

TEST(Child, that_closes_its_output_is_still_waited_for) {
  const ChildOutcome outcome = run_child(shell("exec >&- 2>&-; sleep 0.3; exit 4"));
  EXPECT_EQ(outcome.code, 4);
  EXPECT_GE(outcome.wall_seconds, 0.3);
}

TEST(Child, is_stopped_when_asked) {
  const int stop = ::eventfd(0, EFD_CLOEXEC);
  std::thread later([stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(stop, &one, sizeof one), 8);
  });
  const ChildOutcome outcome = run_child(shell("sleep 10000"), stop);
  later.join();
  ::close(stop);
  EXPECT_EQ(outcome.end, ChildEnd::kStopped);
}

TEST(Child, has_an_empty_input_and_the_environment_it_is_given) {
  ::setenv("LAB_TEST_GONE", "1", 1);
  ChildSpec spec = shell("cat; echo $LAB_TEST_NEW ${LAB_TEST_GONE:-gone}");
  spec.environment = {"LAB_TEST_NEW=new", "LAB_TEST_GONE"};
  EXPECT_EQ(run_child(spec).output, "new gone\n");
  ::unsetenv("LAB_TEST_GONE");
}

TEST(Child, reads_the_input_that_it_is_given_or_does_not) {
  ChildSpec spec = shell("wc -c");
  spec.input = std::string(1 << 20, 'x');  // more than a pipe holds
  EXPECT_EQ(run_child(spec).output, "1048576\n");
  spec.command.back() = "exit 3";
  EXPECT_EQ(run_child(spec).code, 3);
}

TEST(Child, is_pinned_to_the_cpu_it_is_given) {
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(static_cast<std::size_t>(cpu), &set)) continue;
    ChildSpec spec = shell("grep Cpus_allowed_list /proc/self/status");
    spec.cpu = cpu;
    EXPECT_EQ(run_child(spec).output, fmt::format("Cpus_allowed_list:\t{}\n", cpu));
  }
  ChildSpec spec = shell("true");
  spec.cpu = CPU_SETSIZE - 1;
  EXPECT_EQ(run_child(spec).end, ChildEnd::kNotStarted);
}

TEST(Child, does_not_inherit_what_we_ignore_or_hold_open) {
  ::signal(SIGPIPE, SIG_IGN);
  // Bit 12 of the ignored signals is SIGPIPE.
  const ChildOutcome outcome = run_child(shell("grep SigIgn /proc/self/status; ls /proc/self/fd | wc -l"));
  ::signal(SIGPIPE, SIG_DFL);
  const std::size_t tab = outcome.output.find('\t');
  ASSERT_NE(tab, std::string::npos);
  EXPECT_EQ(std::stoull(outcome.output.substr(tab + 1, 16), nullptr, 16) & 0x1000u, 0u);
  EXPECT_LE(std::stoi(outcome.output.substr(outcome.output.find('\n') + 1)), 5);
}

TEST(Child, that_is_attached_shares_group_error_and_files_and_gets_a_signal_to_end) {
  ::signal(SIGHUP, SIG_DFL);  // under nohup it is ignored, and the child asked with SIGTERM
  int stop[2];
  ASSERT_EQ(::pipe2(stop, O_CLOEXEC), 0);
  // The child itself asks for the stop, once it can hear it.
  ChildSpec spec = shell("trap 'cut -d\" \" -f5 /proc/$$/stat; exit 3' HUP; echo told >&2; echo > /proc/self/fd/" +
                         std::to_string(stop[1]) + "; while :; do sleep 0.01; done");
  spec.attached = true;
  spec.kept_files = {stop[1]};
  testing::internal::CaptureStderr();
  const ChildOutcome outcome = run_child(spec, stop[0]);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "told\n");
  EXPECT_EQ(outcome.end, ChildEnd::kExited);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.output, std::to_string(::getpgrp()) + "\n");
  EXPECT_EQ(outcome.error_tail, "");
  ::close(stop[0]);
  ::close(stop[1]);
}

}  // namespace lab
