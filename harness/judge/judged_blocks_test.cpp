#include "harness/judge/judged_blocks.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "harness/judge/summary.h"
#include "harness/results/result_fixture.h"

namespace lab::judge {

namespace {

using results::disturbed_result;
using Blocks = std::vector<std::array<double, 3>>;

constexpr std::array<double, 3> kQuiet{10, 0.1, 0}, kBusy{10, 16, 0};

Blocks blocks(std::size_t busy, std::size_t quiet) {
  Blocks all(busy, kBusy);
  all.insert(all.end(), quiet, kQuiet);
  return all;
}

/// The blocks whose times of shelf/plain/store are judged.
std::vector<int> judged(const results::Result& result, std::string_view metric = "") {
  std::vector<int> found;
  for (const stats::Datum& value : metric_values(result, "shelf/plain/store", metric)) found.push_back(value.block);
  return found;
}

bool is_level(const results::Result& result) {
  return JudgedBlocks(result, "shelf/plain/store").is_level("shelf/plain/store");
}

}  // namespace

TEST(JudgedBlocks, are_the_undisturbed_ones_if_they_are_enough) {
  const results::Result result = disturbed_result(blocks(3, kLeastUndisturbed));
  EXPECT_EQ(judged(result), (std::vector<int>{3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(is_level(result));
  EXPECT_EQ(process_times(result, "shelf/plain/store", "put").front().block, 3) << "phases are times";
  EXPECT_EQ(summarize(result).front().value.count, kLeastUndisturbed);
  EXPECT_EQ(summarize(result).front().value.median, 105.5);
}

TEST(JudgedBlocks, are_all_if_too_few_are_undisturbed_and_then_no_level) {
  const results::Result result = disturbed_result(blocks(3, kLeastUndisturbed - 1));
  EXPECT_EQ(judged(result).size(), 3 + kLeastUndisturbed - 1);
  EXPECT_FALSE(is_level(result));
  EXPECT_FALSE(summarize(result).front().level);
  const results::Result busy = disturbed_result(blocks(20, 0));
  EXPECT_EQ(judged(busy).size(), 20u);
  EXPECT_FALSE(is_level(busy));
}

TEST(JudgedBlocks, are_a_level_all_together_if_other_work_took_little_of_their_time) {
  EXPECT_TRUE(is_level(disturbed_result(blocks(1, 4))));
  EXPECT_EQ(judged(disturbed_result(blocks(1, 4))).size(), 5u);
  EXPECT_FALSE(is_level(disturbed_result(blocks(1, 3))));
  EXPECT_TRUE(is_level(disturbed_result({{1, 1, 0}, {10, 0, 0}}))) << "by their time, not by their number";
}

TEST(JudgedBlocks, are_chosen_by_load_and_stolen_time_and_never_by_a_value) {
  Blocks all = blocks(0, 10);
  all[4] = {10, 0, 3};
  all[5] = {10, 0.6, 0.6};
  results::Result result = disturbed_result(all);
  const std::vector<int> expected{0, 1, 2, 3, 6, 7, 8, 9};
  EXPECT_EQ(judged(result), expected);
  for (results::Process& process : result.processes) process.real_time = process.block == 0 ? 1e9 : 1;
  EXPECT_EQ(judged(result), expected);
}

TEST(JudgedBlocks, ignores_a_clock_tick_in_a_short_block) {
  // 0.2 s: what the kernel rounds is a quarter of it.
  EXPECT_FALSE(is_disturbed({0, 0.2, 0.05, 0.01}));
  EXPECT_TRUE(is_disturbed({0, 0.2, 0.15, 0}));
  EXPECT_FALSE(is_disturbed({0, 0, 0, 0}));
}

TEST(JudgedBlocks, of_a_result_without_load_data_are_all) {
  const results::Result result = results::fixture_result(7);
  EXPECT_EQ(judged(result).size(), 7u);
  EXPECT_TRUE(is_level(result));
}

TEST(JudgedBlocks, of_counts_and_bytes_are_all) {
  results::Result result = disturbed_result(blocks(4, 8));
  result.workloads.front().metrics = {{"rss", "Resident memory", "bytes", results::MetricKind::kMemory},
                                      {"rate", "Rate", "1/s", results::MetricKind::kTime, bench::Better::kMore}};
  for (results::Process& process : result.processes) process.counters["rss"] = process.counters["rate"] = 5;
  EXPECT_EQ(judged(result, "metadata_bytes").size(), 12u);
  EXPECT_EQ(judged(result, "rss").size(), 12u);
  EXPECT_EQ(judged(result, "rate").size(), 8u);
}

TEST(JudgedBlocks, of_a_sweep_are_those_of_its_processes) {
  results::Result result = disturbed_result(blocks(2, 7));
  for (results::Process& process : result.processes)
    process.points = {{4, 10, 1, {{"put", {600}}, {"get", {400}}}, {}, {}}};
  EXPECT_EQ(metric_values_at(result, "shelf/plain/store", 4).size(), 7u);
}

TEST(JudgedBlocks, of_the_variants_of_a_workload_are_the_same) {
  results::Result result = disturbed_result(blocks(6, 8));
  // quick was paused after eight blocks: two undisturbed ones are too few for it.
  std::erase_if(result.processes, [](const results::Process& process) {
    return process.benchmark == "shelf/quick/store" && process.block >= 8;
  });
  EXPECT_EQ(judged(result).size(), 14u);
  // A variant that crashed early does not decide, and keeps what it has.
  std::erase_if(result.processes, [](const results::Process& process) {
    return process.benchmark == "shelf/quick/store" && process.block >= 3;
  });
  EXPECT_EQ(judged(result).size(), 8u);
  EXPECT_EQ(metric_values(result, "shelf/quick/store").size(), 3u);
  EXPECT_FALSE(JudgedBlocks(result, "shelf/quick/store").is_level("shelf/quick/store"));
}

TEST(JudgedBlocks, of_a_comparison_are_as_many_as_its_alpha_needs) {
  results::Result result = disturbed_result(blocks(6, 7));
  for (int block = 0; block < 13; ++block) {
    result.processes.push_back(results::fixture_process("shelf/plain/store", block, 100));
    result.processes.back().arm = results::kBase;
  }
  ASSERT_EQ(stats::fewest_blocks(1, 0.05), 4u);
  EXPECT_TRUE(JudgedBlocks(result, "shelf/plain/store", 0.05).sets_aside("shelf/plain/store"));
  ASSERT_GT(stats::fewest_blocks(1, 1e-4), 7u);
  EXPECT_FALSE(JudgedBlocks(result, "shelf/plain/store", 1e-4).sets_aside("shelf/plain/store"))
      << "seven undisturbed blocks could show nothing";
}

TEST(JudgedBlocks, of_two_workloads_may_differ) {
  results::Result result = disturbed_result(blocks(6, 8));
  for (int block = 0; block < 6; ++block)
    result.processes.push_back(results::fixture_process("shelf/plain/drop", block, 100));
  EXPECT_EQ(judged(result).size(), 8u);
  EXPECT_EQ(metric_values(result, "shelf/plain/drop").size(), 6u);
  EXPECT_FALSE(JudgedBlocks(result, "shelf/plain/drop").is_level("shelf/plain/drop"));
}

TEST(JudgedBlocks, of_a_large_table_must_be_enough_to_tell_a_change_from_chance) {
  results::Result result = disturbed_result(blocks(6, 6));
  const auto add_base = [&](int rows) {
    for (int row = 0; row < rows; ++row) {
      result.processes.push_back(results::fixture_process(fmt::format("shelf/v{}/take", row), 0, 100));
      result.processes.back().arm = results::kBase;
    }
  };
  add_base(1);
  EXPECT_EQ(judged(result).size(), 6u);
  add_base(40);  // 7 blocks: 2 / C(14, 7) < 0.05 / 40 < 2 / C(12, 6)
  EXPECT_EQ(judged(result).size(), 12u);
}

}  // namespace lab::judge
