#include "harness/stats/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "harness/base/random.h"

namespace lab::stats {

namespace {

/// A level with noise of sigma 1 that is nearly normal.
std::vector<double> noisy(std::size_t count, double level, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count, level);
  for (double& value : values)
    for (int i = 0; i < 12; ++i) value += static_cast<double>(random.below(1 << 20)) * 0x1p-20 - 0.5;
  return values;
}

std::vector<double> steps(std::initializer_list<std::pair<std::size_t, double>> levels, std::uint64_t seed) {
  std::vector<double> all;
  for (const auto& [count, level] : levels) {
    const std::vector<double> part = noisy(count, level, ++seed);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST(ChangePoints, are_absent_from_unchanged_series) {
  EXPECT_TRUE(find_change_points(noisy(100, 100, 1)).empty());
  EXPECT_TRUE(find_change_points({}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>{1}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>(1000, 5)).empty());
}

TEST(ChangePoints, have_intervals_that_contain_the_ratio_whatever_the_noise) {
  std::mt19937 random(21);
  std::normal_distribution<double> normal(0, 1);
  double last = 0;
  const auto covered = [](auto&& noise) {
    int found = 0, right = 0;
    for (int round = 0; round < 120; ++round) {
      const double step = round % 2 == 0 ? 6 : -6;
      std::vector<double> values;
      for (std::size_t i = 0; i < 65; ++i) values.push_back(1000 + noise() + (i >= 60 ? step : 0));
      for (const ChangePoint& point : find_change_points(values))
        if (point.detected_at >= 60 && point.ratio) {
          ++found;
          right += point.ratio->low * point.before <= point.before + step &&
                   point.ratio->high * point.before >= point.before + step;
          break;
        }
    }
    EXPECT_GT(found, 40);
    return static_cast<double>(right) / found;
  };
  EXPECT_GE(covered([&] { return normal(random); }), 0.93);
  EXPECT_GE(covered([&] { return 2 * std::exp(0.9 * normal(random)); }), 0.91) << "skewed";
  EXPECT_GE(covered([&] { return last = 0.5 * last + std::sqrt(0.75) * normal(random); }), 0.93) << "autocorrelated";
}

TEST(ChangePointDetector, goes_on_from_a_state_exactly_as_if_it_had_seen_all_points) {
  std::mt19937 random(23);
  std::normal_distribution<double> normal(0, 1);
  double last = 0;
  const auto gauss = [&] { return normal(random); };
  const auto skewed = [&] { return std::exp(0.9 * normal(random)); };
  const auto waves = [&] { return last = 0.6 * last + 0.8 * normal(random); };
  const auto outliers = [&] { return normal(random) + (random() % 14 == 0 ? 30 : 0); };
  const auto switching = [&] { return 0.2 * normal(random) + (random() % 4 == 0 ? 7 : 0); };
  const auto ties = [&] { return random() % 9 == 0 ? std::round(2 * normal(random)) : 0; };
  const std::vector<std::vector<std::pair<std::size_t, double>>> kinds{{{150, 100}},
                                                                       {{60, 100}, {90, 112}},
                                                                       {{70, 100}, {8, 120}, {18, 90}, {64, 110}},
                                                                       {{30, 100}, {45, 92}, {75, 95}}};
  const SharedNoise narrow{0.1, 0.4, 60, {-2, -1, -0.3, 0.3, 1, 2}}, wide{0.4, 2.5, 150, {-1.5, 0, 1.5}};
  const std::vector<std::vector<WatchedFrom>> contexts{
      {},
      {{0, {200, narrow}}},
      {{16, {12, {}}}, {20, {12, narrow}}, {26, {80, wide}}, {62, {80, {}}}, {103, {300, wide}}}};
  std::size_t alarms = 0, levels_that_looking_back_found = 0, shapes = 0;
  const auto try_noise = [&](auto&& noise, const auto& kind, const std::vector<WatchedFrom>& watched) {
    std::vector<double> values;
    for (const auto& [count, level] : kind)
      for (std::size_t i = 0; i < count; ++i) values.push_back(level + noise());
    std::vector<DetectorState> states;
    ChangePointDetector replayed;
    for (std::size_t count = 0; count <= values.size(); ++count) {
      watch(replayed, std::span(values).first(count), watched);
      states.push_back(replayed.state());
      shapes += states.back().level.carried.count > 0;
      levels_that_looking_back_found += states.back().level != states.back().alarmed;
    }
    alarms += states.back().found.size();
    for (std::size_t count = 0; count <= values.size(); ++count) {
      ChangePointDetector resumed(values, watched, states[count]);
      ASSERT_EQ(resumed.size(), count);
      ASSERT_EQ(resumed.state(), states[count]);
      if (count % 50 == 49) {
        ChangePointDetector anew;
        watch(anew, std::span(values).first(count), watched);
        ASSERT_EQ(resumed.detectable_step(count / 2), anew.detectable_step(count / 2)) << count;
      }
      const std::size_t end = count % 20 == 0 ? values.size() : std::min(values.size(), count + 4);
      for (std::size_t more = count + 1; more <= end; ++more) {
        watch(resumed, std::span(values).first(more), watched);
        ASSERT_EQ(resumed.state(), states[more]) << count << " and " << more;
      }
    }
  };
  for (const auto& kind : kinds)
    for (const std::vector<WatchedFrom>& watched : contexts) {
      try_noise(gauss, kind, watched);
      try_noise(skewed, kind, watched);
      try_noise(waves, kind, watched);
      try_noise(outliers, kind, watched);
      try_noise(switching, kind, watched);
      try_noise(ties, kind, watched);
    }
  EXPECT_GT(alarms, 60U);
  EXPECT_GT(levels_that_looking_back_found, 50U);
  EXPECT_GT(shapes, 1000U);
}

TEST(DetectableStep, is_alarmed_in_most_cases_whatever_the_age_of_the_level) {
  std::mt19937 random(22);
  std::normal_distribution<double> normal(0, 1);
  double before = 1e9;
  for (const std::size_t nights : {18, 35, 90}) {
    int alarmed = 0, tried = 0;
    double sum = 0;
    for (int round = 0; round < 60; ++round) {
      ChangePointDetector detector;
      for (std::size_t i = 0; i < nights; ++i) detector.add(100 + normal(random));
      const std::optional<double> step = detector.detectable_step(0);
      if (!step || !detector.change_points().empty()) continue;
      ++tried;
      sum += *step;
      bool any = false;
      for (std::size_t i = 0; i < ChangePointDetector::kPlain; ++i)
        any = detector.add(100 + normal(random) + (round % 2 == 0 ? *step : -*step)) || any;
      alarmed += any;
    }
    ASSERT_GT(tried, 55);
    EXPECT_GE(static_cast<double>(alarmed) / tried, 0.7) << nights;
    EXPECT_LT(sum / tried, before) << nights;
    before = sum / tried;
  }
}

TEST(DetectableStep, is_none_of_a_young_level_and_nothing_without_noise) {
  ChangePointDetector detector;
  for (int i = 0; i < 14; ++i) detector.add(5);
  EXPECT_FALSE(detector.detectable_step(0));
  detector.add(5);
  EXPECT_EQ(detector.detectable_step(0), 0);
  EXPECT_FALSE(detector.detectable_step(1));
}

TEST(ChangePoints, have_index_detection_ratio_and_confidence) {
  const std::vector<ChangePoint> found = find_change_points(steps({{50, 100}, {50, 105}}, 3));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 50U);
  EXPECT_LT(found[0].detected_at, 55U);
  EXPECT_NEAR(found[0].before, 100, 0.5);
  EXPECT_NEAR(found[0].after, 105, 1.5);
  ASSERT_TRUE(found[0].ratio);
  EXPECT_DOUBLE_EQ(found[0].ratio->value, found[0].after / found[0].before);
  EXPECT_LT(found[0].ratio->low, 1.05);
  EXPECT_GT(found[0].ratio->high, 1.05);
  EXPECT_GE(found[0].confidence, 0.98);
  EXPECT_LT(found[0].confidence, 1);
}

TEST(ChangePoints, of_a_prefix_are_those_known_at_its_end) {
  const std::vector<double> values = steps({{40, 100}, {9, 106}, {40, 100}, {150, 103}, {30, 92}}, 5);
  ChangePointDetector detector;
  const std::vector<ChangePoint> all = find_change_points(values);
  EXPECT_GE(all.size(), 4U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t before = detector.change_points().size();
    const bool alarm = detector.add(values[i]);
    EXPECT_EQ(alarm, detector.change_points().size() > before);
    EXPECT_EQ(detector.change_points(), find_change_points(std::span(values).first(i + 1))) << i;
    for (const ChangePoint& point : detector.change_points()) EXPECT_LE(point.detected_at, i);
  }
  EXPECT_EQ(detector.change_points(), all);
}

TEST(ChangePoints, include_the_step_back_and_each_step_once) {
  const std::vector<ChangePoint> found = find_change_points(steps({{60, 100}, {12, 108}, {60, 100}}, 17));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].index, 60U);
  EXPECT_EQ(found[1].index, 72U);
  EXPECT_GT(found[0].after, found[0].before);
  EXPECT_LT(found[1].after, found[1].before);
}

