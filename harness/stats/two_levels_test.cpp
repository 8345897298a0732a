#include "harness/stats/two_levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace lab::stats {

namespace {

std::optional<TwoLevels> of(const std::vector<std::pair<std::size_t, double>>& data) {
  std::vector<std::size_t> builds;
  std::vector<double> logs;
  for (const auto& [build, value] : data) {
    builds.push_back(build);
    logs.push_back(std::log(value));
  }
  return two_levels(builds, logs);
}

}  // namespace

TEST(TwoLevels, are_apart_by_their_distance_within_builds) {
  // Build 1 takes 4 % more on both.
  const auto found = of({{0, 100}, {1, 197.6}, {0, 190}, {0, 190}, {1, 104}, {1, 104}});
  ASSERT_TRUE(found);
  EXPECT_NEAR(std::exp(found->height), 1.9, 1e-9);
  EXPECT_EQ(found->upper, (std::vector<bool>{false, true, true, true, false, false}));
  EXPECT_EQ(found->upper_share, 0.5);
}

TEST(TwoLevels, are_none_where_values_are_few_equal_or_spread) {
  EXPECT_FALSE(of({}));
  EXPECT_FALSE(of({{0, 1}, {0, 2}, {0, 2}}));
  EXPECT_FALSE(of({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}));
  EXPECT_FALSE(of({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 9}}));  // one value is no level
  EXPECT_FALSE(of({{0, 1}, {0, 1.2}, {0, 1.4}, {0, 1.6}, {0, 1.8}, {0, 2}}));
}

TEST(TwoLevels, are_the_less_likely_the_less_order_they_have) {
  const auto in_turn = of({{0, 1}, {0, 2}, {0, 1}, {0, 2}, {0, 1}, {0, 2}, {0, 1}, {0, 2}});
  const auto mixed = of({{0, 1}, {0, 1}, {0, 2}, {0, 1}, {0, 2}, {0, 2}, {0, 1}, {0, 2}});
  const auto in_a_row = of({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 2}, {0, 2}, {0, 2}, {0, 2}});
  ASSERT_TRUE(in_turn && mixed && in_a_row);
  EXPECT_LT(mixed->log_likelihood, in_a_row->log_likelihood);
  EXPECT_LT(mixed->log_likelihood, in_turn->log_likelihood);
  EXPECT_LT(in_a_row->log_likelihood, 0);
}

}  // namespace lab::stats
