#include "harness/judge/drift.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace lab::judge
