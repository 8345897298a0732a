#include "harness/stats/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lab::stats {

namespace {

/// Log-normal with a standard deviation of 1 %, drifting by 20 % in all.
std::vector<Datum> drifting(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<Datum> data;
  for (std::size_t i = 0; i < count; ++i)
    data.push_back({static_cast<int>(i),
                    100 * std::exp(noise(generator) + 0.2 * static_cast<double>(i) / static_cast<double>(count))});
  return data;
}

}  // namespace

TEST(Spread, measures_noise_and_not_drift) {
  EXPECT_NEAR(*spread_between(drifting(4000, 3)), 0.01, 0.0005);
}

TEST(Spread, is_robust_against_an_outlier) {
  std::vector<Datum> data = drifting(400, 4);
  const double before = *spread_between(data);
  data[7].value *= 3;
  EXPECT_NEAR(*spread_between(data), before, 0.02 * before);
}

TEST(Spread, is_none_for_too_few_values_and_zero_for_equal_ones) {
  EXPECT_FALSE(spread_between(std::vector<Datum>(3, {0, 1})));
  EXPECT_EQ(spread_between(std::vector<Datum>(4, {0, 1})), 0);
}

TEST(MadSigma, is_the_standard_deviation_of_normal_noise_and_robust) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> noise(7, 2);
  std::vector<double> values(20'000);
  for (double& value : values) value = noise(generator);
  EXPECT_NEAR(mad_sigma(values), 2, 0.05);
  EXPECT_DOUBLE_EQ(mad_sigma(std::vector<double>{5, 5, 5, 80, 900}), 0);
  EXPECT_EQ(mad_sigma(std::vector<double>{3}), 0);
}

}  // namespace lab::stats
