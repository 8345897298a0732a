#include "harness/stats/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

/// Coverage by adding up binomial coefficients in integers: exact for n <= 50.
double coverage_by_counting(unsigned n, unsigned depth) {
  std::uint64_t coefficient = 1;
  std::uint64_t tail = 0;
  for (unsigned k = 0; k < depth; ++k) {
    tail += coefficient;
    coefficient = coefficient * (n - k) / (k + 1);
  }
  return 1 - 2 * std::ldexp(static_cast<double>(tail), -static_cast<int>(n));
}

}  // namespace

TEST(MedianInterval, has_the_coverages_of_the_textbooks_table) {
  // Table A.7, "Confidence intervals for the population median", in per cent.
  const struct {
    std::size_t count, depth;
    double percent;
  } rows[]{{2, 1, 50.0},  {3, 1, 75.0},  {4, 1, 87.5},  {5, 1, 93.8},  {6, 1, 96.9},  {6, 2, 78.1},  {7, 1, 98.4},
           {7, 2, 87.5},  {8, 1, 99.2},  {8, 2, 93.0},  {9, 2, 96.1},  {9, 3, 82.0},  {10, 2, 97.9}, {10, 3, 89.1},
           {11, 3, 93.5}, {12, 3, 96.1}, {12, 4, 85.4}, {13, 3, 97.8}, {14, 4, 94.3}, {15, 4, 96.5}, {16, 4, 97.9},
           {17, 5, 95.1}, {18, 5, 96.9}, {19, 6, 93.6}, {20, 6, 95.9}, {20, 7, 88.5}};
  for (const auto& row : rows)
    EXPECT_NEAR(100 * median_coverage(row.count, row.depth), row.percent, 0.051) << row.count << ' ' << row.depth;
}

TEST(MedianInterval, has_the_coverages_found_by_enumeration) {
  for (unsigned n = 1; n <= 50; ++n)
    for (unsigned depth = 1; 2 * depth <= n + 1; ++depth)
      EXPECT_NEAR(median_coverage(n, depth), coverage_by_counting(n, depth), 1e-12) << n << ' ' << depth;
}

TEST(MedianInterval, agrees_with_the_published_interpolation_of_another_program) {
  // Minitab's example of the 1-sample sign interval: 12 chromium contents of which order statistics 3, 4, 9 and 10 are
  // 17.4, 17.5, 18.1 and 19; its interval by interpolation at 95 % is (17.4263, 18.7632).
  const std::vector<double> chromium{17.0, 17.2, 17.4, 17.5, 17.6, 17.6, 17.8, 18.0, 18.1, 19.0, 19.5, 20.0};
  const std::optional<Interval> interval = median_interval(chromium, 0.95);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 17.4263, 5e-5);
  EXPECT_NEAR(interval->high, 18.7632, 1.5e-4);  // printed from unrounded data
  EXPECT_NEAR(median(chromium), 17.7, 1e-9);
}

TEST(MedianInterval, equals_the_order_statistics_at_their_own_coverage) {
  const std::vector<double> values{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  for (std::size_t depth = 1; depth <= 3; ++depth) {
    const std::optional<Interval> interval = median_interval(values, median_coverage(10, depth));
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, values[depth - 1], 1e-9);
    EXPECT_NEAR(interval->high, values[10 - depth], 1e-9);
  }
}

TEST(MedianInterval, needs_six_values_for_95_per_cent) {
  EXPECT_EQ(least_count(0.95), 6u);
  EXPECT_EQ(least_count(0.99), 8u);
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(median_interval({}));
  EXPECT_FALSE(median_interval(std::span(values).first(5)));
  const std::optional<Interval> interval = median_interval(values);
  ASSERT_TRUE(interval);
  EXPECT_GT(interval->low, 1);
  EXPECT_LT(interval->low, 2);
  const Estimate few = estimate_median(std::span(values).first(3));
  EXPECT_EQ(few.count, 3u);
  EXPECT_DOUBLE_EQ(few.median, 2);
  EXPECT_FALSE(few.interval);
}

