#include "harness/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lab::stats {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double quantile(std::span<const double> values, double p) {
  if (values.empty() || !(p >= 0 && p <= 1)) std::abort();
  const std::vector<double> ascending = sorted(values);
  const double place = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], place - static_cast<double>(below));
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

}  // namespace lab::stats
