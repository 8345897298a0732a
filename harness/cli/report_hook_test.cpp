// The place where run hands what it has to whoever writes the report.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/measure/fake_build.h"

namespace lab::cli {

namespace {

/// Processes so far, the folder, and how many blocks are planned: none when the session is over.
std::vector<std::string> calls;

Expected<void> note(const results::Result& result, const std::filesystem::path& folder, std::optional<int> planned) {
  calls.push_back(fmt::format("{} processes, {}, {}", result.processes.size(), folder.string(),
                              planned ? fmt::format("{} blocks", *planned) : "over"));
  return Error{"no ink", ""};
}

}  // namespace

TEST(ReportHook, is_called_before_and_after_every_block_and_at_the_end_and_costs_nothing_when_it_fails) {
  const measure::FakeBuild build({"plain"});
  const ScratchFolder root;
  ::setenv("LAB_BUILD", build.path().c_str(), 1);
  ::setenv("LAB_ROOT", root.path().c_str(), 1);
  const Command command = run_command(note);
  const std::vector<std::string> arguments{"--processes", "2", "--filter", "*/store", "--report", "here"};
  const Expected<Options> options = Options::parse(command.options, arguments);
  ASSERT_TRUE(options);
  const Expected<ExitStatus> status = command.run(*options);
  ::unsetenv("LAB_BUILD");
  ::unsetenv("LAB_ROOT");
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(*status, ExitStatus::kOk);
  EXPECT_EQ(calls, (std::vector<std::string>{"0 processes, here, 0 blocks", "2 processes, here, 2 blocks",
                                             "4 processes, here, 2 blocks", "4 processes, here, over"}));
}

TEST(ReportHook, is_no_option_where_there_is_none) {
  const Command command = run_command();
  const std::vector<std::string> arguments{"--report", "here"};
  EXPECT_FALSE(Options::parse(command.options, arguments));
}

}  // namespace lab::cli
