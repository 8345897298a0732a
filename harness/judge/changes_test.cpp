#include "harness/judge/changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lab::judge {

namespace {

using Words = std::vector<std::string>;

/// A series with noise of 1 %, `ratio` times slower from night `from` on.
class Made {
 public:
  explicit Made(std::size_t count, std::size_t from = 1000, double ratio = 1) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 0.01);
    for (std::size_t i = 0; i < count; ++i) {
      results::SeriesPoint point;
      point.started = fmt::format("night {}", i);
      point.commit = fmt::format("c{}", i);
      point.median = 100 * std::exp(noise(random)) * (i >= from ? ratio : 1);
      point.executable = fmt::format("x{}", i);
      point.exact = std::make_shared<results::ExactCounters>(results::ExactCounters{{"bytes", 64}});
      point.environment = std::make_shared<results::MeasurementEnvironment>(results::MeasurementEnvironment{
          {"kernel", "6.1"}, {"compiler", "GNU 12"}, {"pin fmt", "ab"}, {"governor", "performance"}, {kSeed, "1"}});
      points.push_back(point);
    }
  }
  void set_from(std::size_t from, const std::string& name, const std::string& value) {
    for (std::size_t i = from; i < points.size(); ++i) {
      results::MeasurementEnvironment changed = *points[i].environment;
      changed[name] = value;
      points[i].environment = std::make_shared<results::MeasurementEnvironment>(changed);
    }
  }
  void metric_from(std::size_t from, results::ExactCounters exact) {
    for (std::size_t i = from; i < points.size(); ++i)
      points[i].exact = std::make_shared<results::ExactCounters>(exact);
  }
  std::vector<results::SeriesPoint> points;
};

}  // namespace

TEST(Changes, do_not_exist_in_constant_noise) {
  EXPECT_TRUE(find_changes(Made(100).points).empty());
  EXPECT_TRUE(find_changes(Made(1).points).empty());
  EXPECT_TRUE(find_changes(std::vector<results::SeriesPoint>{}).empty());
}

TEST(Changes, a_slowdown_has_its_size_its_nights_and_its_commits) {
  const Made made(80, 60, 1.08);
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  const LevelChange& change = changes[0];
  EXPECT_EQ(change.index, 60U);
  EXPECT_LE(change.nights(), 5U);
  EXPECT_EQ(change.started, "night 60");
  EXPECT_NEAR(change.ratio, 1.08, 0.01);
  ASSERT_TRUE(change.interval);
  EXPECT_LT(change.interval->low, 1.08);
  EXPECT_GT(change.interval->high, 1.08);
  EXPECT_EQ(change.commits.from, "c59");
  EXPECT_EQ(change.commits.to, "c60");
  EXPECT_EQ(change.cause, "code");
  EXPECT_TRUE(change.is_code_regression());
}

namespace {

/// Nights whose times are exp(0.01 x), with x from `noise`, and a step of 6 at night 60.
template <typename Noise>
std::vector<results::SeriesPoint> stepped(Noise noise) {
  Made made(85);
  for (std::size_t i = 0; i < made.points.size(); ++i)
    made.points[i].median = 100 * std::exp(0.01 * (noise() + (i >= 60 ? 6 : 0)));
  return made.points;
}

/// The shares of found steps whose interval contains the true ratio.
template <typename Noise>
double covered(Noise noise) {
  int found = 0, right = 0;
  for (int round = 0; round < 80; ++round)
    for (const LevelChange& change : find_changes(stepped(noise)))
      if (change.index >= 57 && change.index <= 63 && change.interval) {
        ++found;
        right += change.interval->low <= std::exp(0.06) && change.interval->high >= std::exp(0.06);
        break;
      }
  EXPECT_GT(found, 60);
  return static_cast<double>(right) / found;
}

}  // namespace

TEST(Changes, have_intervals_that_contain_the_ratio_whatever_the_noise) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0, 1);
  std::student_t_distribution<double> heavy(3);
  double last = 0;
  EXPECT_GE(covered([&] { return normal(random); }), 0.92);
  EXPECT_GE(covered([&] { return std::exp(0.8 * normal(random)); }), 0.92) << "skewed";
  EXPECT_GE(covered([&] { return heavy(random); }), 0.92);
  EXPECT_GE(covered([&] { return last = 0.5 * last + std::sqrt(0.75) * normal(random); }), 0.88) << "autocorrelated";
}

