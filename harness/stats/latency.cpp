#include "harness/stats/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace lab::stats {

namespace {

constexpr int kBitsPerPower = 6;  // 64 buckets

/// The number of low bits that a value's bucket ignores.
int ignored_bits(std::uint32_t value) {
  return std::max(0, static_cast<int>(std::bit_width(value)) - 1 - kBitsPerPower);
}

}  // namespace

std::vector<std::uint32_t> least_of_each(std::span<const std::vector<std::uint32_t>> replays) {
  std::vector<std::uint32_t> least = replays.front();
  for (const std::vector<std::uint32_t>& replay : replays.subspan(1))
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], replay[i]);
  return least;
}

std::uint32_t nearest_rank(std::span<const std::uint32_t> sorted, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::vector<LatencyBucket> log_linear_histogram(std::span<const std::uint32_t> values) {
  std::map<std::uint32_t, LatencyBucket> buckets;  // by their low end
  for (const std::uint32_t value : values) {
    const int bits = ignored_bits(value);
    const std::uint32_t low = value >> bits << bits;
    LatencyBucket& bucket = buckets[low];
    bucket.low = low;
    bucket.high = low + ((std::uint32_t{1} << bits) - 1);
    ++bucket.count;
  }
  std::vector<LatencyBucket> all;
  for (const auto& [low, bucket] : buckets) all.push_back(bucket);
  return all;
}

}  // namespace lab::stats
