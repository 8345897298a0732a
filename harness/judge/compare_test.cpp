#include "harness/judge/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "harness/results/result_fixture.h"

namespace lab::judge {

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

  /// A session of `arms`; `factor`: by how much a benchmark of an arm is slower.
  Result session(
      int rows, int blocks, const std::vector<std::string_view>& arms,
      const std::function<double(int, std::string_view)>& factor = [](int, std::string_view) { return 1.0; }) {
    Result result = results::fixture_result();
    result.session.id = fmt::format("session {}", ++sessions_);
    for (const std::string_view arm : arms) {
      result.arms.emplace_back();
      result.arms.back().name = arm;
    }
    for (int block = 0; block < blocks; ++block)
      for (int row = 0; row < rows; ++row)
        for (const std::string_view arm : arms) {
          if (arm == kControl && row != 0) continue;
          result.processes.push_back(results::fixture_process(fmt::format("shelf/v{}/store", row), block,
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

const ComparisonRow* find_row(const Comparison& comparison, const std::string& benchmark) {
  for (const ComparisonRow& row : comparison.rows)
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

CompareSettings at(double threshold) {
  CompareSettings settings;
  settings.threshold = threshold;
  return settings;
}

}  // namespace

/// The session with every process in one of four links of its arm; the arms' links differ by `levels` in row 0.
Result with_links(Result session, const std::vector<double>& base, const std::vector<double>& head) {
  for (Process& process : session.processes) {
    process.layout = process.block % 4 + 1;
    if (!process.benchmark.ends_with("v0/store")) continue;
    process.real_time *= (process.arm == kHead ? head : base)[static_cast<std::size_t>(process.block % 4)];
  }
  return session;
}

TEST(Compare, says_that_layout_alone_could_explain_what_links_of_equal_code_differ_by) {
  const Result session = with_links(Maker().session(4, 20, {kBase, kHead}), {1, 1.03, 0.97, 1}, {1, 1.06, 1.05, 1.01});
  const Comparison comparison = *compare_arms(session, at(0.005));
  const ComparisonRow& row = *find_row(comparison, "shelf/v0/store");
  EXPECT_EQ(row.verdict, Verdict::kUnknown);
  EXPECT_TRUE(row.hidden_by_layout);
  EXPECT_TRUE(row.note.starts_with("the layout of code alone could explain it: layouts of one build differ by "))
      << row.note;
  ASSERT_TRUE(row.layout);
  EXPECT_GT(row.layout->sigma, 0.015);
  EXPECT_GT(row.layout->share, 0.5);
  EXPECT_LT(row.interval->low, 1);

  Result one_link = session;
  for (Process& process : one_link.processes) process.layout = 0;
  const Comparison before = *compare_arms(one_link, at(0.005));
  EXPECT_EQ(verdict_of(before, 0), Verdict::kRegressed);
  EXPECT_FALSE(find_row(before, "shelf/v0/store")->layout);
}

TEST(Compare, finds_changes_that_are_larger_than_what_links_differ_by) {
  const Comparison comparison = *compare_arms(with_links(changed_session(), {1, 1, 1, 1}, {1, 1, 1, 1}), at(0.005));
  EXPECT_EQ(verdict_of(comparison, 1), Verdict::kRegressed);
  EXPECT_EQ(verdict_of(comparison, 2), Verdict::kImproved);
  EXPECT_FALSE(find_row(comparison, "shelf/v1/store")->hidden_by_layout);
}

TEST(Compare, gives_each_of_the_four_verdicts_when_it_is_true) {
  const Comparison comparison = *compare_arms(changed_session(), at(0.015));
  EXPECT_EQ(verdict_of(comparison, 0), Verdict::kSame);
  EXPECT_EQ(verdict_of(comparison, 1), Verdict::kRegressed);
  EXPECT_EQ(verdict_of(comparison, 2), Verdict::kImproved);
  EXPECT_EQ(verdict_of(comparison, 3), Verdict::kUnknown);
  EXPECT_EQ(sentence(comparison),
            "Of 4 benchmarks 1 regressed, 1 improved, 1 unknown, 1 same; no exact metric changed.");
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::kRegressed);
  EXPECT_EQ(comparison.rows[3].verdict, Verdict::kSame);
}

TEST(Compare, takes_p_and_interval_from_one_test) {
  // Alone in its table a row's p is not adjusted: below alpha exactly where the interval leaves 1 out.
  int found = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Result session =
        Maker(seed).session(1, 10, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.01 : 1; });
    const ComparisonRow row = compare_arms(session, {})->rows.at(0);
    const bool without_one = row.interval->low > 1 || row.interval->high < 1;
    EXPECT_EQ(row.p < 0.05, without_one) << seed;
    found += without_one;
    EXPECT_LE(row.interval->low, row.ratio);
    EXPECT_GE(row.interval->high, row.ratio);
  }
  EXPECT_GT(found, 10);
  EXPECT_LT(found, 55);
}

TEST(Compare, gives_the_inverse_if_base_and_head_are_swapped) {
  Result session = changed_session(), turned = session;
  for (Process& process : turned.processes) process.arm = process.arm == kHead ? kBase : kHead;
  const Comparison one = *compare_arms(session, at(0.01)), other = *compare_arms(turned, at(0.01));
  for (int i = 0; i < 4; ++i) {
    const ComparisonRow &row = *find_row(one, fmt::format("shelf/v{}/store", i)),
                        &back = *find_row(other, row.benchmark);
    EXPECT_NEAR(row.ratio * back.ratio, 1, 1e-7);
    EXPECT_NEAR(row.interval->low * back.interval->high, 1, 1e-7);
    EXPECT_NEAR(*row.p, *back.p, 1e-9);
  }
  EXPECT_EQ(count(one, Verdict::kRegressed), count(other, Verdict::kImproved));
}

TEST(Compare, is_not_misled_by_a_sessions_drift) {
  // 60 benchmarks whose machine gets 30 % slower from first to last block: the rows are as exact as without.
  Result session = Maker().session(60, 12, {kBase, kHead});
  for (Process& process : session.processes) process.real_time *= 1 + 0.3 * process.block / 11;
  const Comparison comparison = *compare_arms(session, at(0.03));
  EXPECT_EQ(count(comparison, Verdict::kSame), 60u);
}

TEST(Compare, does_not_judge_identical_executables_and_invents_no_time) {
  Result session = Maker().session(2, 8, {kHead, kBase});
  session.processes.erase(
      std::remove_if(session.processes.begin(), session.processes.end(),
                     [](const Process& p) { return p.arm == kBase && p.benchmark == "shelf/v0/store"; }),
      session.processes.end());
  for (results::Arm& arm : session.arms) arm.executables = {{"shelf/v0", "abc"}, {"shelf/v1", arm.name}};
  const Comparison comparison = *compare_arms(session, {});
  const ComparisonRow& row = *find_row(comparison, "shelf/v0/store");
  EXPECT_EQ(row.verdict, Verdict::kUnknown);
  EXPECT_EQ(row.reason, Reason::kIdentical);
  EXPECT_FALSE(is_measured(row));
  EXPECT_FALSE(row.interval);
  EXPECT_FALSE(row.p);
  EXPECT_EQ(row.note, "identical code, not timed");
  EXPECT_EQ(comparison.tested, 1u);
  EXPECT_EQ(
      sentence(comparison),
      "Of 2 benchmarks 0 regressed, 0 improved, 1 unknown, 0 same, 1 has identical code and was not judged; no exact "
      "metric changed.");
}

namespace {

/// Two sessions of one build of `rows` benchmarks; head is `factor` times slower in all of them.
std::pair<Result, Result> of_one_build(int rows, double factor) {
  Maker maker;
  Result base = maker.session(rows, 10, {kHead});
  Result head = maker.session(rows, 10, {kHead}, [&](int, std::string_view) { return factor; });
  for (Result* session : {&base, &head})
    for (int row = 0; row < rows; ++row) session->arms[0].executables[fmt::format("shelf/v{}", row)] = "abc";
  return {base, head};
}

}  // namespace

TEST(Compare, shows_the_times_of_identical_code_without_judging_them) {
  const auto [base, head] = of_one_build(3, 1.1);
  const Comparison comparison = *compare_sessions(base, head, {});
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.reason, Reason::kIdentical);
    EXPECT_NEAR(row.ratio, row.head_value / row.base_value, 0.02);
    EXPECT_NEAR(row.ratio, 1.1, 0.02);
    EXPECT_FALSE(row.p || row.interval);
    EXPECT_EQ(row.note, "identical code, not judged");
  }
  EXPECT_EQ(
      sentence(comparison),
      "Of 3 benchmarks 0 regressed, 0 improved, 0 unknown, 0 same, 3 have identical code and were not judged; no exact "
      "metric changed.");
  EXPECT_EQ(outlook(comparison), "");
  EXPECT_EQ(comparison.session_shift, 0);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  // The cause is not the code: a warning if sessions differ by more than is usual.
  ASSERT_EQ(comparison.warnings.size(), 1u);
  EXPECT_TRUE(comparison.warnings[0].starts_with("identical code moved by up to +1")) << comparison.warnings[0];
  const auto [before, after] = of_one_build(3, 1);
  EXPECT_TRUE(compare_sessions(before, after, {})->warnings.empty());
}

