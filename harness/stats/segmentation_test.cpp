#include "harness/stats/segmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace lab::stats {

namespace {

using Starts = std::vector<std::size_t>;

/// Levels (number of points and height) with normal noise of standard deviation 1.
std::vector<double> levels_of(const std::vector<std::pair<std::size_t, double>>& levels, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise;
  std::vector<double> values;
  for (const auto& [count, height] : levels)
    for (std::size_t i = 0; i < count; ++i) values.push_back(height + noise(random));
  return values;
}

/// Whether the levels begin at `starts`, two points more or less.
testing::AssertionResult begin_at(const Levels& levels, const Starts& starts) {
  bool equal = levels.starts.size() == starts.size();
  for (std::size_t i = 0; equal && i < starts.size(); ++i)
    equal = levels.starts[i] <= starts[i] + 2 && starts[i] <= levels.starts[i] + 2;
  return (equal ? testing::AssertionSuccess() : testing::AssertionFailure())
         << testing::PrintToString(levels.starts) << ", expected " << testing::PrintToString(starts);
}

}  // namespace

TEST(Segmentation, finds_one_level_in_noise) {
  for (const std::size_t count : {0, 1, 7, 8, 30, 100, 1500})
    EXPECT_TRUE(begin_at(find_levels(levels_of({{count, 50}}, 1)), {})) << count;
  EXPECT_TRUE(begin_at(find_levels(std::vector<double>(100, 3)), {}));
}

TEST(Segmentation, finds_steps_early_and_late_up_and_down) {
  EXPECT_TRUE(begin_at(find_levels(levels_of({{10, 50}, {30, 55}}, 2)), {10}));
  EXPECT_TRUE(begin_at(find_levels(levels_of({{60, 50}, {8, 43}}, 3)), {60}));
  EXPECT_TRUE(begin_at(find_levels(levels_of({{6, 50}, {6, 20}}, 4)), {6}));
}

TEST(Segmentation, finds_levels_that_no_single_division_shows) {
  EXPECT_TRUE(begin_at(find_levels(levels_of({{20, 50}, {20, 55}, {20, 60}, {20, 65}}, 5)), {20, 40, 60}));
  EXPECT_TRUE(begin_at(find_levels(levels_of({{25, 50}, {8, 56}, {30, 50}}, 6)), {25, 33}));
}

TEST(Segmentation, finds_as_many_levels_as_there_are) {
  for (const std::size_t steps : {13, 16, 40, 60}) {
    std::mt19937 random(static_cast<unsigned>(steps));
    std::vector<std::pair<std::size_t, double>> levels;
    Starts starts;
    double height = 100;
    for (std::size_t i = 0, at = 0; i <= steps; ++i) {
      const std::size_t count = 960 / (steps + 1) + random() % 3;
      levels.emplace_back(count, height);
      height += (random() % 3 == 0 ? -1 : 1) * (6 + static_cast<double>(random() % 4));
      if (at += count; i < steps) starts.push_back(at);
    }
    EXPECT_TRUE(begin_at(find_levels(levels_of(levels, 9)), starts)) << steps;
  }
}

TEST(Segmentation, of_any_series_has_levels_of_three_points_or_more) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<double> values(5 + random() % 150);
    double height = 0;
    for (double& value : values) {
      if (random() % 9 == 0) height = static_cast<double>(random() % 7) * 4;
      value = height + noise(random) * (random() % 20 == 0 ? 30 : 1);
    }
    std::size_t last = 0;
    for (const std::size_t start : find_levels(values).starts) {
      EXPECT_GE(start, last + kShortestLevel) << trial;
      last = start;
    }
    EXPECT_LE(last + kShortestLevel, values.size());
  }
}

TEST(Segmentation, does_not_depend_on_unit_and_direction) {
  const std::vector<double> values = levels_of({{30, 50}, {30, 54}}, 7);
  const Starts starts = find_levels(values).starts;
  ASSERT_EQ(starts.size(), 1u);
  for (const auto& [factor, offset] : {std::pair{1e-9, 0.0}, {1e12, 0.0}, {-1.0, 0.0}, {1.0, -100.0}}) {
    std::vector<double> other;
    for (const double value : values) other.push_back(factor * value + offset);
    EXPECT_EQ(find_levels(other).starts, starts);
  }
}

