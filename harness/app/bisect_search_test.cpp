#include "harness/app/bisect_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
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
      reading.value = (i >= again ? bad_again : i >= culprit_ ? bad : 100) * (1 + 0.01 * std::sqrt(12) * even);
    }
    return reading;
  }

  bool is_ready(const std::string& commit) const override {
    return std::find(prepared.begin(), prepared.end(), place_.at(commit)) != prepared.end();
  }

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

TEST_F(Searching, records_the_probabilities_after_each_step) {
  FakeMeter meter(64, 41);
  ASSERT_TRUE(search(meter, 64));
  ASSERT_FALSE(steps_.empty());
  EXPECT_LE(steps_.front().most.size(), results::kKeptSuspects);
  EXPECT_EQ(steps_.back().most.front().commit, sha(41));
  EXPECT_GE(steps_.back().most.front().probability, 0.99);
}

/// What a search measured in a virtual machine that was 40 % slower at times: commit and value, in this order. Commit
/// 10 is 4 % slower than those before it.
const std::vector<std::pair<std::size_t, double>> kInStates{
    {0, 151.109},  {39, 213.138}, {39, 156.732}, {0, 193.88},   {0, 196.837},  {39, 204.787}, {39, 212.082},
    {0, 218.548},  {0, 219.365},  {39, 144.715}, {31, 190.862}, {39, 215.755}, {22, 184.308}, {0, 202.521},
    {0, 205.478},  {39, 201.879}, {39, 218.322}, {0, 199.392},  {0, 208.62},   {39, 205.722}, {39, 223.304},
    {0, 213.432},  {0, 189.85},   {39, 205.203}, {39, 205.373}, {0, 201.741},  {38, 183.423}, {37, 216.034},
    {36, 187.463}, {0, 199.057},  {35, 222.134}, {34, 187.972}, {38, 218.011}, {37, 222.467}, {39, 147.298},
    {38, 162.703}, {37, 147.713}, {38, 152.674}, {37, 147.151}, {39, 152.537}, {38, 144.335}, {37, 228.778},
    {36, 210.942}, {38, 215.194}, {0, 202.358},  {35, 209.343}, {36, 201.238}, {37, 246.389}, {35, 238.395},
    {0, 239.912},  {38, 189.192}, {36, 218.38},  {35, 206.911}, {37, 229.679}, {39, 214.087}, {36, 211.283},
    {35, 146.977}, {38, 213.693}, {36, 216.818}, {39, 209.353}, {35, 211.061}, {36, 184.732}, {34, 241.472},
    {37, 205.13},  {0, 200.356},  {35, 214.267}, {36, 189.353}, {38, 216.131}, {37, 145.92},  {0, 202.718},
    {34, 144.97},  {33, 144.85},  {35, 208.966}, {34, 149.336}, {39, 147.396}, {38, 146.813}, {37, 145.922},
    {33, 153.572}, {33, 146.552}, {39, 145.91},  {34, 147.515}, {33, 145.937}, {34, 145.545}, {33, 199.602},
    {0, 141.42},   {34, 182.305}, {38, 146.734}, {37, 211.941}, {38, 210.649}, {0, 181.312},  {32, 144.794},
    {32, 154.048}, {32, 175.065}, {32, 149.547}, {39, 151.609}, {32, 153.648}, {31, 149.094}, {31, 146.607},
    {33, 145.559}, {39, 159.651}, {32, 150.478}, {31, 153.404}, {30, 177.902}, {33, 222.62},  {0, 165.246},
    {36, 148.434}, {37, 219.537}, {35, 147.14},  {36, 217.647}, {0, 143.08},   {35, 209.306}, {34, 213.398},
    {32, 198.557}, {38, 209.887}, {39, 224.551}, {37, 212.232}, {38, 209.605}, {36, 220.715}, {37, 208.173},
    {39, 147.365}, {35, 206.683}, {36, 207.985}, {35, 239.507}, {34, 219.878}, {0, 145.945},  {33, 148.669},
    {33, 147.816}, {32, 147.728}, {34, 205.386}, {0, 145.157},  {31, 159.775}, {32, 159.524}, {33, 148.252},
    {32, 153.812}, {39, 188.529}, {34, 197.228}, {36, 163.144}, {35, 205.837}, {36, 209.87},  {39, 211.049},
    {35, 204.338}, {38, 149.267}, {37, 149.409}, {36, 214.302}, {0, 201.068},  {33, 203.897}, {35, 178.867},
    {38, 206.176}, {37, 179.135}, {0, 182.248},  {38, 191.085}, {36, 199.583}, {37, 201.159}, {35, 149.81},
    {39, 150.609}, {34, 143.336}, {38, 151.457}, {36, 148.742}, {37, 148.209}, {39, 216.221}, {34, 200.359},
    {35, 201.476}, {38, 201.813}, {36, 209.384}, {0, 173.606},  {38, 171.693}, {0, 184.542},  {37, 191.563},
    {38, 199.373}, {39, 196.303}, {37, 202.384}, {38, 202.854}, {37, 204.452}, {38, 188.838}, {39, 201.203},
    {37, 150.299}, {36, 210.704}, {36, 159.761}, {38, 219.079}, {0, 204.594},  {37, 203.112}, {38, 151.041},
    {36, 218.943}, {37, 200.775}, {0, 203.631},  {36, 228.017}, {36, 205.928}, {37, 208.403}, {36, 221.769},
    {39, 229.598}, {35, 226.403}, {35, 230.096}, {35, 224.794}, {35, 225.901}, {39, 219.421}, {35, 186.535},
    {35, 212.034}, {35, 195.282}, {36, 183.821}, {0, 143.258},  {38, 146.035}, {37, 216.791}, {35, 280.165},
    {36, 208.333}, {0, 221.966},  {38, 204.063}, {37, 222.875}, {38, 223.569}, {36, 196.97},  {39, 206.749},
    {37, 194.34},  {38, 279.45},  {34, 214.56},  {25, 223.603}, {28, 201.614}, {30, 202.295}, {30, 226.511},
    {30, 221.193}, {30, 203.298},
};

TEST(RecordedSearch, in_states_of_the_machine_names_no_commit_without_a_check) {
  results::BisectQuestion question;
  for (std::size_t i = 0; i < 40; ++i) question.commits.push_back({sha(i), "", false});
  std::vector<results::BisectEntry> entries;
  for (const auto& [commit, value] : kInStates) {
    results::BisectEntry& entry = entries.emplace_back();
    entry.commit = sha(commit);
    entry.value = value;
  }
  const judge::BisectEvidence known(question, entries);
  const judge::BisectVerdict verdict = known.verdict(0.99);
  EXPECT_TRUE(verdict.culprits.empty());
  EXPECT_EQ(verdict.outcome, judge::BisectVerdict::Outcome::kUndecided);
  // The model is sure of two steps, where there is none.
  ASSERT_EQ(verdict.unconfirmed.size(), 2u);
  EXPECT_NE(verdict.unconfirmed[0].commits.front(), sha(10));
  // The next measurement checks one of them.
  EXPECT_GT(known.next(0.99, [](const std::string&) { return true; })->pair, 0);
}

TEST(LastLine, is_a_positive_number_or_an_error) {
  EXPECT_EQ(*measure::parse_value("1.5"), 1.5);
  EXPECT_EQ(*measure::parse_value("talk 7\n 3e-2 \n\n"), 0.03);
  for (const std::string bad : {"", "\n", "1.5 ms", "nan", "inf", "0", "-3", "5\nmore", "1,5"})
    EXPECT_FALSE(measure::parse_value(bad)) << bad;
}

}  // namespace lab::app