TEST(Compare, tests_an_identical_executable_if_the_kernel_or_c_library_differs_or_is_unknown) {
  const auto change = [](const char* what, const auto& apply) {
    auto [base, head] = of_one_build(3, 2);
    apply(base, head);
    const Comparison comparison = *compare_sessions(base, head, {});
    EXPECT_EQ(count(comparison, Verdict::kRegressed), 3u) << what;
    EXPECT_EQ(comparison.tested, 3u) << what;
    EXPECT_NEAR(comparison.rows[0].ratio, 2, 0.05) << what;
    EXPECT_EQ(comparison.shift_source, "assumed: too few benchmarks to measure it") << what;
  };
  change("kernel", [](Result&, Result& head) { head.facts.kernel = "6.2.0"; });
  change("C library", [](Result&, Result& head) { head.facts.libc = "glibc 2.41"; });
  change("C library, patched", [](Result& base, Result& head) {
    base.facts.libc_build = "aa";
    head.facts.libc_build = "bb";
  });
  change("unknown kernel", [](Result& base, Result& head) { base.facts.kernel = head.facts.kernel = "unknown"; });
  change("no C library", [](Result& base, Result& head) { base.facts.libc = head.facts.libc = ""; });
}

TEST(Compare, rejects_different_seeds_and_judges_nothing_if_they_are_allowed) {
  Maker maker;
  const auto slower = [](int, std::string_view) { return 1.5; };
  const Result base = maker.session(3, 10, {kHead});
  Result head = maker.session(3, 10, {kHead}, slower);
  head.session.seed = 8;
  for (Process& process : head.processes) {
    process.seed = 8;
    process.counters["metadata_bytes"] = 256;
    process.checksum = "00000000000000bb";
  }
  const auto refused = compare_sessions(base, head, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "expected one seed of the workloads, found 7 and 8");
  EXPECT_EQ(refused.error().hint, "--allow seeds shows them, not judged");
  EXPECT_EQ(refused.error().status, ExitStatus::kUsage);
  CompareSettings seeds;
  seeds.allow_seeds = true;
  const Comparison comparison = *compare_sessions(base, head, seeds);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict, Verdict::kUnknown);
    EXPECT_EQ(row.reason, Reason::kSeeds);
    EXPECT_EQ(row.note, "different seeds, not judged");
    EXPECT_NEAR(row.ratio, 1.5, 0.03);
    EXPECT_FALSE(row.p || row.interval);
  }
  EXPECT_TRUE(comparison.exact.empty());
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  EXPECT_EQ(comparison.warnings, (std::vector<std::string>{refused.error().what}));
  EXPECT_EQ(
      sentence(comparison),
      "Of 3 benchmarks 0 regressed, 0 improved, 0 unknown, 0 same, 3 ran with different seeds and were not judged; no "
      "exact metric changed.");
}

