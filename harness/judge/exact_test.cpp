#include "harness/judge/exact.h"

#include <gtest/gtest.h>

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

}  // namespace lab::judge
