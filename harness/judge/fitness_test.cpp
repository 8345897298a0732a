#include "harness/judge/fitness.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/results/result_fixture.h"

namespace lab::judge {

namespace {

/// A session whose block i is `blocks[i]`: seconds, foreign, stolen.
results::Result session(const std::vector<std::array<double, 3>>& blocks) {
  results::Result result = results::fixture_result(static_cast<int>(blocks.size()));
  for (const auto& [seconds, foreign, stolen] : blocks)
    result.session.disturbances.push_back(
        {static_cast<int>(result.session.disturbances.size()), seconds, foreign, stolen});
  return result;
}

std::string sentence_of(const results::Result& result) {
  const Fitness fitness = judge_fitness(result);
  EXPECT_EQ(fitness.fit, fitness.sentences.empty());
  EXPECT_EQ(fitness.reason, fitness.fit ? "" : "machine");
  return fitness.fit ? "" : fitness.sentences.at(0);
}

}  // namespace

TEST(Fitness, reports_the_cause_and_the_number_of_disturbed_blocks) {
  std::vector<std::array<double, 3>> blocks(10, {20, 36, 0});
  blocks[4] = {20, 2, 0};
  EXPECT_EQ(sentence_of(session(blocks)),
            "unfit: other processes used 1.80 CPUs in 9 of 10 blocks, 90 % of the time; 10 % of a CPU is the limit");
  EXPECT_EQ(sentence_of(session({{10, 0, 4}, {10, 0, 0}})),
            "unfit: the host withheld 40 % of a CPU in 1 of 2 blocks, 50 % of the time; 10 % of a CPU is the limit");
  EXPECT_EQ(sentence_of(session({{10, 0.8, 0.8}})),
            "unfit: other processes used 8 % of a CPU and the host withheld 8 % of a CPU in 1 of 1 block, 100 % of the "
            "time; 10 % "
            "of a CPU together is the limit");
}

TEST(Fitness, says_that_the_load_is_unknown_where_the_kernel_counts_more_cpus_than_there_are) {
  // A container of 8 CPUs on a host of which 463 are busy.
  EXPECT_EQ(
      sentence_of(session({{10, 4634.5, 0}, {10, 4634.5, 0}})),
      "unfit: the load on this machine is not known, because the kernel counted more CPU time than its 8 CPUs can "
      "give in 2 of 2 blocks, 100 % of the time");
  EXPECT_EQ(sentence_of(session({{10, 79, 0}})),
            "unfit: other processes used 7.90 CPUs in 1 of 1 block, 100 % of the time; 10 % of a CPU is the limit");
}

TEST(Fitness, decides_the_exit_status) {
  results::Result result = session({{10, 4, 0}});
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kUnfit);
  result.session.mode = "processes";
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kUnfit) << "disturbed, however many were asked for";
  result.session.disturbances.clear();
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kOk);
  result.processes.push_back(results::fixture_process("shelf/plain/store", 0, 120));
  result.processes.back().arm = results::kControl;
  EXPECT_EQ(judge_fitness(result).reason, kBlindReason);
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kOk) << "one process was asked for";
  result.session.mode = "default";
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kUnfit);
}

TEST(Fitness, counts_blocks_by_their_time) {
  EXPECT_EQ(sentence_of(session({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {1, 0, 0}, {1, 0, 0}})),
            "unfit: other processes used 40 % of a CPU in 2 of 4 blocks, 33 % of the time; 10 % of a CPU is the limit");
  EXPECT_EQ(sentence_of(session({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {10, 0, 0}})), "");
  EXPECT_EQ(sentence_of(session({{0.5, 0, 0}, {0.5, 0, 0}, {10, 4, 0}})),
            "unfit: other processes used 40 % of a CPU in 1 of 3 blocks, 91 % of the time; 10 % of a CPU is the limit");
}

TEST(Fitness, tolerates_a_fifth_of_disturbed_time) {
  std::vector<std::array<double, 3>> blocks(10, {20, 0.5, 0.1});
  blocks[0] = blocks[9] = {20, 20, 0};
  EXPECT_EQ(sentence_of(session(blocks)), "");
  blocks[5] = {20, 20, 0};
  EXPECT_NE(sentence_of(session(blocks)), "");
}

TEST(Fitness, ignores_a_clock_tick_in_a_short_block) {
  // 0.2 s: what the kernel rounds is a quarter of it.
  EXPECT_EQ(sentence_of(session({{0.2, 0.05, 0.01}})), "");
  EXPECT_NE(sentence_of(session({{0.2, 0.15, 0}})), "");
  EXPECT_EQ(sentence_of(session({{0, 0, 0}})), "");
}

TEST(Fitness, is_assumed_for_results_without_load_data) {
  EXPECT_EQ(sentence_of(results::fixture_result(4)), "");
  EXPECT_EQ(sentence_of(results::fixture_result()), "");
}

TEST(Fitness, includes_the_control) {
  results::Result result = session(std::vector<std::array<double, 3>>(20, {20, 20, 0}));
  for (int block = 0; block < 20; ++block) {
    results::Process process = results::fixture_process("shelf/plain/store", block, 120 + block);
    process.arm = results::kControl;
    result.processes.push_back(process);
  }
  const Fitness fitness = judge_fitness(result);
  EXPECT_EQ(fitness.reason, kMachineReason);
  ASSERT_EQ(fitness.sentences.size(), 2u);
  EXPECT_EQ(fitness.sentences[1], judge_control(result).sentence);
  result.session.disturbances.clear();
  EXPECT_EQ(judge_fitness(result).sentences, (std::vector<std::string>{judge_control(result).sentence}));
}

}  // namespace lab::judge
