#include "harness/judge/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "harness/base/error.h"
#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kControl;
using results::kHead;
using results::Process;
using results::Result;

namespace {

/// 20 blocks with a control, of which other work disturbed the first `busy`; head is `change` times slower in row 1.
Result loaded_session(
    int busy, double change, const std::function<void(Process&)>& disturb = [](Process&) {}) {
  Result session = SessionMaker().session(3, 20, {kBase, kHead, kControl}, [&](int row, std::string_view arm) {
    return row == 1 && arm == kHead ? change : 1;
  });
  for (int block = 0; block < 20; ++block)
    session.session.disturbances.push_back({block, 10, block < busy ? 16.4 : 0.1, 0});
  for (Process& process : session.processes)
    if (process.block < busy) disturb(process);
  return session;
}

}  // namespace

TEST(Compare, judges_the_undisturbed_blocks_of_a_session_disturbed_by_other_load) {
  // Other work happened to hit head alone.
  const auto hit_head = [](Process& process) {
    if (process.arm == kHead) process.real_time *= 1.4;
  };
  const Comparison same = *compare_arms(loaded_session(10, 1, hit_head), at(0.03));
  EXPECT_EQ(exit_status(same), ExitStatus::kOk);
  EXPECT_EQ(count(same, Verdict::kSame), 3u);
  EXPECT_EQ(same.rows[0].head_processes, 10u);
  EXPECT_LT(same.rows[0].head_value, 102) << "the medians are those of the verdict's blocks";
  const Comparison slower = *compare_arms(loaded_session(10, 1.07, hit_head), {});
  EXPECT_EQ(exit_status(slower), ExitStatus::kRegression);
  EXPECT_EQ(verdict_of(slower, 1), Verdict::kRegressed);
  EXPECT_EQ(count(slower, Verdict::kRegressed), 1u);
}

TEST(Compare, judges_all_blocks_if_all_are_disturbed) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> slowdown(20);
  const auto slow_some = [&](Process& process) {
    if (random() % 2 == 0) process.real_time *= std::exp(slowdown(random));
  };
  const Comparison slower = *compare_arms(loaded_session(20, 1.2, slow_some), {});
  EXPECT_EQ(verdict_of(slower, 1), Verdict::kRegressed);
  EXPECT_EQ(slower.rows[0].head_processes, 20u);
  EXPECT_EQ(count(slower, Verdict::kRegressed), 1u);
  EXPECT_EQ(count(*compare_arms(loaded_session(20, 1, slow_some), {}), Verdict::kUnknown), 3u) << "nothing is hidden";
  // The control has the last word.
  const Comparison biased = *compare_arms(loaded_session(20, 1.2,
                                                         [](Process& process) {
                                                           if (process.arm == kControl) process.real_time *= 1.05;
                                                         }),
                                          {});
  EXPECT_EQ(exit_status(biased), ExitStatus::kUnfit);
  EXPECT_EQ(unfit_reason(biased), kMachineReason);
  EXPECT_EQ(biased.rows[0].reason, Reason::kDisturbed);
}

TEST(Compare, gives_two_sessions_no_verdict_on_times_that_other_work_disturbed) {
  Result busy = loaded_session(20, 1.1);
  const Result quiet = SessionMaker(2).session(3, 8, {kHead});
  const Comparison two = *compare_sessions(quiet, busy, {});
  ASSERT_EQ(two.fitness.size(), 2u);
  EXPECT_TRUE(two.fitness[0].fit);
  EXPECT_FALSE(two.fitness[1].fit);
  EXPECT_EQ(unfit_reason(two), kMachineReason);
  EXPECT_EQ(exit_status(two), ExitStatus::kUnfit);
  CompareSettings anyway;
  anyway.allow_unfit = true;
  EXPECT_EQ(verdict_of(*compare_sessions(quiet, busy, anyway), 1), Verdict::kRegressed);
  // Where nothing is tested, nothing is spoilt.
  EXPECT_EQ(exit_status(*compare_sessions(busy, busy, {})), ExitStatus::kOk);
  // Nor is what has no noise.
  for (Process& process : busy.processes) process.counters["metadata_bytes"] = 256;
  EXPECT_EQ(exit_status(*compare_sessions(quiet, busy, {})), ExitStatus::kRegression);
  // The undisturbed blocks of a session are enough.
  EXPECT_EQ(verdict_of(*compare_sessions(quiet, loaded_session(10, 1.1), {}), 1), Verdict::kRegressed);
}

TEST(Compare, gives_two_sessions_verdicts_on_the_benchmarks_that_other_work_left_alone) {
  Result head = loaded_session(0, 1.1);
  for (int block = 20; block < 30; ++block) head.session.disturbances.push_back({block, 10, 16.4, 0});
  Result base = SessionMaker(2).session(3, 20, {kHead});
  for (Result* session : {&base, &head})
    for (int block = 20; block < 30; ++block)
      session->processes.push_back(
          results::fixture_process("shelf/v0/take", block, 100 * (session == &head ? 3.0 : 1.0)));
  const Comparison two = *compare_sessions(base, head, {});
  EXPECT_EQ(verdict_of(two, 1), Verdict::kRegressed);
  const ComparisonRow& take = *find_row(two, "shelf/v0/take");
  EXPECT_EQ(take.verdict, Verdict::kUnknown);
  EXPECT_EQ(take.reason, Reason::kDisturbed);
}

