#include "harness/measure/exact_turns.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lab::measure {

namespace {

/// A session whose benchmarks have one arm and need `seconds` for a process's exact metrics: per block, an 'x' for each
/// benchmark that collects them.
struct Simulated {
  std::vector<std::string> blocks;
  double spent = 0;
};

Simulated simulate(const SessionLength& length, std::size_t benchmarks, double seconds, int blocks,
                   std::uint64_t first = 0) {
  ExactTurns turns(length, std::vector<ExactTurns::Benchmark>(benchmarks, {.arms = 1}), first);
  Simulated session;
  for (int block = 0; block < blocks; ++block) {
    // With a budget, the first block shows what a process takes without them.
    turns.begin_block(std::vector<bool>(benchmarks, block > 0 || length.budget_seconds == 0), false);
    std::string text;
    for (std::size_t i = 0; i < benchmarks; ++i) {
      text += turns.wants(i) ? 'x' : '.';
      if (text.back() != 'x') continue;
      turns.took(seconds);
      session.spent += seconds;
    }
    session.blocks.push_back(text);
  }
  return session;
}

using Blocks = std::vector<std::string>;

}  // namespace

TEST(ExactTurns, without_a_budget_are_in_the_first_blocks) {
  EXPECT_EQ(simulate(processes_length(5), 3, 100, 5).blocks, (Blocks{"xxx", "xxx", "xxx", "...", "..."}));
  EXPECT_EQ(simulate(processes_length(2), 3, 100, 2).blocks, (Blocks{"xxx", "xxx"}));
}

TEST(ExactTurns, with_a_budget_follow_a_block_without_them) {
  EXPECT_EQ(simulate(default_length(), 4, 1, 6).blocks, (Blocks{"....", "xxxx", "xxxx", "xxxx", "....", "...."}));
  EXPECT_EQ(simulate(quick_length(), 4, 1, 3).blocks, (Blocks{"....", "....", "...."}));
}

TEST(ExactTurns, take_a_tenth_of_the_budget_and_then_rotate) {
  SessionLength length = default_length();
  length.set_budget(25);  // 2.5 s for 12 processes, if each needs 0.2 s
  EXPECT_EQ(simulate(length, 6, 0.2, 5).blocks, (Blocks{"......", "xxxxxx", "xxx...", "xxx...", "......"}));
  EXPECT_EQ(simulate(length, 6, 0.2, 5, 4).blocks, (Blocks{"......", "xxxxxx", "x...xx", "x...xx", "......"}));
  length.set_budget(8);
  EXPECT_EQ(simulate(length, 6, 0.2, 4, 4).blocks, (Blocks{"......", "xx..xx", "......", "......"}));
}

TEST(ExactTurns, begin_with_the_core_benchmarks) {
  SessionLength length = default_length();
  length.set_budget(8);  // room for four of the five
  for (const auto& [first, expected] : std::vector<std::pair<std::uint64_t, std::string>>{
           {0, "xx.xx"}, {1, ".xxxx"}, {2, ".xxxx"}, {3, "xx.xx"}, {4, "xx.xx"}}) {
    ExactTurns turns(length, {{1, false}, {1, true}, {1, false}, {1, true}, {1, true}}, first);
    std::string found;
    turns.begin_block(std::vector<bool>(5, true), false);
    for (std::size_t i = 0; i < 5; ++i) found += turns.wants(i) ? 'x' : '.';
    EXPECT_EQ(found, expected) << first;
  }
}

TEST(ExactTurns, give_each_a_first_block_before_core_benchmarks_have_the_others) {
  SessionLength length = default_length();
  length.set_budget(25);
  ExactTurns turns(length, {{1, false}, {1, true}, {1, false}, {1, true}, {1, true}}, 2);
  for (const char* const expected : {"xxxxx", ".x.xx", ".x.xx", "....."}) {
    turns.begin_block(std::vector<bool>(5, true), false);
    std::string found;
    for (std::size_t i = 0; i < 5; ++i) {
      found += turns.wants(i) ? 'x' : '.';
      if (turns.wants(i)) turns.took(0.2);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(ExactTurns, learn_what_they_cost) {
  SessionLength length = default_length();
  length.set_budget(25);
  EXPECT_EQ(simulate(length, 6, 0.01, 6).blocks, (Blocks{"......", "xxxxxx", "xxxxxx", "xxxxxx", "......", "......"}));
  const Simulated dear = simulate(length, 6, 1, 6);
  EXPECT_EQ(dear.blocks, (Blocks{"......", "xxx...", "......", "......", "......", "......"}));
  EXPECT_LE(dear.spent, 2.5 + 1);
}

TEST(ExactTurns, reserve_what_they_are_expected_to_take) {
  SessionLength length = default_length();
  ExactTurns turns(length, {{1}, {2}}, 0);
  EXPECT_NEAR(turns.reserve(), 3 * 3 * 0.2, 1e-9);
  for (int block = 0; block < 5; ++block) {
    turns.begin_block({block > 0, block > 0}, false);
    for (const std::size_t i : {0U, 1U, 1U})
      if (turns.wants(i)) turns.took(0.1);
  }
  EXPECT_EQ(turns.reserve(), 0);
  EXPECT_EQ(ExactTurns(quick_length(), {{1}, {2}}, 0).reserve(), 0);
  EXPECT_EQ(ExactTurns(processes_length(9), {{1}, {2}}, 0).reserve(), 0);
}

TEST(ExactTurns, keep_a_first_block_for_those_that_come_later) {
  SessionLength length = default_length();
  length.set_budget(8);  // 0.8 s: four processes
  ExactTurns turns(length, {{1}, {1}, {1, false}}, 0);
  const auto block = [&](const std::vector<bool>& ready, bool more_to_come) {
    turns.begin_block(ready, more_to_come);
    std::string found;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const bool wants = ready[i] && turns.wants(i);
      found += wants ? 'x' : '.';
      if (wants) turns.took(0.2);
    }
    return found;
  };
  EXPECT_EQ(block({true, true, false}, true), "xx.");
  EXPECT_EQ(block({true, true, false}, true), "...") << "one of the two left is kept, and more needs two";
  EXPECT_EQ(block({false, false, true}, true), "..x");
  EXPECT_EQ(block({true, true, true}, false), "...") << "two blocks of one more do not fit";
  EXPECT_EQ(turns.reserve(), 8 * 0.1 - 3 * 0.2);
}

}  // namespace lab::measure
