#include "harness/bench/instructions.h"

#include <gtest/gtest.h>

#include "harness/bench/task.h"

namespace lab::bench {

namespace {

/// One loop for all of them, so that they differ by its rounds alone.
[[gnu::noinline]] void add_up(std::uint64_t rounds) {
  volatile std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) sum = sum + i;
}

std::optional<std::uint64_t> counted(std::uint64_t rounds, bool twice = false) {
  Instructions instructions;
  for (int i = 0; i <= twice; ++i) {
    PhaseClock clock(1, &instructions);
    clock.time(0, [&] { add_up(rounds); });
  }
  return instructions.sum();
}

}  // namespace

TEST(Instructions, grow_with_the_work) {
  if (!Instructions().counts()) {
    EXPECT_EQ(counted(1000), std::nullopt);
    return;
  }
  counted(1);  // what is called for the first time is looked up
  const auto once = counted(1000), more = counted(2000), most = counted(3000);
  ASSERT_TRUE(once && more && most);
  EXPECT_GT(*more - *once, 2000u);
  EXPECT_EQ(*most - *more, *more - *once);
  EXPECT_EQ(counted(1000), once);
  EXPECT_EQ(counted(1000, true), 2 * *once);
}

TEST(PhaseClock, counts_or_times) {
  Instructions instructions;
  PhaseClock counts(1, &instructions), times(1);
  for (PhaseClock* clock : {&counts, &times}) clock->time(0, [] { add_up(1000); });
  EXPECT_EQ(counts.nanoseconds()[0], 0);
  EXPECT_GT(times.nanoseconds()[0], 0);
}

}  // namespace lab::bench
