#include "variants/render_config/language/problems.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

TEST(Problems, keep_the_first) {
  Problems problems;
  EXPECT_FALSE(problems.any());
  problems.add({"a.json", 3}, "expected a, found b", "try c");
  problems.add({"a.json", 1}, "expected d, found e");
  problems.add(Error{"f", ""});
  EXPECT_TRUE(problems.any());
  EXPECT_EQ(problems.first().what, "a.json:3: expected a, found b");
  EXPECT_EQ(problems.first().hint, "try c");
  EXPECT_EQ(problems.first().status, ExitStatus::kUsage);
}

TEST(Problems, list_what_is_known_and_hint_at_the_nearest) {
  const auto problem_with = [](const std::string& found, const std::vector<std::string>& names) {
    Problems problems;
    problems.add_unknown({"a.json", 3}, found, "a layer", names);
    return problems.first().what + " | " + problems.first().hint;
  };
  EXPECT_EQ(problem_with("solit", {"solid", "glass"}),
            "a.json:3: expected a layer (solid, glass), found 'solit' | did you mean 'solid'?");
  EXPECT_EQ(problem_with("x\x1b", {}), "a.json:3: expected a layer (none exists), found 'x?' | ");
}

TEST(Problems, list_24_names_at_most) {
  EXPECT_EQ(list_of(std::vector<std::string>(24, "a")).find("more"), std::string::npos);
  EXPECT_TRUE(list_of(std::vector<std::string>(26, "a")).ends_with("a, a, and 2 more"));
}

}  // namespace lab::render_config
