#include "harness/bench/stationary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lab::bench {

namespace {

/// Quantile of the normal distribution: 1 % of values lie outside, on either side together.
constexpr double kOnePercent = 2.576;

constexpr double kFar = 3;
constexpr double kNear = 0.001;  ///< of the median; used if more than half of all values are equal

// Not those of stats: bench is linked into every variant and calls only base.

/// The value below which `share` of the values lie.
double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return values.size() % 2 == 1 ? *upper : (*upper + *std::max_element(values.begin(), upper)) / 2;
}

/// The distance of each value from the median of the latter half, which is no warm-up. Clipped at kFar times the
/// distance of that half's quartiles, so that a spike has limited weight.
std::vector<double> distances(std::vector<double> values) {
  const std::vector<double> latter(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  const double middle = median(latter);
  const double reach = std::max(kFar * (quantile(latter, 0.75) - quantile(latter, 0.25)), kNear * middle);
  for (double& value : values) value = std::clamp(value - middle, -reach, reach);
  return values;
}

/// Number of first values, at most `most`, to drop so that the standard error of the rest's mean is least; the smallest
/// such number.
std::size_t least_error(const std::vector<double>& values, std::size_t most) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity(), sum = 0, squares = 0;
  for (std::size_t first = values.size(); first-- > 0;) {
    sum += values[first];
    squares += values[first] * values[first];
    const auto count = static_cast<double>(values.size() - first);
    const double error = std::max(0.0, squares - sum * sum / count) / (count * count);  // squared
    if (first > most || error > least) continue;
    least = error;
    best = first;
  }
  return best;
}

std::vector<double> levels_of(const std::vector<double>& values, std::size_t first) {
  const std::size_t left = values.size() - first, count = std::min(left, kLevels);
  std::vector<double> levels;
  for (std::size_t i = 0; i < count; ++i)
    levels.push_back(median({values.begin() + static_cast<std::ptrdiff_t>(first + i * left / count),
                             values.begin() + static_cast<std::ptrdiff_t>(first + (i + 1) * left / count)}));
  return levels;
}

bool has_trend(const std::vector<double>& levels) {
  if (levels.size() < kLeastJudged) return false;
  int rising = 0;  // rising pairs minus falling pairs
  std::vector<double> slopes;
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (std::size_t j = i + 1; j < levels.size(); ++j) {
      rising += (levels[j] > levels[i]) - (levels[j] < levels[i]);
      slopes.push_back((levels[j] - levels[i]) / static_cast<double>(j - i));
    }
  const auto n = static_cast<double>(levels.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const double drift = std::abs(median(slopes)) * (n - 1);
  return std::abs(rising) - 1 >= kOnePercent * deviation && drift >= kLeastDrift * median(levels);
}

}  // namespace

Settling settle(const std::vector<double>& nanoseconds, std::size_t most) {
  Settling settling;
  if (nanoseconds.empty()) return settling;
  settling.warmup = least_error(distances(nanoseconds), most);
  // If warm-up leaves too few values to judge, the warm-up itself may be the trend.
  const bool too_few = nanoseconds.size() - settling.warmup < kLeastJudged;
  settling.stationary = !has_trend(levels_of(nanoseconds, too_few ? 0 : settling.warmup));
  return settling;
}

}  // namespace lab::bench
