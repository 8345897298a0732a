#include "harness/measure/breadth.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace lab::measure {

namespace {

constexpr BreadthNeed kLeast{6, 12};

using Numbers = std::set<std::size_t>;

/// A turn of `count` benchmarks from `first` on, each with so many processes, of `seconds` each.
BreadthTurn turn(bool core, std::size_t first, std::size_t count, int processes, double seconds = 1) {
  BreadthTurn turn{core, {}};
  for (std::size_t i = 0; i < count; ++i) turn.benchmarks.push_back({first + i, processes, seconds});
  return turn;
}

}  // namespace

TEST(Breadth, core_comes_first_then_the_others_then_precision) {
  const BlockChoice core = choose_block({turn(true, 0, 2, 0), turn(true, 2, 1, 0), turn(false, 3, 2, 0)}, kLeast, 100);
  EXPECT_EQ(core.aim, BlockAim::kCore);
  EXPECT_EQ(core.numbers, (Numbers{0, 1, 2}));
  const BlockChoice others = choose_block({turn(true, 0, 2, 6), turn(false, 3, 2, 2)}, kLeast, 100);
  EXPECT_EQ(others.aim, BlockAim::kTurns);
  EXPECT_EQ(others.numbers, (Numbers{3, 4}));
  const BlockChoice precision = choose_block({turn(true, 0, 2, 6), turn(false, 3, 2, 7)}, kLeast, 100);
  EXPECT_EQ(precision.aim, BlockAim::kPrecision);
  EXPECT_EQ(precision.numbers, (Numbers{0, 1, 3, 4}));
}

TEST(Breadth, the_control_has_its_processes_before_other_turns_begin) {
  std::vector<BreadthTurn> turns{turn(true, 0, 2, 6), turn(true, 2, 2, 6), turn(false, 4, 2, 0)};
  turns[0].benchmarks[1].control = turns[1].benchmarks[0].control = true;
  turns[1].benchmarks[0].processes = 8;
  EXPECT_EQ(choose_block(turns, kLeast, 100).aim, BlockAim::kControl);
  EXPECT_EQ(choose_block(turns, kLeast, 100).numbers, (Numbers{1, 2}));
  EXPECT_EQ(choose_block(turns, kLeast, 10).aim, BlockAim::kControl);
  EXPECT_EQ(choose_block(turns, kLeast, 9).aim, BlockAim::kPrecision) << "a part of it detects nothing";
  turns[0].benchmarks[1].processes = turns[1].benchmarks[0].processes = 12;
  EXPECT_EQ(choose_block(turns, kLeast, 100).aim, BlockAim::kTurns);
  turns[0].benchmarks[0].processes = 5;
  EXPECT_EQ(choose_block(turns, kLeast, 100).aim, BlockAim::kCore);
}

TEST(Breadth, a_core_turn_that_does_not_fit_comes_back_when_there_is_time) {
  const std::vector<BreadthTurn> turns{turn(true, 0, 2, 2), turn(true, 2, 3, 2), turn(false, 5, 1, 0)};
  EXPECT_EQ(choose_block(turns, kLeast, 20).numbers, (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(choose_block(turns, kLeast, 19).numbers, (Numbers{0, 1}));
  EXPECT_EQ(choose_block({turn(true, 0, 2, 6), turns[1], turns[2]}, kLeast, 12).numbers, (Numbers{2, 3, 4}));
}

TEST(Breadth, a_slow_first_process_lets_no_core_benchmark_wait) {
  const std::vector<BreadthTurn> first{turn(true, 0, 2, 0), turn(true, 2, 2, 1)},
      second{turn(true, 0, 2, 2), turn(true, 2, 1, 6)};
  EXPECT_EQ(choose_block(first, kLeast, 11).numbers, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(choose_block(first, kLeast, 10).numbers, (Numbers{2, 3})) << "what has begun has the first claim";
  EXPECT_EQ(choose_block(second, kLeast, 8).numbers, (Numbers{0, 1}));
  EXPECT_EQ(choose_block(second, kLeast, 7.9).aim, BlockAim::kPrecision);
}

TEST(Breadth, new_turns_are_begun_while_they_need_at_most_half_of_the_time_left) {
  const std::vector<BreadthTurn> turns{turn(false, 0, 1, 0), turn(false, 1, 3, 0), turn(false, 4, 1, 0)};
  EXPECT_EQ(choose_block(turns, kLeast, 60).numbers, (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(choose_block(turns, kLeast, 24).numbers, (Numbers{0, 4}));
  EXPECT_EQ(choose_block(turns, kLeast, 7).numbers, (Numbers{0})) << "one that fits alone";
  EXPECT_EQ(choose_block({turn(false, 0, 2, 1), turn(false, 2, 1, 0)}, kLeast, 60).numbers, (Numbers{0, 1}))
      << "what has begun ends before anything else begins";
}

TEST(Breadth, of_a_turn_that_is_too_large_the_first_benchmarks_are_measured_but_never_one_alone) {
  EXPECT_EQ(choose_block({turn(true, 0, 4, 2)}, kLeast, 13).numbers, (Numbers{0, 1, 2}));
  EXPECT_EQ(choose_block({turn(true, 0, 4, 2), turn(true, 4, 1, 6)}, kLeast, 7).numbers, (Numbers{4}));
  EXPECT_EQ(choose_block({turn(true, 0, 4, 2)}, kLeast, 1).numbers, (Numbers{0})) << "nothing has an interval";
}

TEST(Breadth, nothing_to_measure_is_no_choice) {
  EXPECT_EQ(choose_block({}, kLeast, 100).numbers, (Numbers{}));
  EXPECT_EQ(choose_block({}, kLeast, 100).aim, BlockAim::kPrecision);
}

TEST(Breadth, within_a_block_the_last_turns_are_left_out_if_they_no_longer_fit) {
  std::vector<BreadthTurn> turns{turn(false, 0, 2, 0), turn(false, 2, 2, 1), turn(false, 4, 2, 0)};
  const BlockChoice choice{BlockAim::kTurns, {0, 1, 2, 3}};
  EXPECT_EQ(still_fitting(turns, choice, kLeast.interval, 22), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(still_fitting(turns, choice, kLeast.interval, 21), (Numbers{0, 1}));
}

}  // namespace lab::measure