TEST(Changes, a_prefix_of_the_nights_gives_the_same_changes_up_to_there) {
  const Made made(80, 60, 1.08);
  const std::size_t detected = find_changes(made.points).at(0).detected_at;
  EXPECT_TRUE(find_changes(std::span(made.points).first(detected)).empty());
  EXPECT_EQ(find_changes(std::span(made.points).first(detected + 1)).size(), 1U);
}

TEST(Changes, of_the_first_nights_are_seen_in_hindsight) {
  const Made made(60, 10, 1.06);
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(changes[0].in_hindsight);
  EXPECT_EQ(changes[0].index, 10U);
  EXPECT_LT(changes[0].detected_at, 30U);
  EXPECT_NEAR(changes[0].ratio, 1.06, 0.015);
  EXPECT_EQ(changes[0].commits.to, "c10");
  EXPECT_EQ(changes[0].cause, "code");
}

TEST(Changes, in_hindsight_of_a_young_series_leave_no_night_that_alarms_judge) {
  const Made made(14, 7, 1.3);
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  const JudgedRange judged = judged_of(made.points, changes);
  EXPECT_EQ(judged.nights_missing, 0U);
  EXPECT_EQ(judged.from, 14U);
}

TEST(Changes, after_a_change_of_the_first_nights_are_alarmed_with_their_own_level_before) {
  Made made(80, 10, 1.06);
  for (std::size_t i = 60; i < 80; ++i) made.points[i].median *= 1.08;
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_FALSE(changes[1].in_hindsight);
  EXPECT_EQ(changes[1].index, 60U);
  EXPECT_LT(changes[1].detected_at, 65U);
  EXPECT_NEAR(changes[1].ratio, 1.08, 0.01);
}

TEST(Changes, after_an_outlier_are_one_change) {
  for (const std::size_t before : {1, 2, 3, 4, 5}) {
    Made made(70, 50, 1.1);
    made.points[50 - before].median *= 1.2;
    const std::vector<LevelChange> changes = find_changes(made.points);
    ASSERT_EQ(changes.size(), 1U) << before << ": " << changes[0].index << " and " << changes.back().index << ", "
                                  << changes[0].ratio;
    EXPECT_NEAR(static_cast<double>(changes[0].index), 50, 1)
        << "one that is next to the step may belong to either level";
    ASSERT_TRUE(changes[0].interval);
    EXPECT_LE(changes[0].interval->low, changes[0].ratio);
    EXPECT_GE(changes[0].interval->high, changes[0].ratio);
    EXPECT_NEAR(changes[0].ratio, 1.1, 0.02);
  }
}

TEST(SmallestDetectable, step_shrinks_with_the_nights_and_is_alarmed_in_most_cases) {
  const auto after = [](std::size_t nights) { return smallest_detectable(Made(nights).points, {}).value(); };
  EXPECT_GT(after(20), after(100));
  EXPECT_FALSE(smallest_detectable(Made(14).points, {}));
  // In 1 % of normal noise, three sigma were said whatever the nights.
  EXPECT_GT(after(20), std::expm1(0.03));
  EXPECT_LT(after(100), std::expm1(0.03));
}

TEST(SmallestDetectable, step_is_larger_beside_other_series_and_of_the_last_level_and_seed_alone) {
  const std::vector<WatchedSince> contexts{{"night 0", {1000, std::nullopt}}};
  const Made made(60);
  EXPECT_GT(smallest_detectable(made.points, {}, contexts).value(), smallest_detectable(made.points, {}).value());
  Made seeds(60);
  seeds.set_from(50, kSeed, "2");
  EXPECT_FALSE(smallest_detectable(seeds.points, find_changes(seeds.points))) << "ten nights of the last seed";
  const Made changed(80, 70, 1.3);
  EXPECT_FALSE(smallest_detectable(changed.points, find_changes(changed.points))) << "ten nights of the last level";
}

