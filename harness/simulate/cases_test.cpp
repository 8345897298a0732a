#include "harness/simulate/cases.h"

#include <gtest/gtest.h>

namespace lab::simulate {
namespace {

TEST(Cases, are_read_with_their_changes) {
  const Expected<std::vector<Case>> cases =
      parse_cases("# a comment\n\nup and back | 2 4 | 1 1 2.5 2.5 1\nquiet |  | 7\n");
  ASSERT_TRUE(cases);
  ASSERT_EQ(cases->size(), 2u);
  EXPECT_EQ((*cases)[0].name, "up and back");
  EXPECT_EQ((*cases)[0].starts, (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ((*cases)[0].values, (std::vector<double>{1, 1, 2.5, 2.5, 1}));
  EXPECT_EQ((*cases)[1].starts, std::vector<std::size_t>{});
}

TEST(Cases, that_are_malformed_are_refused_with_their_line) {
  for (const char* line : {"name", "name | 1", "name | 1 |", "name | x | 1 2", "name | 1 | 1 2 y"}) {
    const Expected<std::vector<Case>> cases = parse_cases(std::string("# a comment\n") + line);
    ASSERT_FALSE(cases) << line;
    EXPECT_EQ(cases.error().what, "line 2: expected 'name | starts | values'");
  }
}

TEST(Cases, are_right_if_every_change_and_nothing_else_was_found) {
  const Case one{"", {20, 40}, {}};
  EXPECT_TRUE(is_right(one, {43, 17}));
  EXPECT_FALSE(is_right(one, {20}));
  EXPECT_FALSE(is_right(one, {20, 44}));
  EXPECT_FALSE(is_right(one, {20, 30, 40}));
  EXPECT_TRUE(is_right({}, {}));
}

}  // namespace
}  // namespace lab::simulate
