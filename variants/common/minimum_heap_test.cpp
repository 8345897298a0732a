#include "variants/common/minimum_heap.h"

#include <gtest/gtest.h>

#include <set>

namespace lab {
namespace {

TEST(LeastUnits, are_above_every_tried_number_that_was_too_small) {
  struct Case {
    std::set<std::size_t> too_small;  // in addition to all below 100
    std::size_t least;
  };
  const Case cases[] = {
      {{}, 100},         {{101}, 102}, {{110, 150, 151}, 152},
      {{164}, 165},       // the last of those that are tried in steps of 1
      {{165}, 100},       // between two that are tried after them: 164, 170, 176, ...
      {{160, 223}, 224},  // steps of 1 again above each that does not fit
      {{170, 200}, 201},
  };
  for (const Case& one : cases) {
    std::set<std::size_t> tried;
    const auto fits = [&](std::size_t units) {
      tried.insert(units);
      return units >= 100 && !one.too_small.contains(units);
    };
    EXPECT_EQ(least_units(60, 240, fits), one.least);
    EXPECT_LT(tried.size(), 200u);
  }
  EXPECT_EQ(least_units(60, 240, [](std::size_t units) { return units != 240; }), 60u) << "above twice as many";
  EXPECT_EQ(least_units(60, 240, [](std::size_t units) { return units == 240; }), 240u);
  EXPECT_EQ(least_units(60, 240, [](std::size_t units) { return units == 120; }), std::nullopt);
}

TEST(MinimumHeap, is_in_whole_units_of_at_most_four_times_what_is_requested) {
  const auto at_least = [](std::size_t units) { return [=](std::size_t tried) { return tried >= units; }; };
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(7)), 7u * 256);
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(1)), 4u * 256) << "what is requested is the least";
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(17)), std::nullopt);
  EXPECT_EQ(most_heap_bytes(1000, 256), 16u * 256);
  EXPECT_EQ(minimum_heap_bytes(1000, 256, at_least(7), 0), std::nullopt) << "no time";
}

}  // namespace
}  // namespace lab
