#include "harness/stats/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "harness/stats/ranks.h"

namespace lab::stats {

TEST(SampleSize, equals_cohens_table_without_the_factor_for_ranks) {
  // Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), table 2.4.1, two-sided; n of each sample.
  const struct {
    double alpha, power, effect;
    int n;
  } rows[]{{0.05, 0.80, 0.2, 393}, {0.05, 0.80, 0.5, 64},  {0.05, 0.80, 0.8, 26}, {0.05, 0.80, 1.0, 17},
           {0.05, 0.90, 0.5, 85},  {0.05, 0.95, 0.5, 105}, {0.01, 0.80, 0.5, 95}, {0.01, 0.80, 0.8, 38}};
  for (const auto& row : rows)
    EXPECT_NEAR(std::ceil(sample_size(row.effect, row.alpha, row.power) * 3 / std::numbers::pi), row.n, 1)
        << row.alpha << " " << row.power << " " << row.effect;
}

TEST(SampleSize, of_ranks_matches_the_wilcoxon_mann_whitney_test) {
  // By asymptotic relative efficiency to the t test, the usual convention: 64 * pi / 3 = 67.
  EXPECT_EQ(std::ceil(sample_size(0.5, 0.05, 0.8)), 67);
}

TEST(VisibleChange, exceeds_the_threshold_and_grows_with_the_table) {
  const ComparisonPlan plan{.processes = 20, .sigma = 0.01};
  const double alone = *detectable_change(plan);
  ComparisonPlan table = plan;
  table.table = 100;
  ComparisonPlan threshold = plan;
  threshold.threshold = 0.01;
  EXPECT_GT(*detectable_change(table), alone);
  EXPECT_NEAR(std::log1p(*detectable_change(threshold)), std::log1p(alone) + std::log1p(0.01), 1e-12);
}

TEST(VisibleChange, is_none_if_too_few_processes_cannot_reach_alpha) {
  EXPECT_FALSE(detectable_change({.processes = 7, .sigma = 0.01, .table = 100}));  // 2 / C(14, 7) = 0.00058 > 0.0005
  EXPECT_TRUE(detectable_change({.processes = 8, .sigma = 0.01, .table = 100}));
  EXPECT_FALSE(detectable_change({.processes = 1, .sigma = 0.01}));
  EXPECT_FALSE(detectable_change({.processes = 0, .sigma = 0.01}));
}

TEST(ProcessesFor, are_the_minimum_that_detects_the_change) {
  for (const double change : {0.005, 0.02, 0.1}) {
    ComparisonPlan plan{.sigma = 0.01, .table = 30, .threshold = 0.002};
    const std::size_t enough = processes_for(change, plan).value();
    plan.processes = enough;
    EXPECT_LE(*detectable_change(plan), change);
    plan.processes = enough - 1;
    const auto fewer = detectable_change(plan);
    EXPECT_TRUE(!fewer || *fewer > change) << change;
  }
  EXPECT_FALSE(processes_for(0.001, {.sigma = 0.01, .threshold = 0.002}));
}

TEST(ProcessesToDecide, grow_as_the_ratio_approaches_the_threshold) {
  const ComparisonPlan plan{.sigma = 0.01, .table = 10, .threshold = 0.01};
  const auto needed = [&](double ratio) { return processes_to_decide(ratio, plan).value_or(kMostProcesses + 1); };
  EXPECT_LT(needed(1.05), needed(1.02));
  EXPECT_LT(needed(1.02), needed(1.012));
  EXPECT_LT(needed(1.0), needed(1.005));
  EXPECT_EQ(needed(1.02), needed(1 / 1.02));
  EXPECT_EQ(needed(1.01), kMostProcesses + 1);
}

TEST(LeastSeen, is_the_smallest_change_that_these_values_would_have_shown) {
  // Two arms of one truth, of which one is then made slower, or faster, by a little less and a little more than that.
  std::vector<Datum> base, head;
  for (int i = 0; i < 8; ++i) {
    base.push_back({0, 100.0 + (i * 5 % 8)});
    head.push_back({0, 101.0 + (i * 3 % 8)});
  }
  const double detectable = detectable_change(*BlockedArms(base, head).interval(0.05));
  const auto p_after = [&](double factor) {
    std::vector<Datum> changed = head;
    for (Datum& datum : changed) datum.value *= factor;
    return BlockedArms(base, changed).p_value();
  };
  for (const double factor : {1 + 1.01 * detectable, 1 / (1 + 1.01 * detectable)})
    EXPECT_LE(p_after(factor), 0.05) << factor;
  // One of the two directions is the harder one.
  EXPECT_GT(std::max(p_after(1 + 0.99 * detectable), p_after(1 / (1 + 0.99 * detectable))), 0.05);
  EXPECT_NEAR(detectable_change(Interval{0.18, 1.35}), 1 / 0.18 - 1, 1e-12);
  EXPECT_NEAR(detectable_change(Interval{1.8, 2.2}, 2), 2 / 1.8 - 1, 1e-12);
}

}  // namespace lab::stats
