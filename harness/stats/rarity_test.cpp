#include "harness/stats/rarity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lab::stats {

namespace {

using Values = std::vector<double>;

}  // namespace

TEST(Rarity, of_points_beyond_all_others_is_that_of_their_choice) {
  EXPECT_NEAR(rarity_of_largest(Values{9, 8, 7}, Values{1, 2, 3, 4, 5}), std::log(56), 1e-12);  // C(8, 3)
  EXPECT_NEAR(rarity_of_largest(Values{9}, Values{1, 2, 3, 4, 5}), std::log(6), 1e-12);
}

TEST(Rarity, counts_those_that_are_extreme_if_others_are_not) {
  // Two of three lie highest: C(8, 2) / C(3, 2).
  EXPECT_NEAR(rarity_of_largest(Values{9, 8, 0}, Values{1, 2, 3, 4, 5}), std::log(28.0 / 3), 1e-12);
  EXPECT_LE(rarity_of_largest(Values{0, 0.5}, Values{1, 2, 3, 4, 5}), 0);
  EXPECT_LE(rarity_of_largest(Values{5, 5}, Values{5, 5, 5, 5}), 0);
}

TEST(Rarity, of_levels_has_no_direction_and_no_order) {
  const Values low{1, 2, 3, 4, 5}, high{9, 8, 7}, negative{-9, -8, -7}, minus{-1, -2, -3, -4, -5};
  for (const double rarity : {rarity_of_levels(low, high), rarity_of_levels(high, low),
                              rarity_of_levels(minus, negative), rarity_of_levels(negative, minus)})
    EXPECT_NEAR(rarity, std::log(56), 1e-12);
}

TEST(Rarity, of_levels_that_differ_by_rounding_is_none) {
  EXPECT_EQ(rarity_of_levels(Values(50, 0.3), Values(50, 0.1 + 0.2)), 0);
  EXPECT_TRUE(is_same_value(0.3, 0.1 + 0.2));
  EXPECT_TRUE(is_same_value(0, 0));
  EXPECT_FALSE(is_same_value(50, 50.0005));
}

}  // namespace lab::stats
