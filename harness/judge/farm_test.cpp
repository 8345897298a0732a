#include "harness/judge/farm.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/utc.h"

namespace lab::judge {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::time_t kFirst = 1'785'625'200;  // 2026-08-01, 23:00
constexpr std::time_t kDay = 24 * 60 * 60;

std::string commit(std::size_t night) {
  return fmt::format("c{:03}", night);
}

struct Facts {
  std::string processor = "epyc", kernel = "6.1", host = "";
};

/// A farm whose machines measure one commit a night.
class FarmNights {
 public:
  explicit FarmNights(std::size_t nights) : nights_(nights) { input.now = at(nights) - kDay + 3600; }

  static std::time_t at(std::size_t night) { return kFirst + kDay * static_cast<std::time_t>(night); }

  void machine(const std::string& id, const Facts& facts, std::size_t from, std::size_t to) {
    const auto environment = std::make_shared<results::MeasurementEnvironment>(results::MeasurementEnvironment{
        {"processor", facts.processor}, {"kernel", facts.kernel}, {kHost, facts.host.empty() ? id : facts.host}});
    for (std::size_t night = from; night < to; ++night) {
      results::SessionRecord session;
      session.machine = session.reported = id;
      session.session = fmt::format("{}-{}", id, night);
      session.started = utc(at(night));
      session.arrived = at(night) * 1'000'000'000;
      session.commit = commit(night);
      session.environment = environment;
      input.sessions.push_back(std::move(session));
    }
    for (const char* benchmark : {"a/b/one", "a/b/three", "a/b/two"}) {
      FarmSeries series;
      series.key = {id, benchmark, 1};
      input.series.push_back(std::move(series));
    }
  }
  void machine(const std::string& id, const Facts& facts = {}) { machine(id, facts, 0, nights_); }

  FarmSeries& series(const std::string& id, const std::string& benchmark) {
    return *std::ranges::find_if(
        input.series, [&](const FarmSeries& one) { return one.key.machine == id && one.key.benchmark == benchmark; });
  }

  /// The level changed after night `from`, at the latest in night `to`.
  LevelChange& change(const std::string& id, const std::string& benchmark, std::size_t from, std::size_t to,
                      double ratio) {
    LevelChange change;
    change.started = utc(at(to));
    change.ratio = ratio;
    change.commits = {commit(from), commit(to)};
    change.cause = kCodeCause;
    change.confidence = 0.98;
    return series(id, benchmark).findings.changes.emplace_back(change);
  }

  FarmInput input;

 private:
  std::size_t nights_;
};

const FarmMachine& machine_of(const Farm& farm, const std::string& id) {
  return *std::ranges::find(farm.machines, id, &FarmMachine::id);
}

TEST(Farm, a_change_of_one_class_is_one_alarm_with_its_commit_and_the_class_as_its_reason) {
  FarmNights nights(60);
  for (int i = 1; i <= 3; ++i) nights.machine(fmt::format("epyc-{}", i), {"EPYC"});
  for (int i = 1; i <= 3; ++i) nights.machine(fmt::format("xeon-{}", i), {"Xeon"});
  for (int i = 1; i <= 3; ++i)
    for (const char* benchmark : {"a/b/one", "a/b/two"})
      // One of them is found a commit late.
      nights.change(fmt::format("epyc-{}", i), benchmark, i == 3 ? 40 : 39, i == 3 ? 41 : 40, 1.1);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  const FarmChange& change = farm.changes[0];
  EXPECT_TRUE(change.is_alarm());
  EXPECT_EQ(change.commits.from, commit(39));
  EXPECT_EQ(change.commits.to, commit(40));
  EXPECT_THAT(change.benchmarks, ElementsAre("a/b/one", "a/b/two"));
  EXPECT_THAT(change.machines, ElementsAre("epyc-1", "epyc-2", "epyc-3"));
  EXPECT_THAT(change.others, ElementsAre("xeon-1", "xeon-2", "xeon-3"));
  EXPECT_EQ(change.reason, "class EPYC");
  EXPECT_EQ(change.with_reason, 3u);
  EXPECT_DOUBLE_EQ(change.ratio, 1.1);
}

TEST(Farm, nights_that_differ_at_the_last_commit_are_of_that_commit) {
  FarmNights nights(60);
  for (int i = 1; i <= 2; ++i) {
    nights.machine(fmt::format("m{}", i));
    nights.change(fmt::format("m{}", i), "a/b/one", 59, 59, 1.1);
  }
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_EQ(farm.changes[0].commits.from, commit(59));
  EXPECT_EQ(farm.changes[0].commits.to, commit(59));
}

TEST(Farm, a_reason_is_what_most_of_those_that_have_it_show) {
  FarmNights nights(60);
  for (int i = 1; i <= 6; ++i) nights.machine(fmt::format("m{}", i), {"EPYC", i <= 3 ? "6.9" : "6.1"});
  for (int i = 1; i <= 2; ++i) nights.change(fmt::format("m{}", i), "a/b/one", 39, 40, 1.05);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_EQ(farm.changes[0].reason, "kernel 6.9");
  EXPECT_EQ(farm.changes[0].with_reason, 3u);
}

TEST(Farm, an_improvement_everywhere_has_no_reason_and_is_no_alarm) {
  FarmNights nights(60);
  for (int i = 1; i <= 3; ++i) {
    nights.machine(fmt::format("m{}", i));
    nights.change(fmt::format("m{}", i), "a/b/one", 29, 30, 0.9);
  }
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_TRUE(farm.changes[0].is_confirmed);
  EXPECT_FALSE(farm.changes[0].is_alarm());
  EXPECT_THAT(farm.changes[0].others, IsEmpty());
  EXPECT_EQ(farm.changes[0].reason, "");
}

TEST(Farm, what_one_machine_of_its_class_shows_is_no_alarm_however_sure_it_is) {
  FarmNights nights(60);
  for (int i = 1; i <= 3; ++i) nights.machine(fmt::format("m{}", i));
  for (const char* benchmark : {"a/b/one", "a/b/two", "a/b/three"}) nights.change("m2", benchmark, 39, 40, 1.1);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_TRUE(farm.changes[0].is_sure);
  EXPECT_EQ(farm.changes[0].others_of_class, 2u);
  EXPECT_FALSE(farm.changes[0].is_confirmed);
}

TEST(Farm, a_machine_without_others_of_its_class_alarms_alone_if_it_is_sure) {
  FarmNights nights(60);
  nights.machine("epyc", {"EPYC"});
  nights.machine("xeon", {"Xeon"});
  nights.change("epyc", "a/b/one", 39, 40, 1.1);
  EXPECT_FALSE(judge_farm(nights.input).changes[0].is_alarm()) << "chance, once in 50 unchanged series";
  nights.change("epyc", "a/b/two", 39, 40, 1.1);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_TRUE(farm.changes[0].is_alarm());
}

TEST(Farm, a_chance_on_one_machine_is_no_part_of_what_several_show) {
  FarmNights nights(60);
  for (int i = 1; i <= 3; ++i) {
    nights.machine(fmt::format("m{}", i));
    nights.change(fmt::format("m{}", i), "a/b/one", 39, 40, 1.1);
  }
  nights.change("m1", "a/b/two", 37, 42, 1.02);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(2));
  EXPECT_EQ(std::ranges::count_if(farm.changes, &FarmChange::is_alarm), 1);
}

