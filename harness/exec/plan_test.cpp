#include "harness/exec/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lab::exec {

namespace {

/// A simulated session: benchmark i needs overheads[i] seconds beside the time it is asked to measure for.
struct Simulated {
  int blocks = 0;
  double elapsed = 0;
  double last_seconds = 0;
  std::string state;
};

Simulated simulate(const Pace& pace, const std::vector<double>& overheads, int tight_after = 1'000'000) {
  Schedule schedule(pace, overheads.size());
  Simulated session;
  for (;;) {
    const bool tight = session.blocks >= tight_after;
    const std::optional<double> seconds = schedule.next_block(session.blocks, session.elapsed, tight);
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
  session.state = schedule.state(session.blocks, session.blocks >= tight_after);
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

TEST(Schedule, holds_the_budget_however_many_benchmarks_there_are) {
  for (const double overhead : {0.0, 0.02, 0.3}) {
    for (const std::size_t benchmarks : {1u, 7u, 32u, 100u, 400u, 2000u, 5000u}) {
      const Simulated session = simulate(quick_pace(), std::vector<double>(benchmarks, overhead));
      EXPECT_LE(session.elapsed, 120 * 1.03) << benchmarks << " benchmarks, overhead " << overhead;
      EXPECT_LE(session.blocks, 10);
      EXPECT_GE(session.last_seconds, kLeastSeconds);
    }
  }
}

TEST(Schedule, shrinks_the_time_of_a_process_first_and_the_number_of_processes_then) {
  const Simulated few = simulate(quick_pace(), std::vector<double>(10, 0.1));
  EXPECT_EQ(few.blocks, 10);
  EXPECT_GT(few.last_seconds, 0.9);
  const Simulated more = simulate(quick_pace(), std::vector<double>(50, 0.1));
  EXPECT_EQ(more.blocks, 10);
  EXPECT_LT(more.last_seconds, 0.2);
  const Simulated many = simulate(quick_pace(), std::vector<double>(110, 0.1));
  EXPECT_LT(many.blocks, 10);
  EXPECT_GE(many.blocks, 6);
  EXPECT_EQ(many.last_seconds, kLeastSeconds);
  EXPECT_EQ(many.state, "complete");
  const Simulated too_many = simulate(quick_pace(), std::vector<double>(300, 0.1));
  EXPECT_LT(too_many.blocks, 6);
  EXPECT_EQ(too_many.state, "out of time");
}

TEST(Schedule, uses_most_of_the_budget_where_the_costs_are_a_surprise) {
  // Much more than the first guess; the first block teaches it.
  const Simulated session = simulate(default_pace(), std::vector<double>(30, 0.4));
  EXPECT_EQ(session.blocks, 20);
  EXPECT_GT(session.elapsed, 480 * 0.9);
}

TEST(Schedule, does_not_fill_the_budget_with_what_teaches_nothing) {
  const Simulated one = simulate(quick_pace(), {0.05});
  EXPECT_EQ(one.blocks, 10);
  EXPECT_LT(one.elapsed, 25);
}

TEST(Schedule, runs_the_number_of_processes_that_is_asked_for) {
  const Simulated session = simulate(processes_pace(3), std::vector<double>(4, 0.1));
  EXPECT_EQ(session.blocks, 3);
  EXPECT_EQ(session.state, "complete");
  Pace pace = processes_pace(30);
  pace.budget_seconds = 10;
  const Simulated limited = simulate(pace, std::vector<double>(10, 0.1));
  EXPECT_LT(limited.blocks, 30);
  EXPECT_LE(limited.elapsed, 10.3);
  EXPECT_EQ(limited.state, "out of time");
}

TEST(Schedule, ends_a_full_session_when_the_intervals_are_tight) {
  const Simulated session = simulate(full_pace(), std::vector<double>(10, 0.1), 25);
  EXPECT_EQ(session.blocks, 25);
  EXPECT_EQ(session.state, "complete");
  EXPECT_EQ(simulate(full_pace(), std::vector<double>(10, 0.1), 2).blocks, 6);
  const Simulated never = simulate(full_pace(), std::vector<double>(10, 0.1));
  EXPECT_LE(never.elapsed, 3600 * 1.03);
  EXPECT_EQ(never.state, "out of time");
}

TEST(Schedule, finishes_a_block_that_turns_out_dearer_with_less_time_for_each) {
  Pace pace = processes_pace(1);
  pace.budget_seconds = 2;
  const Simulated session = simulate(pace, std::vector<double>(4, 0.3));
  EXPECT_EQ(session.blocks, 1);
  EXPECT_LE(session.elapsed, 2.05);
}

TEST(Schedule, is_over_when_no_benchmark_is_left) {
  Schedule schedule(quick_pace(), 2);
  schedule.drop(0);
  ASSERT_TRUE(schedule.next_block(1, 1, false));
  schedule.drop(1);
  EXPECT_FALSE(schedule.next_block(1, 1, false));
}

TEST(Schedule, says_how_long_it_will_take) {
  Schedule schedule(quick_pace(), 10);
  const double seconds = *schedule.next_block(0, 0, false);
  EXPECT_EQ(schedule.expected_blocks(0, seconds, 0), 10);
  EXPECT_NEAR(schedule.seconds_left(0, seconds, 0, 10 * schedule.cost(0, seconds)), 120, 1);
  EXPECT_LE(schedule.seconds_left(9, seconds, 119, 5), 1);
  Schedule unlimited(processes_pace(5), 2);
  EXPECT_NEAR(unlimited.seconds_left(0, 0.5, 0, 1.1), 1.1 + 4 * 2 * 0.55, 1e-9);
}

}  // namespace lab::exec