TEST(ChangePoints, are_not_raised_by_one_or_two_outliers_in_a_row) {
  std::vector<double> values = noisy(100, 100, 23);
  for (const std::size_t at : {20, 40, 60, 61, 80, 90}) values[at] += 30;
  EXPECT_TRUE(find_change_points(values).empty());
}

TEST(ChangePoints, of_constants_are_found_within_three_points) {
  for (const double to : {7.0000001, 6.0, 1e9, 0.0, -7.0}) {
    const std::vector<ChangePoint> found =
        find_change_points(joined(std::vector<double>(50, 7), std::vector<double>(30, to)));
    ASSERT_EQ(found.size(), 1U) << to;
    EXPECT_EQ(found[0].index, 50U) << to;
    EXPECT_LT(found[0].detected_at, 53U) << to;
    EXPECT_DOUBLE_EQ(found[0].before, 7);
    EXPECT_NEAR(found[0].after, to, 1e-6);
    EXPECT_EQ(found[0].ratio.has_value(), to > 0);
  }
}

TEST(ChangePoints, of_a_constant_are_found_after_the_shortest_baseline) {
  for (const auto& [from, to] : {std::pair{50.0, 100.0}, {100.0, 50.0}, {50.0, 50.0005}, {0.0, 1.0}}) {
    const std::vector<ChangePoint> found = find_change_points(
        joined(std::vector<double>(ChangePointDetector::kFewest, from), std::vector<double>(15, to)));
    ASSERT_EQ(found.size(), 1U) << to;
    EXPECT_EQ(found[0].index, ChangePointDetector::kFewest) << to;
    EXPECT_EQ(found[0].detected_at, ChangePointDetector::kFewest + ChangePointDetector::kShortest - 1) << to;
    EXPECT_DOUBLE_EQ(found[0].before, from);
    EXPECT_NEAR(found[0].after, to, 1e-6);
  }
}

