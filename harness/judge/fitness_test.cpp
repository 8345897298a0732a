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
            "unfit: other processes used 180 % of a CPU in 9 of 10 blocks; 10 % is the limit");
  EXPECT_EQ(sentence_of(session({{10, 0, 4}, {10, 0, 0}})),
            "unfit: the host withheld 40 % of a CPU in 1 of 2 blocks; 10 % is the limit");
  EXPECT_EQ(sentence_of(session({{10, 0.8, 0.8}})),
            "unfit: other processes used 8 % of a CPU and the host withheld 8 % of a CPU in 1 of 1 block; 10 % "
            "together is the limit");
}

TEST(Fitness, reports_the_cause_of_disturbed_short_blocks) {
  EXPECT_EQ(sentence_of(session({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {1000, 0, 0}, {1000, 0, 0}})),
            "unfit: other processes used 40 % of a CPU in 2 of 4 blocks; 10 % is the limit");
}

TEST(Fitness, tolerates_a_fifth_of_disturbed_blocks) {
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