TEST(Pattern, of_a_series_is_its_switching_and_its_noise) {
  Made made(100);
  EXPECT_FALSE(pattern_of(made.points).switching);
  EXPECT_FALSE(pattern_of(made.points).noise_at);
  for (std::size_t i = 50; i < 100; ++i) made.points[i].median = 100 * std::pow(made.points[i].median / 100, 3);
  ASSERT_TRUE(pattern_of(made.points).noise_at);
  EXPECT_NEAR(static_cast<double>(*pattern_of(made.points).noise_at), 50, 15);
  EXPECT_NEAR(pattern_of(made.points).noise_ratio, 3, 1);
  Made back_and_forth(100);
  for (std::size_t i = 0; i < 100; ++i)
    if (i / 11 % 2 == 1) back_and_forth.points[i].median *= 1.06;
  EXPECT_TRUE(pattern_of(back_and_forth.points).switching);
  EXPECT_TRUE(find_changes(back_and_forth.points).empty() || !find_changes(back_and_forth.points).front().in_hindsight);
  EXPECT_FALSE(pattern_of(std::vector<results::SeriesPoint>{}).switching);
}

TEST(Changes, faster_is_no_regression) {
  const std::vector<LevelChange> changes = find_changes(Made(80, 60, 0.92).points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_FALSE(changes[0].regressed());
  EXPECT_FALSE(changes[0].is_code_regression());
}

TEST(Changes, a_fact_that_changed_on_that_night_is_the_cause) {
  const std::vector<std::tuple<std::string, std::string, std::string, std::string>> table{
      {"processor", "new", "hardware", "processor none -> new"},
      {"cores", "4 of 8", "hardware", "cores none -> 4 of 8"},
      {"memory", "64 GiB", "hardware", "memory none -> 64 GiB"},
      {"gpus", "a card", "hardware", "gpus none -> a card"},
      {"host", "node2", "host", "host none -> node2"},
      {"kernel", "6.2", "kernel", "kernel 6.1 -> 6.2"},
      {"microcode", "0x2", "microcode", "microcode none -> 0x2"},
      {"compiler", "GNU 13", "toolchain", "compiler GNU 12 -> GNU 13"},
      {"pin gcc", "cd", "toolchain", "pin gcc none -> cd"},
      {"pin fmt", "cd", "pin", "pin fmt ab -> cd"},
      {"governor", "powersave", "settings", "governor performance -> powersave"},
  };
  for (const auto& [name, value, cause, sentence] : table) {
    Made made(80, 60, 1.08);
    made.set_from(60, name, value);
    const std::vector<LevelChange> changes = find_changes(made.points);
    ASSERT_EQ(changes.size(), 1U) << name;
    EXPECT_EQ(changes[0].cause, cause);
    EXPECT_EQ(changes[0].changed, Words{sentence});
    EXPECT_FALSE(changes[0].is_code_regression());
  }
}

TEST(Changes, of_facts_that_changed_together_name_the_one_that_tells_most) {
  Made made(80, 60, 1.08);
  for (const char* name : {"compiler", "host", "kernel", "processor"}) made.set_from(60, name, "new");
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].cause, "hardware");
  EXPECT_EQ(changes[0].changed.size(), 4U);
}

TEST(Changes, a_host_name_that_is_new_each_night_is_no_cause) {
  Made containers(80, 60, 1.08), two(80, 60, 1.08);
  for (std::size_t i = 0; i < 80; ++i) {
    containers.set_from(i, kHost, fmt::format("container{}", i));
    two.set_from(i, kHost, i % 2 == 0 ? "a" : "b");
  }
  for (const Made* made : {&containers, &two}) {
    EXPECT_EQ(find_changes(made->points).at(0).cause, "code");
    EXPECT_TRUE(find_changes(made->points).at(0).changed.empty());
  }
  EXPECT_TRUE(hosts_of(containers.points).empty());
}

TEST(Hosts, are_those_that_took_turns) {
  Made made(6, 6, 1);
  EXPECT_TRUE(hosts_of(made.points).empty());
  made.set_from(0, kHost, "b");
  made.set_from(3, kHost, "a");
  EXPECT_TRUE(hosts_of(made.points).empty()) << "renamed";
  made.set_from(5, kHost, "b");
  EXPECT_EQ(hosts_of(made.points), (Words{"a", "b"}));
}