TEST(Compare, rejects_a_different_seed_of_some_processes) {
  CompareSettings seeds;
  seeds.allow_seeds = true;
  // Within a session, in one arm; and in one of two sessions.
  Result session =
      Maker().session(5, 10, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.5 : 1; });
  for (Process& process : session.processes)
    if (process.arm == kHead && process.benchmark != "shelf/v4/store" && process.block % 2 == 1) {
      process.seed = 9;
      process.counters["metadata_bytes"] = 256;
    }
  EXPECT_EQ(
      compare_arms(session, {}).error().what,
      "expected one seed of the workloads, found 7 and 9 in shelf/v0/store, shelf/v1/store, shelf/v2/store, 1 more");
  const Comparison comparison = *compare_arms(session, seeds);
  EXPECT_EQ(comparison.tested, 1u);
  EXPECT_EQ(verdict_of(comparison, 4), Verdict::kRegressed);
  EXPECT_EQ(find_row(comparison, "shelf/v0/store")->reason, Reason::kSeeds);
  EXPECT_TRUE(comparison.exact.empty());
  Maker maker;
  const Result base = maker.session(2, 10, {kHead});
  Result head = maker.session(2, 10, {kHead});
  for (Process& process : head.processes)
    if (process.benchmark == "shelf/v1/store") process.seed = 9;
  EXPECT_EQ(compare_sessions(base, head, {}).error().what,
            "expected one seed of the workloads, found 7 and 9 in shelf/v1/store");
  EXPECT_EQ(find_row(*compare_sessions(base, head, seeds), "shelf/v1/store")->reason, Reason::kSeeds);
}