TEST(Segmentation, judges_constant_levels_by_their_step) {
  std::vector<double> values(15, 4096);
  values.insert(values.end(), 3, 8192);
  EXPECT_EQ(divisions(values).front().evidence, std::numeric_limits<double>::infinity());
  EXPECT_EQ(find_levels(values).starts, Starts{15});
  values.insert(values.end(), 20, 8192);
  EXPECT_EQ(find_levels(values).starts, Starts{15});
}

TEST(Segmentation, takes_neither_outliers_nor_wider_noise_for_levels) {
  std::vector<double> values = levels_of({{80, 50}}, 8);
  for (const std::size_t i : {11, 40, 41, 66}) values[i] += 15;
  EXPECT_TRUE(begin_at(find_levels(values), {}));
  values = levels_of({{100, 0}}, 9);
  for (std::size_t i = 50; i < values.size(); ++i) values[i] *= 2;
  EXPECT_TRUE(begin_at(find_levels(values), {}));
}

TEST(Segmentation, takes_a_straight_line_for_a_drift_and_finds_a_step_on_it) {
  std::vector<double> values = levels_of({{50, 50}, {50, 50}}, 14);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.05 * static_cast<double>(i);
  EXPECT_TRUE(find_levels(values).drifting);
  EXPECT_TRUE(begin_at(find_levels(values), {}));
  for (std::size_t i = 50; i < values.size(); ++i) values[i] += 12;
  EXPECT_FALSE(find_levels(values).drifting);
  EXPECT_TRUE(std::ranges::count(find_levels(values).starts, 50));
}

TEST(Segmentation, takes_a_line_that_begins_and_ends_for_levels) {
  std::vector<double> values = levels_of({{120, 50}}, 16);
  for (std::size_t step = 0; step < 12; ++step)
    for (std::size_t i = 30 + 5 * step; i < values.size(); ++i) values[i] += 0.5;
  EXPECT_FALSE(find_levels(values).drifting);
  EXPECT_FALSE(find_levels(values).starts.empty());
}

TEST(Segmentation, takes_a_straight_line_for_a_drift_despite_outliers) {
  std::size_t drifting = 0;
  for (unsigned seed = 40; seed < 60; ++seed) {
    std::vector<double> values = levels_of({{120, 50}}, seed);
    std::mt19937 random(seed);
    for (int outlier = 0; outlier < 6; ++outlier) values[random() % values.size()] += 15;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.05 * static_cast<double>(i);
    drifting += find_levels(values).drifting;
  }
  EXPECT_GE(drifting, 17U);
}

TEST(Segmentation, keeps_what_the_whole_series_shows_beside_a_step_that_stands_out) {
  // Before the last step, the points alone are too few to be sure of three others.
  std::size_t found = 0;
  for (unsigned seed = 40; seed < 60; ++seed) {
    const Levels levels = find_levels(levels_of({{14, 50}, {14, 52.5}, {14, 55}, {14, 57.5}, {60, 80}}, seed));
    for (const std::size_t start : {14, 28, 42})
      found +=
          std::ranges::any_of(levels.starts, [&](std::size_t one) { return one + 2 >= start && one <= start + 2; });
  }
  EXPECT_GE(found, 28U);
}

TEST(Segmentation, finds_a_step_beside_what_no_division_explains) {
  // A step, then waves that make the noise look autocorrelated.
  std::mt19937 random(17);
  std::normal_distribution<double> noise;
  std::vector<double> values = levels_of({{32, 50}}, 17);
  double wave = 0;
  for (std::size_t i = 0; i < 80; ++i) values.push_back(70 + (wave = 0.95 * wave + noise(random)));
  const Levels levels = find_levels(values);
  EXPECT_TRUE(std::ranges::count(levels.starts, 32)) << testing::PrintToString(levels.starts);
  EXPECT_TRUE(std::ranges::count(levels.sharp, 32));
}

TEST(Segmentation, leaves_out_a_change_that_is_smaller_than_the_noise) {
  std::vector<double> values = levels_of({{400, 50}, {400, 50.7}}, 19);
  EXPECT_GT(divisions(values).front().evidence, critical_evidence(values.size()));
  EXPECT_TRUE(begin_at(find_levels(values), {}));
}

TEST(Segmentation, keeps_levels_that_return_after_long_stays_with_a_short_visit) {
  EXPECT_TRUE(begin_at(find_levels(levels_of({{60, 50}, {60, 56}, {30, 50}, {2, 56}, {28, 50}, {60, 56}}, 18)),
                       {60, 120, 180}));
}