TEST(MedianInterval, stays_within_the_values_at_every_count_and_coverage) {
  for (std::size_t count = 1; count <= 40; ++count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * i));
    for (const double coverage : {0.5, 0.6, 0.9, 0.95, 0.999}) {
      const std::optional<Interval> interval = median_interval(values, coverage);
      if (!interval) continue;
      EXPECT_LE(interval->low, median(values));
      EXPECT_GE(interval->high, median(values));
      EXPECT_GE(interval->low, values.front());
      EXPECT_LE(interval->high, values.back());
    }
  }
}

TEST(MedianInterval, of_equal_values_is_that_value) {
  const std::vector<double> values(9, 3.5);
  EXPECT_EQ(median_interval(values), (Interval{3.5, 3.5}));
}

TEST(MedianInterval, covers_the_true_median_with_the_stated_frequency) {
  // Symmetric and very skewed data, few and more processes; 20,000 trials have a standard error of 0.15 per cent.
  constexpr int kTrials = 20'000;
  std::mt19937_64 random(20161);
  std::normal_distribution<double> normal(0, 1);
  for (const bool skewed : {false, true}) {
    for (const std::size_t count : {6u, 7u, 10u, 15u, 20u}) {
      int covered = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> values;
        for (std::size_t i = 0; i < count; ++i) values.push_back(skewed ? std::exp(normal(random)) : normal(random));
        const std::optional<Interval> interval = median_interval(values);
        const double truth = skewed ? 1 : 0;
        if (interval->low <= truth && truth <= interval->high) ++covered;
      }
      EXPECT_NEAR(static_cast<double>(covered) / kTrials, 0.95, 0.01) << skewed << ' ' << count;
    }
  }
}

TEST(BlockRatios, pair_within_a_block_and_skip_blocks_that_lack_a_side) {
  const std::vector<Datum> from{{0, 10}, {1, 20}, {2, 30}, {2, 50}, {4, 7}};
  const std::vector<Datum> to{{2, 8}, {0, 5}, {1, 5}, {3, 1}};
  EXPECT_EQ(block_ratios(from, to), (std::vector<double>{2, 4, 5}));
  EXPECT_FALSE(estimate_ratio(from, std::vector<Datum>{{9, 1}}));
  EXPECT_FALSE(estimate_ratio(from, std::vector<Datum>{{0, 0}}));
}

TEST(BlockRatios, cancel_drift_between_blocks) {
  std::vector<Datum> from;
  std::vector<Datum> to;
  for (int block = 0; block < 10; ++block) {
    const double drift = 1 + 0.3 * block;
    from.push_back({block, 200 * drift});
    to.push_back({block, 100 * drift});
  }
  const std::optional<Estimate> ratio = estimate_ratio(from, to);
  ASSERT_TRUE(ratio && ratio->interval);
  EXPECT_NEAR(ratio->median, 2, 1e-12);
  EXPECT_NEAR(ratio->interval->low, 2, 1e-12);
  EXPECT_NEAR(ratio->interval->high, 2, 1e-12);
}

TEST(BlockRatios, exchange_of_the_sides_gives_the_exact_inverse) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> time(3, 0.2);
  std::vector<Datum> from;
  std::vector<Datum> to;
  for (int block = 0; block < 8; ++block) {
    from.push_back({block, time(random)});
    to.push_back({block, time(random)});
  }
  const std::optional<Estimate> there = estimate_ratio(from, to);
  const std::optional<Estimate> back = estimate_ratio(to, from);
  EXPECT_NEAR(there->median * back->median, 1, 1e-12);
  EXPECT_NEAR(there->interval->low * back->interval->high, 1, 1e-12);
  EXPECT_NEAR(there->interval->high * back->interval->low, 1, 1e-12);
}

TEST(RelativeHalfWidth, is_a_share_of_the_median) {
  EXPECT_DOUBLE_EQ(*relative_half_width({6, 50, Interval{49, 51}}), 0.02);
  EXPECT_FALSE(relative_half_width({5, 50, std::nullopt}));
}

}  // namespace lab::stats
