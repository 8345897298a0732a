#include "harness/stats/normal.h"

#include <gtest/gtest.h>

namespace lab::stats {

TEST(Normal, has_the_quantiles_of_its_tables) {
  EXPECT_NEAR(upper_normal_quantile(0.025), 1.959963985, 1e-8);
  EXPECT_NEAR(upper_normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(upper_normal_quantile(0.8), -0.841621234, 1e-8);
}

TEST(Normal, has_the_shares_below_its_quantiles) {
  for (const double share : {0.001, 0.2, 0.5, 0.9}) {
    EXPECT_NEAR(normal_share_below(-upper_normal_quantile(share)), share, 1e-12);
  }
}

}  // namespace lab::stats
