#include "harness/judge/fitness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

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

namespace {

/// A session of `families` benchmarks whose control arm is `bias` times head, with noise of `sigma` between processes.
results::Result session(int families, int blocks, double bias, unsigned seed = 1, double sigma = 0.01) {
  results::Result result = results::fixture_result();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  for (int block = 0; block < blocks; ++block)
    for (int family = 0; family < families; ++family)
      for (const std::string_view arm : {results::kHead, results::kControl}) {
        results::Process process =
            results::fixture_process(fmt::format("f{}/plain/store", family), block,
                                     100 * std::exp(noise(random)) * (arm == results::kControl ? bias : 1));
        process.arm = arm;
        result.processes.push_back(process);
      }
  return result;
}

}  // namespace

TEST(Control, calls_a_session_with_a_biased_arm_unfit) {
  const Control control = judge_control(session(3, 15, 1.05));
  EXPECT_FALSE(control.fit);
  EXPECT_EQ(control.false_alarms, 3u);
  EXPECT_EQ(control.rate, 1);
  EXPECT_EQ(control.reason, kMachineReason);
  const auto clearest = std::ranges::min_element(control.rows, {}, &ControlRow::adjusted);
  EXPECT_EQ(most_biased(control).benchmark, clearest->benchmark);
}

TEST(Control, of_an_unbiased_machine_is_fit_and_reports_its_false_alarm_rate) {
  int unfit = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) unfit += !judge_control(session(3, 12, 1, seed)).fit;
  EXPECT_LT(unfit, 5);
  const Control control = judge_control(session(3, 12, 1));
  EXPECT_EQ(control.rows.size(), 3u);
  EXPECT_EQ(control.rows[0].processes, 24u);
}

TEST(Control, tolerates_a_harmless_bias) {
  results::Result result = results::fixture_result();
  for (int block = 0; block < 30; ++block)
    for (const std::string_view arm : {results::kHead, results::kControl}) {
      result.processes.push_back(
          results::fixture_process("f/plain/store", block, arm == results::kControl ? 100.05 : 100));
      result.processes.back().arm = arm;
    }
  const Control control = judge_control(result);
  EXPECT_LT(control.rows.at(0).adjusted, kUnfitAlpha);
  EXPECT_TRUE(control.fit);
}

TEST(Control, reports_the_detectable_change) {
  const Control control = judge_control(session(2, 12, 1));
  ASSERT_TRUE(control.detectable_change);
  double most = 0;
  for (const ControlRow& row : control.rows) most = std::max({most, row.interval->high - 1, 1 / row.interval->low - 1});
  EXPECT_EQ(*control.detectable_change, most);
  EXPECT_LT(*control.detectable_change, 0.05);
}

TEST(Control, that_could_not_detect_10_percent_makes_the_session_unfit) {
  int unfit = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Control control = judge_control(session(1, 6, 1, seed, 0.5));
    unfit += control.reason == kBlindReason;
    EXPECT_EQ(control.fit, control.reason.empty());
    EXPECT_EQ(*control.detectable_change > kMaxDetectableChange, control.reason == kBlindReason);
  }
  EXPECT_GE(unfit, 19);
  // One family that is blind is enough: its rows are judged with the others.
  results::Result mixed = session(2, 12, 1);
  std::mt19937_64 random(3);
  for (results::Process& process : mixed.processes)
    if (process.benchmark == "f1/plain/store")
      process.real_time *= std::exp(std::normal_distribution(0.0, 0.5)(random));
  EXPECT_EQ(judge_control(mixed).reason, kBlindReason);
}

TEST(Control, with_too_few_processes_for_an_interval_is_unfit) {
  const Control control = judge_control(session(2, 3, 1));
  EXPECT_EQ(control.reason, kBlindReason);
  EXPECT_FALSE(control.detectable_change);
  EXPECT_FALSE(control.rows.at(0).detectable_change);
}

TEST(Control, of_one_family_does_not_cover_another) {
  results::Result result = session(2, 12, 1);
  std::erase_if(result.processes, [](const results::Process& process) {
    return process.benchmark == "f1/plain/store" && process.arm == results::kControl && process.block > 1;
  });
  const Control control = judge_control(result);
  EXPECT_EQ(control.reason, kBlindReason);
  EXPECT_TRUE(control.rows.at(0).detectable_change);
  EXPECT_FALSE(control.rows.at(1).detectable_change);
}

TEST(Control, reports_a_session_without_a_control_arm) {
  const Control control = judge_control(results::fixture_result(4));
  EXPECT_TRUE(control.fit);
  EXPECT_TRUE(control.rows.empty());
}

TEST(Control, gives_the_false_alarm_rate_a_clopper_pearson_interval) {
  // 0 of 10: from 0 to 1 - 0.025^(1/10) = 0.3085.
  results::Result result = results::fixture_result();
  for (int family = 0; family < 10; ++family)
    for (const std::string_view arm : {results::kHead, results::kControl}) {
      result.processes.push_back(results::fixture_process(fmt::format("f{}/plain/store", family), 0, 100));
      result.processes.back().arm = arm;
    }
  const Control control = judge_control(result);
  EXPECT_EQ(control.false_alarms, 0u);
  EXPECT_EQ(control.rate_interval.low, 0);
  EXPECT_NEAR(control.rate_interval.high, 0.3085, 1e-4);
}

}  // namespace lab::judge
