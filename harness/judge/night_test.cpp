#include "harness/judge/night.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/history.h"
#include "harness/judge/night_fixture.h"

namespace lab::judge {

namespace {

/// A folder with nights of ten benchmarks and noise of 1 %.
class Farm {
 public:
  explicit Farm(int nights) {
    for (int night = 0; night < nights; ++night) add(made(night));
  }

  /// A night; benchmark i takes `ratios[i]` times as long as usual.
  results::Result made(int number, const std::vector<double>& ratios = {}) {
    FixtureNight night{number, 1, 1, {}};
    for (std::size_t i = 0; i < 10; ++i)
      night.times.push_back(100 * std::exp(noise_(random_)) * (i < ratios.size() ? ratios[i] : 1));
    return fixture_night(night);
  }

  void add(const results::Result& result) {
    const std::string name = result.session.id + ".json";
    ASSERT_TRUE(write_file(folder_.path() / "farm" / name, results::serialize(result)));
  }

  /// What is said of a session that is among the nights, too.
  NightFitness judged(const results::Result& result) {
    add(result);
    results::Store store = *results::Store::open(folder_.path(), store_rules(), [](const results::StoreProgress&) {});
    std::vector<SeriesHistory> histories;
    for (const results::SeriesKey& series : *store.series())
      histories.push_back({series, parse_findings(*store.findings(series)), *store.points(series)});
    return judge_night(histories, result);
  }