TEST(Changes, a_patched_c_library_is_a_cause_if_both_sides_recorded_it) {
  Made recorded(80, 60, 1.08);
  recorded.set_from(60, kLibcBuild, "bb");
  EXPECT_EQ(find_changes(recorded.points).at(0).cause, "code");
  Made patched(80, 60, 1.08);
  patched.set_from(0, kLibcBuild, "aa");
  patched.set_from(60, kLibcBuild, "bb");
  EXPECT_EQ(find_changes(patched.points).at(0).cause, "settings");
}

TEST(Changes, another_seed_is_another_series) {
  Made made(80, 60, 1.08);
  made.set_from(60, kSeed, "2");
  EXPECT_TRUE(find_changes(made.points).empty());
  made.set_from(64, kSeed, "1");  // and back, slower: found by those nights
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 64U);
  EXPECT_EQ(changes[0].commits.from, "c59");
  EXPECT_EQ(changes[0].commits.to, "c64");
  EXPECT_EQ(changes[0].started, "night 64");
}

TEST(Changes, are_found_with_two_alternating_seeds) {
  Made made(120, 80, 1.08);
  for (std::size_t i = 0; i < made.points.size(); i += 2) {
    Made odd(1);
    odd.set_from(0, kSeed, "2");
    made.points[i].environment = odd.points[0].environment;
    made.points[i].median *= 3;
  }
  const std::vector<LevelChange> changes = find_changes(made.points);
  ASSERT_EQ(changes.size(), 2U);  // one per seed
  EXPECT_EQ(changes[0].index, 80U);
  EXPECT_EQ(changes[1].index, 81U);
  for (const LevelChange& change : changes) EXPECT_NEAR(change.ratio, 1.08, 0.01);
}

TEST(JudgedRange, needs_a_baseline_and_a_plain_step_of_one_seed) {
  const std::size_t enough = stats::ChangePointDetector::kEnough, first = stats::ChangePointDetector::kFewest;
  const auto judged = [](const Made& made) { return judged_of(made.points, find_changes(made.points)); };
  EXPECT_EQ(judged(Made(enough - 3)).nights_missing, 3U);
  EXPECT_EQ(judged(Made(enough - 3)).reason, kTooYoungReason);
  EXPECT_EQ(judged(Made(0)).nights_missing, enough);
  EXPECT_EQ(judged(Made(enough)).nights_missing, 0U);
  EXPECT_EQ(judged(Made(enough)).reason, "");
  EXPECT_EQ(judged(Made(enough)).from, first);
  Made seeds(100);
  seeds.set_from(90, kSeed, "2");
  EXPECT_EQ(judged(seeds).nights_missing, enough - 10);
  EXPECT_EQ(judged(seeds).reason, kSeedsReason);
  seeds.set_from(40, kSeed, "2");
  EXPECT_EQ(judged(seeds).nights_missing, 0U);
  EXPECT_EQ(judged(seeds).from, 40 + first);
}

TEST(Changes, a_fact_that_changed_on_another_night_is_not_the_cause) {
  Made made(80, 60, 1.08);
  made.set_from(40, "kernel", "6.2");
  made.set_from(70, "kernel", "6.3");
  EXPECT_EQ(find_changes(made.points).at(0).cause, "code");
}

TEST(Changes, an_identical_executable_rules_out_the_code) {
  Made made(80, 60, 1.08);
  for (results::SeriesPoint& point : made.points) point.executable = "same";
  const LevelChange change = find_changes(made.points).at(0);
  EXPECT_EQ(change.cause, "machine");
  EXPECT_EQ(change.changed, Words{"the executable is the same, byte for byte"});

  // Another compiler built other executables.
  made.set_from(60, "compiler", "GNU 13");
  made.set_from(60, "pin fmt", "11");
  EXPECT_EQ(find_changes(made.points).at(0).cause, "machine");
  made.set_from(60, "kernel", "6.3");
  EXPECT_EQ(find_changes(made.points).at(0).cause, "kernel");
}

