#include "harness/probe/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

namespace lab::probe {

namespace {

using namespace std::chrono_literals;

struct Heard {
  Expected<ChildEnd> end = ChildEnd{};
  std::vector<std::string> lines;
};

Heard shell(const std::string& script, std::chrono::milliseconds silence = 20s) {
  Heard heard;
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
  const auto begin = std::chrono::steady_clock::now();
  const Heard heard = shell("echo one; sh -c 'echo $$; exec sleep 1000'", 300ms);
  EXPECT_EQ(heard.end->kind, ChildEnd::Kind::kSilent);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  ASSERT_EQ(heard.lines.size(), 2u);
  // The grandchild is nobody's child now; init takes a moment to bury it.
  const pid_t grandchild = std::stoi(heard.lines[1]);
  for (int i = 0; i < 200 && ::kill(grandchild, 0) == 0; ++i) ::usleep(10'000);
  std::string state(64, '\0');
  if (FILE* stat = std::fopen(("/proc/" + heard.lines[1] + "/stat").c_str(), "r")) {
    state.resize(std::fread(state.data(), 1, state.size(), stat));
    std::fclose(stat);
    EXPECT_NE(state.find(") Z"), std::string::npos) << state;
  }
}

TEST(ChildProcess, may_take_long_while_it_talks) {
  const Heard heard = shell("for i in 1 2 3 4 5; do echo $i; sleep 0.1; done", 400ms);
  EXPECT_EQ(heard.end->kind, ChildEnd::Kind::kExited);
  EXPECT_EQ(heard.lines.size(), 5u);
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
