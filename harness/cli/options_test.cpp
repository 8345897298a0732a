#include "harness/cli/options.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(complaint({"--quick=1"}), "--quick takes no value | ");
}

TEST(Options, check_numbers) {
  const std::vector<std::string> arguments{"--seed", "12x"};
  const Expected<Options> options = Options::parse(kTable, arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->integer("--seed", 0, 0, 9).error().what, "--seed: expected a number from 0 to 9, found '12x'");
}

}  // namespace lab::cli
