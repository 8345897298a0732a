#include "harness/app/bisect_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "harness/measure/meter.h"

namespace lab::app {

namespace {

std::string sha(std::size_t commit) {
  return fmt::format("{:040x}", commit);
}

/// Commits whose values are known; every second costs one of a fake clock.
class FakeMeter : public measure::Meter {
 public:
  FakeMeter(std::size_t commits, std::size_t culprit) : culprit_(culprit) {
    for (std::size_t i = 0; i <= commits; ++i) place_[sha(i)] = i;
  }

  Expected<measure::PreparedCommit> prepare(const std::string& commit) override {
    clock += build_seconds;
    if (clock > killed_at) return interrupted_error();
    const std::size_t i = place_.at(commit);
    prepared.push_back(i);
    if (gone.contains(i)) return measure::PreparedCommit{"", "gone", "SPM_MIRROR", ""};
    const auto identity = identities.find(i);
    return measure::PreparedCommit{broken.contains(i) ? "does not build" : "", "", "",
                                   identity == identities.end() ? "" : identity->second};
  }

  Expected<measure::MeterReading> measure(const std::string& commit, int) override {
    clock += 1;
    if (measurements_left-- == 0) return interrupted_error();
    const std::size_t i = place_.at(commit);
    measured.push_back(i);
    measure::MeterReading reading;
    if (failures[i] > 0) {
      --failures[i];
      reading.failure = "crashed";
    } else {
      // Even noise of 1 %.
      const double even = static_cast<double>(noise_.below(1'000'001)) / 1e6 - 0.5;
      reading.value = (i >= again      ? bad_again
                       : i >= culprit_ ? bad
                                       : 100) *
                      (1 + 0.01 * std::sqrt(12) * even) * speed(measured.size());
    }
    return reading;
  }

  bool is_ready(const std::string& commit) const override {
    return std::find(prepared.begin(), prepared.end(), place_.at(commit)) != prepared.end();
  }

  std::function<double(std::size_t count)> speed = [](std::size_t) { return 1; };  ///< of the machine
  double bad = 105;
  std::size_t again = 1'000'000;  ///< the first commit with another level
  double bad_again = 100;
  double clock = 0;
  double build_seconds = 0;
  double killed_at = 1e9;  ///< what runs at this time is stopped
  int measurements_left = 100'000;
  std::set<std::size_t> broken;
  std::set<std::size_t> gone;
  std::map<std::size_t, int> failures;
  std::map<std::size_t, std::string> identities;
  std::vector<std::size_t> prepared;
  std::vector<std::size_t> measured;

 private:
  std::map<std::string, std::size_t> place_;
  std::size_t culprit_;
  Random noise_{7};
};

class Searching : public testing::Test, protected BisectEvents {
 protected:
  void on_step(const BisectStep& step) override { steps_.push_back(step.entry); }
  void on_failure(const std::string&, const std::string& why) override { failures_.push_back(why); }

  Expected<judge::BisectVerdict> search(FakeMeter& meter, std::size_t commits, const BisectGoal& goal = {}) {
    results::BisectQuestion cell;
    cell.command = "fake";
    for (std::size_t i = 0; i <= commits; ++i) cell.commits.push_back({sha(i), fmt::format("commit {}", i), false});
    Expected<results::BisectRecord> record = results::BisectRecord::open(folder_.path() / "a.jsonl", cell, false);
    EXPECT_TRUE(record) << record.error().what;
    const SearchClock clock{[&] { return meter.clock; }, [] { return std::string("2026-01-01T00:00:00Z"); }};
    Expected<judge::BisectVerdict> verdict = app::search(goal, meter, *record, clock, *this);
    if (verdict) {
      const judge::BisectVerdict concluded = judge::conclude(record->question(), record->entries(), goal.confidence);
      EXPECT_DOUBLE_EQ(concluded.probability, verdict->probability);
    }
    return verdict;
  }

  ScratchFolder folder_;
  std::vector<results::BisectEntry> steps_;
  std::vector<std::string> failures_;
};

}  // namespace

TEST_F(Searching, names_the_culprit) {
  FakeMeter meter(64, 41);
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kCulprit);
  EXPECT_EQ(verdict->suspects[0].commit, sha(41));
  EXPECT_EQ(verdict->measurements, meter.measured.size());
  EXPECT_NEAR(verdict->ratio, 1.05, 0.02);
}

TEST_F(Searching, resumes_from_its_record_after_an_interrupt) {
  FakeMeter meter(64, 41);
  meter.measurements_left = 9;
  const Expected<judge::BisectVerdict> stopped = search(meter, 64);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().status, ExitStatus::kInterrupted);
  meter.measurements_left = 1000;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->suspects[0].commit, sha(41));
  EXPECT_EQ(verdict->measurements, meter.measured.size());
}