TEST(Farm, two_changes_of_different_commits_stay_two) {
  FarmNights nights(80);
  for (int i = 1; i <= 3; ++i) {
    nights.machine(fmt::format("m{}", i));
    nights.change(fmt::format("m{}", i), "a/b/one", 29, 30, 1.1);
    nights.change(fmt::format("m{}", i), "a/b/one", 49, 50, 1.1);
  }
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(2));
  EXPECT_EQ(farm.changes[0].commits.to, commit(50)) << "the latest first";
}

TEST(Farm, machines_that_measured_too_little_are_no_others) {
  FarmNights nights(60);
  for (int i = 1; i <= 2; ++i) {
    nights.machine(fmt::format("m{}", i));
    nights.change(fmt::format("m{}", i), "a/b/one", 39, 40, 1.1);
  }
  nights.machine("young", {}, 30, 60);
  nights.machine("gone", {}, 0, 43);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_THAT(farm.changes[0].others, IsEmpty());
}

TEST(Farm, a_machine_that_changes_by_itself_is_told_once) {
  FarmNights nights(60);
  for (int i = 1; i <= 3; ++i) nights.machine(fmt::format("m{}", i));
  for (const char* benchmark : {"a/b/one", "a/b/two", "a/b/three"})
    nights.change("m2", benchmark, 39, 40, 1.07).cause = kMachineCause;
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_EQ(farm.changes[0].cause, kMachineCause);
  EXPECT_THAT(farm.changes[0].benchmarks, SizeIs(3));
  EXPECT_FALSE(farm.changes[0].is_alarm());
}

TEST(Farm, one_kernel_on_several_machines_is_one_change_and_two_machines_of_their_own_are_two) {
  for (const bool is_kernel : {true, false}) {
    FarmNights nights(60);
    for (int i = 1; i <= 3; ++i) nights.machine(fmt::format("m{}", i));
    for (int i = 1; i <= 2; ++i) {
      LevelChange& change = nights.change(fmt::format("m{}", i), "a/b/one", 39, 40, 1.07);
      change.cause = is_kernel ? "kernel" : kMachineCause;
      change.changed = {is_kernel ? "kernel 6.1 -> 6.9" : fmt::format("{} of 9 unchanged executables changed, too", i)};
    }
    const Farm farm = judge_farm(nights.input);
    ASSERT_THAT(farm.changes, SizeIs(is_kernel ? 1 : 2));
    if (is_kernel) {
      EXPECT_THAT(farm.changes[0].changed, ElementsAre("kernel 6.1 -> 6.9"));
    }
  }
}

