#include "harness/judge/verdict_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kHead;
using results::Process;
using results::Result;

namespace {

/// The session with every process in one of four links of its arm; the arms' links differ by `levels` in row 0.
Result with_links(Result session, const std::vector<double>& base, const std::vector<double>& head) {
  for (Process& process : session.processes) {
    process.layout = process.block % 4 + 1;
    if (!process.benchmark.ends_with("v0/store")) continue;
    process.real_time *= (process.arm == kHead ? head : base)[static_cast<std::size_t>(process.block % 4)];
  }
  return session;
}

}  // namespace

TEST(VerdictTable, says_that_layout_alone_could_explain_what_links_of_equal_code_differ_by) {
  const Result session =
      with_links(SessionMaker().session(4, 20, {kBase, kHead}), {1, 1.03, 0.97, 1}, {1, 1.06, 1.05, 1.01});
  const Comparison comparison = *compare_arms(session, at(0.005));
  const ComparisonRow& row = *find_row(comparison, "shelf/v0/store");
  EXPECT_EQ(row.verdict, Verdict::kUnknown);
  EXPECT_TRUE(row.hidden_by_layout);
  EXPECT_EQ(row.reason, Reason::kNone);
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

TEST(VerdictTable, finds_changes_that_are_larger_than_what_links_differ_by) {
  const Comparison comparison = *compare_arms(with_links(changed_session(), {1, 1, 1, 1}, {1, 1, 1, 1}), at(0.005));
  EXPECT_EQ(verdict_of(comparison, 1), Verdict::kRegressed);
  EXPECT_EQ(verdict_of(comparison, 2), Verdict::kImproved);
  EXPECT_FALSE(find_row(comparison, "shelf/v1/store")->hidden_by_layout);
}

TEST(VerdictTable, gives_each_of_the_four_verdicts_when_it_is_true) {
  const Comparison comparison = *compare_arms(changed_session(), at(0.015));
  EXPECT_EQ(verdict_of(comparison, 0), Verdict::kSame);
  EXPECT_EQ(verdict_of(comparison, 1), Verdict::kRegressed);
  EXPECT_EQ(verdict_of(comparison, 2), Verdict::kImproved);
  EXPECT_EQ(verdict_of(comparison, 3), Verdict::kUnknown);
  for (const Verdict verdict : {Verdict::kRegressed, Verdict::kImproved, Verdict::kUnknown, Verdict::kSame})
    EXPECT_EQ(count(comparison, verdict), 1u) << to_string(verdict);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kRegression);
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::kRegressed);
  EXPECT_EQ(comparison.rows[3].verdict, Verdict::kSame);
}

TEST(VerdictTable, gives_the_inverse_if_base_and_head_are_swapped) {
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

namespace {

/// The verdicts and reasons that occur in a session.
std::set<std::pair<Verdict, Reason>> reasons(const Result& session) {
  std::set<std::pair<Verdict, Reason>> all;
  const Comparison comparison = *compare_arms(session, {});
  for (const ComparisonRow& row : comparison.rows) all.emplace(row.verdict, row.reason);
  return all;
}

}  // namespace

TEST(VerdictTable, reports_why_a_row_is_unknown) {
  // 4 processes an arm in a table of 20; 3 processes; and processes that were still warming up.
  using Set = std::set<std::pair<Verdict, Reason>>;
  const Result young = SessionMaker().session(20, 4, {kBase, kHead});
  EXPECT_EQ(reasons(young), (Set{{Verdict::kUnknown, Reason::kTooYoung}}));
  EXPECT_EQ(compare_arms(young, {})->rows[0].table, 24u);
  EXPECT_EQ(reasons(SessionMaker().session(2, 3, {kBase, kHead})), (Set{{Verdict::kUnknown, Reason::kNoInterval}}));
  for (const int warming : {10, 11}) {
    Result session =
        SessionMaker().session(1, 20, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 2 : 1; });
    for (Process& process : session.processes)
      process.warmup = results::Warmup{5, 0.1, process.arm == kBase || process.block >= warming};
    EXPECT_EQ(reasons(session), warming == 10 ? (Set{{Verdict::kRegressed, Reason::kNone}})
                                              : (Set{{Verdict::kUnknown, Reason::kWarmingUp}}));
  }
}

TEST(VerdictTable, reports_which_changes_noise_hides) {
  Result noisy = SessionMaker().session(1, 12, {kBase, kHead});
  for (Process& process : noisy.processes) process.real_time = 100 * std::pow(process.real_time / 100, 40);
  const ComparisonRow row = compare_arms(noisy, {})->rows[0];
  EXPECT_EQ(row.reason, Reason::kBlind);
  EXPECT_GT(row.detectable.value(), kMaxDetectableChange);
  CompareSettings wide;
  wide.threshold = 2 * *row.detectable;
  const ComparisonRow same = compare_arms(noisy, wide)->rows[0];
  EXPECT_EQ(same.verdict, Verdict::kSame);
  EXPECT_EQ(same.reason, Reason::kNone);
  EXPECT_GT(same.detectable.value(), wide.threshold) << "of a finding, so beyond the threshold";
}

TEST(VerdictTable, names_reasons_as_in_json) {
  std::map<std::string_view, int> names;
  for (int reason = 0; reason <= static_cast<int>(Reason::kDisturbed); ++reason)
    ++names[to_string(static_cast<Reason>(reason))];
  EXPECT_EQ(names, (std::map<std::string_view, int>{
                       {"", 1}, {"blind", 3}, {"identical", 1}, {"machine", 2}, {"seeds", 1}, {"too_young", 2}}));
}

TEST(VerdictTable, gives_no_verdict_from_one_process_per_arm) {
  const Comparison comparison = *compare_arms(
      SessionMaker().session(3, 1, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 2.0 : 1; }),
      {});
  EXPECT_EQ(count(comparison, Verdict::kUnknown), 3u);
  EXPECT_EQ(comparison.rows[0].p, 1);
  EXPECT_FALSE(comparison.rows[0].interval);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
}

TEST(VerdictTable, calls_equal_times_the_same) {
  Result session = SessionMaker().session(2, 10, {kBase, kHead});
  for (Process& process : session.processes) process.real_time = 100;
  const Comparison comparison = *compare_arms(session, {});
  EXPECT_EQ(count(comparison, Verdict::kSame), 2u);
  EXPECT_NEAR(comparison.rows[0].ratio, 1, 1e-8);
}

}  // namespace lab::judge