TEST(ChangePoints, of_a_constant_are_not_raised_by_rounding_new_noise_or_outliers) {
  const std::vector<double> constant(ChangePointDetector::kFewest, 50);
  EXPECT_TRUE(find_change_points(joined(constant, std::vector<double>(15, 50 + 1e-12))).empty());
  EXPECT_TRUE(find_change_points(joined(constant, {50.1, 50.3, 50.2, 50.05, 50.4, 49.9, 50.1, 49.8})).empty());
  EXPECT_TRUE(find_change_points(joined(constant, {50.1, 54.9, 54.5, 53, 54})).empty());
  EXPECT_FALSE(find_change_points(joined(constant, {55, 56, 58})).empty());
  for (const std::size_t outliers : {1, 2}) {
    const std::vector<double> out = joined(constant, std::vector<double>(outliers, 100));
    EXPECT_TRUE(find_change_points(joined(out, std::vector<double>(20, 50))).empty()) << outliers;
  }
  std::vector<double> ticks;  // a clock that counts in whole numbers
  for (const double value : noisy(100, 0, 51)) ticks.push_back(50 + std::round(0.3 * value));
  EXPECT_TRUE(find_change_points(ticks).empty());
}

TEST(ChangePoints, of_a_constant_are_found_beside_a_few_outliers) {
  for (const std::size_t count : {25u, 60u, 110u}) {
    std::vector<double> values(count, 100);
    values[count / 2] = 150;
    EXPECT_TRUE(find_change_points(values).empty()) << count;
    values.insert(values.end(), 20, 106);
    const std::vector<ChangePoint> found = find_change_points(values);
    ASSERT_EQ(found.size(), 1u) << count;
    EXPECT_EQ(found[0].index, count);
    EXPECT_LT(found[0].detected_at, count + ChangePointDetector::kPlain);
    ASSERT_TRUE(found[0].ratio);
    EXPECT_NEAR(found[0].ratio->low, 1.06, 1e-6);
    EXPECT_NEAR(found[0].ratio->high, 1.06, 1e-6);
  }
}

TEST(ChangePoints, of_a_constant_with_a_third_outlier_in_a_row_or_many_are_as_those_of_noise) {
  std::vector<double> values;
  for (int i = 0; i < 80; ++i) values.push_back(i % 8 == 5 || i % 11 == 3 ? 150 : 100);
  EXPECT_TRUE(find_change_points(values).empty());
  std::vector<double> rare(120, 100);
  for (const std::size_t at : {30u, 31u, 70u}) rare[at] = 150;
  EXPECT_TRUE(find_change_points(rare).empty());
}

