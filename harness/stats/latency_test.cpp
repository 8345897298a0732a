#include "harness/stats/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace lab::stats {

TEST(Latency, is_the_least_of_an_operation_over_all_replays) {
  const std::vector<std::vector<std::uint32_t>> replays{{10, 4000000, 12}, {11, 20, 9}, {4000000, 21, 13}};
  EXPECT_EQ(least_of_each(replays), (std::vector<std::uint32_t>{10, 20, 9}));
}

TEST(Latency, quantile_is_the_value_at_the_nearest_rank) {
  const std::vector<std::uint32_t> sorted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(nearest_rank(sorted, 0.5), 5u);
  EXPECT_EQ(nearest_rank(sorted, 0.51), 6u);
  EXPECT_EQ(nearest_rank(sorted, 0.99), 10u);
  EXPECT_EQ(nearest_rank(sorted, 0), 1u);
  EXPECT_EQ(nearest_rank(sorted, 1), 10u);
}

TEST(LatencyHistogram, counts_every_value_in_a_bucket_whose_middle_is_within_1_percent) {
  std::vector<std::uint32_t> values{0, 1, 127, 128, std::numeric_limits<std::uint32_t>::max()};
  for (std::uint32_t value = 1; value < 3'000'000'000u; value += 1 + value / 37) values.push_back(value);
  const std::vector<LatencyBucket> buckets = log_linear_histogram(values);
  std::size_t counted = 0;
  for (const LatencyBucket& bucket : buckets) counted += bucket.count;
  EXPECT_EQ(counted, values.size());
  for (const std::uint32_t value : values) {
    const auto found = std::find_if(buckets.begin(), buckets.end(),
                                    [&](const LatencyBucket& b) { return b.low <= value && value <= b.high; });
    ASSERT_NE(found, buckets.end()) << value;
    const double middle = (double{static_cast<double>(found->low)} + static_cast<double>(found->high)) / 2;
    EXPECT_LE(std::abs(middle - value), 0.01 * value) << value;
  }
  for (std::size_t i = 1; i < buckets.size(); ++i) EXPECT_LT(buckets[i - 1].high, buckets[i].low);
}

TEST(LatencyHistogram, keeps_small_values_apart) {
  const std::vector<LatencyBucket> buckets = log_linear_histogram(std::vector<std::uint32_t>{5, 6, 6, 127});
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[1].low, 6u);
  EXPECT_EQ(buckets[1].high, 6u);
  EXPECT_EQ(buckets[1].count, 2u);
}

}  // namespace lab::stats
