#include "harness/judge/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/results/result_fixture.h"

namespace lab::judge {

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
