#include "harness/stats/quantile.h"

#include <gtest/gtest.h>

namespace lab::stats {

TEST(Quantile, interpolates_between_order_statistics) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
}

TEST(Quantile, of_one_value_is_that_value) {
  const std::vector<double> one{7};
  EXPECT_DOUBLE_EQ(median(one), 7);
  EXPECT_DOUBLE_EQ(quantile(one, 1), 7);
}

TEST(Quantile, does_not_depend_on_order_or_ties) {
  const std::vector<double> values{5, 5, 1, 5, 9};
  EXPECT_DOUBLE_EQ(median(values), 5);
}

TEST(QuantileDeathTest, of_nothing_is_a_bug) {
  EXPECT_DEATH(median({}), "");
}

}  // namespace lab::stats
