#include "harness/stats/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
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

namespace {

constexpr double kSigma = 0.01;
constexpr std::size_t kProcesses = 14;
constexpr int kRounds = 400;

/// Two arms in one block, of which the second is `change` slower.
BlockedArms measured(std::mt19937& random, double change, std::size_t processes = kProcesses) {
  std::normal_distribution<double> noise(0, kSigma);
  std::vector<Datum> base, head;
  for (std::size_t i = 0; i < processes; ++i) {
    base.push_back({0, std::exp(noise(random)), 0});
    head.push_back({0, (1 + change) * std::exp(noise(random)), 0});
  }
  return {base, head};
}

/// Within three standard deviations of kRounds cases.
constexpr double kNear = 0.06;

}  // namespace

TEST(DetectableChange, of_a_measurement_is_found_by_four_of_five_others) {
  std::mt19937 random(3);
  for (const double alpha : {0.05, 0.005}) {
    int found = 0;
    for (int round = 0; round < kRounds; ++round) {
      const BlockedArms arms = measured(random, 0);
      const double change = detectable_change(*arms.interval(alpha), arms.ratio(), alpha);
      found += measured(random, change).p_value() < alpha;
    }
    EXPECT_NEAR(static_cast<double>(found) / kRounds, kPower, kNear) << alpha;
  }
}

TEST(DetectableChange, of_a_plan_is_found_by_four_of_five_measurements) {
  std::mt19937 random(4);
  const ComparisonPlan plan{.processes = kProcesses, .sigma = kSigma};
  const double change = *detectable_change(plan);
  int found = 0;
  for (int round = 0; round < kRounds; ++round) found += measured(random, change).p_value() < plan.alpha;
  EXPECT_NEAR(static_cast<double>(found) / kRounds, kPower, kNear);
}

TEST(DetectableChange, reaches_beyond_the_farther_end_of_the_interval) {
  const double reach = 1 + 0.8416212 / 1.9599640;
  EXPECT_NEAR(detectable_change(Interval{0.18, 1.35}, 1, 0.05), std::pow(1 / 0.18, reach) - 1, 1e-5);
  EXPECT_NEAR(detectable_change(Interval{1.8, 2.2}, 2, 0.05), std::pow(2 / 1.8, reach) - 1, 1e-6);
  EXPECT_NEAR(detectable_change(Interval{1.8, 2.2}, 2, 0.05, 0.5), 2 / 1.8 - 1, 1e-6) << "found in half of all cases";
}

TEST(Same, is_the_verdict_of_four_of_five_unchanged_benchmarks_with_these_processes_or_this_threshold) {
  std::mt19937 random(5);
  const auto share_within = [&](double threshold, std::size_t processes) {
    int within = 0;
    for (int round = 0; round < kRounds; ++round) {
      const Interval interval = *measured(random, 0, processes).interval(0.05);
      within += interval.low > 1 / (1 + threshold) && interval.high < 1 + threshold;
    }
    return static_cast<double>(within) / kRounds;
  };
  ComparisonPlan plan{.processes = kProcesses, .sigma = kSigma};
  EXPECT_NEAR(share_within(*threshold_for_same(plan), kProcesses), kPower, kNear);
  plan.threshold = 0.012;
  EXPECT_NEAR(share_within(plan.threshold, *processes_to_decide(1, plan)), kPower, kNear);
  EXPECT_FALSE(threshold_for_same({.processes = 1, .sigma = kSigma}));
}

}  // namespace lab::stats
