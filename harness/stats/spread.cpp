#include "harness/stats/spread.h"

#include <cmath>
#include <vector>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

constexpr double kNormalMedian = 0.6744897501960817;  // of |z|: the normal quantile of 3/4

}  // namespace

std::optional<double> spread_between(std::span<const Datum> data) {
  if (data.size() < kLeastForSpread) return std::nullopt;
  std::vector<double> differences;
  for (std::size_t i = 1; i < data.size(); ++i)
    differences.push_back(std::abs(std::log(data[i].value / data[i - 1].value)));
  return median(differences) / (kNormalMedian * std::sqrt(2.0));
}

double mad_sigma(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(distances) / kNormalMedian;
}

}  // namespace lab::stats
