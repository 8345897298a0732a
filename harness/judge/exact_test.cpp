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

}  // namespace lab::judge
