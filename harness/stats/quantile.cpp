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

double quantile(std::span<const double> values, double p) {
  return sorted_quantile(sorted(values), p);
}

double sorted_quantile(std::span<const double> ascending, double p) {
  if (ascending.empty() || !(p >= 0 && p <= 1)) std::abort();
  const double rank = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], rank - static_cast<double>(below));
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

}  // namespace lab::stats
