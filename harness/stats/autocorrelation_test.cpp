#include "harness/stats/autocorrelation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace lab::stats {

namespace {

std::vector<double> level(std::mt19937& random, std::size_t count, double correlation) {
  std::normal_distribution<double> noise(0, 1);
  std::vector<double> values{noise(random)};
  while (values.size() < count)
    values.push_back(correlation * values.back() + std::sqrt(1 - correlation * correlation) * noise(random));
  return values;
}

}  // namespace

TEST(Autocorrelation, within_levels_is_that_of_their_noise) {
  std::mt19937 random(1);
  for (const double correlation : {0.3, 0.6}) {
    double sum = 0;
    for (int round = 0; round < 200; ++round) {
      const std::vector<double> before = level(random, 40, correlation);
      std::vector<double> after = level(random, 40, correlation);
      for (double& value : after) value += 10;
      after[7] = 1e6;  // an outlier does not hide it
      sum += autocorrelation_within(before, after) / 200;
    }
    EXPECT_NEAR(sum, correlation, 0.07) << correlation;
  }
}

TEST(Autocorrelation, of_constants_or_of_nothing_is_none) {
  const std::vector<double> constant(10, 5), none;
  EXPECT_EQ(autocorrelation_within(constant, constant), 0);
  EXPECT_EQ(autocorrelation_within(none, constant), 0);
}

TEST(VarianceInflation, is_that_of_a_mean) {
  EXPECT_EQ(variance_inflation(1, 0.5), 1);
  EXPECT_EQ(variance_inflation(16, 0), 1);
  EXPECT_NEAR(variance_inflation(2, 0.5), 1.5, 1e-12);
  EXPECT_NEAR(variance_inflation(1e4, 0.5), 3, 0.01) << "(1 + rho) / (1 - rho) for many";
}

}  // namespace lab::stats
