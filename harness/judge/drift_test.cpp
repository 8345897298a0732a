#include "harness/judge/drift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kHead;
using results::Process;
using results::Result;

namespace {

/// The values of `blocks` blocks, each twice as large as the one before.
std::vector<stats::Datum> doubling(int blocks, double first) {
  std::vector<stats::Datum> data;
  for (int block = 0; block < blocks; ++block) data.push_back({block, first * std::exp2(block), 0});
  return data;
}

}  // namespace

TEST(Drift, is_what_blocks_do_to_all_benchmarks) {
  const std::vector<stats::Datum> base = doubling(3, 100), head = doubling(3, 5);
  std::vector<Drift::Arms> benchmarks(kEnoughRows, Drift::Arms{base, head});
  benchmarks[0].pop_back();  // what one row does is not common
  const Drift drift(benchmarks);
  ASSERT_TRUE(drift.is_known());
  const std::vector<stats::Datum> steady = drift.removed_from(base);
  for (const stats::Datum& datum : steady) EXPECT_NEAR(datum.value, 200, 1e-9) << datum.block;
  EXPECT_EQ(drift.removed_from({{7, 3, 0}})[0].value, 3) << "a block that is not known";
}

TEST(Drift, is_unknown_in_a_short_table_or_if_a_block_has_few_rows) {
  const std::vector<stats::Datum> longer = doubling(4, 100), shorter = doubling(3, 100);
  std::vector<Drift::Arms> benchmarks(kEnoughRows - 1, Drift::Arms{longer});
  EXPECT_FALSE(Drift(benchmarks).is_known());
  EXPECT_EQ(Drift(benchmarks).removed_from(longer)[3].value, 800);
  benchmarks.push_back({shorter});
  EXPECT_FALSE(Drift(benchmarks).is_known());
  EXPECT_FALSE(Drift().is_known());
}

TEST(Drift, does_not_mislead_a_comparison) {
  // 60 benchmarks whose machine gets 30 % slower from first to last block: the rows are as exact as without.
  Result session = SessionMaker().session(60, 12, {kBase, kHead});
  for (Process& process : session.processes) process.real_time *= 1 + 0.3 * process.block / 11;
  const Comparison comparison = *compare_arms(session, at(0.03));
  EXPECT_EQ(count(comparison, Verdict::kSame), 60u);
}

TEST(SessionShift, shows_the_times_of_identical_code_without_judging_them) {
  const auto [base, head] = of_one_build(3, 1.1);
  const Comparison comparison = *compare_sessions(base, head, {});
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.reason, Reason::kIdentical);
    EXPECT_NEAR(row.ratio, row.head_value / row.base_value, 0.02);
    EXPECT_NEAR(row.ratio, 1.1, 0.02);
    EXPECT_FALSE(row.p || row.interval);
  }
  EXPECT_EQ(comparison.session_shift, 0);
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  // The cause is not the code: a warning if sessions differ by more than is usual.
  ASSERT_EQ(comparison.warnings.size(), 1u);
  EXPECT_NEAR(warnings_of<MovedIdenticalCode>(comparison).at(0).move, 0.1, 0.02);
  const auto [before, after] = of_one_build(3, 1);
  EXPECT_TRUE(compare_sessions(before, after, {})->warnings.empty());
}

TEST(SessionShift, widens_two_sessions_by_the_shift_of_identical_executables) {
  SessionMaker maker;
  const auto factor = [](int row, std::string_view) { return row % 2 == 0 ? 1.03 : 1 / 1.03; };
  Result base = maker.session(12, 15, {kHead}), head = maker.session(12, 15, {kHead}, factor);
  for (Result* session : {&base, &head})
    for (int row = 0; row < 11; ++row) session->arms[0].executables[fmt::format("shelf/v{}", row)] = "abc";
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_FALSE(comparison.interleaved);
  EXPECT_NEAR(comparison.session_shift, 0.035, 0.012);
  EXPECT_EQ(comparison.shift_source.kind, ShiftSource::kIdentical);
  EXPECT_EQ(comparison.shift_source.identical, 11u);
  EXPECT_EQ(verdict_of(comparison, 11), Verdict::kUnknown);  // 3 % is what the others moved for no reason
}

