#include "harness/compare/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "harness/results/made_up.h"

namespace lab::compare {

using results::kBase;
using results::kControl;
using results::kHead;
using results::Process;
using results::Result;

namespace {

/// Made-up sessions: benchmark i is "shelf/v<i>/store", at 100 ns times its factor, with 1 % of noise.
class Maker {
 public:
  explicit Maker(unsigned seed = 1) : random_(seed) {}

  /// A session of `arms`; `factor` says what a benchmark of an arm is slower by.
  Result session(int rows, int blocks, const std::vector<std::string_view>& arms,
                 const std::function<double(int, std::string_view)>& factor = [](int, std::string_view) { return 1.0; }) {
    Result result = results::made_up_result();
    result.session.id = fmt::format("session {}", ++sessions_);
    for (const std::string_view arm : arms) {
      result.arms.emplace_back();
      result.arms.back().name = arm;
    }
    for (int block = 0; block < blocks; ++block)
      for (int row = 0; row < rows; ++row)
        for (const std::string_view arm : arms) {
          if (arm == kControl && row != 0) continue;
          result.processes.push_back(results::made_up_process(fmt::format("shelf/v{}/store", row), block,
                                                              100 * std::exp(noise_(random_)) * factor(row, arm)));
          result.processes.back().arm = arm;
        }
    return result;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> noise_{0, 0.01};
  int sessions_ = 0;
};

const Row* find_row(const Comparison& comparison, const std::string& benchmark) {
  for (const Row& row : comparison.rows)
    if (row.benchmark == benchmark) return &row;
  return nullptr;
}

Verdict verdict_of(const Comparison& comparison, int row) {
  return find_row(comparison, fmt::format("shelf/v{}/store", row))->verdict;
}

/// 20 blocks of four benchmarks: as before, 5 % slower, 5 % faster, 1.5 % slower.
Result changed_session() {
  return Maker().session(4, 20, {kBase, kHead}, [](int row, std::string_view arm) {
    constexpr double kFactors[]{1, 1.05, 0.95, 1.015};
    return arm == kHead ? kFactors[row] : 1;
  });
}

Settings at(double threshold) {
  Settings settings;
  settings.threshold = threshold;
  return settings;
}

}  // namespace

TEST(Compare, gives_each_of_the_four_verdicts_where_it_is_true) {
  const Comparison comparison = *compare_arms(changed_session(), at(0.015));
  EXPECT_EQ(verdict_of(comparison, 0), Verdict::kSame);
  EXPECT_EQ(verdict_of(comparison, 1), Verdict::kRegressed);
  EXPECT_EQ(verdict_of(comparison, 2), Verdict::kImproved);
  EXPECT_EQ(verdict_of(comparison, 3), Verdict::kUnknown);
  EXPECT_EQ(sentence(comparison), "Of 4 benchmarks 1 regressed, 1 improved, 1 unknown, 1 same; no exact metric changed.");
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::kRegressed);
  EXPECT_EQ(comparison.rows[3].verdict, Verdict::kSame);
}

TEST(Compare, has_p_and_interval_of_one_test) {
  // Alone in its table a row's p is not adjusted: below alpha exactly where the interval leaves 1 out.
  int found = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Result session = Maker(seed).session(
        1, 10, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.01 : 1; });
    const Row row = compare_arms(session, {})->rows.at(0);
    const bool without_one = row.interval->low > 1 || row.interval->high < 1;
    EXPECT_EQ(row.p < 0.05, without_one) << seed;
    found += without_one;
    EXPECT_LE(row.interval->low, row.ratio);
    EXPECT_GE(row.interval->high, row.ratio);
  }
  EXPECT_GT(found, 10);
  EXPECT_LT(found, 55);
}

TEST(Compare, gives_the_inverse_where_base_and_head_change_places) {
  Result session = changed_session(), turned = session;
  for (Process& process : turned.processes) process.arm = process.arm == kHead ? kBase : kHead;
  const Comparison one = *compare_arms(session, at(0.01)), other = *compare_arms(turned, at(0.01));
  for (int i = 0; i < 4; ++i) {
    const Row &row = *find_row(one, fmt::format("shelf/v{}/store", i)), &back = *find_row(other, row.benchmark);
    EXPECT_NEAR(row.ratio * back.ratio, 1, 1e-7);
    EXPECT_NEAR(row.interval->low * back.interval->high, 1, 1e-7);
    EXPECT_NEAR(row.p, back.p, 1e-9);
  }
  EXPECT_EQ(count(one, Verdict::kRegressed), count(other, Verdict::kImproved));
}