 private:
  ScratchFolder folder_;
  std::mt19937 random_{11};
  std::normal_distribution<double> noise_{0, 0.01};
};

std::vector<double> logs(std::vector<double> times) {
  for (double& time : times) time = std::log(time);
  return times;
}

LevelState state_of(const std::vector<double>& times, double tonight) {
  return level_state(logs(times), std::log(tonight));
}

}  // namespace

TEST(LevelState, is_known_only_after_enough_nights) {
  std::vector<double> nights(kFewestRecent - 1, 100);
  EXPECT_EQ(state_of(nights, 900), LevelState::kNew);
  nights.push_back(100);
  EXPECT_EQ(state_of(nights, 900), LevelState::kMoved);
}

TEST(LevelState, is_an_outlier_beyond_a_ratio_and_beyond_the_noise_in_either_direction) {
  const std::vector<double> constant(20, 100);
  EXPECT_EQ(state_of(constant, 100 * kUsualRatio - 1), LevelState::kUsual);
  EXPECT_EQ(state_of(constant, 100 * kUsualRatio + 1), LevelState::kMoved);
  EXPECT_EQ(state_of(constant, 100 / kUsualRatio - 1), LevelState::kMoved);
  const std::vector<double> noisy{80, 120, 90, 110, 85, 115, 95, 105, 100, 88};
  EXPECT_EQ(state_of(noisy, 150), LevelState::kUsual);
  EXPECT_EQ(state_of(noisy, 1000), LevelState::kMoved);
}

TEST(LevelState, of_a_new_level_is_an_outlier_at_first_and_usual_after_three_nights) {
  std::vector<double> nights(20, 100);
  for (const LevelState expected : {LevelState::kMoved, LevelState::kStayed, LevelState::kStayed, LevelState::kUsual}) {
    EXPECT_EQ(state_of(nights, 150), expected) << nights.size();
    nights.push_back(150);
  }
  EXPECT_EQ(state_of({100, 140, 100, 100, 140, 100, 100, 100}, 140), LevelState::kUsual) << "one of its two levels";
}

TEST(LevelState, ignores_old_nights) {
  std::vector<double> nights(kRecent, 100);
  nights.insert(nights.begin(), 50, 300);
  EXPECT_EQ(state_of(nights, 300), LevelState::kMoved);
}

TEST(LevelCounts, are_unfit_if_many_benchmarks_with_a_level_moved) {
  const auto of = [](std::size_t with_level, std::size_t moved, std::size_t stayed) {
    return LevelCounts{with_level, stayed, moved};
  };
  EXPECT_TRUE(of(35, 17, 0).unfit());
  EXPECT_FALSE(of(35, 8, 0).unfit());
  EXPECT_FALSE(of(kMany - 1, kMany - 1, 0).unfit());
  EXPECT_TRUE(of(kMany, kMany, 0).unfit());
  EXPECT_FALSE(of(35, 1, 30).unfit()) << "a new level";
  EXPECT_TRUE(of(35, 1, 30).many_outliers());
  EXPECT_TRUE(of(35, 6, 8).unfit()) << "some are as slow as last night by chance";
}

TEST(NightFitness, is_fit_if_few_benchmarks_changed_and_lists_young_series) {
  Farm farm(12);
  const NightFitness night = farm.judged(farm.made(12, {2, 0.5, 3}));
  EXPECT_TRUE(night.fit);
  EXPECT_EQ(night.session, "000012");
  EXPECT_EQ(night.reason + night.left_out, "");
  EXPECT_TRUE(night.session_fitness.fit);
  EXPECT_EQ(night.levels.with_level, 10U);
  ASSERT_EQ(night.outliers.size(), 3U);
  EXPECT_EQ(night.outliers[1].benchmark, "shelf/v001/store");
  EXPECT_NEAR(night.outliers[1].ratio, 0.5, 0.02);
  ASSERT_EQ(night.too_young.size(), 10U);
  EXPECT_EQ(night.too_young[0].benchmark, "shelf/v000/store");
  EXPECT_EQ(night.too_young[0].judged.nights_missing, stats::points_missing(13));
}

TEST(NightFitness, with_many_outliers_is_unfit_once) {
  Farm farm(12);
  const std::vector<double> slow{2, 0.5, 3, 4, 5, 1.6};
  const NightFitness first = farm.judged(farm.made(12, slow));
  EXPECT_FALSE(first.fit);
  EXPECT_EQ(first.reason, judge::kMachineReason);
  EXPECT_TRUE(first.session_fitness.fit);
  EXPECT_EQ(first.levels.moved, 6U);
  const NightFitness second = farm.judged(farm.made(13, slow));
  EXPECT_TRUE(second.fit);
  EXPECT_EQ(second.levels.stayed, 6U);
  EXPECT_TRUE(second.levels.many_outliers());
  EXPECT_EQ(second.too_young.front().judged.nights_missing, stats::points_missing(14)) << "both are in the series";
}

TEST(NightFitness, knows_whether_an_outlier_is_too_young_for_history) {
  Farm farm(25);
  const std::vector<double> slow{2, 0.5, 3, 4, 5, 1.6};
  EXPECT_FALSE(farm.judged(farm.made(25, slow)).any_young_outlier());
  EXPECT_TRUE(Farm(12).judged(farm.made(12, slow)).any_young_outlier());
}

TEST(NightFitness, counts_only_earlier_nights_of_the_same_seed_and_machine) {
  Farm farm(12);
  results::Result seeds = farm.made(12, std::vector<double>(10, 3));
  ++seeds.session.seed;
  const NightFitness other_task = farm.judged(seeds);
  EXPECT_TRUE(other_task.fit);
  EXPECT_EQ(other_task.levels.with_level, 0U);
  results::Result machine = farm.made(13, std::vector<double>(10, 3));
  machine.machine.id = "another";
  EXPECT_EQ(farm.judged(machine).levels.with_level, 0U);
  EXPECT_EQ(farm.judged(farm.made(3, std::vector<double>(10, 3))).levels.with_level, 0U) << "three nights before";
}

TEST(NightFitness, of_a_session_disturbed_in_nearly_all_blocks_is_unfit_and_in_no_series) {
  Farm farm(2);
  results::Result result = farm.made(2);
  for (int block = 0; block < 10; ++block)
    result.session.disturbances.push_back({block, 10, block < 9 ? 10.0 : 0.0, 0});
  result.session.unusual = {"load 3"};
  const NightFitness night = farm.judged(result);
  EXPECT_FALSE(night.fit);
  EXPECT_EQ(night.reason, judge::kMachineReason);
  EXPECT_EQ(night.left_out, kUnfitSession);
  EXPECT_FALSE(night.is_excluded());
  EXPECT_TRUE(night.session_fitness.lacks_levels);
  EXPECT_EQ(night.unusual, result.session.unusual);
  EXPECT_TRUE(night.too_young.empty());
  EXPECT_EQ(night.without_level.size(), 10u);
}

TEST(NightFitness, with_undisturbed_blocks_is_fit_and_names_the_benchmarks_that_have_none) {
  Farm farm(12);
  results::Result result = farm.made(12);
  const std::vector<results::Process> before = result.processes;
  result.processes.clear();
  for (int block = 0; block < 12; ++block) {
    result.session.disturbances.push_back({block, 10, block % 2 == 0 ? 10.0 : 0.0, 0});
    for (results::Process process : before) {
      if (process.block != 0) continue;
      process.process = process.block = block;
      if (block % 2 == 0) process.real_time *= 3;
      result.processes.push_back(process);
    }
  }
  results::Process other = results::fixture_process("crate/a/store", 0, 100);
  for (int block = 0; block < 12; block += 2) {
    other.process = other.block = block;
    result.processes.push_back(other);
  }
  const NightFitness night = farm.judged(result);
  EXPECT_TRUE(night.fit) << "half of its blocks are three times slower, and set aside";
  EXPECT_EQ(night.levels.outliers(), 0u);
  EXPECT_EQ(night.without_level, std::set<std::string>{"crate/a/store"});
}

TEST(NightFitness, of_a_blind_control_is_unfit_but_stays_in_the_series) {
  Farm farm(2);
  results::Result result = farm.made(2);
  std::mt19937 random(3);
  const results::Process pattern = result.processes.front();
  result.processes.clear();
  for (int block = 0; block < 8; ++block)
    for (const char* arm : {"head", "control"}) {
      results::Process& process = result.processes.emplace_back(pattern);
      process.process = process.block = block;
      process.arm = arm;
      process.real_time = 100 * (1 + static_cast<double>(random() % 1000) / 500);
    }
  const NightFitness night = farm.judged(result);
  EXPECT_FALSE(night.fit);
  EXPECT_EQ(night.reason, judge::kBlindReason);
  EXPECT_EQ(night.left_out, "");
  EXPECT_FALSE(night.session_fitness.control.fit);
}

TEST(NightFitness, of_a_session_in_no_series_has_the_reason) {
  Farm farm(1);
  results::Result result = farm.made(1);
  result.source.dirty = true;
  const NightFitness night = farm.judged(result);
  EXPECT_FALSE(night.fit);
  EXPECT_EQ(night.reason, "");
  EXPECT_EQ(night.left_out, "dirty source");
  EXPECT_TRUE(night.is_excluded());
}

TEST(NightFitness, can_be_the_first) {
  Farm farm(0);
  const NightFitness night = farm.judged(farm.made(0));
  EXPECT_TRUE(night.fit);
  EXPECT_EQ(night.levels.with_level, 0U);
  EXPECT_EQ(night.too_young.size(), 10U);
}

}  // namespace lab::judge
