/// Latencies of single operations: what an operation takes when nothing else disturbs it, and their distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lab::stats {

/// The least value of each operation over several replays of one sequence. A machine interrupts any process now and
/// then, for milliseconds at times; it rarely interrupts the same operation in every replay. All replays have the same
/// length, and there is at least one.
std::vector<std::uint32_t> least_of_each(std::span<const std::vector<std::uint32_t>> replays);

/// The nearest-rank quantile of `sorted`, which is not empty: the smallest value that at least the share `q` of the
/// values do not exceed.
std::uint32_t nearest_rank(std::span<const std::uint32_t> sorted, double q);

/// Values in [low, high], both included.
struct LatencyBucket {
  std::uint32_t low = 0, high = 0;
  std::size_t count = 0;
};

/// The occupied buckets of a log-linear histogram, in ascending order: 64 equal buckets in each power of two, so that
/// a bucket's middle is within 1 % of each of its values. Values below 128 have buckets of their own.
std::vector<LatencyBucket> log_linear_histogram(std::span<const std::uint32_t> values);

}  // namespace lab::stats