TEST(Compare, does_not_take_a_sessions_drift_for_a_change) {
  // 60 benchmarks whose machine gets 30 % slower from first to last block: the rows are as exact as without.
  Result session = Maker().session(60, 12, {kBase, kHead});
  for (Process& process : session.processes) process.real_time *= 1 + 0.3 * process.block / 11;
  const Comparison comparison = *compare_arms(session, at(0.03));
  EXPECT_EQ(count(comparison, Verdict::kSame), 60u);
}

TEST(Compare, calls_identical_executables_the_same_without_a_time) {
  Result session = Maker().session(2, 8, {kHead, kBase});
  session.processes.erase(std::remove_if(session.processes.begin(), session.processes.end(),
                                         [](const Process& p) { return p.arm == kBase && p.benchmark == "shelf/v0/store"; }),
                          session.processes.end());
  for (results::Arm& arm : session.arms) arm.executables = {{"shelf/v0", "abc"}, {"shelf/v1", arm.name}};
  const Comparison comparison = *compare_arms(session, {});
  const Row& row = *find_row(comparison, "shelf/v0/store");
  EXPECT_EQ(row.verdict, Verdict::kSame);
  EXPECT_EQ(row.ratio, 1);
  EXPECT_EQ(row.interval, (stats::Interval{1, 1}));
  EXPECT_EQ(row.p, 1);
  EXPECT_EQ(row.note, "identical executable, not timed");
  EXPECT_EQ(comparison.tested, 1u);
}

TEST(Compare, refuses_what_cannot_be_compared_until_it_is_allowed) {
  Maker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result machine = maker.session(3, 8, {kHead}), version = maker.session(3, 8, {kHead}), other = machine;
  machine.machine.id = "another";
  version.workloads[0].version = 3;
  for (Process& process : other.processes) process.benchmark = "else/" + process.benchmark;
  const auto complaint = [&](const Result& head, Settings settings = {}) {
    const auto comparison = compare_sessions(base, head, settings);
    EXPECT_TRUE(comparison || comparison.error().status == ExitStatus::kUsage);
    return comparison ? "" : comparison.error().what;
  };
  EXPECT_EQ(complaint(machine), "expected sessions of one machine, found '0123456789ab' and 'another'");
  EXPECT_EQ(complaint(version), "expected one version of each workload, found two of shelf/store (2 and 3)");
  EXPECT_EQ(complaint(other), "no benchmark in common: base has 3, head has 3");
  Settings machines, versions;
  machines.allow_machines = versions.allow_versions = true;
  EXPECT_EQ(complaint(machine, machines), "");
  EXPECT_EQ(complaint(version, versions), "");
  EXPECT_EQ(compare_sessions(base, machine, machines)->warnings.at(0), complaint(machine));
  EXPECT_EQ(compare_arms(base, {}).error().what,
            "expected a session with the arms head and base, found only head in 'session 1'");
}

TEST(Compare, gives_no_verdict_in_an_unfit_session_unless_told_to) {
  const Result session = Maker().session(3, 20, {kBase, kHead, kControl}, [](int row, std::string_view arm) {
    return arm == kControl ? 1.05 : row == 1 && arm == kHead ? 1.1 : 1;
  });
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_FALSE(comparison.fit);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kUnfit);
  EXPECT_EQ(count(comparison, Verdict::kUnknown), 3u);
  EXPECT_EQ(sentence(comparison),
            "No verdict: the session is unfit, because its A/A control failed; no exact metric changed.");
  Settings anyway;
  anyway.allow_unfit = true;
  EXPECT_EQ(exit_status(*compare_arms(session, anyway)), ExitStatus::kRegression);
  // Told to, "unknown" is a verdict too; at a threshold of 0 nothing is the same.
  anyway.threshold = 0;
  const Comparison undecided = *compare_arms(
      Maker().session(3, 20, {kBase, kHead, kControl}, [](int, std::string_view arm) { return arm == kControl ? 1.05 : 1; }),
      anyway);
  EXPECT_FALSE(undecided.fit);
  EXPECT_EQ(exit_status(undecided), ExitStatus::kOk);
  EXPECT_EQ(sentence(undecided), "Of 3 benchmarks 0 regressed, 0 improved, 3 unknown, 0 same; no exact metric changed.");
}

TEST(Compare, widens_two_sessions_by_what_they_differ_on_identical_executables) {
  Maker maker;
  const auto factor = [](int row, std::string_view) { return row % 2 == 0 ? 1.03 : 1 / 1.03; };
  Result base = maker.session(12, 15, {kHead}), head = maker.session(12, 15, {kHead}, factor);
  for (Result* session : {&base, &head})
    for (int row = 0; row < 11; ++row) session->arms[0].executables[fmt::format("shelf/v{}", row)] = "abc";
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_FALSE(comparison.interleaved);
  EXPECT_NEAR(comparison.session_shift, 0.035, 0.012);
  EXPECT_EQ(comparison.shift_source, "measured on 11 benchmarks whose executables are identical");
  EXPECT_EQ(verdict_of(comparison, 11), Verdict::kUnknown);  // 3 % is what the others moved for no reason
}

