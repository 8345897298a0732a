#include "harness/judge/fitness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/error.h"
#include "harness/judge/summary.h"
#include "harness/results/result_fixture.h"
#include "harness/stats/power.h"

namespace lab::judge {

namespace {

using results::disturbed_result;

/// A control arm of shelf/plain/store, `bias` times head.
void add_control(results::Result& result, double bias) {
  const std::vector<results::Process> before = result.processes;
  for (results::Process process : before) {
    if (process.benchmark != "shelf/plain/store") continue;
    process.arm = results::kControl;
    process.real_time *= bias;
    result.processes.push_back(process);
  }
}

std::vector<std::array<double, 3>> busy_blocks(std::size_t count) {
  return std::vector<std::array<double, 3>>(count, {20, 36, 1});
}

}  // namespace

TEST(Fitness, has_the_sums_of_the_disturbed_blocks_and_what_is_judged) {
  std::vector<std::array<double, 3>> blocks = busy_blocks(10);
  blocks[4] = {20, 2, 0};
  const Fitness fitness = judge_fitness(disturbed_result(blocks));
  ASSERT_TRUE(fitness.disturbed);
  EXPECT_EQ(fitness.disturbed->count, 9u);
  EXPECT_EQ(fitness.disturbed->all, 10u);
  EXPECT_EQ(fitness.disturbed->share_of_time, 0.9);
  EXPECT_EQ(fitness.disturbed->seconds, 180);
  EXPECT_EQ(fitness.disturbed->foreign, 324);
  EXPECT_EQ(fitness.disturbed->stolen, 9);
  EXPECT_FALSE(fitness.disturbed->too_few_cpus);
  EXPECT_EQ(fitness.disturbed->benchmarks, 2u);
  EXPECT_EQ(fitness.disturbed->affected, 2u);
  EXPECT_EQ(fitness.disturbed->all_judged, 2u);
  EXPECT_EQ(fitness.disturbed->without_level, 2u);
  blocks.resize(16, {20, 2, 0});
  const Fitness aside = judge_fitness(disturbed_result(blocks));
  EXPECT_EQ(aside.disturbed->count, 9u);
  EXPECT_EQ(aside.disturbed->affected, 2u);
  EXPECT_EQ(aside.disturbed->all_judged, 0u);
  EXPECT_EQ(aside.disturbed->without_level, 0u);
}

TEST(Fitness, knows_that_more_cpus_than_there_are_cannot_be_busy) {
  // A container of 8 CPUs on a host of which 463 are busy.
  const auto cpus_of = [](const std::vector<std::array<double, 3>>& blocks) {
    return judge_fitness(disturbed_result(blocks)).disturbed->too_few_cpus;
  };
  EXPECT_EQ(cpus_of({{10, 4634.5, 0}, {10, 4634.5, 0}}), 8);
  EXPECT_FALSE(cpus_of({{10, 79, 0}}));
}

TEST(Fitness, for_verdicts_is_decided_by_the_control_alone) {
  results::Result result = disturbed_result(busy_blocks(20));
  EXPECT_TRUE(judge_fitness(result).fit) << "arms within a block are disturbed alike";
  add_control(result, 1);
  EXPECT_TRUE(judge_fitness(result).fit);
  results::Result biased = disturbed_result(busy_blocks(20));
  add_control(biased, 1.5);
  const Fitness fitness = judge_fitness(biased);
  EXPECT_FALSE(fitness.fit);
  EXPECT_EQ(fitness.reason, kMachineReason);
  EXPECT_FALSE(fitness.lacks_levels);
}

TEST(Fitness, for_levels_needs_a_time_that_other_work_left_alone) {
  const auto is_level = [](const std::vector<std::array<double, 3>>& blocks) {
    const Fitness fitness = level_fitness(disturbed_result(blocks));
    EXPECT_EQ(fitness.fit, !fitness.lacks_levels);
    EXPECT_EQ(fitness.reason, fitness.fit ? "" : kMachineReason);
    return fitness.fit;
  };
  EXPECT_FALSE(is_level(busy_blocks(20)));
  std::vector<std::array<double, 3>> blocks = busy_blocks(20);
  for (std::size_t i = 0; i < kLeastUndisturbed; ++i) blocks[3 * i] = {20, 1, 0};
  EXPECT_TRUE(is_level(blocks));
  EXPECT_TRUE(level_fitness(results::fixture_result(4)).fit) << "without load data";
  EXPECT_TRUE(level_fitness(results::fixture_result()).fit);
  // One benchmark with a level is enough: the others have no point.
  results::Result result = disturbed_result(busy_blocks(20));
  for (int block = 20; block < 26; ++block) {
    result.session.disturbances.push_back({block, 20, 0, 0});
    result.processes.push_back(results::fixture_process("shelf/plain/drop", block, 100));
  }
  EXPECT_TRUE(level_fitness(result).fit);
}

TEST(Fitness, decides_the_exit_status) {
  results::Result result = disturbed_result(busy_blocks(20));
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kOk);
  EXPECT_EQ(exit_status(result, level_fitness(result)), ExitStatus::kUnfit);
  add_control(result, 1.5);
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kUnfit);
  result.session.mode = "processes";
  EXPECT_EQ(exit_status(result, judge_fitness(result)), ExitStatus::kUnfit) << "biased, however many were asked for";
  results::Result few = disturbed_result(busy_blocks(1));
  add_control(few, 1);
  few.session.mode = "processes";
  EXPECT_EQ(judge_fitness(few).reason, kBlindReason);
  EXPECT_EQ(exit_status(few, judge_fitness(few)), ExitStatus::kOk) << "one process was asked for";
  few.session.mode = "default";
  EXPECT_EQ(exit_status(few, judge_fitness(few)), ExitStatus::kUnfit);
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
  for (const ControlRow& row : control.rows)
    most = std::max(most, stats::detectable_change(*row.interval, row.ratio, 1 - stats::kCoverage));
  EXPECT_EQ(*control.detectable_change, most);
  EXPECT_LT(*control.detectable_change, 0.05);
}