TEST(Compare, does_not_take_what_other_work_did_for_a_difference_between_sessions) {
  auto [base, head] = of_one_build(12, 1);
  head.arms[0].executables["shelf/v0"] = "def";
  for (int block = 10; block < 20; ++block) {
    head.session.disturbances.push_back({block, 10, 16.4, 0});
    for (Result* session : {&base, &head})
      for (int row = 0; row < 12; ++row)
        session->processes.push_back(
            results::fixture_process(fmt::format("shelf/v{}/take", row), block, 100 * (session == &head ? 3.0 : 1.0)));
  }
  EXPECT_LT(compare_sessions(base, head, {})->session_shift, 0.05);
  head.session.disturbances.clear();
  EXPECT_GT(compare_sessions(base, head, {})->session_shift, 1);
}

TEST(Compare, gives_no_verdict_in_an_unfit_session_without_allow_unfit) {
  const Result session = SessionMaker().session(3, 20, {kBase, kHead, kControl}, [](int row, std::string_view arm) {
    return arm == kControl ? 1.05 : row == 1 && arm == kHead ? 1.1 : 1;
  });
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_EQ(unfit_reason(comparison), kMachineReason);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kUnfit);
  EXPECT_EQ(count(comparison, Verdict::kUnknown), 3u);
  CompareSettings anyway;
  anyway.allow_unfit = true;
  EXPECT_EQ(exit_status(*compare_arms(session, anyway)), ExitStatus::kRegression);
  // Told to, "unknown" is a verdict too; at a threshold of 0 nothing is the same.
  anyway.threshold = 0;
  const Comparison undecided =
      *compare_arms(SessionMaker().session(3, 20, {kBase, kHead, kControl},
                                           [](int, std::string_view arm) { return arm == kControl ? 1.05 : 1; }),
                    anyway);
  EXPECT_EQ(unfit_reason(undecided), kMachineReason);
  EXPECT_EQ(exit_status(undecided), ExitStatus::kOk);
  EXPECT_EQ(count(undecided, Verdict::kUnknown), 3u);
}

TEST(Compare, gives_no_verdict_in_a_family_in_which_the_control_is_blind) {
  // Two families: `shelf`, and `cellar`, whose control is much noisier.
  Result session = SessionMaker().session(2, 20, {kBase, kHead, kControl},
                                          [](int, std::string_view arm) { return arm == kBase ? 1 / 1.1 : 1; });
  std::vector<Process> cellar = session.processes;
  for (Process& process : cellar) {
    process.benchmark.replace(0, std::string("shelf").size(), "cellar");
    if (process.arm == kControl) process.real_time *= process.block % 2 == 0 ? 0.4 : 3;
  }
  session.processes.insert(session.processes.end(), cellar.begin(), cellar.end());
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_TRUE(comparison.judged);
  EXPECT_EQ(unfit_reason(comparison), "");
  EXPECT_EQ(find_row(comparison, "shelf/v0/store")->verdict, Verdict::kRegressed);
  EXPECT_EQ(find_row(comparison, "cellar/v0/store")->verdict, Verdict::kUnknown);
  EXPECT_EQ(find_row(comparison, "cellar/v1/store")->reason, Reason::kUnfit);
  EXPECT_EQ(count(comparison, Verdict::kRegressed), 2u);

  // Without the other family there is no verdict.
  Result alone = session;
  std::erase_if(alone.processes, [](const Process& process) {
    return process.arm != kControl && process.benchmark.starts_with("shelf");
  });
  for (Process process : session.processes)
    if (process.benchmark == "shelf/v0/store" && process.arm == kHead) alone.processes.push_back(process);
  const Comparison none = *compare_arms(alone, {});
  EXPECT_FALSE(none.judged);
  EXPECT_EQ(unfit_reason(none), kBlindReason);
  EXPECT_EQ(exit_status(none), ExitStatus::kUnfit);
  CompareSettings anyway;
  anyway.allow_unfit = true;
  EXPECT_EQ(exit_status(*compare_arms(alone, anyway)), ExitStatus::kRegression);
}

TEST(Compare, lists_benchmarks_that_only_one_side_has_with_the_reason) {
  SessionMaker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result head = maker.session(2, 8, {kHead});
  head.failures = {{"shelf/v2/store", 0, 0, "crash", "SIGSEGV", ""}};
  const Comparison comparison = *compare_sessions(base, head, {});
  ASSERT_EQ(comparison.only_base.size(), 1u);
  const OneSided& missing = comparison.only_base[0];
  EXPECT_EQ(missing.name + " " + missing.failure + " " + missing.detail, "shelf/v2/store crash SIGSEGV");
  EXPECT_TRUE(comparison.only_head.empty());
}

namespace {

/// A session whose workload declares a memory metric, a rate of which more is better, and an error.
Result session_with_metrics(const std::function<void(Process&)>& change_head) {
  Result session = SessionMaker().session(2, 20, {kBase, kHead});
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

}  // namespace

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
  EXPECT_EQ(warnings_of<Unratioed>(noisy).at(0).benchmark, "shelf/v0/store:error");
}

TEST(CompareMetrics, that_the_user_names_are_judged_as_well) {
  Result session = SessionMaker().session(1, 20, {kBase, kHead});
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
