#include "harness/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace lab {

TEST(InParallel, does_each_piece_once_and_returns_when_all_are_done) {
  for (const std::size_t count : {0u, 1u, 3u, 1000u}) {
    std::vector<std::atomic<int>> times(count);
    in_parallel(count, [&](std::size_t i) { ++times[i]; });
    for (const std::atomic<int>& one : times) EXPECT_EQ(one, 1) << count;
  }
}

}  // namespace lab
