#include "harness/stats/sharp_steps.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace lab::stats {

namespace {

using Steps = std::vector<std::size_t>;

/// Levels (number of points and height) with normal noise of standard deviation 1.
std::vector<double> levels_of(const std::vector<std::pair<std::size_t, double>>& levels, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise;
  std::vector<double> values;
  for (const auto& [count, height] : levels)
    for (std::size_t i = 0; i < count; ++i) values.push_back(height + noise(random));
  return values;
}

}  // namespace

TEST(SharpSteps, are_found_where_they_are) {
  EXPECT_EQ(sharp_steps(levels_of({{30, 50}, {30, 60}, {30, 45}}, 1)), (Steps{30, 60}));
  EXPECT_EQ(sharp_steps(levels_of({{10, 50}, {20, 65}}, 2)), Steps{10});
}

TEST(SharpSteps, need_points_on_both_sides_and_a_distance) {
  for (const std::size_t count : {0, 1, 5, 9, 60})
    EXPECT_EQ(sharp_steps(levels_of({{count, 50}}, 3)), Steps{}) << count;
  EXPECT_EQ(sharp_steps(levels_of({{40, 50}, {2, 90}}, 4)), Steps{});
  EXPECT_EQ(sharp_steps(levels_of({{40, 50}, {2, 90}, {40, 50}}, 5)), Steps{});
  EXPECT_EQ(sharp_steps(levels_of({{40, 50}, {40, 51.5}}, 6)), Steps{});
}

TEST(SharpSteps, are_found_on_a_drift_and_beside_an_excursion) {
  std::vector<double> values = levels_of({{60, 50}, {60, 60}}, 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= 0.1 * static_cast<double>(i);
  EXPECT_EQ(sharp_steps(values), Steps{60});
  EXPECT_EQ(sharp_steps(levels_of({{30, 50}, {20, 60}, {6, 200}, {30, 60}}, 8)), (Steps{30, 50, 56}));
}

TEST(SharpSteps, are_not_hidden_by_many_others) {
  std::vector<std::pair<std::size_t, double>> levels;
  Steps expected;
  for (std::size_t i = 0; i < 12; ++i) {
    levels.emplace_back(16, i * i % 5 * 12);
    if (i > 0 && levels[i].second != levels[i - 1].second) expected.push_back(16 * i);
  }
  EXPECT_EQ(sharp_steps(levels_of(levels, 9)), expected);
}

TEST(SharpSteps, are_neither_waves_nor_outliers_nor_alternating_levels_nor_rounding) {
  std::mt19937 random(10);
  std::normal_distribution<double> noise;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> wave{0}, outliers, alternating;
    for (std::size_t i = 0; i < 100; ++i) {
      wave.push_back(0.7 * wave.back() + noise(random));
      outliers.push_back(noise(random) + (random() % 20 == 0 ? 15 : 0));
      alternating.push_back(noise(random) + (random() % 3 == 0 ? 5 : 0));
    }
    for (const std::vector<double>& values : {wave, outliers, alternating}) EXPECT_EQ(sharp_steps(values), Steps{});
  }
  std::vector<double> rounded(50, 0.3);
  rounded.insert(rounded.end(), 50, 0.1 + 0.2);
  EXPECT_EQ(sharp_steps(rounded), Steps{});
}

TEST(SharpSteps, need_more_evidence_on_request) {
  const std::vector<double> values = levels_of({{30, 50}, {30, 56}}, 11);
  EXPECT_EQ(sharp_steps(values), Steps{30});
  EXPECT_EQ(sharp_steps(values, 40), Steps{});
}

}  // namespace lab::stats
