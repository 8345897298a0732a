#include "harness/judge/exact.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"
#include "harness/results/result_fixture.h"

namespace lab::judge {

TEST(ExactCounters, are_those_on_which_processes_agree) {
  results::Result result = results::fixture_result(3);
  result.processes[0].counters = {{"metadata_bytes", 128}, {"minimum_heap_bytes", 4096}, {"share", 0.1}};
  result.processes[2].counters["share"] = 0.2;
  result.processes[1].arm = "base";
  result.processes[1].counters["metadata_bytes"] = 1;
  const auto counters = exact_counters(result, results::kHead);
  EXPECT_EQ(counters.at("shelf/plain/store"),
            (std::map<std::string, std::optional<double>>{
                {"metadata_bytes", 128}, {"minimum_heap_bytes", 4096}, {"share", {}}}));
  EXPECT_EQ(counters.at("shelf/quick/store"), (std::map<std::string, std::optional<double>>{{"metadata_bytes", 128}}));
}

TEST(ExactCounters, need_two_processes_for_instructions) {
  results::Result result = results::fixture_result(3);
  const auto instructions = [&] {
    return exact_counters(result, results::kHead).at("shelf/plain/store").at("instructions");
  };
  result.processes[0].counters["instructions"] = 7;
  EXPECT_EQ(instructions(), std::nullopt);
  result.processes[2].counters["instructions"] = 7;
  EXPECT_EQ(instructions(), 7);
  result.processes[4].counters["instructions"] = 8;
  EXPECT_EQ(instructions(), std::nullopt);
}

TEST(ExactValue, is_that_of_the_processes_of_head_that_have_it) {
  results::Result result = results::fixture_result(3);
  const auto value = [&](const char* metric) { return exact_value(result, "shelf/plain/store", metric); };
  EXPECT_EQ(value("metadata_bytes"), 128);
  EXPECT_EQ(value("minimum_heap_bytes"), std::nullopt);
  result.processes[2].counters = {{"minimum_heap_bytes", 4096}};
  EXPECT_EQ(value("minimum_heap_bytes"), 4096) << "one process is enough";
  result.processes[0].arm = "base";
  result.processes[0].counters["minimum_heap_bytes"] = 1;
  EXPECT_EQ(value("minimum_heap_bytes"), 4096);
  result.processes[4].counters["minimum_heap_bytes"] = 4097;
  EXPECT_EQ(value("minimum_heap_bytes"), std::nullopt);
  result.processes[4].counters["instructions"] = 7;
  EXPECT_EQ(value("instructions"), std::nullopt);
  result.processes[2].counters["instructions"] = 7;
  EXPECT_EQ(value("instructions"), 7);
}

TEST(ExactMetric, is_declared_so_or_by_no_workload) {
  results::Result result = results::fixture_result(1);
  result.workloads[0].metrics = {{"resident_bytes", "", "bytes", results::MetricKind::kMemory},
                                 {"heap_bytes", "", "bytes", results::MetricKind::kExact}};
  const auto exact = [&](const char* metric) { return is_exact(result, "shelf/plain/store", metric); };
  for (const char* metric : {"heap_bytes", "metadata_bytes", "instructions"}) EXPECT_TRUE(exact(metric)) << metric;
  for (const char* metric : {"resident_bytes", "time", "put", ""}) EXPECT_FALSE(exact(metric)) << metric;
  result.workloads.clear();
  EXPECT_FALSE(exact("put")) << "a phase of an imported file";
}

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