TEST_F(Searching, does_not_measure_a_commit_identical_to_another) {
  FakeMeter meter(64, 41);
  for (std::size_t i = 0; i <= 64; ++i) meter.identities[i] = i < 41 ? "old" : "new";
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->suspects[0].commit, sha(41));
  EXPECT_LE(meter.prepared.size(), 10u);  // a binary search, and what is left to ask is whether there is a culprit
  // Two executables have two layouts, which more measurements do not tell from a change; those of a few commits do.
  EXPECT_LE(std::set(meter.measured.begin(), meter.measured.end()).size(), 4u);
  EXPECT_LE(meter.measured.size(), 100u);
}

TEST_F(Searching, measures_nothing_if_the_ends_are_identical) {
  FakeMeter meter(9, 3);
  for (std::size_t i = 0; i <= 9; ++i) meter.identities[i] = "same";
  const Expected<judge::BisectVerdict> verdict = search(meter, 9);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kNone);
  EXPECT_EQ(verdict->probability, 1);
  EXPECT_EQ(verdict->measurements, 0u);
}

TEST_F(Searching, retries_a_failed_measurement_and_then_skips_the_commit) {
  FakeMeter meter(16, 9);
  for (std::size_t i = 1; i < 16; ++i) meter.failures[i] = i == 8 || i == 9 ? 1000 : 1;
  const Expected<judge::BisectVerdict> verdict = search(meter, 16);
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kSuspects);
  ASSERT_EQ(verdict->suspects.size(), 3u);
  EXPECT_EQ(verdict->suspects.front().commit, sha(8));
  EXPECT_EQ(verdict->skipped[0].reason, "crashed, 3 times");
  EXPECT_EQ(failures_[0], "crashed");
}

TEST_F(Searching, fails_if_an_end_cannot_be_measured) {
  FakeMeter meter(16, 9);
  meter.broken = {16};
  const Expected<judge::BisectVerdict> verdict = search(meter, 16);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().what, "the bad end, 000000000000, cannot be measured: does not build");
  EXPECT_EQ(verdict.error().status, ExitStatus::kUsage);
}

TEST_F(Searching, retries_a_temporary_failure_in_the_next_call) {
  FakeMeter meter(64, 41);
  for (std::size_t i = 1; i < 64; ++i) meter.gone.insert(i);
  const Expected<judge::BisectVerdict> stopped = search(meter, 64);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().what, "gone");
  EXPECT_EQ(stopped.error().hint, "SPM_MIRROR");
  meter.gone.clear();
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->suspects[0].commit, sha(41));
  EXPECT_TRUE(verdict->skipped.empty());
}

TEST_F(Searching, ends_with_its_budget_and_returns_the_candidates) {
  FakeMeter meter(64, 41);
  const Expected<judge::BisectVerdict> verdict = search(meter, 64, {0.99, 10});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kUndecided);
  EXPECT_EQ(verdict->measurements, 10u);
  EXPECT_GT(verdict->suspects.size(), 1u);
  // The same record decides with more time.
  EXPECT_EQ(search(meter, 64)->outcome, judge::BisectVerdict::Outcome::kCulprit);
}

TEST_F(Searching, does_not_begin_a_build_that_would_overrun_the_budget) {
  FakeMeter meter(64, 41);
  meter.build_seconds = 100;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64, {0.99, 350});
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kUndecided);
  EXPECT_LE(meter.clock, 350);
  EXPECT_EQ(meter.prepared.size(), 3u);
  // What was left measured what was built.
  EXPECT_EQ(verdict->unfinished, "the budget is spent");
}

TEST_F(Searching, ends_with_a_build_that_the_end_of_the_budget_stopped) {
  FakeMeter meter(64, 41);
  meter.build_seconds = 100;
  meter.killed_at = 150;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64, {0.99, 150});
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kUndecided);
  EXPECT_EQ(verdict->unfinished, "the budget ended while 000000000000 was prepared");
  // It is not skipped: the next call measures it.
  meter.killed_at = 1e9;
  EXPECT_EQ(search(meter, 64)->suspects[0].commit, sha(41));
}

TEST_F(Searching, names_both_of_two_culprits) {
  FakeMeter meter(64, 41);
  meter.again = 52;
  meter.bad_again = 110;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict) << verdict.error().what;
  ASSERT_EQ(verdict->culprits.size(), 2u);
  EXPECT_EQ(verdict->culprits[0].commits, std::vector<std::string>{sha(41)});
  EXPECT_EQ(verdict->culprits[1].commits, std::vector<std::string>{sha(52)});
  EXPECT_EQ(verdict->unfinished, "");
}

