#include "harness/judge/fitness.h"

#include <gtest/gtest.h>

#include "harness/results/result_fixture.h"

namespace lab::judge {

namespace {

using results::disturbed_result;

/// The fitness of a session without a control: unfit only by its disturbed blocks.
Fitness fitness_of(const results::Result& result) {
  const Fitness fitness = judge_fitness(result);
  EXPECT_EQ(fitness.fit, !fitness.disturbed);
  EXPECT_EQ(fitness.reason, fitness.fit ? "" : kMachineReason);
  EXPECT_TRUE(fitness.control.fit);
  return fitness;
}

bool is_fit(const std::vector<std::array<double, 3>>& blocks) {
  return fitness_of(disturbed_result(blocks)).fit;
}

}  // namespace

TEST(Fitness, has_the_sums_of_the_disturbed_blocks) {
  std::vector<std::array<double, 3>> blocks(10, {20, 36, 1});
  blocks[4] = {20, 2, 0};
  const Fitness fitness = fitness_of(disturbed_result(blocks));
  ASSERT_TRUE(fitness.disturbed);
  EXPECT_EQ(fitness.disturbed->count, 9u);
  EXPECT_EQ(fitness.disturbed->all, 10u);
  EXPECT_EQ(fitness.disturbed->share_of_time, 0.9);
  EXPECT_EQ(fitness.disturbed->seconds, 180);
  EXPECT_EQ(fitness.disturbed->foreign, 324);
  EXPECT_EQ(fitness.disturbed->stolen, 9);
  EXPECT_FALSE(fitness.disturbed->too_few_cpus);
}

TEST(Fitness, knows_that_more_cpus_than_there_are_cannot_be_busy) {
  // A container of 8 CPUs on a host of which 463 are busy.
  EXPECT_EQ(fitness_of(disturbed_result({{10, 4634.5, 0}, {10, 4634.5, 0}})).disturbed->too_few_cpus, 8);
  EXPECT_FALSE(fitness_of(disturbed_result({{10, 79, 0}})).disturbed->too_few_cpus);
}

TEST(Fitness, decides_the_exit_status) {
  results::Result result = disturbed_result({{10, 4, 0}});
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
  EXPECT_FALSE(is_fit({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {1, 0, 0}, {1, 0, 0}}));
  EXPECT_TRUE(is_fit({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {10, 0, 0}}));
  EXPECT_FALSE(is_fit({{0.5, 0, 0}, {0.5, 0, 0}, {10, 4, 0}}));
}

TEST(Fitness, tolerates_a_fifth_of_disturbed_time) {
  std::vector<std::array<double, 3>> blocks(10, {20, 0.5, 0.1});
  blocks[0] = blocks[9] = {20, 20, 0};
  EXPECT_TRUE(is_fit(blocks));
  blocks[5] = {20, 20, 0};
  EXPECT_FALSE(is_fit(blocks));
}

TEST(Fitness, ignores_a_clock_tick_in_a_short_block) {
  // 0.2 s: what the kernel rounds is a quarter of it.
  EXPECT_TRUE(is_fit({{0.2, 0.05, 0.01}}));
  EXPECT_FALSE(is_fit({{0.2, 0.15, 0}}));
  EXPECT_TRUE(is_fit({{0, 0, 0}}));
}

TEST(Fitness, is_assumed_for_results_without_load_data) {
  EXPECT_TRUE(fitness_of(results::fixture_result(4)).fit);
  EXPECT_TRUE(fitness_of(results::fixture_result()).fit);
}

TEST(Fitness, includes_the_control) {
  results::Result result = disturbed_result(std::vector<std::array<double, 3>>(20, {20, 20, 0}));
  for (int block = 0; block < 20; ++block) {
    results::Process process = results::fixture_process("shelf/plain/store", block, 120 + block);
    process.arm = results::kControl;
    result.processes.push_back(process);
  }
  const Fitness fitness = judge_fitness(result);
  EXPECT_EQ(fitness.reason, kMachineReason);
  EXPECT_TRUE(fitness.disturbed && !fitness.control.fit);
  result.session.disturbances.clear();
  const Fitness alone = judge_fitness(result);
  EXPECT_FALSE(alone.disturbed);
  EXPECT_FALSE(alone.control.fit);
  EXPECT_EQ(alone.reason, alone.control.reason);
}

}  // namespace lab::judge