TEST(Farm, a_machine_is_silent_on_the_fourth_night_unless_it_is_retired_or_measures_less_often) {
  for (const std::size_t missing : {2u, 3u, 4u}) {
    FarmNights nights(60);
    nights.machine("here");
    nights.machine("missing", {}, 0, 60 - missing);
    nights.machine("retired", {}, 0, 20);
    nights.machine("weekly", {}, 0, 50);
    nights.input.known =
        *results::KnownMachines::of({{"retired", {{}, "2026-08-22", {}, {}}}, {"weekly", {{}, {}, {}, 7 * 24.0}}});
    const Farm farm = judge_farm(nights.input);
    EXPECT_EQ(machine_of(farm, "missing").silent_days > 0, missing >= 3) << missing;
    EXPECT_EQ(machine_of(farm, "here").silent_days, 0u);
    EXPECT_EQ(machine_of(farm, "retired").silent_days, 0u);
    EXPECT_TRUE(machine_of(farm, "retired").retired);
    EXPECT_EQ(machine_of(farm, "weekly").silent_days, 0u);
    EXPECT_EQ(farm.silent_since, "");
  }
}

TEST(Farm, a_farm_that_is_silent_as_a_whole_is_compared_with_its_last_session) {
  FarmNights nights(60);
  nights.machine("here");
  nights.machine("missing", {}, 0, 40);
  nights.input.now += 30 * kDay;
  const Farm farm = judge_farm(nights.input);
  EXPECT_EQ(farm.silent_since, utc(FarmNights::at(59)));
  EXPECT_EQ(machine_of(farm, "here").silent_days, 0u);
  EXPECT_EQ(machine_of(farm, "missing").silent_days, 20u);
}

TEST(Farm, a_wrong_clock_is_counted_and_says_neither_when_a_machine_was_nor_that_it_is_silent) {
  FarmNights nights(60);
  nights.machine("here");
  nights.machine("future", {}, 0, 50);
  for (std::size_t i = 0; i < 10; ++i) {
    results::SessionRecord session = nights.input.sessions.back();
    session.started = "2099-01-01T00:00:00Z";
    session.arrived = FarmNights::at(50 + i) * 1'000'000'000;
    session.skipped = "the clock of future was wrong";
    session.wrong_clock = true;
    nights.input.sessions.push_back(session);
  }
  const Farm farm = judge_farm(nights.input);
  EXPECT_EQ(machine_of(farm, "future").wrong_clocks, 10u);
  EXPECT_EQ(machine_of(farm, "future").last, utc(FarmNights::at(49)));
  EXPECT_EQ(machine_of(farm, "future").silent_days, 0u);
  EXPECT_EQ(farm.silent_since, "");
}

TEST(Farm, what_two_hosts_under_one_name_show_counts_nowhere) {
  FarmNights nights(60);
  for (int i = 1; i <= 3; ++i) {
    nights.machine(fmt::format("m{}", i));
    nights.change(fmt::format("m{}", i), "a/b/one", 39, 40, 1.1);
  }
  nights.series("m3", "a/b/two").findings.hosts = {"x", "y"};
  nights.machine("y", {}, 0, 20);
  const Farm farm = judge_farm(nights.input);
  EXPECT_THAT(machine_of(farm, "m3").hosts, ElementsAre("x", "y"));
  EXPECT_EQ(machine_of(farm, "y").measures_as, "m3") << "its own name has fallen silent since";
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_THAT(farm.changes[0].machines, ElementsAre("m1", "m2"));
  EXPECT_THAT(farm.changes[0].others, IsEmpty());
}

TEST(Farm, a_machine_that_begins_when_its_like_falls_silent_may_be_that_one) {
  FarmNights nights(60);
  nights.machine("here");
  nights.machine("new", {"Xeon", "6.1", "node7"}, 30, 60);
  nights.machine("old", {"Xeon", "6.1", "node7"}, 0, 30);
  nights.machine("other", {"ARM"}, 0, 30);
  const Farm farm = judge_farm(nights.input);
  EXPECT_EQ(machine_of(farm, "new").may_be, "old");
  EXPECT_EQ(machine_of(farm, "here").may_be, "");
}

TEST(Farm, commits_are_ordered_by_the_repository_not_by_when_they_were_measured) {
  FarmNights nights(60);
  for (int i = 1; i <= 2; ++i) nights.machine(fmt::format("m{}", i));
  // Night 50 measured a commit that lies between those of nights 20 and 21.
  for (results::SessionRecord& session : nights.input.sessions)
    if (session.commit == commit(50)) session.commit = "between";
  for (std::size_t night = 0; night < 60; ++night) {
    if (night != 50) nights.input.commits.push_back(commit(night));
    if (night == 20) nights.input.commits.push_back("between");
  }
  nights.change("m1", "a/b/one", 20, 21, 1.1).commits.from = "between";
  nights.change("m2", "a/b/one", 20, 21, 1.1);
  const Farm farm = judge_farm(nights.input);
  ASSERT_THAT(farm.changes, SizeIs(1));
  EXPECT_EQ(farm.changes[0].commits.from, "between") << "both allow only what comes after it";
  EXPECT_EQ(farm.changes[0].commits.to, commit(21));
}

}  // namespace

}  // namespace lab::judge