TEST_F(Searching, names_what_a_later_commit_takes_back_in_part) {
  FakeMeter meter(64, 21);
  meter.bad = 110;
  meter.again = 44;
  meter.bad_again = 105;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict) << verdict.error().what;
  ASSERT_EQ(verdict->culprits.size(), 2u);
  EXPECT_EQ(verdict->suspects[0].commit, sha(21));
  EXPECT_NEAR(verdict->culprits[1].ratio, 105.0 / 110, 0.02);
}

TEST_F(Searching, builds_nothing_between_ends_that_do_not_differ) {
  FakeMeter meter(64, 65);
  meter.build_seconds = 100;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->outcome, judge::BisectVerdict::Outcome::kNone);
  EXPECT_EQ(meter.prepared.size(), 2u) << verdict->measurements << " measurements, " << verdict->null << ", "
                                       << verdict->most;
}

TEST_F(Searching, builds_fewer_commits_if_building_is_expensive) {
  FakeMeter cheap(256, 100);
  cheap.bad = 101.5;
  ASSERT_TRUE(search(cheap, 256));
  std::filesystem::remove(folder_.path() / "a.jsonl");
  FakeMeter dear(256, 100);
  dear.bad = 101.5;
  dear.build_seconds = 200;
  ASSERT_TRUE(search(dear, 256));
  EXPECT_LT(dear.prepared.size(), cheap.prepared.size());
}

TEST_F(Searching, checks_a_step_by_pairs_in_any_order) {
  FakeMeter meter(64, 41);
  meter.bad = 103;
  const Expected<judge::BisectVerdict> verdict = search(meter, 64);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->suspects[0].commit, sha(41));
  EXPECT_TRUE(verdict->unconfirmed.empty());
  EXPECT_LT(verdict->probability, 1);
  int pairs = 0, after_first = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].pair == 0) continue;
    const results::BisectEntry &first = steps_[i], &second = steps_.at(++i);
    EXPECT_EQ(first.pair, second.pair);
    EXPECT_EQ(first.against, second.commit);
    EXPECT_EQ(second.against, first.commit);
    ++pairs;
    after_first += first.commit > second.commit;
  }
  EXPECT_GE(pairs, 8);
  EXPECT_GT(after_first, 0);
  EXPECT_LT(after_first, pairs);
}

TEST_F(Searching, goes_on_after_a_kill_in_the_middle_of_a_pair) {
  for (int count = 20; count <= 60; ++count) {
    std::filesystem::remove(folder_.path() / "a.jsonl");
    steps_.clear();
    FakeMeter meter(64, 41);
    meter.bad = 103;
    meter.measurements_left = count;
    if (search(meter, 64) || steps_.back().pair == 0 || steps_[steps_.size() - 2].pair == steps_.back().pair) continue;
    const int half = steps_.back().pair;
    steps_.clear();
    meter.measurements_left = 1000;
    const Expected<judge::BisectVerdict> verdict = search(meter, 64);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->suspects[0].commit, sha(41));
    for (const results::BisectEntry& entry : steps_) EXPECT_NE(entry.pair, half);
    return;
  }
  FAIL() << "no call ended in the middle of a pair";
}

TEST_F(Searching, names_nothing_that_only_the_states_of_a_machine_show) {
  // Nothing changes but the machine, which is 35 % slower for times of 5 to 60 measurements.
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::filesystem::remove(folder_.path() / "a.jsonl");
    FakeMeter meter(24, 25);
    std::vector<double> speeds;
    for (Random random(seed); speeds.size() < 2000;)
      speeds.insert(speeds.end(), random.between(5, 60),
                    1 + 0.35 * static_cast<double>(random.below(2)) + 0.02 * static_cast<double>(random.below(4)));
    meter.speed = [&](std::size_t count) { return speeds.at(count); };
    const Expected<judge::BisectVerdict> verdict = search(meter, 24, {0.99, 150});
    ASSERT_TRUE(verdict);
    named += !verdict->culprits.empty();
  }
  EXPECT_EQ(named, 0);
}

TEST_F(Searching, records_the_probabilities_after_each_step) {
  FakeMeter meter(64, 41);
  ASSERT_TRUE(search(meter, 64));
  ASSERT_FALSE(steps_.empty());
  EXPECT_LE(steps_.front().most.size(), results::kKeptSuspects);
  EXPECT_EQ(steps_.back().most.front().commit, sha(41));
  EXPECT_GE(steps_.back().most.front().probability, 0.99);
}

TEST(LastLine, is_a_positive_number_or_an_error) {
  EXPECT_EQ(*measure::parse_value("1.5"), 1.5);
  EXPECT_EQ(*measure::parse_value("talk 7\n 3e-2 \n\n"), 0.03);
  for (const std::string bad : {"", "\n", "1.5 ms", "nan", "inf", "0", "-3", "5\nmore", "1,5"})
    EXPECT_FALSE(measure::parse_value(bad)) << bad;
}

}  // namespace lab::app
