#include "harness/stats/strata.h"

#include <gtest/gtest.h>

namespace lab::stats {

TEST(Strata, are_as_small_as_the_table_allows) {
  const struct {
    std::size_t blocks, table, stratum;
  } rows[]{{0, 1, 1},   {1, 1, 1},    {2, 1, 2},    {6, 1, 2},    {8, 100, 3},
           {7, 100, 7}, {10, 100, 3}, {15, 100, 2}, {20, 100, 2}, {20, 100000, 2}};
  for (const auto& row : rows)
    EXPECT_EQ(stratum_blocks(row.blocks, row.table, 0.05), row.stratum) << row.blocks << " blocks, " << row.table;
}

TEST(Strata, have_the_least_p_of_their_arms) {
  for (const std::size_t blocks : {2u, 5u, 8u, 15u})
    for (const std::size_t stratum : {1u, 2u, 3u, 8u}) {
      std::vector<Datum> base, head;
      for (std::size_t i = 0; i < blocks; ++i) {
        base.push_back({static_cast<int>(i), 1.0 + static_cast<double>(i) / 100});
        head.push_back({static_cast<int>(i), 5.0 + static_cast<double>(i) / 100});
      }
      const BlockedArms arms = in_strata(base, head, stratum);
      EXPECT_NEAR(arms.least_p(), least_p(blocks, stratum), 1e-12) << blocks << " in " << stratum;
      EXPECT_NEAR(arms.p_value(), arms.least_p(), 1e-12) << blocks << " in " << stratum;
    }
}

TEST(FewestBlocks, can_tell_arms_without_overlap_from_chance_and_one_less_cannot) {
  const auto adjusted = [](std::size_t blocks, std::size_t table) {
    std::vector<Datum> base, head;
    for (std::size_t i = 0; i < blocks; ++i) {
      base.push_back({static_cast<int>(i), 1.0 + static_cast<double>(i) / 100});
      head.push_back({static_cast<int>(i), 5.0 + static_cast<double>(i) / 100});
    }
    return static_cast<double>(table) * in_strata(base, head, stratum_blocks(blocks, table, kAlpha)).p_value();
  };
  for (const std::size_t table : {1u, 2u, 10u, 43u, 600u}) {
    const std::size_t fewest = fewest_blocks(table, kAlpha);
    EXPECT_LT(adjusted(fewest, table), kAlpha * (1 - 1e-9)) << table;
    EXPECT_GT(adjusted(fewest - 1, table), kAlpha * (1 - 1e-9)) << table;
  }
}

TEST(Strata, ignore_blocks_with_only_one_arm) {
  const std::vector<Datum> base{{0, 1}, {3, 2}, {7, 3}}, head{{3, 2}, {5, 9}, {7, 3}};
  EXPECT_EQ(common_blocks(base, head), 2u);
  EXPECT_EQ(in_strata(base, head, 2).size(), 4u);
}

}  // namespace lab::stats
