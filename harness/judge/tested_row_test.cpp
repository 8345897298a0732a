#include "harness/judge/tested_row.h"

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

/// One process in each of 12 blocks, near 100 times `factor`.
std::vector<stats::Datum> values(double factor) {
  std::vector<stats::Datum> data;
  for (int block = 0; block < 12; ++block) data.push_back({block, factor * (100 + block * 7 % 12 / 10.0), 0});
  return data;
}

}  // namespace

TEST(TestedRow, finds_no_change_within_the_shift) {
  const TestedRow row(values(1), values(1.02), {});
  EXPECT_NEAR(row.log_ratio(), std::log(1.02), 1e-6);
  EXPECT_LT(row.p(0), 0.01);
  EXPECT_NEAR(row.p(0), row.least_p(), 1e-12) << "no value of one arm lies between those of the other";
  EXPECT_EQ(row.p(std::log(1.03)), 1);
  const stats::Interval alone = row.interval(0).value(), widened = row.interval(std::log(1.03)).value();
  EXPECT_NEAR(widened.low, alone.low / 1.03, 1e-12);
  EXPECT_NEAR(widened.high, alone.high * 1.03, 1e-12);
  EXPECT_LT(row.detectable(0, 0.005), row.detectable(std::log(1.03), 0.005));
  EXPECT_FALSE(row.needed(0.01, 0.05, 0.005)) << "no number of processes decides what the shift hides";
}

TEST(TestedRow, without_links_has_no_layout) {
  const TestedRow row(values(1), values(1.02), {});
  EXPECT_FALSE(row.layout());
  EXPECT_EQ(row.layout_shift(), 0);
  EXPECT_EQ(row.p_without_layout(0), row.p(0));
  std::vector<stats::Datum> base = values(1), head = values(1.02);
  for (auto* side : {&base, &head})
    for (stats::Datum& datum : *side) datum.layout = datum.block % 4 + 1;
  const TestedRow linked(base, head, {});
  EXPECT_TRUE(linked.layout());
  EXPECT_GT(linked.layout_shift(), 0);
  EXPECT_GT(linked.p(0), linked.p_without_layout(0));
}

TEST(TestedRow, has_no_interval_of_two_sessions_with_one_process_each) {
  TestMethod sessions;
  sessions.interleaved = false;
  const TestedRow row({{0, 100, 0}}, {{3, 110, 0}}, sessions);
  EXPECT_NEAR(row.log_ratio(), std::log(1.1), 1e-6) << "in one stratum, though no block has both";
  EXPECT_FALSE(row.interval(0));
  EXPECT_FALSE(row.noise());
  EXPECT_FALSE(row.standard_error());
  EXPECT_FALSE(row.detectable(0, 0.005));
  EXPECT_EQ(row.p(0), 1);
}

TEST(TestedRow, takes_p_and_interval_from_one_test) {
  // Alone in its table a row's p is not adjusted: below alpha exactly where the interval leaves 1 out.
  int found = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Result session = SessionMaker(seed).session(
        1, 10, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.01 : 1; });
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

TEST(TestedRow, says_which_change_four_of_five_such_sessions_report) {
  constexpr int kRows = 4, kBlocks = 14, kSessions = 40;
  for (const double alpha : {0.05, 0.3}) {
    CompareSettings settings;
    settings.alpha = alpha;
    int reported = 0, rows = 0;
    for (unsigned seed = 1; seed <= kSessions; ++seed) {
      const Comparison before = *compare_arms(SessionMaker(seed).session(kRows, kBlocks, {kBase, kHead}), settings);
      double detectable = 0;
      for (const ComparisonRow& row : before.rows) detectable += row.detectable.value_or(0) / kRows;
      const auto slower = [&](int, std::string_view arm) { return arm == kHead ? 1 + detectable : 1; };
      const Comparison after =
          *compare_arms(SessionMaker(1000 + seed).session(kRows, kBlocks, {kBase, kHead}, slower), settings);
      reported += static_cast<int>(count(after, Verdict::kRegressed));
      rows += kRows;
    }
    // Holm corrects for fewer rows where others are found, too, which the smallest detectable change does not count on.
    EXPECT_GT(reported, 0.72 * rows) << alpha;
    EXPECT_LT(reported, 0.95 * rows) << alpha;
  }
  EXPECT_FALSE(compare_arms(SessionMaker().session(4, 3, {kBase, kHead}), {})->rows.front().detectable);
}

TEST(TestedRow, reports_how_many_processes_would_decide_an_unknown_row) {
  // The reported number of processes is enough in most such sessions.
  const auto slower = [](int, std::string_view arm) { return arm == kHead ? 1.01 : 1; };
  ComparisonRow row;
  for (unsigned seed = 1; !row.needed || row.ratio < 1.008; ++seed) {
    ASSERT_LT(seed, 100u);
    row = compare_arms(SessionMaker(seed).session(1, 10, {kBase, kHead}, slower), at(0.005))->rows[0];
  }
  EXPECT_EQ(row.verdict, Verdict::kUnknown);
  EXPECT_GT(*row.needed, 10u);
  int decided = 0;
  const double ratio = row.ratio;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto truly = [&](int, std::string_view arm) { return arm == kHead ? ratio : 1; };
    decided +=
        compare_arms(SessionMaker(seed).session(1, static_cast<int>(*row.needed), {kBase, kHead}, truly), at(0.005))
            ->rows[0]
            .verdict == Verdict::kRegressed;
  }
  EXPECT_GE(decided, 12);
}

}  // namespace lab::judge
