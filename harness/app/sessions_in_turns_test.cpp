// Sessions of a laboratory with a virtual clock. Unless a test says otherwise it has 500 benchmarks: 60 variants with 2
// core workloads each, and 380 other benchmarks that take turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/app/fake_session.h"
#include "harness/base/random.h"
#include "harness/judge/summary.h"
#include "harness/measure/arms.h"
#include "harness/measure/turns.h"

namespace lab::app {

namespace {

constexpr int kVariants = 60, kCore = 120, kAll = 500;
/// nightly gives two thirds of its 7200 s to measuring.
constexpr double kNightSeconds = 4800;

/// The sessions of one machine. Each begins with what the earlier ones told.
class Laboratory {
 public:
  /// A process needs `overhead` seconds beside measuring.
  explicit Laboratory(double overhead, int all = kAll, int core = kCore) : overhead_(overhead) {
    for (int workload = 0; static_cast<int>(names_.size()) < all; ++workload)
      for (int variant = 0; variant < kVariants && static_cast<int>(names_.size()) < all; ++variant)
        add(variant == 0 ? "plain" : fmt::format("v{:02}", variant), fmt::format("w{}", workload),
            workload < core / kVariants);
  }

  void add(const std::string& variant, const std::string& workload, bool core) {
    names_.push_back({variant, workload, core});
  }

  /// How much other work slows down what a process does beside measuring.
  std::function<double()> slowdown = [] { return 1.0; };
  /// The benchmarks that crash.
  std::set<std::string> crashing;
  /// The benchmarks with an interval, and how often each had one.
  std::map<std::string, int> measured;

  /// One session; returns its result. `measuring_seconds` is the time that its processes took.
  results::Result run(const SessionLength& length) {
    FakeSessionEnvironment fake;
    for (const auto& [variant, workload, core] : names_) {
      FakeSessionEnvironment::Behaviour& behaviour = fake.add(variant, workload, core);
      behaviour.overhead = overhead_;
      if (!crashing.contains(fmt::format("fake/{}/{}", variant, workload))) continue;
      behaviour.fails_at = 0;
      behaviour.failing.end = ChildEnd::kSignalled;
      behaviour.failing.code = 11;
    }
    fake.slowdown = slowdown;
    fake.spec.length = length;
    if (length.mode == "quick") select_core(fake.spec);
    take_turns(fake.spec, past_);
    fake.spec.other_arms = choose_control(fake.spec.selection.benchmarks);
    fake.spec.exact_first = static_cast<std::uint64_t>(sessions_);
    fake.head.session.waiting = fake.spec.waiting;
    fake.head.session.started = fmt::format("2026-08-{:02}T23:15:00Z", ++sessions_);
    EXPECT_TRUE(fake.go());
    measuring_seconds = fake.now - 1000;
    remember(fake.head, past_);
    for (const judge::SummaryRow& row : judge::summarize(fake.head))
      measured[row.benchmark] += row.value.interval ? 1 : 0;
    return fake.head;
  }

  std::set<std::string> core() const {
    std::set<std::string> core;
    for (const auto& [variant, workload, is_core] : names_)
      if (is_core) core.insert(fmt::format("fake/{}/{}", variant, workload));
    return core;
  }

  double measuring_seconds = 0;

