#include "harness/judge/verify.h"

#include <gtest/gtest.h>

#include "harness/results/result_fixture.h"

namespace lab::judge {

namespace {

results::Result with_processes(std::vector<results::Process> processes) {
  results::Result result = results::fixture_result();
  result.variants.push_back({"shelf", "third", false, "", "", "", "", {}});
  result.processes = std::move(processes);
  return result;
}

std::vector<std::string> left(const results::Result& result) {
  std::vector<std::string> names;
  for (const results::Process& process : result.processes) names.push_back(process.benchmark);
  return names;
}

using Names = std::vector<std::string>;

/// The benchmarks whose numbers verify drops, sorted.
Names dropped_benchmarks(results::Result& result) {
  const std::size_t count = verify(result);
  Names names;
  for (std::size_t i = result.failures.size() - count; i < result.failures.size(); ++i)
    names.push_back(result.failures[i].benchmark);
  return names;
}

}  // namespace

TEST(Verify, keeps_what_agrees_with_the_reference) {
  results::Result result = results::fixture_result(3);
  EXPECT_EQ(dropped_benchmarks(result), Names{});
  EXPECT_EQ(result.processes.size(), 6u);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(without_reference(result), Names{});
}

TEST(Verify, drops_all_numbers_of_a_benchmark_that_differs_once) {
  results::Result result = results::fixture_result(3);
  result.processes[3].checksum = "00000000000000bb";  // quick, in block 1
  EXPECT_EQ(dropped_benchmarks(result), Names{"shelf/quick/store"});
  EXPECT_EQ(left(result), (Names{"shelf/plain/store", "shelf/plain/store", "shelf/plain/store"}));
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].kind, "wrong answer");
  EXPECT_EQ(result.failures[0].block, 1);
  EXPECT_EQ(result.failures[0].detail, "expected checksum 00000000000000aa, found 00000000000000bb");
  EXPECT_EQ(dropped_benchmarks(result), Names{});
  EXPECT_EQ(result.failures.size(), 1u);
}

TEST(Verify, trusts_the_reference_against_any_majority) {
  results::Result result = with_processes({results::fixture_process("shelf/plain/store", 0, 9, "000000000000000a"),
                                           results::fixture_process("shelf/quick/store", 0, 9, "000000000000000b"),
                                           results::fixture_process("shelf/third/store", 0, 9, "000000000000000b")});
  EXPECT_EQ(dropped_benchmarks(result), (Names{"shelf/quick/store", "shelf/third/store"}));
}

TEST(Verify, trusts_a_reference_that_ran_only_for_the_check) {
  results::Result result = with_processes({results::fixture_process("shelf/quick/store", 0, 9, "000000000000000b")});
  result.answers = {{"shelf/plain/store", 7, "000000000000000a"}};
  EXPECT_EQ(dropped_benchmarks(result), Names{"shelf/quick/store"});
}

TEST(Verify, compares_the_variants_with_each_other_if_the_reference_gave_no_answer) {
  results::Result result = with_processes({results::fixture_process("shelf/quick/store", 0, 9, "000000000000000b"),
                                           results::fixture_process("shelf/third/store", 0, 9, "000000000000000b")});
  EXPECT_EQ(dropped_benchmarks(result), Names{});
  EXPECT_EQ(without_reference(result), Names{"shelf/store"});
  result.processes[0].checksum = "000000000000000c";
  EXPECT_EQ(dropped_benchmarks(result), (Names{"shelf/quick/store", "shelf/third/store"}));
  EXPECT_EQ(result.failures[0].detail,
            "the reference gave no checksum and no two variants agree; found 000000000000000c");
}

TEST(Verify, expects_no_answer_of_a_reference_that_does_not_support_the_workload) {
  results::Result result = with_processes({results::fixture_process("shelf/quick/store", 0, 9)});
  result.unsupported = {{"shelf/third/store", "not this one"}};
  EXPECT_EQ(without_reference(result), Names{"shelf/store"});
  result.unsupported = {{"shelf/plain/store", "by design"}};
  EXPECT_EQ(without_reference(result), Names{});
}

TEST(Verify, compares_every_arm_with_the_answer_of_heads_reference) {
  results::Result result = results::fixture_result(3);
  const std::vector<results::Process> head = result.processes;
  for (results::Process process : head) {
    process.arm = results::kBase;
    if (process.benchmark == "shelf/plain/store") process.checksum = "00000000000000bb";
    result.processes.push_back(process);
  }
  EXPECT_EQ(dropped_benchmarks(result), Names{"shelf/plain/store"});
  EXPECT_EQ(result.failures[0].arm, "base");
  EXPECT_EQ(result.processes.size(), 9u);
  EXPECT_EQ(without_reference(result), Names{});
}

TEST(Verify, keeps_answers_within_the_tolerance_and_drops_those_beyond_it_or_without_a_reference) {
  results::Result result = results::fixture_result(1);
  result.variants.push_back({"shelf", "third", false, "", "", "", "", {}});
  result.processes.push_back(results::fixture_process("shelf/third/store", 0, 9));
  result.workloads.front().tolerance = bench::Tolerance{bench::Distance::kMaximum, 0.5, ""};
  for (std::size_t i = 0; i < 2; ++i) result.processes[i].checksum = fmt::format("{:016x}", i);  // do not count
  result.processes[0].counters["error"] = 0;
  result.processes[1].counters["error"] = 0.75;
  EXPECT_EQ(dropped_benchmarks(result), (Names{"shelf/quick/store", "shelf/third/store"}));
  EXPECT_EQ(left(result), Names{"shelf/plain/store"});
  EXPECT_EQ(result.failures[0].detail, "expected an answer within 0.5 of the reference's, found one at 0.75");
  EXPECT_EQ(result.failures[1].detail, "the reference gave no answer to compare with");
  EXPECT_EQ(without_reference(result), Names{});
}

}  // namespace lab::judge
