#include "variants/common/heaps/minimum_heap.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/base/random.h"

namespace lab {
namespace {

TEST(LeastUnits, are_above_every_tried_number_that_was_too_small) {
  struct Case {
    std::set<std::size_t> too_small;  // in addition to all below 100
    std::size_t least;
  };
  const Case cases[] = {
      {{}, 100},
      {{101}, 102},
      {{110, 150, 151}, 152},
      {{164}, 165},            // the last of those that are tried in steps of 1
      {{165}, 100},            // between two that are tried after them: 164, 228
      {{160, 224}, 225},       // steps of 1 again above each that does not fit
      {{101, 102, 104}, 105},  // bisection may end below a number that does not fit
  };
  for (const Case& one : cases) {
    std::set<std::size_t> tried;
    const auto fits = [&](std::size_t units) {
      tried.insert(units);
      return units >= 100 && !one.too_small.contains(units);
    };
    EXPECT_EQ(least_units(60, 240, fits), one.least);
    EXPECT_LT(tried.size(), 200u);
    for (const std::size_t above : scanned_units(one.least, 240)) EXPECT_TRUE(fits(above)) << above;
  }
  EXPECT_EQ(least_units(60, 240, [](std::size_t units) { return units != 240; }), 60u) << "above twice as many";
  EXPECT_EQ(least_units(60, 240, [](std::size_t units) { return units == 240; }), 240u);
  EXPECT_EQ(least_units(60, 240, [](std::size_t units) { return units == 120; }), std::nullopt);
}

TEST(LeastUnits, are_scanned_in_three_distances) {
  const std::vector<std::size_t> scanned = scanned_units(20'000, 60'000);
  EXPECT_EQ(scanned.size(), 64u + 64 + 16);
  EXPECT_EQ(scanned.front(), 20'001u);
  EXPECT_EQ(scanned[63], 20'064u);
  EXPECT_EQ(scanned[64], 20'096u) << "the next multiple of 64";
  EXPECT_EQ(scanned[65], 20'160u);
  EXPECT_EQ(scanned[127], 24'128u) << "at most 64 * 64 above";
  EXPECT_EQ(scanned[128], 24'576u) << "a multiple of 1024, the power of two below 20'000 / 16";
  EXPECT_EQ(scanned[129], 25'600u);
  EXPECT_EQ(scanned.back(), 39'936u);
  EXPECT_EQ(scanned_units(20, 60).back(), 40u);
  EXPECT_EQ(scanned_units(50, 60).back(), 60u);
  EXPECT_TRUE(scanned_units(60, 60).empty());
}

TEST(LeastUnits, of_any_pattern_of_misfits_are_as_claimed) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::set<std::size_t> too_small;
    for (std::size_t i = random.below(40); i > 0; --i) too_small.insert(300 + random.below(400));
    const auto fits = [&](std::size_t units) { return units >= 300 && !too_small.contains(units); };
    const std::optional<std::size_t> least = least_units(100, 1200, fits);
    ASSERT_TRUE(least);
    EXPECT_TRUE(fits(*least));
    EXPECT_FALSE(fits(*least - 1));
    for (const std::size_t above : scanned_units(*least, 1200)) EXPECT_TRUE(fits(above)) << above;
  }
}

TEST(LeastUnits, tries_few_numbers_and_none_twice_where_many_fit_and_many_do_not) {
  Random random(2);
  std::set<std::size_t> too_small, tried;
  for (std::size_t units = 100'000; units < 106'000; ++units)  // ever fewer do not fit
    if (random.below(6000) < 106'000 - units) too_small.insert(units);
  const auto fits = [&](std::size_t units) {
    EXPECT_TRUE(tried.insert(units).second) << units;
    return units >= 100'000 && !too_small.contains(units);
  };
  const std::optional<std::size_t> least = least_units(60'000, 240'000, fits);
  EXPECT_GT(least, 105'000u);
  EXPECT_LT(tried.size(), 300u);
}

TEST(MinimumHeap, is_in_whole_units_of_at_most_four_times_what_is_requested) {
  const auto at_least = [](std::size_t units) { return [=](std::size_t tried) { return Trial{tried >= units, 1}; }; };
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(7)), 7u * 256);
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(1)), 4u * 256) << "what is requested is the least";
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(17)), std::nullopt);
  EXPECT_EQ(most_heap_bytes(1000, 256), 16u * 256);
}

TEST(MinimumHeap, is_none_where_the_search_takes_too_many_steps) {
  std::uint64_t steps = 0;
  const auto trial = [&](std::size_t units) {
    steps += 10 * units;
    return Trial{units >= 7, 10 * units};
  };
  EXPECT_EQ(minimum_heap_bytes(1000, 256, trial), 7u * 256);
  const std::uint64_t all = steps;
  EXPECT_EQ(minimum_heap_bytes(1000, 256, trial, all), 7u * 256);
  steps = 0;
  EXPECT_EQ(minimum_heap_bytes(1000, 256, trial, all / 2), std::nullopt);
  EXPECT_GE(steps, all / 2);
  EXPECT_LT(steps, all) << "the trial that reaches the limit is the last";
}

}  // namespace
}  // namespace lab
