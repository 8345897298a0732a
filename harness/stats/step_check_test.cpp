#include "harness/stats/step_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lab::stats {

namespace {

constexpr double kNeeded = 1 / 0.007;

/// A machine in one of three states, which last 15 measurements on average, beside noise of 1 %.
struct Machine {
  std::mt19937_64 random;
  double state = 0;
  double measure(double log_level) {
    if (std::uniform_real_distribution<double>()(random) < 1.0 / 15)
      state = 0.2 * static_cast<double>(std::uniform_int_distribution<int>(0, 2)(random));
    return log_level + state + std::normal_distribution<double>(0, 0.01)(random);
  }
  /// log(after / before), measured in an order that a coin decides.
  double pair(double step) {
    const bool after_first = std::bernoulli_distribution()(random);
    const double first = measure(after_first ? step : 0), second = measure(after_first ? 0 : step);
    return after_first ? first - second : second - first;
  }
};

}  // namespace

TEST(PairedCheck, confirms_a_step_after_eight_pairs_of_equal_sign) {
  PairedCheck check;
  for (int i = 0; i < 7; ++i) check.add(0.04 + 0.001 * i);
  EXPECT_FALSE(check.confirms(0.04, kNeeded));
  check.add(0.04);
  EXPECT_TRUE(check.confirms(0.04, kNeeded));
  EXPECT_FALSE(check.confirms(-0.04, kNeeded));
}

TEST(PairedCheck, confirms_no_difference_that_is_much_smaller_than_the_claim) {
  PairedCheck check;
  for (int i = 0; i < 20; ++i) check.add(0.004);
  EXPECT_TRUE(check.confirms(0.005, kNeeded));
  EXPECT_FALSE(check.confirms(0.04, kNeeded));
}

TEST(PairedCheck, counts_equal_values_as_nothing) {
  PairedCheck check;
  for (int i = 0; i < 50; ++i) check.add(0);
  EXPECT_EQ(check.evidence(true), 1);
  EXPECT_FALSE(check.confirms(0.04, kNeeded));
}

TEST(PairedCheck, confirms_what_is_not_there_as_rarely_as_it_says_whatever_the_machine_does) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Machine machine{std::mt19937_64(seed)};
    PairedCheck check;
    for (int i = 0; i < 60; ++i) check.add(machine.pair(0));
    wrong += check.evidence(true) >= kNeeded;
  }
  // 14 are allowed; three standard deviations more.
  EXPECT_LE(wrong, 25);
}

TEST(PairedCheck, confirms_a_step_on_a_machine_that_changes_by_five_times_as_much) {
  int confirmed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine{std::mt19937_64(seed)};
    PairedCheck check;
    while (check.pairs() < 40 && !check.confirms(0.04, kNeeded)) check.add(machine.pair(0.04));
    confirmed += check.confirms(0.04, kNeeded);
  }
  EXPECT_GE(confirmed, 18);
}

TEST(Sequence, is_evidence_if_the_level_changes_only_with_the_commit) {
  std::vector<TimedValue> values;
  for (const std::size_t commit : {0u, 40u, 40u, 0u, 0u, 40u, 20u, 30u, 25u, 20u, 25u, 0u, 22u, 21u, 20u, 21u})
    values.push_back({commit, (commit >= 21 ? 0.1 : 0) + 0.001 * static_cast<double>(values.size() % 3)});
  const std::vector<LevelStep> steps{{21, 0.1}};
  EXPECT_GT(evidence_of_sequence(values, steps, 0, 40), kNeeded);
  // One change without a commit.
  values.push_back({21, 0});
  EXPECT_EQ(evidence_of_sequence(values, steps, 0, 40), 1);
}

TEST(Sequence, is_no_evidence_if_a_machine_could_have_changed_once) {
  // All of one side were measured first.
  std::vector<TimedValue> values;
  for (std::size_t i = 0; i < 40; ++i) values.push_back({i < 20 ? 0u : 1u, i < 20 ? 0 : 0.1});
  EXPECT_EQ(evidence_of_sequence(values, std::vector<LevelStep>{{1, 0.1}}, 0, 1), 1);
}

}  // namespace lab::stats
