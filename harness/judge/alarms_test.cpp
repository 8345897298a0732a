#include "harness/judge/alarms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lab::judge {

namespace {

/// A history with noise of 1 %: each pair is the number of nights and their level.
SeriesHistory history_of(const std::vector<std::pair<int, double>>& levels) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  SeriesHistory history{{"farm", "shelf/plain/store", 1}, {}, {}};
  for (const auto& [nights, level] : levels)
    for (int i = 0; i < nights; ++i) {
      results::SeriesPoint point;
      point.session = fmt::format("s{}", history.points.size());
      point.started = fmt::format("night {}", history.points.size());
      point.commit = fmt::format("c{}", history.points.size());
      point.median = level * std::exp(noise(random));
      point.executable = fmt::format("x{}", history.points.size());
      point.exact = std::make_shared<results::ExactCounters>();
      point.environment = std::make_shared<results::MeasurementEnvironment>();
      history.points.push_back(point);
    }
  history.findings = find(history.points);
  return history;
}

NightFitness night_of(const SeriesHistory& history, std::size_t index) {
  NightFitness night;
  night.machine = "farm";
  night.session = history.points[index].session;
  return night;
}

std::vector<results::Alarm> reported_alarms(const SeriesHistory& history, std::size_t night) {
  std::vector<results::Alarm> alarms = new_alarms(history, night_of(history, night), {}, false);
  for (results::Alarm& alarm : alarms) alarm.reported = true;
  return alarms;
}

}  // namespace

TEST(Alarms, end_when_the_level_before_is_back) {
  const SeriesHistory slow = history_of({{50, 100}, {10, 108}});
  const std::vector<results::Alarm> alarms = reported_alarms(slow, 59);
  ASSERT_EQ(alarms.size(), 1u);
  EXPECT_TRUE(ended_alarms(slow, alarms).empty());
  EXPECT_TRUE(ended_alarms(history_of({{50, 100}, {10, 108}, {10, 116}}), alarms).empty());
  const std::vector<EndedAlarm> ended = ended_alarms(history_of({{50, 100}, {10, 108}, {10, 101}}), alarms);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].since, "night 60");
}

TEST(Alarms, end_once_and_only_if_they_were_reported) {
  const SeriesHistory over = history_of({{50, 100}, {10, 108}, {10, 101}});
  std::vector<results::Alarm> alarms = reported_alarms(history_of({{50, 100}, {10, 108}}), 59);
  alarms[0].reported = false;
  EXPECT_TRUE(ended_alarms(over, alarms).empty());
  alarms[0].reported = true;
  alarms[0].ended = "night 60";
  EXPECT_TRUE(ended_alarms(over, alarms).empty());
}

TEST(Alarms, are_raised_for_what_only_hindsight_shows_once_it_is_settled) {
  SeriesHistory early = history_of({{10, 100}, {50, 108}});
  ASSERT_EQ(early.findings.changes.size(), 1u);
  LevelChange& change = early.findings.changes[0];
  ASSERT_TRUE(change.in_hindsight);
  ASSERT_TRUE(change.settled);
  const std::vector<results::Alarm> alarms = new_alarms(early, night_of(early, 59), {}, false);
  ASSERT_EQ(alarms.size(), 1u);
  EXPECT_EQ(alarms[0].doubt, "shelf/plain/store is known only in hindsight");
  EXPECT_TRUE(new_alarms(early, night_of(early, 59), alarms, false).empty()) << "once";
  change.settled = false;
  EXPECT_TRUE(new_alarms(early, night_of(early, 59), {}, false).empty());
  const SeriesHistory old = history_of({{10, 100}, {50 + kTellsHindsight, 108}});
  EXPECT_TRUE(new_alarms(old, night_of(old, 59 + kTellsHindsight), {}, false).empty());
}

TEST(Alarms, are_raised_for_a_creep) {
  std::vector<std::pair<int, double>> levels{{30, 100}};
  for (int step = 1; step <= 12; ++step) levels.emplace_back(5, 100 + 0.5 * step);
  levels.emplace_back(30, 106);
  const SeriesHistory creep = history_of(levels);
  std::size_t regressions = 0;
  for (const LevelChange& change : creep.findings.changes)
    regressions += change.is_code_regression() && (!change.in_hindsight || change.settled);
  EXPECT_GE(regressions, 1u);
}

TEST(Improvements, are_told_on_the_night_that_finds_them) {
  const SeriesHistory fast = history_of({{50, 100}, {10, 92}});
  ASSERT_EQ(fast.findings.changes.size(), 1u);
  const std::size_t found = fast.findings.changes[0].detected_at;
  EXPECT_EQ(new_improvements(fast, night_of(fast, found)).size(), 1u);
  EXPECT_TRUE(new_improvements(fast, night_of(fast, found + 1)).empty());
  NightFitness unfit = night_of(fast, found);
  unfit.fit = false;
  EXPECT_TRUE(new_improvements(fast, unfit).empty());
}

}  // namespace lab::judge
