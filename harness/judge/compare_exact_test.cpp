#include "harness/judge/compare_exact.h"

#include <gtest/gtest.h>

#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kHead;
using results::Process;
using results::Result;

TEST(ExactMetrics, are_findings_from_one_sample) {
  Result session = SessionMaker().session(3, 2, {kBase, kHead});
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
  Result session = SessionMaker().session(2, 4, {kBase, kHead});
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
  Result session = SessionMaker().session(2, 4, {kBase, kHead});
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
  Result session = SessionMaker().session(1, 3, {kBase, kHead});
  for (Process& process : session.processes) process.counters["metadata_bytes"] = process.real_time;
  EXPECT_TRUE(compare_arms(session, {})->exact.empty());
}

}  // namespace lab::judge
