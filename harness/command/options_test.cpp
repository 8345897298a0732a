#include "harness/command/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace lab::command {

namespace {

const std::vector<Option> kTable{{"--filter", "GLOB", ""}, {"--quick", "", ""}, {"--seed", "N", ""}};

std::string complaint(std::vector<std::string> arguments) {
  const Expected<Options> options = Options::parse(kTable, arguments);
  return options ? "" : options.error().what + " | " + options.error().hint;
}

}  // namespace

TEST(Options, accept_values_flags_and_positionals_in_any_order) {
  const std::vector<std::string> arguments{"a", "--filter", "x/*", "--quick", "b", "--filter=y", "--", "--seed"};
  const Expected<Options> options = Options::parse(kTable, arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->values("--filter"), (std::vector<std::string>{"x/*", "y"}));
  EXPECT_TRUE(options->has("--quick"));
  EXPECT_EQ(options->positional(), (std::vector<std::string>{"a", "b", "--seed"}));
  std::optional<int> seed;
  EXPECT_TRUE(options->read("--seed", seed, 0, 9));
  EXPECT_FALSE(seed);
}

TEST(Options, reject_errors_with_one_sentence) {
  EXPECT_EQ(complaint({"--fliter", "x"}), "unknown option '--fliter' | did you mean '--filter'?");
  EXPECT_EQ(complaint({"--seed"}), "--seed needs a value | --seed N");
  EXPECT_EQ(complaint({"--seed", ""}), "--seed needs a value | --seed N");
  EXPECT_EQ(complaint({"--seed="}), "--seed needs a value | --seed N");
  EXPECT_EQ(complaint({"--filter", "--quick"}), "--filter: expected GLOB, found the option '--quick' | ");
  EXPECT_EQ(complaint({"--filter=--quick"}), "");
  EXPECT_EQ(complaint({"--quick=1"}), "--quick takes no value | ");
}

TEST(Options, check_numbers) {
  int seed = 7;
  const std::vector<std::string> arguments{"--seed", "12x"};
  const Expected<Options> options = Options::parse(kTable, arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->read("--seed", seed, 0, 9).error().what, "--seed: expected a number from 0 to 9, found '12x'");
}

TEST(Options, print_help_without_losing_a_word) {
  const Command command{
      "name",
      "[--one VALUE] [--another-option VALUE] [--third VALUE]\n       [--quite-a-long-option VALUE]",
      "summary",
      {{"--one", "VALUE", "words that are too many for what is left of a line of eighty columns, by far"},
       {"--quite-a-long-option", "VALUE", "below"}},
      [](const lab::command::Options&) { return Expected<ExitStatus>(ExitStatus::kOk); },
      "a note"};
  testing::internal::CaptureStdout();
  const std::vector<Command> commands{command};
  const std::vector<std::string> arguments{"name", "--help"};
  dispatch(commands, arguments);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "summary\n\n"
            "usage: python3 make.py name [--one VALUE] [--another-option VALUE]\n"
            "       [--third VALUE] [--quite-a-long-option VALUE]\n\n"
            "a note\n\n"
            "  --one VALUE              words that are too many for what is left of a line of\n"
            "                           eighty columns, by far\n"
            "  --quite-a-long-option VALUE\n"
            "                           below\n");
}

}  // namespace lab::command