TEST(Compare, shows_two_machines_without_a_verdict) {
  auto [base, head] = of_one_build(3, 2);
  head.machine.id = "another";
  for (Process& process : head.processes) process.counters["metadata_bytes"] = 256;
  CompareSettings machines;
  machines.allow_machines = true;
  const Comparison comparison = *compare_sessions(base, head, machines);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict, Verdict::kUnknown);
    EXPECT_EQ(row.reason, Reason::kMachine);
    EXPECT_FALSE(row.identical || row.p || row.interval);
    EXPECT_NEAR(row.ratio, 2, 0.05);
  }
  EXPECT_TRUE(comparison.exact.empty());
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  // An answer is right or wrong on every machine.
  for (Process& process : head.processes) process.checksum = "00000000000000bb";
  EXPECT_EQ(exit_status(*compare_sessions(base, head, machines)), ExitStatus::kRegression);
}

TEST(Compare, reports_why_a_row_is_unknown) {
  // 4 processes an arm in a table of 20; 40 % of noise; processes that were still warming up; and 3 processes.
  const auto reasons = [](const Result& session) {
    std::set<std::string> all;
    const Comparison made = *compare_arms(session, {});
    for (const ComparisonRow& row : made.rows) {
      EXPECT_EQ(row.reason == Reason::kNone, row.note.empty());
      all.insert(fmt::format("{} {}: {}", to_string(row.verdict), to_string(row.reason), row.note));
    }
    return all;
  };
  using Set = std::set<std::string>;
  EXPECT_EQ(reasons(Maker().session(20, 4, {kBase, kHead})),
            (Set{"unknown too_young: too few processes to tell a change from chance in a table of 24"}));
  EXPECT_EQ(reasons(Maker().session(2, 3, {kBase, kHead})),
            (Set{"unknown too_young: too few processes for an interval"}));

  Result noisy = Maker().session(1, 12, {kBase, kHead});
  for (Process& process : noisy.processes) process.real_time = 100 * std::pow(process.real_time / 100, 40);
  const ComparisonRow row = compare_arms(noisy, {})->rows[0];
  EXPECT_EQ(row.reason, Reason::kBlind);
  const double detectable = std::max(row.ratio / row.interval->low, row.interval->high / row.ratio) - 1;
  EXPECT_GT(detectable, 0.1);
  EXPECT_EQ(row.note, fmt::format("changes below {} are not detectable here", judge::detectable_text(detectable)));
  CompareSettings wide;
  wide.threshold = 2 * detectable;
  EXPECT_EQ(compare_arms(noisy, wide)->rows[0].verdict, Verdict::kSame);

  for (const int warming : {10, 11}) {
    Result session =
        Maker().session(1, 20, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 2 : 1; });
    for (Process& process : session.processes)
      process.warmup = results::Warmup{5, 0.1, process.arm == kBase || process.block >= warming};
    EXPECT_EQ(reasons(session),
              warming == 10 ? (Set{"regressed : "})
                            : (Set{"unknown blind: still warming up: its repetitions kept becoming faster or slower"}));
  }
}

