#include "harness/cli/commands.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lab::cli {

TEST(Commands, have_help_that_fits_a_screen) {
  const std::vector<Command> commands{list_command(),    run_command(),          probe_command(),  compare_command(),
                                      history_command(), changepoints_command(), bisect_command(), report_command()};
  std::vector<std::vector<std::string>> calls{{"--help"}};
  for (const Command& command : commands) calls.push_back({command.name, "--help"});
  for (const std::vector<std::string>& arguments : calls) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(command::dispatch(commands, arguments), ExitStatus::kOk);
    std::istringstream help(testing::internal::GetCapturedStdout());
    std::size_t lines = 0, widest = 0;
    for (std::string line; std::getline(help, line); ++lines) widest = std::max(widest, line.size());
    EXPECT_GT(lines, 2u) << arguments.front();
    EXPECT_LE(lines, 40u) << arguments.front();
    EXPECT_LE(widest, 80u) << arguments.front();
  }
}

}  // namespace lab::cli
