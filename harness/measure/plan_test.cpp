#include "harness/measure/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lab::measure {

namespace {

/// A simulated session: benchmark i needs overheads[i] seconds beside the time it is asked to measure for.
struct Simulated {
  int blocks = 0;
  double elapsed = 0;
  double last_seconds = 0;
  std::string state;
};

Simulated simulate(const SessionLength& length, const std::vector<double>& overheads,
                   int within_target_after = 1'000'000) {
  Schedule schedule(length, overheads.size());
  Simulated session;
  for (;;) {
    const bool within_target = session.blocks >= within_target_after;
    const std::optional<double> seconds = schedule.next_block(session.blocks, session.elapsed, within_target);
    if (!seconds) break;
    session.last_seconds = *seconds;
    bool cut = false;
    for (std::size_t i = 0; i < overheads.size() && !cut; ++i) {
      double cost_left = 0;
      for (std::size_t later = i; later < overheads.size(); ++later) cost_left += schedule.cost(later, *seconds);
      const std::optional<double> given =
          schedule.next_process(i, *seconds, session.elapsed, cost_left, overheads.size() - i);
      cut = !given;
      if (cut) break;
      schedule.measured(i, *given, *given + overheads[i]);
      session.elapsed += *given + overheads[i];
    }
    if (cut) break;
    ++session.blocks;
  }
  session.state = schedule.state(session.blocks, session.blocks >= within_target_after);
  return session;
}

}  // namespace

TEST(BlockOrder, has_every_benchmark_once_and_differs_between_blocks_and_seeds) {
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (int block = 0; block < 4; ++block) {
      std::vector<std::size_t> order = block_order(20, seed, block);
      EXPECT_EQ(order, block_order(20, seed, block));
      orders.insert(order);
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
    }
  }
  EXPECT_EQ(orders.size(), 16u);
  EXPECT_TRUE(block_order(0, 1, 0).empty());
}

TEST(BlockOrder, is_the_same_on_every_machine) {
  EXPECT_EQ(block_order(8, 1, 0), (std::vector<std::size_t>{4, 1, 7, 5, 3, 0, 6, 2}));
}

TEST(BlockOrder, gives_every_benchmark_every_position_equally_often) {
  constexpr int kBlocks = 6000;
  int first[6] = {};
  for (int block = 0; block < kBlocks; ++block) ++first[block_order(6, 7, block)[0]];
  // Six standard errors of a binomial with p = 1/6.
  for (const int count : first) EXPECT_NEAR(count, kBlocks / 6, 6 * 29);
}

TEST(ArmOrder, is_abba_over_every_two_blocks_and_its_start_depends_on_the_seed) {
  std::set<std::vector<std::size_t>> firsts;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (int block = 0; block < 8; block += 2) {
      std::vector<std::size_t> order = arm_order(2, seed, 3, block);
      if (block == 0) firsts.insert(order);
      std::reverse(order.begin(), order.end());
      EXPECT_EQ(arm_order(2, seed, 3, block + 1), order);
    }
    EXPECT_NE(arm_order(2, seed, 3, 0), arm_order(2, seed, 3, 2));
  }
  EXPECT_EQ(firsts.size(), 2u);
  EXPECT_EQ(arm_order(1, 1, 0, 5), std::vector<std::size_t>{0});
}

TEST(ArmOrder, puts_each_of_three_arms_equally_often_before_each_other) {
  int before[3][3] = {};
  for (int block = 0; block < 6; ++block) {
    const std::vector<std::size_t> order = arm_order(3, 5, 1, block);
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i + 1; j < 3; ++j) ++before[order[i]][order[j]];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(before[i][j], i == j ? 0 : 3);
}

