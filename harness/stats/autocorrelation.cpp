#include "harness/stats/autocorrelation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::stats {

namespace {

constexpr double kClippedAt = 2.5;
constexpr double kMostLikely = 0.9;

std::vector<double> from_median(std::span<const double> level) {
  const double middle = median(level);
  std::vector<double> distances;
  for (const double value : level) distances.push_back(value - middle);
  return distances;
}

}  // namespace

double autocorrelation_within(std::span<const double> before, std::span<const double> after) {
  if (before.empty() || after.empty()) return 0;
  std::vector<double> levels[]{from_median(before), from_median(after)};
  std::vector<double> all = levels[0];
  all.insert(all.end(), levels[1].begin(), levels[1].end());
  const double sigma = mad_sigma(all);
  if (!(sigma > 0)) return 0;
  double squares = 0, products = 0;
  for (std::vector<double>& level : levels) {
    for (double& value : level) value = std::clamp(value / sigma, -kClippedAt, kClippedAt);
    const double mean = std::accumulate(level.begin(), level.end(), 0.0) / static_cast<double>(level.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
      squares += (level[i] - mean) * (level[i] - mean);
      if (i > 0) products += (level[i] - mean) * (level[i - 1] - mean);
    }
  }
  if (!(squares > 0)) return 0;
  const double found = products / squares;
  return std::clamp(found + 2 * (1 + 3 * found) / static_cast<double>(all.size()), 0.0, kMostLikely);
}

double variance_inflation(double points, double autocorrelation) {
  double sum = 1, power = 1;
  for (double lag = 1; lag < points; ++lag) {
    power *= autocorrelation;
    sum += 2 * (1 - lag / points) * power;
  }
  return sum;
}

}  // namespace lab::stats