TEST(SessionShift, is_not_misled_by_a_slower_machine) {
  SessionMaker maker;
  const Result base = maker.session(40, 15, {kHead});
  const Result head = maker.session(40, 15, {kHead}, [](int row, std::string_view) { return row == 7 ? 1.2 : 1.05; });
  const Comparison comparison = *compare_sessions(base, head, {});
  EXPECT_NEAR(comparison.session_shift, 0.05, 0.01);
  EXPECT_EQ(verdict_of(comparison, 7), Verdict::kRegressed);
  EXPECT_EQ(count(comparison, Verdict::kRegressed), 1u);
}

TEST(SessionShift, assumes_the_session_shift_if_the_table_is_too_short) {
  SessionMaker maker;
  const Comparison comparison = *compare_sessions(maker.session(3, 15, {kHead}), maker.session(3, 15, {kHead}), {});
  EXPECT_NEAR(comparison.session_shift, kAssumedShift, 1e-12);
  EXPECT_EQ(comparison.shift_source.kind, ShiftSource::kAssumed);
}

namespace {

/// Rows that moved by `log_ratio` and a little, up and down in turn.
std::vector<RowMove> moves(std::size_t rows, double log_ratio, bool identical) {
  std::vector<RowMove> made;
  for (std::size_t i = 0; i < rows; ++i)
    made.push_back({fmt::format("f/v{}/w", i), log_ratio + (i % 2 == 0 ? 0.001 : -0.001), 0.001, identical});
  return made;
}

}  // namespace

TEST(SessionShift, trusts_identical_code_before_the_table_and_never_assumes_equal_sessions) {
  std::vector<RowMove> rows = moves(kEnoughIdentical, 0.04, true);
  const std::vector<RowMove> others = moves(kEnoughRows, 0.01, false);
  rows.insert(rows.end(), others.begin(), others.end());
  EXPECT_NEAR(session_shift(rows, stats::kAlpha).share, std::expm1(0.041), 1e-12);
  EXPECT_EQ(session_shift(rows, stats::kAlpha).source.identical, kEnoughIdentical);

  const SessionShift of_table = session_shift(others, stats::kAlpha);
  EXPECT_EQ(of_table.source.kind, ShiftSource::kTable);
  EXPECT_NEAR(of_table.source.middle, std::expm1(0.01), 1e-12);
  EXPECT_NEAR(of_table.share, std::expm1(0.01 + 1.959964 * 0.001 * std::sqrt(1.4826 * 1.4826 - 1)), 1e-6);

  EXPECT_NEAR(session_shift(moves(kEnoughRows, 0, true), stats::kAlpha).share, std::expm1(kLeastShift), 1e-12);
  EXPECT_EQ(session_shift(moves(kEnoughRows - 1, 0, false), stats::kAlpha).source.kind, ShiftSource::kAssumed);
}

TEST(SessionShift, is_larger_if_fewer_false_findings_are_allowed) {
  std::vector<RowMove> identical = moves(40, 0, true);
  for (std::size_t i = 0; i < identical.size(); ++i) identical[i].log_ratio = 0.001 * static_cast<double>(i);
  const std::vector<RowMove> table = moves(kEnoughRows, 0.01, false);
  for (const std::vector<RowMove>& rows : {identical, table}) {
    EXPECT_GT(session_shift(rows, 0.005).share, session_shift(rows, 0.05).share);
    EXPECT_GT(session_shift(rows, 0.05).share, session_shift(rows, 0.3).share);
  }
}

TEST(SessionShift, names_the_identical_code_that_moved_most_if_it_moved_unusually_far) {
  std::vector<RowMove> rows = moves(3, 0.01, true);
  EXPECT_FALSE(moved_identical_code(rows));
  rows.push_back({"f/far/w", -0.03, {}, true});
  rows.push_back({"f/changed/w", 0.5, {}, false});
  const std::optional<MovedIdenticalCode> moved = moved_identical_code(rows);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->benchmark, "f/far/w");
  EXPECT_NEAR(moved->move, std::expm1(-0.03), 1e-12);
}

}  // namespace lab::judge
