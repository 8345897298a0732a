#include "harness/judge/common_changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "harness/judge/alarms.h"
#include "harness/results/result.h"

namespace lab::judge {

namespace {

constexpr std::size_t kNights = 60, kFrom = 50;

/// `count` benchmarks with noise of 1 %, times `ratio` from night kFrom on. Each night rebuilds them, or none does.
struct Kind {
  std::size_t count;
  double ratio;
  bool rebuilt;
  bool fixed = false;  ///< series of the fixed build; rebuilt: another one from night kFrom on
};

std::vector<SeriesHistory> machine(const std::vector<Kind>& kinds) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<SeriesHistory> all;
  for (const Kind& kind : kinds)
    for (std::size_t i = 0; i < kind.count; ++i) {
      SeriesHistory& one = all.emplace_back();
      one.series = {"farm", fmt::format("shelf/v{:03}/store", all.size()), 1};
      if (kind.fixed) one.series.benchmark = results::fixed_name(one.series.benchmark);
      for (std::size_t night = 0; night < kNights; ++night) {
        results::SeriesPoint& point = one.points.emplace_back();
        point.session = fmt::format("s{}", night);
        point.started = fmt::format("night {:03}", night);
        point.commit = fmt::format("c{}", night);
        point.median = 100 * std::exp(noise(random)) * (night >= kFrom ? kind.ratio : 1);
        point.executable = kind.rebuilt ? fmt::format("x{}", kind.fixed ? night >= kFrom : night) : "x";
        point.exact = std::make_shared<results::ExactCounters>();
        point.environment = std::make_shared<results::MeasurementEnvironment>();
      }
      one.findings = find(one.points);
    }
  tell_common(all);
  return all;
}

/// The causes of all changes of the benchmarks with these numbers, each once.
std::vector<std::string> causes(const std::vector<SeriesHistory>& all, std::size_t first, std::size_t end) {
  std::vector<std::string> found;
  for (std::size_t i = first; i < end; ++i)
    for (const LevelChange& change : all[i].findings.changes)
      if (std::ranges::find(found, change.cause) == found.end()) found.push_back(change.cause);
  return found;
}

using Causes = std::vector<std::string>;

}  // namespace

TEST(CommonChanges, of_all_rebuilt_benchmarks_are_the_code_or_the_machine) {
  const auto all = machine({{12, 1.1, true}});
  EXPECT_EQ(causes(all, 0, 12), Causes{kEitherCause});
  for (const SeriesHistory& one : all) {
    ASSERT_EQ(one.findings.changes.size(), 1u);
    EXPECT_TRUE(one.findings.changes[0].is_code_regression()) << "it is an alarm all the same";
    EXPECT_EQ(one.findings.changes[0].changed, Causes{"12 of 12 benchmarks changed at once"});
  }
  NightFitness night;
  night.machine = "farm";
  night.session = all[0].points[all[0].findings.changes[0].detected_at].session;
  const std::vector<results::Alarm> alarms = new_alarms(all[0], night, {}, false);
  ASSERT_EQ(alarms.size(), 1u);
  EXPECT_EQ(alarms[0].doubt,
            "12 of 12 benchmarks changed at once: code or machine (a bisect measures both sides in one night)");
}

TEST(CommonChanges, that_unchanged_executables_have_too_are_the_machine) {
  const auto all = machine({{8, 1.1, true}, {4, 1.1, false}});
  EXPECT_EQ(causes(all, 0, 12), Causes{kMachineCause});
  EXPECT_EQ(all[0].findings.changes[0].changed, Causes{"4 of 4 unchanged executables changed, too"});
}

TEST(CommonChanges, that_unchanged_executables_lack_are_the_code) {
  const auto all = machine({{8, 1.1, true}, {4, 1, false}});
  EXPECT_EQ(causes(all, 0, 12), Causes{kCodeCause});
  EXPECT_EQ(all[0].findings.changes[0].changed,
            Causes{"8 of 8 rebuilt benchmarks changed, and 0 of 4 unchanged executables"});
}

TEST(CommonChanges, are_told_by_the_fixed_build_where_all_was_rebuilt) {
  EXPECT_EQ(causes(machine({{12, 1.1, true}, {4, 1, false, true}}), 0, 12), Causes{kCodeCause});
  EXPECT_EQ(causes(machine({{12, 1.1, true}, {4, 1.1, false, true}}), 0, 16), Causes{kMachineCause});
  EXPECT_EQ(causes(machine({{12, 1.1, true}, {4, 1, true, true}}), 0, 12), Causes{kEitherCause})
      << "the fixed build was replaced that night, so it tells nothing";
}

TEST(CommonChanges, do_not_hide_a_larger_one) {
  const auto all = machine({{1, 1.5, true}, {8, 1.1, true}, {4, 1.1, false}});
  EXPECT_EQ(causes(all, 0, 1), Causes{kCodeCause});
  EXPECT_EQ(causes(all, 1, 13), Causes{kMachineCause});
}

TEST(CommonChanges, are_not_those_of_few_or_of_another_direction) {
  EXPECT_EQ(causes(machine({{3, 1.1, true}, {9, 1, true}}), 0, 12), Causes{kCodeCause});
  EXPECT_EQ(causes(machine({{6, 1.1, true}, {6, 0.9, true}}), 0, 12), Causes{kCodeCause});
  const auto opposed = machine({{8, 1.1, true}, {4, 0.9, false}});
  EXPECT_EQ(causes(opposed, 0, 8), Causes{kCodeCause});
}

TEST(CommonChanges, withdraw_an_alarm_that_was_the_machine) {
  const auto all = machine({{8, 1.1, true}, {4, 1.1, false}});
  results::Alarm alarm;
  alarm.machine = "farm";
  alarm.benchmark = all[0].series.benchmark;
  alarm.version = 1;
  alarm.session = all[0].points[kFrom].session;
  alarm.reported = true;
  const std::vector<WithdrawnAlarm> withdrawn = withdrawn_alarms(all[0], std::vector{alarm});
  ASSERT_EQ(withdrawn.size(), 1u);
  EXPECT_EQ(withdrawn[0].evidence, "4 of 4 unchanged executables changed, too");
  alarm.ended = "night 055";
  EXPECT_TRUE(withdrawn_alarms(all[0], std::vector{alarm}).empty());
}

}  // namespace lab::judge
