// The place where run hands what it has to whoever writes the report.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/exec/fake_build.h"

namespace lab::cli {

namespace {

std::vector<std::pair<std::size_t, std::string>> calls;

Expected<void> note(const results::Result& result, const std::filesystem::path& folder, std::optional<int>) {
  calls.emplace_back(result.processes.size(), folder.string());
  return Error{"no ink", ""};
}

}  // namespace

TEST(ReportHook, is_called_before_the_first_block_after_each_and_at_the_end_and_costs_nothing_when_it_fails) {
  const exec::FakeBuild build({"plain"});
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
  EXPECT_EQ(calls, (std::vector<std::pair<std::size_t, std::string>>{{0, "here"}, {1, "here"}, {2, "here"}, {2, "here"}}));
}

TEST(ReportHook, is_no_option_where_there_is_none) {
  const Command command = run_command();
  const std::vector<std::string> arguments{"--report", "here"};
  EXPECT_FALSE(Options::parse(command.options, arguments));
}

}  // namespace lab::cli
