#include "harness/cli/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/cli/commands.h"

namespace lab::cli {

namespace {

const std::vector<Option> kTable{{"--filter", "GLOB", ""}, {"--quick", "", ""}, {"--seed", "N", ""}};

std::string complaint(std::vector<std::string> arguments) {
  const Expected<Options> options = Options::parse(kTable, arguments);
  return options ? "" : options.error().what + " | " + options.error().hint;
}

}  // namespace

TEST(Options, take_values_flags_and_positionals_in_any_order) {
  const std::vector<std::string> arguments{"a", "--filter", "x/*", "--quick", "b", "--filter=y", "--", "--seed"};
  const Expected<Options> options = Options::parse(kTable, arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->values("--filter"), (std::vector<std::string>{"x/*", "y"}));
  EXPECT_TRUE(options->has("--quick"));
  EXPECT_EQ(options->positional(), (std::vector<std::string>{"a", "b", "--seed"}));
  EXPECT_EQ(*options->integer("--seed", 7, 0, 9), 7);
}

TEST(Options, refuse_what_is_wrong_in_one_sentence) {
  EXPECT_EQ(complaint({"--fliter", "x"}), "unknown option '--fliter' | did you mean '--filter'?");
  EXPECT_EQ(complaint({"--seed"}), "--seed needs a value | --seed N");
  EXPECT_EQ(complaint({"--seed", ""}), "--seed needs a value | --seed N");
  EXPECT_EQ(complaint({"--seed="}), "--seed needs a value | --seed N");
  EXPECT_EQ(complaint({"--quick=1"}), "--quick takes no value | ");
}

TEST(Options, check_numbers) {
  const std::vector<std::string> arguments{"--seed", "12x"};
  const Expected<Options> options = Options::parse(kTable, arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->integer("--seed", 0, 0, 9).error().what, "--seed: expected a number from 0 to 9, found '12x'");
}

TEST(Options, make_help_that_fits_a_screen) {
  const std::vector<Command> commands{list_command(),    run_command(keep_report), probe_command(),
                                      compare_command(), history_command(),        changepoints_command(),
                                      bisect_command(),  report_command(),         simulate_command()};
  for (const Command& command : commands) {
    const std::vector<std::string> arguments{command.name, "--help"};
    testing::internal::CaptureStdout();
    EXPECT_EQ(dispatch(commands, arguments), ExitStatus::kOk);
    std::istringstream help(testing::internal::GetCapturedStdout());
    std::size_t lines = 0, widest = 0;
    for (std::string line; std::getline(help, line); ++lines) widest = std::max(widest, line.size());
    EXPECT_GT(lines, 2u) << command.name;
    EXPECT_LE(lines, 25u) << command.name;
    EXPECT_LE(widest, 100u) << command.name;
  }
}

}  // namespace lab::cli
