#include "harness/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lab::stats {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

namespace {

/// Where a quantile lies in `count` ascending values: `share` of the way from the value `below` to the next.
struct Rank {
  std::size_t below;
  double share;
};

Rank rank_of(std::size_t count, double p) {
  if (count == 0 || !(p >= 0 && p <= 1)) std::abort();
  const double rank = p * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(rank);
  return {below, rank - static_cast<double>(below)};
}

}  // namespace

double quantile(std::span<const double> values, double p) {
  const Rank rank = rank_of(values.size(), p);
  std::vector<double> copy(values.begin(), values.end());
  // The same two values as of the sorted ones, without sorting the rest.
  const auto below = copy.begin() + static_cast<std::ptrdiff_t>(rank.below);
  std::ranges::nth_element(copy, below);
  const double next = below + 1 == copy.end() ? *below : *std::min_element(below + 1, copy.end());
  return std::lerp(*below, next, rank.share);
}

double sorted_quantile(std::span<const double> ascending, double p) {
  const Rank rank = rank_of(ascending.size(), p);
  return std::lerp(ascending[rank.below], ascending[std::min(rank.below + 1, ascending.size() - 1)], rank.share);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

}  // namespace lab::stats