TEST(Segmentation, of_values_that_are_mostly_equal_needs_rare_ones_together) {
  for (std::size_t outlier = 0; outlier < 100; ++outlier) {
    std::vector<double> values(100, 50);
    values[outlier] = 60;
    EXPECT_TRUE(begin_at(find_levels(values), {})) << outlier;
  }
  std::vector<double> values(100, 50);
  for (const std::size_t i : {4, 20, 21, 23, 50, 77, 78, 91}) values[i] = 51;
  EXPECT_TRUE(begin_at(find_levels(values), {}));
  for (std::size_t i = 60; i < 100; ++i) values[i] = i % 9 == 0 ? 50 : 51;
  EXPECT_TRUE(begin_at(find_levels(values), {60}));
  for (std::size_t i = 0; i < 100; ++i) values[i] = i < 50 ? 0.3 : 0.1 + 0.2;  // not quite the same
  EXPECT_TRUE(begin_at(find_levels(values), {}));
}

TEST(Segmentation, keeps_levels_that_return_after_long_stays) {
  EXPECT_TRUE(begin_at(find_levels(levels_of({{20, 50}, {20, 56}, {20, 50}, {20, 56}}, 15)), {20, 40, 60}));
}

TEST(Segmentation, takes_a_wave_for_noise) {
  std::mt19937 random(10);
  std::normal_distribution<double> noise;
  std::vector<double> values{0};
  while (values.size() < 100) values.push_back(0.7 * values.back() + noise(random));
  EXPECT_TRUE(begin_at(find_levels(values), {}));
}

TEST(Segmentation, knows_a_series_that_switches_between_two_levels) {
  std::vector<std::pair<std::size_t, double>> stays;
  for (const std::size_t stay : {12, 9, 14, 8, 11, 16, 9, 13}) stays.push_back({stay, stays.size() % 2 == 0 ? 50 : 56});
  const Levels levels = find_levels(levels_of(stays, 11));
  EXPECT_TRUE(levels.switching);
  EXPECT_TRUE(begin_at(levels, {}));
  for (auto& [stay, height] : stays) height += 40;
  std::vector<std::pair<std::size_t, double>> higher(stays.begin(), stays.begin() + 4);
  for (auto& [stay, height] : higher) height -= 40;
  higher.insert(higher.end(), stays.begin(), stays.begin() + 4);
  const Levels both = find_levels(levels_of(higher, 12));
  EXPECT_TRUE(both.switching);
  EXPECT_TRUE(begin_at(both, {43}));
}

TEST(Segmentation, takes_one_change_with_visits_for_switching_but_not_scattered_values_of_the_other_level) {
  const Levels visited =
      find_levels(levels_of({{48, 105}, {4, 100}, {5, 105}, {15, 100}, {3, 105}, {2, 100}, {6, 105}, {17, 100}}, 11));
  EXPECT_TRUE(visited.switching);
  EXPECT_TRUE(begin_at(visited, {}));
  std::vector<double> scattered = levels_of({{48, 105}, {52, 100}}, 12);
  for (const std::size_t i : {10, 11, 20, 30, 41}) scattered[i] -= 5;
  for (const std::size_t i : {60, 71, 72, 90}) scattered[i] += 5;
  const Levels step = find_levels(scattered);
  EXPECT_FALSE(step.switching);
  EXPECT_TRUE(begin_at(step, {48}));
}

TEST(Segmentation, needs_less_evidence_in_longer_series) {
  EXPECT_EQ(critical_evidence(10), critical_evidence(1));
  EXPECT_EQ(critical_evidence(100), 20.5);
  for (std::size_t count = 1; count < 2000; ++count)
    EXPECT_LE(critical_evidence(count + 1), critical_evidence(count)) << count;
  EXPECT_EQ(critical_evidence(5000), critical_evidence(1000));
}

TEST(Segmentation, leaves_out_the_oldest_points_of_a_long_series) {
  const std::vector<double> values = levels_of({{300, 20}, {900, 50}, {100, 56}}, 13);
  EXPECT_TRUE(begin_at(find_levels(values), {1200}) || begin_at(find_levels(values), {300, 1200}));
  EXPECT_TRUE(begin_at(find_levels(std::span(values).subspan(200)), {1000}) ||
              begin_at(find_levels(std::span(values).subspan(200)), {100, 1000}));
}

}  // namespace lab::stats
