#include "harness/results/formula.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/base/error.h"

namespace lab::results {

namespace {

std::optional<double> value_of(std::string_view text, const std::map<std::string, double>& values = {}) {
  const Expected<Formula> formula = Formula::parse(text);
  EXPECT_TRUE(formula) << text << ": " << (formula ? "" : formula.error().what);
  if (!formula) return std::nullopt;
  return formula->evaluate([&](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

TEST(Formula, is_read_with_the_usual_precedence) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("10 - 2 - 3"), 5);
  EXPECT_EQ(value_of("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value_of("2*3^2"), 18);
  EXPECT_EQ(value_of("1 / 8 / 64"), 1.0 / 512);
  EXPECT_EQ(value_of("0.5 * 4"), 2);
}

TEST(Formula, takes_values_by_name) {
  EXPECT_EQ(value_of("1 / (4 * leaf_bytes)", {{"leaf_bytes", 64}}), 1.0 / 256);
  EXPECT_EQ(value_of("2^(levels - 1) * leaf", {{"levels", 6}, {"leaf", 16}}), 512);
  EXPECT_EQ(value_of("a * b", {{"a", 1}}), std::nullopt) << "b has no value";
  EXPECT_EQ(value_of("1 / a", {{"a", 0}}), std::nullopt) << "not finite";
  EXPECT_EQ(Formula::parse("a + b * a")->names(), (std::vector<std::string>{"a", "b"}));
}

TEST(Formula, that_is_malformed_says_where) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "expected a number, a name or '(' at the end, found ''"},
      {"1 +", "expected a number, a name or '(' at the end, found '1 +'"},
      {"(1 + 2", "expected ')' at the end, found '(1 + 2'"},
      {"1 2", "expected an operator at character 3, found '1 2'"},
      {"-1", "expected a number, a name or '(' at character 1, found '-1'"},
      {"a % b", "expected an operator at character 3, found 'a % b'"}};
  for (const auto& [text, expected] : bad) {
    const Expected<Formula> formula = Formula::parse(text);
    ASSERT_FALSE(formula) << text;
    EXPECT_EQ(formula.error().what, expected);
  }
  EXPECT_FALSE(Formula::parse(std::string(10'000, '('))) << "no stack overflow";
}

}  // namespace lab::results