TEST(AgainstPace, has_enough_blocks_for_a_verdict_in_a_table_of_any_size) {
  EXPECT_EQ(against_length(quick_length(), 1, 0.005).least_blocks, 6);
  const SessionLength forty = against_length(quick_length(), 40, 0.005);
  EXPECT_EQ(forty.least_blocks, 7);  // 2 / C(14, 7) < 0.05 / 40 < 2 / C(12, 6)
  EXPECT_EQ(forty.blocks, quick_length().blocks);
  EXPECT_GT(against_length(quick_length(), 100'000, 0.005).blocks, quick_length().blocks);
  EXPECT_EQ(forty.target, 0.005);
  EXPECT_EQ(against_length(processes_length(3), 40, 0.005).target, 0);
}

TEST(SessionLength, leaves_a_tenth_of_its_budget_for_exact_metrics) {
  EXPECT_NEAR(default_length().side_seconds(), 48, 1e-9);
  EXPECT_NEAR(default_length().affordable_seconds(), 480 * 1.02 - 48, 1e-9);
  EXPECT_NEAR(quick_length().affordable_seconds(), 120 * 1.02 + 60, 1e-9) << "--quick collects none";
  EXPECT_EQ(processes_length(3).side_seconds(), 0);
}

TEST(Schedule, repeats_at_most_half_of_its_blocks_and_none_without_a_budget) {
  const auto blocks_after = [](const SessionLength& length, int disturbed) {
    Schedule schedule(length, 1);
    for (int i = 0; i < disturbed; ++i) schedule.repeat_block();
    int done = 0;
    while (schedule.next_block(done, 0, true)) ++done;
    return done;
  };
  EXPECT_EQ(blocks_after(quick_length(), 0), 10);
  EXPECT_EQ(blocks_after(quick_length(), 3), 13);
  EXPECT_EQ(blocks_after(quick_length(), 30), 15);
  EXPECT_EQ(blocks_after(processes_length(10), 3), 10);
  // With a target, the least number is that of the undisturbed ones.
  EXPECT_EQ(blocks_after(full_length(), 0), full_length().least_blocks);
  EXPECT_EQ(blocks_after(full_length(), 2), full_length().least_blocks + 2);
  Schedule schedule(full_length(), 1);
  schedule.repeat_block();
  EXPECT_EQ(schedule.state(full_length().least_blocks, true), "complete");
}

TEST(Schedule, divides_the_time_left_among_repeated_blocks_too) {
  SessionLength length = quick_length();
  length.set_budget(10);
  Schedule schedule(length, 1);
  schedule.measured(0, 1, 1);
  const double before = *schedule.next_block(5, 5, false);
  for (int i = 0; i < 5; ++i) schedule.repeat_block();
  EXPECT_NEAR(*schedule.next_block(5, 5, false), before / 2, 1e-9);
  EXPECT_EQ(schedule.expected_blocks(5, 0.5, 5), 15);
}

TEST(KeptSamples, keep_a_result_below_its_size_for_any_number_of_processes) {
  constexpr double kBytes = kMostResultBytes;
  EXPECT_EQ(kept_samples(kBytes, 920, 1200, 1000), 1000u);
  EXPECT_EQ(kept_samples(kBytes, 10'000, 20'000, 1000), 150u);
  EXPECT_EQ(kept_samples(kBytes, 1e6, 2e6, 1000), 8u);
  EXPECT_EQ(kept_samples(kBytes, 0, 0, 1000), 1000u);
}

TEST(Schedule, reaches_the_least_blocks_with_the_tolerance_of_the_whole_budget) {
  const Simulated session = simulate(quick_length(), std::vector<double>(190, 0.0867));
  EXPECT_EQ(session.blocks, 6);
  EXPECT_GT(session.elapsed, quick_length().budget_seconds);
  EXPECT_LE(session.elapsed, quick_length().budget_seconds * kTolerance);
}

TEST(Schedule, keeps_the_budget_for_any_number_of_benchmarks) {
  for (const double overhead : {0.0, 0.02, 0.3}) {
    for (const std::size_t benchmarks : {1u, 7u, 32u, 100u, 400u, 2000u, 5000u}) {
      const Simulated session = simulate(quick_length(), std::vector<double>(benchmarks, overhead));
      EXPECT_LE(session.elapsed, quick_length().budget_seconds * 1.03)
          << benchmarks << " benchmarks, overhead " << overhead;
      EXPECT_LE(session.blocks, 10);
      EXPECT_GE(session.last_seconds, kLeastSeconds);
    }
  }
}

TEST(Schedule, reduces_the_time_of_a_process_before_the_number_of_processes) {
  const Simulated few = simulate(quick_length(), std::vector<double>(10, 0.1));
  EXPECT_EQ(few.blocks, 10);
  EXPECT_GT(few.last_seconds, 0.9);
  const Simulated more = simulate(quick_length(), std::vector<double>(75, 0.1));
  EXPECT_EQ(more.blocks, 10);
  EXPECT_LT(more.last_seconds, 0.2);
  const Simulated many = simulate(quick_length(), std::vector<double>(165, 0.1));
  EXPECT_LT(many.blocks, 10);
  EXPECT_GE(many.blocks, 6);
  EXPECT_EQ(many.last_seconds, kLeastSeconds);
  EXPECT_EQ(many.state, "complete");
  const Simulated too_many = simulate(quick_length(), std::vector<double>(300, 0.1));
  EXPECT_LT(too_many.blocks, 6);
  EXPECT_EQ(too_many.state, "out of time");
}

TEST(Schedule, uses_most_of_the_budget_if_costs_differ_from_the_estimate) {
  // Much more than the first guess; the first block teaches it.
  const Simulated session = simulate(default_length(), std::vector<double>(30, 0.4));
  EXPECT_EQ(session.blocks, 20);
  EXPECT_GT(session.elapsed, 480 * 0.9);
}

TEST(Schedule, does_not_fill_the_budget_with_longer_processes) {
  const Simulated one = simulate(quick_length(), {0.05});
  EXPECT_EQ(one.blocks, 10);
  EXPECT_LT(one.elapsed, 25);
}

TEST(Schedule, runs_the_requested_number_of_processes) {
  const Simulated session = simulate(processes_length(3), std::vector<double>(4, 0.1));
  EXPECT_EQ(session.blocks, 3);
  EXPECT_EQ(session.state, "complete");
  SessionLength length = processes_length(30);
  length.set_budget(10);
  const Simulated limited = simulate(length, std::vector<double>(10, 0.1));
  EXPECT_LT(limited.blocks, 30);
  EXPECT_LE(limited.elapsed, 10.3);
  EXPECT_EQ(limited.state, "out of time");
}

TEST(Schedule, ends_a_full_session_when_all_intervals_are_within_the_target) {
  const Simulated session = simulate(full_length(), std::vector<double>(10, 0.1), 25);
  EXPECT_EQ(session.blocks, 25);
  EXPECT_EQ(session.state, "complete");
  EXPECT_EQ(simulate(full_length(), std::vector<double>(10, 0.1), 2).blocks, 6);
  const Simulated never = simulate(full_length(), std::vector<double>(10, 0.1));
  EXPECT_LE(never.elapsed, 3600 * 1.03);
  EXPECT_EQ(never.state, "out of time");
}

TEST(Schedule, finishes_a_block_that_costs_more_than_planned_with_shorter_processes) {
  SessionLength length = processes_length(1);
  length.set_budget(2);
  const Simulated session = simulate(length, std::vector<double>(4, 0.3));
  EXPECT_EQ(session.blocks, 1);
  EXPECT_LE(session.elapsed, 2.05);
}

TEST(Schedule, ends_when_no_benchmark_is_left) {
  Schedule schedule(quick_length(), 2);
  schedule.set_paused(0, true);
  ASSERT_TRUE(schedule.next_block(1, 1, false));
  schedule.set_paused(1, true);
  EXPECT_FALSE(schedule.next_block(1, 1, false));
}

TEST(PlannedBlocks, are_the_blocks_of_a_session_with_these_costs) {
  EXPECT_EQ(planned_blocks(quick_length(), std::vector<std::optional<double>>(10, 0.1)), 10);
  EXPECT_EQ(planned_blocks(quick_length(), std::vector<std::optional<double>>(140, 0.1)),
            simulate(quick_length(), std::vector<double>(140, 0.1)).blocks);
  EXPECT_EQ(planned_blocks(processes_length(7), std::vector<std::optional<double>>(3)), 7);
  const int against = planned_blocks(against_length(default_length(), 1, 0.0025), {0.1, 0.1, std::nullopt});
  EXPECT_GT(against, default_length().blocks);
  EXPECT_LT(against, kMostBlocks);
}

TEST(Schedule, estimates_the_time_left) {
  Schedule schedule(quick_length(), 10);
  const double seconds = *schedule.next_block(0, 0, false);
  EXPECT_EQ(schedule.expected_blocks(0, seconds, 0), 10);
  EXPECT_NEAR(schedule.seconds_left(0, seconds, 0, 10 * schedule.cost(0, seconds)), quick_length().budget_seconds, 1);
  EXPECT_LE(schedule.seconds_left(9, seconds, quick_length().budget_seconds - 1, 5), 1);
  Schedule unlimited(processes_length(5), 2);
  EXPECT_NEAR(unlimited.seconds_left(0, 0.5, 0, 1.1), 1.1 + 4 * 2 * 0.55, 1e-9);
}

}  // namespace lab::measure
