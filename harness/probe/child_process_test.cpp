#include "harness/probe/child_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

#include "harness/base/files.h"
#include "harness/base/patience_test.h"

namespace lab::probe {

namespace {

using namespace std::chrono_literals;

struct Heard {
  Expected<ChildEnd> end = ChildEnd{};
  std::vector<std::string> lines;
};

Heard shell(const std::string& script, double silence_seconds = kPatience) {
  Heard heard;
  const auto silence = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(silence_seconds));
  heard.end = run_child({{"/bin/sh", "-c", script}, {{"WORD", "given"}}, silence},
                        [&](std::string_view line) { heard.lines.emplace_back(line); });
  return heard;
}

}  // namespace

TEST(ChildProcess, gives_whole_lines_and_the_exit_status) {
  const Heard heard = shell("echo one; printf 'tw'; printf 'o\\n\\n%s' $WORD; echo; printf rest; exit 7");
  ASSERT_TRUE(heard.end);
  EXPECT_EQ(heard.lines, (std::vector<std::string>{"one", "two", "", "given"}));
  EXPECT_EQ(heard.end->kind, ChildEnd::Kind::kExited);
  EXPECT_EQ(heard.end->code, 7);
}

TEST(ChildProcess, gives_the_signal_and_what_was_heard_before_it) {
  const Heard heard = shell("echo one; echo dying >&2; kill -ABRT $$; echo two");
  EXPECT_EQ(heard.lines, std::vector<std::string>{"one"});
  EXPECT_EQ(heard.end->kind, ChildEnd::Kind::kSignalled);
  EXPECT_EQ(heard.end->code, SIGABRT);
  EXPECT_EQ(heard.end->stderr_tail, "dying\n");
}

TEST(ChildProcess, is_killed_with_all_it_started_when_it_falls_silent) {
  Heard heard;
  EXPECT_TRUE(succeeds_given_time(0.2, [&](double seconds) {
    heard = shell("echo one; sh -c 'echo $$; exec sleep 10000'", seconds);
    EXPECT_EQ(heard.end->kind, ChildEnd::Kind::kSilent);
    return heard.lines.size() == 2;
  }));
  // The grandchild is nobody's child now; init takes a moment to bury it.
  const auto lives = [&] {
    const Expected<std::string> stat = read_file("/proc/" + heard.lines.at(1) + "/stat");
    return stat && stat->find(") Z") == std::string::npos;
  };
  EXPECT_TRUE(comes_true([&] { return !lives(); }));
}

TEST(ChildProcess, may_take_long_while_it_talks) {
  EXPECT_TRUE(succeeds_given_time(0.2, [](double seconds) {
    // Together they take longer than a silence may.
    const Heard heard = shell(fmt::format("for i in 1 2 3 4 5; do echo $i; sleep {}; done", seconds / 3), seconds);
    return heard.end->kind == ChildEnd::Kind::kExited && heard.lines.size() == 5;
  }));
}

TEST(ChildProcess, keeps_the_end_of_long_complaints) {
  const Heard heard = shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
  EXPECT_EQ(heard.end->stderr_tail.size(), 4096u);
  EXPECT_TRUE(heard.end->stderr_tail.ends_with("line 2999\n"));
}

TEST(ChildProcess, that_cannot_be_started_is_an_error) {
  const auto end = run_child({{"/nowhere/child"}, {}, 1s}, [](std::string_view) {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().what, "starting '/nowhere/child': No such file or directory");
}

}  // namespace lab::probe