TEST(Compare, gives_no_verdict_in_a_session_disturbed_by_other_load) {
  Result session =
      Maker().session(3, 20, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.1 : 1; });
  for (int block = 0; block < 20; ++block)
    session.session.disturbances.push_back({block, 10, block < 5 ? 16.4 : 0.1, 0});
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_EQ(exit_status(comparison), ExitStatus::kUnfit);
  EXPECT_EQ(sentence(comparison),
            "No verdict, unfit: other processes used 1.64 CPUs in 5 of 20 blocks, 25 % of the time; 10 % of a CPU is "
            "the limit; no exact "
            "metric changed.");
  EXPECT_EQ(comparison.rows[0].reason, Reason::kMachine);
  CompareSettings anyway;
  anyway.allow_unfit = true;
  EXPECT_EQ(exit_status(*compare_arms(session, anyway)), ExitStatus::kRegression);
  // With two sessions, the sentence names the unfit one.
  const auto [base, head] = std::pair(Maker(2).session(3, 8, {kHead}), session);
  EXPECT_EQ(compare_sessions(base, head, {})->fitness.sentences,
            (std::vector<std::string>{"head unfit: other processes used 1.64 CPUs in 5 of 20 blocks, 25 % of the time; "
                                      "10 % of a CPU is the limit"}));
  // Where nothing is tested, nothing is spoilt.
  EXPECT_EQ(exit_status(*compare_sessions(session, session, {})), ExitStatus::kOk);
  // Nor is what has no noise.
  for (Process& process : session.processes) process.counters["metadata_bytes"] = process.arm == kHead ? 128 : 64;
  EXPECT_EQ(exit_status(*compare_arms(session, {})), ExitStatus::kRegression);
}

TEST(Compare, rejects_sides_that_cannot_be_compared_until_allowed) {
  Maker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result machine = maker.session(3, 8, {kHead}), version = maker.session(3, 8, {kHead}), other = machine;
  machine.machine.id = "another";
  version.workloads[0].version = 3;
  for (Process& process : other.processes) process.benchmark = "else/" + process.benchmark;
  const auto complaint = [&](const Result& head, CompareSettings settings = {}) {
    const auto comparison = compare_sessions(base, head, settings);
    EXPECT_TRUE(comparison || comparison.error().status == ExitStatus::kUsage);
    return comparison ? "" : comparison.error().what;
  };
  EXPECT_EQ(complaint(machine), "expected sessions of one machine, found '0123456789ab' and 'another'");
  EXPECT_EQ(complaint(version), "expected one version of each workload, found two of shelf/store (2 and 3)");
  EXPECT_EQ(complaint(other), "no benchmark in common: base has 3, head has 3");
  CompareSettings machines, versions;
  machines.allow_machines = versions.allow_versions = true;
  EXPECT_EQ(complaint(machine, machines), "");
  EXPECT_EQ(complaint(version, versions), "");
  EXPECT_EQ(compare_sessions(base, machine, machines)->warnings.at(0), complaint(machine));
  EXPECT_EQ(compare_arms(base, {}).error().what,
            "expected a session with the arms head and base, found only head in 'session 1'");
}

TEST(Compare, gives_no_verdict_in_an_unfit_session_without_allow_unfit) {
  const Result session = Maker().session(3, 20, {kBase, kHead, kControl}, [](int row, std::string_view arm) {
    return arm == kControl ? 1.05 : row == 1 && arm == kHead ? 1.1 : 1;
  });
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_FALSE(comparison.fitness.fit);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kUnfit);
  EXPECT_EQ(count(comparison, Verdict::kUnknown), 3u);
  EXPECT_EQ(sentence(comparison),
            fmt::format("No verdict, {}; no exact metric changed.", judge_control(session).sentence));
  CompareSettings anyway;
  anyway.allow_unfit = true;
  EXPECT_EQ(exit_status(*compare_arms(session, anyway)), ExitStatus::kRegression);
  // Told to, "unknown" is a verdict too; at a threshold of 0 nothing is the same.
  anyway.threshold = 0;
  const Comparison undecided =
      *compare_arms(Maker().session(3, 20, {kBase, kHead, kControl},
                                    [](int, std::string_view arm) { return arm == kControl ? 1.05 : 1; }),
                    anyway);
  EXPECT_FALSE(undecided.fitness.fit);
  EXPECT_EQ(exit_status(undecided), ExitStatus::kOk);
  EXPECT_EQ(sentence(undecided),
            "Of 3 benchmarks 0 regressed, 0 improved, 3 unknown, 0 same; no exact metric changed.");
}

