#include "harness/stats/choices.h"

#include <gtest/gtest.h>

namespace lab::stats {

TEST(Choices, are_those_of_pascals_triangle) {
  const double ways[][7]{
      {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}, {1, 5, 10, 10, 5, 1}, {1, 6, 15, 20, 15, 6, 1}};
  for (std::size_t n = 0; n < 7; ++n)
    for (std::size_t k = 0; k <= n; ++k) EXPECT_NEAR(std::exp(log_choices(n, k)), ways[n][k], 1e-9) << n << " " << k;
}

}  // namespace lab::stats