TEST(IndexRange, contains_the_true_index_and_few_others_if_the_step_is_small) {
  std::mt19937 random(3);
  std::exponential_distribution<double> noise(1);
  int held = 0, width = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    // Laplace: its 1.4826 times median absolute deviation is 1.03.
    std::vector<double> values;
    for (int i = 0; i < 56; ++i)
      values.push_back((random() % 2 == 0 ? 1 : -1) * noise(random) + (i >= 50 ? 3 * 1.03 : 0));
    const IndexRange places = likely_range(values, 0, 51, values.size());
    held += places.earliest <= 50 && 50 <= places.latest;
    width += static_cast<int>(places.latest - places.earliest) + 1;
  }
  EXPECT_GE(held, kTrials * 9 / 10);
  EXPECT_LE(width, kTrials * 5);
}

TEST(IndexRange, is_one_index_if_the_step_is_clear_or_nothing_varies) {
  std::vector<double> values(60, 1.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += (i % 3 == 0 ? 0.01 : 0) + (i >= 50 ? 1 : 0);
  const IndexRange clear = likely_range(values, 0, 50, 60);
  EXPECT_EQ(clear.earliest, 50U);
  EXPECT_EQ(clear.latest, 50U);
  const std::vector<double> same(60, 1.0);
  EXPECT_EQ(likely_range(same, 0, 50, 60).earliest, 50U);
}

namespace {

/// Series whose sessions are night 000, 001 ...; `sigma` of the logarithms, and a factor from night `from` on.
std::vector<results::TimedSeries> machine(std::size_t count, std::size_t nights, double sigma, std::size_t from = 1000,
                                          double ratio = 1, unsigned seed = 5) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  std::vector<results::TimedSeries> all(count);
  for (std::size_t night = 0; night < nights; ++night)
    for (results::TimedSeries& series : all) {
      series.started.push_back(fmt::format("night {:03}", night));
      series.medians.push_back(100 * std::exp(noise(random)) * (night >= from ? ratio : 1));
    }
  return all;
}

std::vector<results::TimedSeries> first(std::size_t nights, std::vector<results::TimedSeries> all) {
  for (results::TimedSeries& series : all) {
    series.started.resize(std::min(nights, series.started.size()));
    series.medians.resize(series.started.size());
  }
  return all;
}

std::vector<results::SeriesPoint> points_of(const results::TimedSeries& series) {
  std::vector<results::SeriesPoint> points = Made(series.medians.size()).points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].started = series.started[i];
    points[i].median = series.medians[i];
  }
  return points;
}

/// Of each series: the nights at which alarms were raised.
std::vector<std::vector<std::size_t>> alarms(const std::vector<results::TimedSeries>& all) {
  const std::vector<WatchedSince> contexts = watched_machine(all);
  std::vector<std::vector<std::size_t>> raised;
  for (const results::TimedSeries& series : all) {
    std::vector<std::size_t>& of = raised.emplace_back();
    for (const LevelChange& change : find_changes(points_of(series), contexts))
      if (!change.in_hindsight) of.push_back(change.detected_at);
  }
  return raised;
}

}  // namespace

TEST(WatchedMachine, knows_the_noise_of_series_that_are_long_enough) {
  std::vector<results::TimedSeries> few = machine(kFewestSeries - 1, 60, 0.01);
  const results::TimedSeries young = first(14, machine(1, 60, 0.01))[0];
  few.push_back(young);
  ASSERT_FALSE(watched_machine(few).empty());
  for (const WatchedSince& one : watched_machine(few)) EXPECT_EQ(one.context.shared, std::nullopt);
  const std::vector<WatchedSince> enough = watched_machine(machine(kFewestSeries, 60, 0.01));
  EXPECT_EQ(enough.front().started, "night 015");
  for (const WatchedSince& one : enough) {
    ASSERT_TRUE(one.context.shared);
    EXPECT_NEAR(one.context.shared->sigma, 0.01, 0.003);
    EXPECT_EQ(one.context.series, kFewestSeries);
  }
}

