#include "harness/stats/hindsight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lab::stats {

namespace {

std::vector<double> noise(std::size_t count, double level, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(level, sigma);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST(Hindsight, tells_each_change_with_its_levels_and_the_night_it_was_known) {
  const std::vector<double> values = joined(noise(12, 50, 1, 1), noise(50, 56, 1, 2));
  const Hindsight hindsight = look_back(values);
  ASSERT_EQ(hindsight.changes.size(), 1u);
  const HindsightChange& change = hindsight.changes.front();
  EXPECT_NEAR(static_cast<double>(change.index), 12, 1);
  EXPECT_NEAR(change.before, 50, 1);
  EXPECT_NEAR(change.after, 56, 1);
  EXPECT_GT(change.known_at, change.index);
  EXPECT_LT(change.known_at, 30u);
  // That night knew it, and no night before.
  EXPECT_EQ(look_back(std::span(values).first(change.known_at + 1)).changes.size(), 1u);
  EXPECT_TRUE(look_back(std::span(values).first(change.known_at)).changes.empty());
  EXPECT_TRUE(hindsight.noise.empty());
  EXPECT_FALSE(hindsight.switching);
}

TEST(Hindsight, is_sure_of_a_creep_in_many_small_steps) {
  std::size_t sure = 0;
  for (unsigned seed = 20; seed < 40; ++seed) {
    std::vector<double> values = noise(120, 100, 1, seed);
    for (std::size_t step = 0; step < 12; ++step)
      for (std::size_t i = 30 + 5 * step; i < values.size(); ++i) values[i] += 0.5;
    sure += !sure_starts(values, 200).empty();
  }
  EXPECT_GE(sure, 18U);
}

TEST(Hindsight, is_sure_of_a_creep_in_skewed_and_in_autocorrelated_noise) {
  std::size_t in_skewed = 0, in_autocorrelated = 0, without = 0;
  for (unsigned seed = 40; seed < 60; ++seed) {
    const std::vector<double> normal = noise(120, 0, 1, seed);
    std::vector<double> skewed, autocorrelated;
    for (const double one : normal) {
      skewed.push_back(std::exp(one));
      autocorrelated.push_back(one + (autocorrelated.empty() ? 0 : 0.5 * autocorrelated.back()));
    }
    without += !sure_starts(skewed, 200).empty() || !sure_starts(autocorrelated, 200).empty();
    for (std::size_t step = 0; step < 12; ++step)
      for (std::size_t i = 30 + 5 * step; i < normal.size(); ++i) {
        skewed[i] += 0.5;
        autocorrelated[i] += 0.58;
      }
    in_skewed += !sure_starts(skewed, 200).empty();
    in_autocorrelated += !sure_starts(autocorrelated, 200).empty();
  }
  EXPECT_GE(in_skewed, 17U);
  EXPECT_GE(in_autocorrelated, 15U);
  EXPECT_EQ(without, 0U);
}

TEST(Hindsight, calls_wider_noise_by_its_name) {
  const Hindsight hindsight = look_back(joined(noise(80, 50, 1, 3), noise(80, 50, 3, 4)));
  EXPECT_TRUE(hindsight.changes.empty());
  ASSERT_EQ(hindsight.noise.size(), 1u);
  EXPECT_NEAR(static_cast<double>(hindsight.noise[0].index), 80, 10);
  EXPECT_NEAR(hindsight.noise[0].ratio, 3, 0.8);
}

TEST(Hindsight, of_a_series_that_switches_has_no_changes) {
  std::vector<double> values;
  for (unsigned i = 0; i < 8; ++i) values = joined(values, noise(9 + i % 3, i % 2 == 0 ? 50 : 56, 1, 10 + i));
  const Hindsight hindsight = look_back(values);
  EXPECT_TRUE(hindsight.switching);
  EXPECT_TRUE(hindsight.changes.empty());
}

TEST(Hindsight, of_nothing_and_of_little_is_nothing) {
  for (const std::size_t count : {0, 1, 5, 12}) {
    const Hindsight hindsight = look_back(noise(count, 50, 1, 5));
    EXPECT_TRUE(hindsight.changes.empty() && hindsight.noise.empty() && !hindsight.switching) << count;
  }
}

}  // namespace lab::stats