TEST(ChangePoints, of_a_series_that_is_too_young_may_be_missing) {
  const std::size_t enough = ChangePointDetector::kEnough, baseline = ChangePointDetector::kFewest;
  EXPECT_EQ(points_missing(0), enough);
  EXPECT_EQ(points_missing(enough - 1), 1U);
  EXPECT_EQ(points_missing(enough), 0U);
  EXPECT_EQ(points_missing(1000), 0U);
  const std::vector<double> step = steps({{baseline, 50}, {enough - baseline, 90}}, 7);
  EXPECT_EQ(find_change_points(step).size(), 1U);
  EXPECT_TRUE(find_change_points(std::span(step).first(baseline + 2)).empty());
}

TEST(ChangePoints, do_not_depend_on_unit_or_direction) {
  const std::vector<double> values = steps({{50, 100}, {50, 105}}, 29);
  const std::vector<ChangePoint> plain = find_change_points(values);
  for (const auto& [factor, offset] : {std::pair{1e-9, 0.0}, {1e12, 0.0}, {-1.0, 0.0}, {1.0, -100.0}}) {
    std::vector<double> other;
    for (const double value : values) other.push_back(factor * value + offset);
    const std::vector<ChangePoint> found = find_change_points(other);
    ASSERT_EQ(found.size(), plain.size());
    EXPECT_EQ(found[0].index, plain[0].index);
    EXPECT_EQ(found[0].detected_at, plain[0].detected_at);
    EXPECT_NEAR(found[0].after, factor * plain[0].after + offset, 1e-6 * std::abs(factor) * 100);
  }
}

TEST(ChangePoints, are_finite_for_the_smallest_and_largest_values) {
  for (const auto& [from, to] : {std::pair{5e-324, 1e150}, {-1e150, 1e150}, {0.0, 5e-324}, {1e-150, 3e-150}}) {
    std::vector<double> values(40, from);
    for (std::size_t i = 0; i < 40; i += 3) values[i] = from / 2;
    values.insert(values.end(), 10, to);
    values.insert(values.end(), 10, from);
    const std::vector<ChangePoint> found = find_change_points(values);
    for (const ChangePoint& point : found) {
      EXPECT_TRUE(std::isfinite(point.before) && std::isfinite(point.after));
      EXPECT_TRUE(!point.ratio || std::isfinite(point.ratio->high));
      EXPECT_GE(point.confidence, 0.98);
    }
  }
}

TEST(ChangePoints, need_a_complete_baseline) {
  const std::size_t fewest = ChangePointDetector::kFewest;
  EXPECT_TRUE(find_change_points(steps({{fewest - 2, 100}, {3, 120}}, 31)).empty());
  EXPECT_EQ(find_change_points(steps({{fewest + 5, 100}, {8, 120}}, 31)).size(), 1U);
  // Points before the longest baseline have no effect: the same end, the same alarm.
  const std::vector<double> end = steps({{400, 100}, {10, 105}}, 37);
  const std::vector<ChangePoint> late = find_change_points(joined(noisy(1000, 100, 41), end));
  ASSERT_EQ(late.size(), find_change_points(end).size());
  EXPECT_EQ(late.back().index, 1400U);
}

TEST(ChangePoints, have_a_higher_threshold_if_many_series_are_watched) {
  std::size_t alone = 0, together = 0;
  for (std::uint64_t seed = 100; seed < 200; ++seed) {
    const std::vector<double> values = steps({{30, 100}, {4, 102.5}}, 1000 * seed);
    const std::vector<ChangePoint> one = find_change_points(values), many = find_change_points(values, {1000, {}});
    ASSERT_LE(many.size(), one.size());
    for (const ChangePoint& point : many) EXPECT_LT(point.confidence, one.front().confidence);
    alone += one.size();
    together += many.size();
  }
  EXPECT_LT(together, alone);
}

TEST(ChangePoints, are_found_earlier_if_similar_series_are_not_autocorrelated) {
  std::size_t unknown = 0, known = 0, wandering = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<double> values = steps({{20, 100}, {6, 103}}, 1000 * seed);
    unknown += find_change_points(values).size();
    known += find_change_points(values, {1, SharedNoise{0, 1, 1, {}}}).size();
    wandering += find_change_points(values, {1, SharedNoise{0.7, 1, 1, {}}}).size();
  }
  EXPECT_GT(known, unknown);
  EXPECT_LT(wandering, known);
}

