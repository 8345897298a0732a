#include "harness/stats/spread.h"

#include <cmath>
#include <vector>

#include "harness/stats/quantile.h"

namespace lab::stats {

std::optional<double> spread_between(std::span<const Datum> data) {
  constexpr double kNormalMedian = 0.6744897501960817;  // of |z|: the normal quantile of 3/4
  if (data.size() < kLeastForSpread) return std::nullopt;
  std::vector<double> differences;
  for (std::size_t i = 1; i < data.size(); ++i)
    differences.push_back(std::abs(std::log(data[i].value / data[i - 1].value)));
  return median(differences) / (kNormalMedian * std::sqrt(2.0));
}

}  // namespace lab::stats