TEST(Compare, widens_two_sessions_by_the_shift_of_identical_executables) {
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

TEST(Compare, is_not_misled_by_a_slower_machine) {
  Maker maker;
  const Result base = maker.session(40, 15, {kHead});
  const Result head = maker.session(40, 15, {kHead}, [](int row, std::string_view) { return row == 7 ? 1.2 : 1.05; });
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_NEAR(comparison.session_shift, 0.05, 0.01);
  EXPECT_EQ(verdict_of(comparison, 7), Verdict::kRegressed);
  EXPECT_EQ(count(comparison, Verdict::kRegressed), 1u);
}

TEST(Compare, assumes_the_session_shift_if_the_table_is_too_short) {
  Maker maker;
  const Comparison comparison = *compare_sessions(maker.session(3, 15, {kHead}), maker.session(3, 15, {kHead}), {});
  EXPECT_NEAR(comparison.session_shift, kAssumedShift, 1e-12);
  EXPECT_NE(outlook(comparison).find("measure both in one session"), std::string::npos) << outlook(comparison);
}

TEST(Compare, lists_the_machine_facts_that_changed) {
  Maker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result head = maker.session(3, 8, {kHead});
  head.facts.kernel = "6.2.0";
  EXPECT_EQ(compare_sessions(base, head, {})->warnings,
            (std::vector<std::string>{"kernel: '6.1.0' before, '6.2.0' now"}));
  head.facts.libc_build = "bb";  // base does not say its own
  EXPECT_EQ(compare_sessions(base, head, {})->warnings.size(), 1u);
  Result patched = base;
  patched.session.id = "patched";
  patched.facts.libc_build = "aa";
  head.facts.kernel = base.facts.kernel;
  EXPECT_EQ(compare_sessions(patched, head, {})->warnings,
            (std::vector<std::string>{"C library: build aa of 'glibc 2.36' before, bb now"}));
}

TEST(Compare, does_not_judge_a_session_against_itself_or_a_part_of_itself) {
  const Result session = Maker().session(3, 20, {kHead});
  Result part = session, other = session;
  std::erase_if(part.processes, [](const Process& process) { return process.block >= 12; });
  for (const Result* const base : std::initializer_list<const Result*>{&session, &part}) {
    const Comparison comparison = *compare_sessions(*base, session, {});
    EXPECT_EQ(comparison.tested, 0u);
    for (const ComparisonRow& row : comparison.rows) EXPECT_EQ(row.reason, Reason::kIdentical);
    EXPECT_EQ(comparison.warnings,
              (std::vector<std::string>{"base and head are the same session: nothing is compared"}));
    EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  }
  // The name alone does not make it the same.
  for (Process& process : other.processes) process.real_time *= 1.5;
  EXPECT_EQ(count(*compare_sessions(session, other, {}), Verdict::kRegressed), 3u);
}

TEST(Compare, says_which_change_of_a_row_it_would_have_seen) {
  const Result session = Maker().session(4, 12, {kBase, kHead});
  const Comparison before = *compare_arms(session, {});
  const auto verdict_after = [&](const std::string& benchmark, double factor) {
    Result changed = session;
    for (Process& process : changed.processes)
      if (process.arm == kHead && process.benchmark == benchmark) process.real_time *= factor;
    return find_row(*compare_arms(changed, {}), benchmark)->verdict;
  };
  for (const ComparisonRow& row : before.rows) {
    ASSERT_TRUE(row.seen) << row.benchmark;
    const double up = (1 + 1.001 * *row.seen) / row.ratio, down = 1 / (1 + 1.001 * *row.seen) / row.ratio;
    EXPECT_EQ(verdict_after(row.benchmark, up), Verdict::kRegressed) << row.benchmark << *row.seen;
    EXPECT_EQ(verdict_after(row.benchmark, down), Verdict::kImproved) << row.benchmark << *row.seen;
    const double less = 1 + 0.99 * *row.seen;
    EXPECT_TRUE(verdict_after(row.benchmark, less / row.ratio) == Verdict::kUnknown ||
                verdict_after(row.benchmark, 1 / less / row.ratio) == Verdict::kUnknown)
        << row.benchmark << ": one of the two directions is the harder one";
  }
  EXPECT_FALSE(compare_arms(Maker().session(4, 3, {kBase, kHead}), {})->rows.front().seen);
}

TEST(Compare, does_not_advise_one_session_for_an_interleaved_session) {
  Result noisy = Maker().session(1, 12, {kBase, kHead});
  for (Process& process : noisy.processes) process.real_time = 100 * std::pow(process.real_time / 100, 40);
  const std::string text = outlook(*compare_arms(noisy, {}));
  EXPECT_EQ(text.find("measure both in one session"), std::string::npos) << text;
  EXPECT_NE(text.find("give a larger --threshold"), std::string::npos) << text;
  EXPECT_NE(outlook(*compare_arms(noisy, at(0))).find("with a threshold of 0 no benchmark gets the verdict same"),
            std::string::npos);
}

TEST(Compare, gives_no_verdict_from_one_process_per_arm) {
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

TEST(Compare, lists_benchmarks_that_only_one_side_has_with_the_reason) {
  Maker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result head = maker.session(2, 8, {kHead});
  head.failures = {{"shelf/v2/store", 0, 0, "crash", "SIGSEGV", ""}};
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_EQ(comparison.only_base, (std::vector<std::string>{"shelf/v2/store (crash: SIGSEGV)"}));
  EXPECT_TRUE(comparison.only_head.empty());
}

TEST(Compare, reports_how_many_processes_would_decide_an_unknown_row) {
  // The reported number of processes is enough in most such sessions.
  const auto slower = [](int, std::string_view arm) { return arm == kHead ? 1.01 : 1; };
  ComparisonRow row;
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
                   ->rows[0]
                   .verdict == Verdict::kRegressed;
  }
  EXPECT_GE(decided, 12);
}

TEST(ExactMetrics, are_findings_from_one_sample) {
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
    if (process.block >= 3) continue;  // only some processes have counters
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

TEST(ExactMetrics, exclude_costly_ones_that_only_one_process_or_arm_has) {
  Result session = Maker().session(2, 4, {kBase, kHead});
  session.workloads.front().metrics = {
      {"minimum_heap_bytes", "Minimum heap", "bytes", results::MetricKind::kExact, bench::Better::kLess, true}};
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

TEST(ExactMetrics, exclude_those_that_differ_between_processes) {
  Result session = Maker().session(1, 3, {kBase, kHead});
  for (Process& process : session.processes) process.counters["metadata_bytes"] = process.real_time;
  EXPECT_TRUE(compare_arms(session, {})->exact.empty());
}

namespace {

results::DriverColumn column(const std::string& name, std::uint64_t size) {
  results::DriverColumn column;
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

TEST(CompareAtlases, compares_every_sweep_and_the_environment) {
  const auto with_sweep = [](std::uint64_t size, std::vector<std::string> refusals) {
    results::DriverColumn c = column("a", 1);
    results::SweepAnswers& wide = c.sweeps.emplace_back();
    wide.name = "wide";
    wide.refusals = std::move(refusals);
    const std::uint16_t refusal = wide.refusals.size() > 1 ? 1 : 0;
    const results::ImageTable table{{"R8_UNORM", "2d", "optimal", "sampled", "", 1, 1, 1},
                                    {{4, 4, 1, {size, 16, 1, refusal}}}};
    wide.images = {table, table};  // the same query twice
    return c;
  };
  results::DriverColumn head = with_sweep(0, {"", "at most 2x2"});
  head.environment = {{"RADV_DEBUG", "nodcc"}};
  const Comparison comparison = *compare_atlases({with_sweep(64, {""})}, {head});
  std::vector<std::string> found;
  for (const ExactChange& c : comparison.exact)
    found.push_back(c.metric + ": '" + c.base + "' '" + c.head + "'" + (c.worse ? " worse" : ""));
  const std::vector<std::string> once{"wide: 4x4 R8_UNORM, optimal, sampled size: '64' '0' worse",
                                      "wide: 4x4 R8_UNORM, optimal, sampled refused: '' 'at most 2x2'"};
  EXPECT_EQ(found,
            (std::vector<std::string>{once[0], once[1], once[0], once[1], "environment RADV_DEBUG: '' 'nodcc'"}));
  EXPECT_EQ(compare_atlases({head}, {head})->exact.size(), 0u);
}

TEST(Atlases, pair_a_driver_with_its_next_version) {
  const Comparison comparison = *compare_atlases({column("lavapipe-1", 4096)}, {column("lavapipe-2", 2048)});
  ASSERT_EQ(comparison.exact.size(), 1u);
  EXPECT_EQ(comparison.exact[0].benchmark, "lavapipe-1 -> lavapipe-2");
  EXPECT_FALSE(comparison.exact[0].worse);
  results::DriverColumn other = column("radv-1", 1);
  other.driver.short_name = "radv";
  EXPECT_EQ(compare_atlases({column("lavapipe-1", 1)}, {other}).error().status, ExitStatus::kUsage);
}

/// A session whose workload declares a memory metric, a rate of which more is better, and an error.
Result session_with_metrics(const std::function<void(Process&)>& change_head) {
  Result session = Maker().session(2, 20, {kBase, kHead});
  results::WorkloadInfo& workload = session.workloads.front();
  workload.metrics = {{"rss", "Resident memory", "bytes", results::MetricKind::kMemory},
                      {"rate", "Rate", "1/s", results::MetricKind::kTime, bench::Better::kMore}};
  workload.tolerance = bench::Tolerance{bench::Distance::kMaximum, 1, "grey levels"};
  for (Process& process : session.processes) {
    process.counters = {{"rss", process.real_time}, {"rate", 1 / process.real_time}, {"error", 0}};
    if (process.arm == kHead) change_head(process);
  }
  return session;
}

TEST(CompareMetrics, are_rows_of_their_own_judged_by_their_direction) {
  const Result session = session_with_metrics([](Process& process) {
    process.counters["rss"] *= 1.1;
    process.counters["rate"] *= 1.1;
  });
  const Comparison comparison = *compare_arms(session, at(0.03));
  EXPECT_EQ(comparison.rows.size(), 6u);
  EXPECT_EQ(find_row(comparison, "shelf/v0/store")->verdict, Verdict::kSame);
  const ComparisonRow& rss = *find_row(comparison, "shelf/v0/store:rss");
  EXPECT_EQ(rss.verdict, Verdict::kRegressed);
  EXPECT_EQ(rss.unit, "bytes");
  const ComparisonRow& rate = *find_row(comparison, "shelf/v0/store:rate");
  EXPECT_EQ(rate.verdict, Verdict::kImproved);
  EXPECT_GT(rate.ratio, 1);
}

TEST(CompareMetrics, without_a_ratio_are_compared_as_exact_or_named) {
  EXPECT_TRUE(compare_arms(session_with_metrics([](Process&) {}), at(0.03))->exact.empty());
  const Comparison worse =
      *compare_arms(session_with_metrics([](Process& process) { process.counters["error"] = 0.5; }), at(0.03));
  ASSERT_EQ(worse.exact.size(), 2u);
  EXPECT_EQ(worse.exact[0].benchmark, "shelf/v0/store");
  EXPECT_EQ(worse.exact[0].metric, "error");
  EXPECT_EQ(worse.exact[0].head, "0.5");
  EXPECT_TRUE(worse.exact[0].worse);
  const Comparison noisy = *compare_arms(
      session_with_metrics([](Process& process) { process.counters["error"] = 0.01 * process.block; }), at(0.03));
  EXPECT_TRUE(noisy.exact.empty());
  ASSERT_EQ(noisy.warnings.size(), 2u);
  EXPECT_EQ(noisy.warnings[0], "shelf/v0/store:error is not judged: it has values of 0 or less, which have no ratio");
}

TEST(CompareMetrics, that_the_user_names_are_judged_as_well) {
  Result session = Maker().session(1, 20, {kBase, kHead});
  for (Process& process : session.processes)
    if (process.arm == kHead)
      for (double& sample : process.samples["put"]) sample *= 2;
  CompareSettings settings = at(0.03);
  EXPECT_EQ(find_row(*compare_arms(session, settings), "shelf/v0/store:put"), nullptr);
  settings.metrics = {"put", "absent"};
  EXPECT_EQ(compare_arms(session, settings).error().what, "no benchmark that both sides have has a metric 'absent'");
  settings.metrics = {"put"};
  const Comparison comparison = *compare_arms(session, settings);
  EXPECT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(find_row(comparison, "shelf/v0/store:put")->verdict, Verdict::kRegressed);
}

}  // namespace lab::judge
