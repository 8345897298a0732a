#include "harness/judge/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kHead;
using results::Process;
using results::Result;

TEST(Outlook, advises_one_session_where_two_differ_by_more_than_the_threshold) {
  SessionMaker maker;
  const Comparison comparison = *compare_sessions(maker.session(3, 15, {kHead}), maker.session(3, 15, {kHead}), {});
  const Outlook found = outlook(comparison).value();
  EXPECT_EQ(found.same, Outlook::Same::kOneSession);
  EXPECT_EQ(found.processes, 15u);
  EXPECT_EQ(found.noise, comparison.noise);
}

TEST(Outlook, is_none_if_nothing_is_unknown) {
  EXPECT_FALSE(outlook(*compare_arms(changed_session(), at(0.1))));
  Comparison comparison;
  EXPECT_FALSE(outlook(comparison)) << "nothing was tested";
}

TEST(Outlook, counts_the_processes_that_would_show_a_benchmark_to_be_the_same) {
  Comparison comparison = *compare_arms(SessionMaker().session(3, 10, {kBase, kHead}), {});
  const Outlook quiet = outlook(comparison).value();
  ASSERT_EQ(quiet.same, Outlook::Same::kProcesses);
  EXPECT_GT(quiet.processes_for_same, 20u);
  std::vector<double> rows;
  for (const ComparisonRow& row : comparison.rows) rows.push_back(row.detectable.value());
  std::ranges::sort(rows);
  EXPECT_EQ(quiet.detectable, rows[1]) << "of the median row, which knows its layouts";
  comparison.layout_shift = 0.1;
  const Outlook layouts = outlook(comparison).value();
  EXPECT_EQ(layouts.same, Outlook::Same::kOtherLayouts);
  EXPECT_GT(layouts.threshold_for_same, quiet.threshold_for_same);
}

TEST(Outlook, does_not_advise_one_session_for_an_interleaved_session) {
  Result noisy = SessionMaker().session(1, 12, {kBase, kHead});
  for (Process& process : noisy.processes) process.real_time = 100 * std::pow(process.real_time / 100, 40);
  EXPECT_EQ(outlook(*compare_arms(noisy, {}))->same, Outlook::Same::kTooMany);
  EXPECT_EQ(outlook(*compare_arms(noisy, at(0)))->same, Outlook::Same::kNoThreshold);
}

}  // namespace lab::judge