TEST(Control, that_could_not_detect_15_percent_makes_the_session_unfit) {
  int unfit = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Control control = judge_control(session(1, 6, 1, seed, 0.5));
    unfit += control.reason == kBlindReason;
    EXPECT_EQ(control.fit, control.reason.empty());
    EXPECT_EQ(*control.detectable_change > kMaxDetectableChange, control.reason == kBlindReason);
  }
  EXPECT_GE(unfit, 19);
}

TEST(Control, that_is_blind_in_one_family_leaves_the_others_their_verdicts) {
  results::Result mixed = session(3, 12, 1);
  std::mt19937_64 random(3);
  for (results::Process& process : mixed.processes)
    if (process.benchmark == "f1/plain/store")
      process.real_time *= std::exp(std::normal_distribution(0.0, 0.5)(random));
  const Fitness fitness = judge_fitness(mixed);
  EXPECT_TRUE(fitness.fit);
  EXPECT_EQ(fitness.control.blind, (std::set<std::string, std::less<>>{"f1"}));
  EXPECT_LT(*fitness.control.detectable_change, 0.05) << "of the families that are judged";
  EXPECT_TRUE(fitness.of("f0").fit);
  EXPECT_TRUE(fitness.of("no control").fit);
  EXPECT_FALSE(fitness.of("f1").fit);
  EXPECT_EQ(fitness.of("f1").reason, kBlindReason);
  EXPECT_EQ(exit_status(mixed, fitness), ExitStatus::kOk);
  // A bias may be anywhere.
  for (results::Process& process : mixed.processes)
    if (process.benchmark == "f0/plain/store" && process.arm == results::kControl) process.real_time *= 1.1;
  EXPECT_EQ(judge_fitness(mixed).of("f2").reason, kMachineReason);
}

TEST(Control, looks_at_the_time_of_a_workload_that_counts_something_else) {
  results::Result result = results::fixture_result(12);
  result.workloads.at(0).primary = "metadata_bytes";
  add_control(result, 1);
  std::mt19937_64 random(3);
  for (results::Process& process : result.processes)
    process.real_time *= std::exp(std::normal_distribution(0.0, 0.5)(random));
  ASSERT_EQ(metric_values(result, "shelf/plain/store").front().value, 128);
  EXPECT_EQ(judge_control(result).reason, kBlindReason) << "all processes count the same bytes";
}

TEST(Control, that_a_family_lacks_leaves_it_without_verdicts) {
  results::Result result = session(2, 12, 1);
  std::erase_if(result.processes, [](const results::Process& process) {
    return process.benchmark == "f1/plain/store" && process.arm == results::kControl;
  });
  const Fitness fitness = judge_fitness(result);
  EXPECT_TRUE(fitness.of("f0").fit);
  EXPECT_FALSE(fitness.of("f1").fit);
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
  EXPECT_TRUE(control.fit);
  EXPECT_EQ(control.blind, (std::set<std::string, std::less<>>{"f1"}));
  EXPECT_TRUE(control.rows.at(0).detectable_change);
  EXPECT_FALSE(control.rows.at(1).detectable_change);
}

TEST(Control, is_judged_on_the_blocks_that_verdicts_are_judged_on) {
  // Other work happened to make the control alone slower.
  results::Result result = session(1, 20, 1);
  for (int block = 0; block < 20; ++block)
    result.session.disturbances.push_back({block, 10, block < 8 ? 15.0 : 0.0, 0});
  for (results::Process& process : result.processes)
    if (process.block < 8 && process.arm == results::kControl) process.real_time *= 2;
  const Control control = judge_control(result);
  EXPECT_TRUE(control.fit);
  EXPECT_EQ(control.rows.at(0).processes, 24u);
  result.session.disturbances.clear();
  EXPECT_EQ(judge_control(result).rows.at(0).processes, 40u);
  EXPECT_FALSE(judge_control(result).fit);
}

TEST(Control, makes_a_session_unfit_whose_noise_under_load_would_have_hidden_a_change) {
  results::Result result = session(1, 20, 1, 1, 0.5);
  for (int block = 0; block < 20; ++block) result.session.disturbances.push_back({block, 10, 15, 0});
  EXPECT_EQ(judge_fitness(result).reason, kBlindReason);
  EXPECT_EQ(level_fitness(result).reason, kMachineReason);
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