TEST(WatchedMachine, learns_from_earlier_nights_only) {
  const std::vector<results::TimedSeries> all = machine(12, 100, 0.01, 50, 1.2);
  const std::vector<WatchedSince> last = watched_machine(all);
  for (std::size_t nights = 0; nights < 100; ++nights) {
    const std::vector<WatchedSince> then = watched_machine(first(nights, all));
    ASSERT_LE(then.size(), last.size());
    for (std::size_t i = 0; i < then.size(); ++i) {
      EXPECT_EQ(then[i].started, last[i].started);
      EXPECT_EQ(then[i].context.series, last[i].context.series);
      EXPECT_EQ(then[i].context.shared, last[i].context.shared) << nights;
    }
  }
}

TEST(WatchedMachine, takes_a_step_of_all_series_for_no_noise) {
  const std::vector<WatchedSince> quiet = watched_machine(machine(12, 60, 0.01));
  const std::vector<WatchedSince> stepped = watched_machine(machine(12, 60, 0.01, 28, 1.2));
  EXPECT_NEAR(stepped.back().context.shared->sigma / quiet.back().context.shared->sigma, 1, 0.1);
  EXPECT_NEAR(stepped.back().context.shared->autocorrelation, quiet.back().context.shared->autocorrelation, 0.1);
}

TEST(WatchedMachine, alarms_a_step_of_all_series_and_keeps_the_alarms) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const std::vector<results::TimedSeries> all = machine(12, 80, 0.006, 28, 1.1, seed);
    const std::vector<std::vector<std::size_t>> last = alarms(all);
    for (const std::vector<std::size_t>& raised : last) {
      ASSERT_EQ(raised.size(), 1U) << seed;
      EXPECT_GE(raised[0], 30U);
      EXPECT_LE(raised[0], 33U);
    }
    for (std::size_t nights = 20; nights < 80; ++nights) {
      std::vector<std::vector<std::size_t>> expected = last;
      for (std::vector<std::size_t>& raised : expected)
        std::erase_if(raised, [&](std::size_t night) { return night >= nights; });
      EXPECT_EQ(alarms(first(nights, all)), expected) << seed << ", " << nights;
    }
  }
}

TEST(MetricChanges, are_findings_from_one_session) {
  Made made(10);
  made.metric_from(9, {{"bytes", 72}});
  const std::vector<MetricChange> changes = find_metric_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 9U);
  EXPECT_EQ(changes[0].metric, "bytes");
  EXPECT_EQ(changes[0].before, 64);
  EXPECT_EQ(changes[0].after, 72);
  EXPECT_EQ(changes[0].commits.from, "c8");
  EXPECT_EQ(changes[0].commits.to, "c9");
}

TEST(MetricChanges, are_not_found_between_seeds_or_if_a_session_disagrees) {
  Made seeds(10);
  seeds.metric_from(9, {{"bytes", 72}});
  seeds.set_from(9, kSeed, "2");
  EXPECT_TRUE(find_metric_changes(seeds.points).empty());
  Made noise(10);
  noise.metric_from(5, {{"bytes", std::nullopt}});
  noise.metric_from(6, {{"bytes", 72}});
  EXPECT_TRUE(find_metric_changes(noise.points).empty());
}

TEST(MetricChanges, are_found_across_sessions_of_another_seed) {
  Made made(10);
  made.set_from(4, kSeed, "2");
  made.metric_from(4, {{"bytes", 80}});
  made.set_from(6, kSeed, "1");
  made.metric_from(6, {{"bytes", 72}});
  const std::vector<MetricChange> changes = find_metric_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 6U);
  EXPECT_EQ(changes[0].before, 64);
  EXPECT_EQ(changes[0].after, 72);
  EXPECT_EQ(changes[0].commits.from, "c3");
}

TEST(MetricChanges, are_found_across_sessions_without_the_metric) {
  Made made(10);
  made.metric_from(4, {});
  made.metric_from(6, {{"bytes", 72}});
  const std::vector<MetricChange> changes = find_metric_changes(made.points);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 6U);
  EXPECT_EQ(changes[0].commits.from, "c3");
  EXPECT_EQ(changes[0].commits.to, "c6");
}

TEST(MetricChanges, start_and_end_with_the_metric) {
  Made made(10);
  made.metric_from(3, {{"bytes", 64}, {"leaves", 5}});
  made.metric_from(7, {{"leaves", 5}});
  EXPECT_TRUE(find_metric_changes(made.points).empty());
}

}  // namespace lab::judge
