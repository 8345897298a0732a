#include "harness/stats/step_check.h"

#include <gtest/gtest.h>

#include <array>
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

TEST(PairedCheck, does_not_count_the_offset_of_a_layout_twice) {
  constexpr int kLayouts = 16;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> offset(0, 0.01), noise(0, 0.001);
    std::array<double, kLayouts> offsets{};
    for (double& each : offsets) each = offset(random);
    PairedCheck check;
    for (int i = 0; i < 96; ++i)
      check.add(offsets[static_cast<std::size_t>(i % kLayouts)] + noise(random), 1 + i % kLayouts);
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

}  // namespace lab::stats