TEST(SharedNoise, has_the_median_autocorrelation_of_all_series) {
  std::vector<std::vector<double>> all;
  for (std::uint64_t seed = 0; seed < 40; ++seed) all.push_back(noisy(20, 100, 1000 * seed));
  EXPECT_NEAR(shared_noise(all)->autocorrelation, 0, 0.1);
  for (std::vector<double>& values : all)
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = 50 + 0.5 * values[i - 1] + 0.87 * (values[i] - 100);
  EXPECT_NEAR(shared_noise(all)->autocorrelation, 0.4, 0.1);  // of 20 points, 0.5 is underestimated
  EXPECT_FALSE(shared_noise(std::vector<std::vector<double>>{{1, 2, 3}}));
}

TEST(SharedNoise, is_worth_the_more_the_less_the_series_differ_in_sigma) {
  double last_worth = 1000;
  for (const double spread : {0.0, 0.5, 2.0}) {
    std::vector<std::vector<double>> all;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      all.push_back(noisy(20, 0, 1000 * seed));
      for (double& x : all.back()) x *= std::exp(seed % 2 == 0 ? spread : -spread);
    }
    all.emplace_back(30, 5.0);  // a constant has no noise to share
    const SharedNoise shared = *shared_noise(all);
    EXPECT_LT(shared.worth, last_worth) << spread;
    EXPECT_TRUE(std::ranges::is_sorted(shared.shape));
    last_worth = shared.worth;
    EXPECT_EQ(shared.shape.size(), spread == 0 ? 6u : spread == 2 ? 0u : shared.shape.size());
    if (spread == 0) {
      EXPECT_NEAR(shared.sigma, 1, 0.2);
    }
  }
}

TEST(SharedNoise, finds_steps_of_young_series_and_changes_neither_old_ones_nor_constants) {
  std::vector<std::vector<double>> all;
  for (std::uint64_t seed = 500; seed < 700; ++seed) all.push_back(noisy(20, 100, 1000 * seed));
  const SharedNoise shared = *shared_noise(all);
  const SharedNoise autocorrelation{shared.autocorrelation, shared.sigma, shared.worth, {}};
  std::size_t alone = 0, together = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<double> young = steps({{20, 100}, {6, 103}}, 1000 * seed);
    alone += find_change_points(young, {200, autocorrelation}).size();
    together += find_change_points(young, {200, shared}).size();
    const std::vector<double> old = steps({{70, 100}, {6, 104}}, 1000 * seed);
    EXPECT_EQ(find_change_points(old, {200, shared}), find_change_points(old, {200, autocorrelation}));
  }
  EXPECT_GT(together, alone);
  const std::vector<double> constant = joined(std::vector<double>(20, 100.0), std::vector<double>(6, 110.0));
  EXPECT_EQ(find_change_points(constant, {200, shared}), find_change_points(constant, {200, autocorrelation}));
}

TEST(ChangePoints, of_a_plain_step_are_not_hidden_by_early_outliers) {
  for (std::uint64_t seed = 60; seed < 80; ++seed) {
    std::vector<double> values = steps({{32, 100}, {6, 120}}, 1000 * seed);
    values[3] += 40;
    values[9] -= 40;
    const std::vector<ChangePoint> found = find_change_points(values);
    ASSERT_EQ(found.size(), 1U) << seed;
    EXPECT_EQ(found[0].index, 32U);
  }
}

TEST(ChangePoints, are_found_soon_after_a_spell_in_the_first_nights) {
  std::size_t found = 0;
  for (std::uint64_t seed = 80; seed < 100; ++seed)
    for (const ChangePoint& point : find_change_points(steps({{3, 100}, {8, 108}, {29, 100}, {6, 108}}, 1000 * seed)))
      found += point.index >= 39 && point.index <= 41;
  EXPECT_GE(found, 15U);
}

TEST(ChangePoints, a_large_step_in_a_young_series_is_found_by_its_fifth_point) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1);
  for (const std::size_t before : {16, 20, 25, 40}) {
    for (const double step : {-12.0, 12.0, 100.0}) {
      for (int series = 0; series < 20; ++series) {
        std::vector<double> values;
        for (std::size_t i = 0; i < before + 30; ++i) values.push_back(1000 + noise(random) + (i < before ? 0 : step));
        const std::vector<ChangePoint> found = find_change_points(values);
        ASSERT_EQ(found.size(), 1u) << before << " points, then " << step;
        EXPECT_GE(found[0].index, before);
        EXPECT_LE(found[0].index, before + 1);
        EXPECT_LE(found[0].detected_at, before + 4);
      }
    }
  }
}

}  // namespace lab::stats