TEST(Compare, does_not_take_a_slower_machine_for_a_slower_table) {
  Maker maker;
  const Result base = maker.session(40, 15, {kHead});
  const Result head = maker.session(40, 15, {kHead}, [](int row, std::string_view) { return row == 7 ? 1.2 : 1.05; });
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_NEAR(comparison.session_shift, 0.05, 0.01);
  EXPECT_EQ(verdict_of(comparison, 7), Verdict::kRegressed);
  EXPECT_EQ(count(comparison, Verdict::kRegressed), 1u);
}

TEST(Compare, assumes_what_sessions_differ_where_the_table_is_too_short) {
  Maker maker;
  const Comparison comparison = *compare_sessions(maker.session(3, 15, {kHead}), maker.session(3, 15, {kHead}), {});
  EXPECT_NEAR(comparison.session_shift, kAssumedShift, 1e-12);
  EXPECT_NE(outlook(comparison).find("measure both in one session"), std::string::npos) << outlook(comparison);
}

TEST(Compare, names_the_facts_of_the_machine_that_changed) {
  Maker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result head = maker.session(3, 8, {kHead});
  head.facts.kernel = "6.2.0";
  EXPECT_EQ(compare_sessions(base, head, {})->warnings, (std::vector<std::string>{"kernel: '6.1.0' before, '6.2.0' now"}));
}

TEST(Compare, of_a_session_with_itself_is_the_same) {
  const Result session = Maker().session(3, 8, {kHead});
  const Comparison comparison = *compare_sessions(session, session, {});
  EXPECT_EQ(count(comparison, Verdict::kSame), 3u);
  EXPECT_EQ(comparison.warnings, (std::vector<std::string>{"base and head are the same session: nothing is compared"}));
}

TEST(Compare, knows_nothing_from_one_process_an_arm) {
  const Comparison comparison = *compare_arms(
      Maker().session(3, 1, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 2.0 : 1; }), {});
  EXPECT_EQ(count(comparison, Verdict::kUnknown), 3u);
  EXPECT_EQ(comparison.rows[0].p, 1);
  EXPECT_FALSE(comparison.rows[0].interval);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
}

TEST(Compare, calls_equal_times_the_same) {
  Result session = Maker().session(2, 10, {kBase, kHead});
  for (Process& process : session.processes) process.real_time = 100;
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_EQ(count(comparison, Verdict::kSame), 2u);
  EXPECT_NEAR(comparison.rows[0].ratio, 1, 1e-8);
}

TEST(Compare, lists_what_only_one_side_has_and_why) {
  Maker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result head = maker.session(2, 8, {kHead});
  head.failures = {{"shelf/v2/store", 0, 0, "crash", "SIGSEGV", ""}};
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_EQ(comparison.only_base, (std::vector<std::string>{"shelf/v2/store (crash: SIGSEGV)"}));
  EXPECT_TRUE(comparison.only_head.empty());
}

TEST(Compare, says_how_many_processes_would_decide_an_unknown_row) {
  // What it says is enough, in a session of so many, in most cases.
  const auto slower = [](int, std::string_view arm) { return arm == kHead ? 1.01 : 1; };
  Row row;
  for (unsigned seed = 1; !row.needed || row.ratio < 1.008; ++seed) {
    ASSERT_LT(seed, 100u);
    row = compare_arms(Maker(seed).session(1, 10, {kBase, kHead}, slower), at(0.005))->rows[0];
  }
  EXPECT_EQ(row.verdict, Verdict::kUnknown);
  EXPECT_GT(*row.needed, 10u);
  int decided = 0;
  const double ratio = row.ratio;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto truly = [&](int, std::string_view arm) { return arm == kHead ? ratio : 1; };
    decided += compare_arms(Maker(seed).session(1, static_cast<int>(*row.needed), {kBase, kHead}, truly), at(0.005))
                   ->rows[0].verdict == Verdict::kRegressed;
  }
  EXPECT_GE(decided, 12);
}