 private:
  struct Name {
    std::string variant, workload;
    bool core;
  };
  double overhead_;
  std::vector<Name> names_;
  PastTurns past_;
  int sessions_ = 0;
};

SessionLength night_length() {
  SessionLength length = default_length();
  length.set_budget(kNightSeconds);
  return length;
}

/// The benchmarks with an interval, and those that wait.
struct Outcome {
  std::set<std::string> measured, waiting;
};

Outcome outcome_of(const results::Result& result) {
  Outcome outcome;
  for (const judge::SummaryRow& row : judge::summarize(result)) {
    EXPECT_TRUE(row.value.interval) << row.benchmark;
    outcome.measured.insert(row.benchmark);
  }
  for (const results::Waiting& one : result.session.waiting) outcome.waiting.insert(one.benchmark);
  return outcome;
}

}  // namespace

TEST(SessionsInTurns, quick_gives_every_core_benchmark_an_interval_and_the_control_enough_processes) {
  Laboratory laboratory(0.05);
  const results::Result result = laboratory.run(quick_length());
  EXPECT_LE(laboratory.measuring_seconds, quick_length().budget_seconds);
  EXPECT_EQ(result.session.state, "complete");
  const Outcome outcome = outcome_of(result);
  EXPECT_EQ(outcome.measured, laboratory.core());
  EXPECT_EQ(outcome.waiting.size(), static_cast<std::size_t>(kAll - kCore));
  const auto of_control = std::ranges::count(result.processes, results::kControl, &results::Process::arm);
  EXPECT_GE(of_control, kControlProcesses);
}

// As many as here, each of whose processes takes 0.12 s.
TEST(SessionsInTurns, quick_fits_on_a_slow_machine_with_more_core_benchmarks) {
  Laboratory laboratory(0.07, kAll, 4 * kVariants);
  const results::Result result = laboratory.run(quick_length());
  EXPECT_EQ(outcome_of(result).measured, laboratory.core());
}

// A benchmark that is left out of one of its turn's blocks has fewer processes than the others, or waits.
TEST(SessionsInTurns, the_benchmarks_of_a_turn_share_all_of_their_blocks) {
  Laboratory laboratory(0.15, 1120, 180);
  const results::Result result = laboratory.run(default_length());
  const std::set<std::string> core = laboratory.core();
  std::map<std::string, std::map<std::string, std::set<int>>> blocks;  // of the benchmarks of each workload
  for (const results::Process& one : result.processes)
    if (one.arm == results::kHead && !core.contains(one.benchmark))
      blocks[std::string(results::benchmark_parts(one.benchmark).workload)][one.benchmark].insert(one.block);
  EXPECT_FALSE(blocks.empty());
  for (const auto& [workload, each] : blocks)
    for (const auto& [benchmark, own] : each) EXPECT_EQ(own, each.begin()->second) << benchmark;
}

// Even processes of 0.16 s fit.
TEST(SessionsInTurns, quick_fits_with_the_slowest_processes_that_are_allowed) {
  Laboratory laboratory(0.11);
  const results::Result result = laboratory.run(quick_length());
  EXPECT_LE(laboratory.measuring_seconds, quick_length().budget_seconds * kTolerance + quick_length().reserve_seconds);
  EXPECT_EQ(outcome_of(result).measured, laboratory.core());
}

TEST(SessionsInTurns, quick_uses_its_reserve_for_intervals_and_the_control_alone) {
  const double budget = quick_length().budget_seconds * kTolerance;
  Laboratory fast(0.04);
  fast.run(quick_length());
  EXPECT_LE(fast.measuring_seconds, budget);
  Laboratory slow(0.17);
  const results::Result result = slow.run(quick_length());
  EXPECT_GT(slow.measuring_seconds, budget);
  EXPECT_EQ(outcome_of(result).measured, slow.core());
  EXPECT_GE(std::ranges::count(result.processes, results::kControl, &results::Process::arm), kControlProcesses);
  // A user who names a budget gets no more.
  SessionLength named = quick_length();
  named.set_budget(quick_length().budget_seconds);
  Laboratory bounded(0.17);
  bounded.run(named);
  EXPECT_LE(bounded.measuring_seconds, budget);
}

TEST(SessionsInTurns, a_night_measures_all_if_the_time_suffices) {
  Laboratory laboratory(0.05);
  const results::Result result = laboratory.run(night_length());
  EXPECT_LE(laboratory.measuring_seconds, kNightSeconds * kTolerance);
  const Outcome outcome = outcome_of(result);
  EXPECT_EQ(outcome.measured.size(), static_cast<std::size_t>(kAll));
  EXPECT_TRUE(outcome.waiting.empty());
}

// Of processes of 2.55 s, a night has time for about half.
TEST(SessionsInTurns, nights_that_are_too_short_measure_everything_at_least_every_third_night_and_core_always) {
  Laboratory laboratory(2.5);
  std::map<std::string, int> last;
  for (int night = 1; night <= 7; ++night) {
    const results::Result result = laboratory.run(night_length());
    EXPECT_LE(laboratory.measuring_seconds, kNightSeconds * kTolerance) << night;
    EXPECT_EQ(result.session.state, "complete") << night;
    const Outcome outcome = outcome_of(result);
    EXPECT_EQ(outcome.measured.size() + outcome.waiting.size(), static_cast<std::size_t>(kAll)) << night;
    EXPECT_FALSE(outcome.waiting.empty());
    for (const std::string& core : laboratory.core()) EXPECT_TRUE(outcome.measured.contains(core)) << core;
    for (const std::string& benchmark : outcome.measured) {
      EXPECT_LE(night - last[benchmark], 3) << benchmark;
      last[benchmark] = night;
    }
  }
  EXPECT_EQ(last.size(), static_cast<std::size_t>(kAll));
  for (const auto& [benchmark, night] : last) EXPECT_GE(night, 5) << benchmark;
}

TEST(SessionsInTurns, all_variants_of_a_workload_have_their_turn_with_the_reference) {
  Laboratory laboratory(2.5);
  for (int night = 1; night <= 3; ++night) {
    const Outcome outcome = outcome_of(laboratory.run(night_length()));
    for (const std::string& benchmark : outcome.measured) {
      const std::string reference = fmt::format("fake/plain/{}", results::benchmark_parts(benchmark).workload);
      EXPECT_TRUE(outcome.measured.contains(reference)) << benchmark;
    }
  }
}

TEST(SessionsInTurns, a_benchmark_that_appears_later_has_its_turn_in_the_next_session) {
  Laboratory laboratory(2.5);
  for (int night = 1; night <= 3; ++night) laboratory.run(night_length());
  laboratory.add("plain", "new", false);
  laboratory.add("v01", "new", false);
  const Outcome outcome = outcome_of(laboratory.run(night_length()));
  EXPECT_TRUE(outcome.measured.contains("fake/plain/new"));
  EXPECT_TRUE(outcome.measured.contains("fake/v01/new"));
}

TEST(SessionsInTurns, a_benchmark_that_always_crashes_delays_no_other) {
  Laboratory laboratory(2.5);
  laboratory.crashing = {"fake/v01/w2", "fake/v07/w0", "fake/plain/w4"};
  for (int night = 1; night <= 4; ++night) laboratory.run(night_length());
  EXPECT_EQ(laboratory.measured.size(), kAll - laboratory.crashing.size());
  for (const auto& [benchmark, times] : laboratory.measured) EXPECT_GE(times, 1) << benchmark;
}

TEST(SessionsInTurns, a_budget_too_short_for_the_core_workloads_gives_them_turns) {
  Laboratory laboratory(2.5);
  SessionLength length = quick_length();
  length.set_budget(1000);
  for (int session = 1; session <= 4; ++session) {
    const results::Result result = laboratory.run(length);
    EXPECT_LE(laboratory.measuring_seconds, 1000 * kTolerance);
    EXPECT_FALSE(outcome_of(result).measured.empty());
  }
  for (const std::string& core : laboratory.core()) EXPECT_GE(laboratory.measured[core], 1) << core;
}

// A laboratory as large as this one, on a machine of two cores with so many others busy: a process shares a core with
// the others, and now and then waits for several times as long.
TEST(SessionsInTurns, beside_other_work_too_every_core_benchmark_has_its_processes_and_the_others_have_their_turns) {
  constexpr int kMany = 1120, kManyCore = 180;
  for (const double load : {0.0, 1.0, 1.7, 2.0})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      if (load == 0 && seed > 1) continue;  // nothing random
      SCOPED_TRACE(fmt::format("load {}, seed {}", load, seed));
      Laboratory laboratory(0.1, kMany, kManyCore);
      Random random(seed);
      laboratory.slowdown = [&] {
        if (load == 0) return 1.0;
        const double share = std::max(1.0, (1 + load) / 2);
        return share * (random.below(10) == 0 ? 1 + 4.0 * static_cast<double>(random.below(100)) / 100 : 1);
      };
      for (int session = 1; session <= 2; ++session) {
        const results::Result result = laboratory.run(default_length());
        EXPECT_LE(laboratory.measuring_seconds, default_length().budget_seconds * kTolerance);
        EXPECT_EQ(result.session.state, "complete");
        const Outcome outcome = outcome_of(result);
        for (const std::string& core : laboratory.core()) EXPECT_TRUE(outcome.measured.contains(core)) << core;
        EXPECT_GE(outcome.measured.size(), static_cast<std::size_t>(kManyCore + kVariants));
        EXPECT_EQ(outcome.measured.size() + outcome.waiting.size(), static_cast<std::size_t>(kMany));
      }
    }
}

// Seconds of other work at the beginning of a session cost no benchmark its turn.
TEST(SessionsInTurns, a_busy_beginning_lets_nothing_wait_for_which_there_is_time) {
  Laboratory laboratory(0.05);
  int processes = 0;
  laboratory.slowdown = [&] { return ++processes <= 200 ? 20.0 : 1.0; };
  SessionLength length = default_length();
  length.set_budget(1200);
  EXPECT_TRUE(outcome_of(laboratory.run(length)).waiting.empty());
}

TEST(SessionsInTurns, time_that_is_left_gives_all_of_them_more_processes) {
  Laboratory laboratory(0.05);
  const results::Result result = laboratory.run(night_length());
  std::map<std::string, int> processes;
  for (const results::Process& one : result.processes) processes[one.benchmark] += one.arm == results::kHead;
  EXPECT_EQ(processes.size(), static_cast<std::size_t>(kAll));
  for (const auto& [benchmark, count] : processes) EXPECT_GE(count, 18) << benchmark;
}

}  // namespace lab::app
