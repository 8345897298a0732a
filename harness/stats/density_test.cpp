#include "harness/stats/density.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/random.h"

namespace lab::stats {

namespace {

/// Evenly spread quantiles of a standard normal distribution, roughly: sums of uniform numbers.
std::vector<double> bell(std::size_t count, double level = 0) {
  Random random(7);
  std::vector<double> values(count, level);
  for (double& value : values)
    for (int i = 0; i < 12; ++i) value += static_cast<double>(random.below(1 << 20)) * 0x1p-20 - 0.5;
  return values;
}

double integral(const Density& density, double low, double high) {
  constexpr int kSteps = 200'000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += std::exp(density.log_at(low + (high - low) * (i + 0.5) / kSteps));
  return sum * (high - low) / kSteps;
}

std::vector<double> exponentials(std::vector<double> values) {
  for (double& value : values) value = std::exp(value);
  return values;
}

}  // namespace

TEST(Density, integrates_to_one) {
  EXPECT_NEAR(integral(Density(bell(60)), -400, 400), 1, 0.01);
  EXPECT_NEAR(integral(Density(exponentials(bell(60))), -400, 400), 1, 0.01);
  EXPECT_NEAR(integral(Density(bell(60, 1000)), 600, 1400), 1, 0.01);
}

TEST(Density, is_close_to_the_true_distribution) {
  const Density density(bell(500));
  for (const double x : {-2.0, -1.0, 0.0, 1.0, 2.0}) EXPECT_NEAR(density.log_at(x), -0.5 * x * x - 0.919, 0.25) << x;
}

TEST(Density, keeps_the_sharp_edge_of_skewed_values) {
  const Density density(exponentials(bell(60)));
  EXPECT_LT(density.log_at(-1), density.log_at(3) - 2);
  const Density mirrored([] {
    std::vector<double> values = exponentials(bell(60));
    for (double& value : values) value = -value;
    return values;
  }());
  EXPECT_NEAR(mirrored.log_at(-2), density.log_at(2), 1e-6);
}

TEST(Density, is_equivariant_under_shift_and_scale) {
  std::vector<double> values = bell(40);
  const Density density(values);
  for (double& value : values) value = 5 + 100 * value;
  const Density moved(values);
  EXPECT_NEAR(moved.log_at(5 + 100 * 0.7), density.log_at(0.7) - std::log(100), 1e-9);
  EXPECT_NEAR(moved.sigma(), 100 * density.sigma(), 1e-9);
}

TEST(Density, is_finite_everywhere) {
  for (const std::vector<double>& values : {std::vector<double>{0, 0},
                                            {7, 7, 7},
                                            {0, 1e150},
                                            {-1e150, 1e150, 0},
                                            {1e-300, 2e-300, 3e-300},
                                            {1, 1, 1, 1, 2},
                                            {5e-324, 0, 1e-323, 0, 2e-320, 0, 1e-323, 5e-324}}) {
    const Density density(values);
    for (const double x : {-1e150, -1.0, 0.0, 1e-300, 7.0, 1e150}) EXPECT_TRUE(std::isfinite(density.log_at(x))) << x;
    EXPECT_GT(density.sigma(), 0);
    EXPECT_TRUE(std::isfinite(density.excess(1)));
  }
}

TEST(Density, has_a_large_excess_for_a_shift_to_the_outliers) {
  std::vector<double> values = bell(57);
  values.insert(values.end(), {15, 15.3, 14.8});
  const Density density(values);
  EXPECT_LT(density.excess(3), 1.1);
  EXPECT_GT(density.excess(15), 1.5);
}

TEST(Density, estimates_the_autocorrelation) {
  std::vector<double> values = bell(200);
  EXPECT_NEAR(Density(values).autocorrelation(values), 0, 0.15);
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = 0.6 * values[i - 1] + 0.8 * values[i];
  EXPECT_NEAR(Density(values).autocorrelation(values), 0.6, 0.15);
  values[100] = 1e6;  // hides nothing
  EXPECT_NEAR(Density(values).autocorrelation(values), 0.6, 0.15);
  const std::vector<double> equal(20, 3);
  EXPECT_EQ(Density(equal).autocorrelation(equal), 0);
}

}  // namespace lab::stats