TEST(ExactMetrics, are_findings_at_one_sample) {
  Result session = Maker().session(3, 2, {kBase, kHead});
  for (Process& process : session.processes) {
    if (process.arm != kHead) continue;
    if (process.benchmark == "shelf/v0/store") process.counters["metadata_bytes"] = 136;
    if (process.benchmark == "shelf/v1/store") process.counters["workers"] = 2;
    if (process.benchmark == "shelf/v2/store") process.checksum = "00000000000000bb";
  }
  const Comparison comparison = *compare_arms(session, {});
  ASSERT_EQ(comparison.exact.size(), 3u);
  EXPECT_EQ(comparison.exact[0].metric, "metadata_bytes");
  EXPECT_EQ(comparison.exact[0].base + " " + comparison.exact[0].head, "128 136");
  EXPECT_TRUE(comparison.exact[0].worse);
  EXPECT_EQ(comparison.exact[1].metric, "workers");
  EXPECT_FALSE(comparison.exact[1].worse);
  EXPECT_EQ(comparison.exact[2].metric, "checksum");
  EXPECT_TRUE(comparison.exact[2].worse);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
}

TEST(ExactMetrics, are_instructions_and_the_minimum_heap_too) {
  Result session = Maker().session(2, 4, {kBase, kHead});
  for (Process& process : session.processes) {
    const bool head = process.arm == kHead;
    if (process.block >= 3) continue;  // only some processes are asked
    if (process.benchmark == "shelf/v0/store") process.counters["instructions"] = head ? 1001 : 1000;
    if (process.benchmark == "shelf/v1/store") process.counters["minimum_heap_bytes"] = head ? 4096 : 8192;
  }
  const Comparison comparison = *compare_arms(session, {});
  ASSERT_EQ(comparison.exact.size(), 2u);
  EXPECT_EQ(comparison.exact[0].metric, "instructions");
  EXPECT_EQ(comparison.exact[0].base + " " + comparison.exact[0].head, "1000 1001");
  EXPECT_TRUE(comparison.exact[0].worse);
  EXPECT_EQ(comparison.exact[1].metric, "minimum_heap_bytes");
  EXPECT_EQ(comparison.exact[1].base + " " + comparison.exact[1].head, "8192 4096");
  EXPECT_FALSE(comparison.exact[1].worse);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
}

TEST(ExactMetrics, are_no_costly_ones_that_one_process_or_one_arm_alone_found) {
  Result session = Maker().session(2, 4, {kBase, kHead});
  for (Process& process : session.processes) {
    if (process.benchmark == "shelf/v0/store" && process.block == 0)
      process.counters["instructions"] = process.arm == kHead ? 1001 : 1000;
    if (process.benchmark == "shelf/v1/store" && process.arm == kHead) {
      process.counters["instructions"] = 1001;
      process.counters["minimum_heap_bytes"] = 4096;
    }
  }
  EXPECT_TRUE(compare_arms(session, {})->exact.empty());
}

TEST(ExactMetrics, are_not_those_that_differ_from_process_to_process) {
  Result session = Maker().session(1, 3, {kBase, kHead});
  for (Process& process : session.processes) process.counters["metadata_bytes"] = process.real_time;
  EXPECT_TRUE(compare_arms(session, {})->exact.empty());
}

namespace {

results::Column column(const std::string& name, std::uint64_t size) {
  results::Column column;
  column.name = name;
  column.driver.short_name = "lavapipe";
  column.images = {{1, 1, 64, 16, 7}, {64, 64, size, 16, 7}};
  column.buffers = {{100, 112, 16}};
  return column;
}

}  // namespace

TEST(Atlases, are_compared_exactly) {
  const Comparison comparison = *compare_atlases({column("lavapipe-1", 4096)}, {column("lavapipe-1", 8192)});
  ASSERT_EQ(comparison.exact.size(), 1u);
  EXPECT_EQ(comparison.exact[0].metric, "image 64x64 size");
  EXPECT_TRUE(comparison.exact[0].worse);
  EXPECT_EQ(sentence(comparison), "1 exact metric changed, 1 of them for the worse.");
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
  EXPECT_EQ(exit_status(*compare_atlases({column("a", 1)}, {column("a", 1)})), ExitStatus::kOk);
}

TEST(Atlases, pair_a_driver_with_its_next_version) {
  const Comparison comparison = *compare_atlases({column("lavapipe-1", 4096)}, {column("lavapipe-2", 2048)});
  ASSERT_EQ(comparison.exact.size(), 1u);
  EXPECT_EQ(comparison.exact[0].benchmark, "lavapipe-1 -> lavapipe-2");
  EXPECT_FALSE(comparison.exact[0].worse);
  results::Column other = column("radv-1", 1);
  other.driver.short_name = "radv";
  EXPECT_EQ(compare_atlases({column("lavapipe-1", 1)}, {other}).error().status, ExitStatus::kUsage);
}

}  // namespace lab::compare
