#include "harness/stats/two_levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "harness/stats/culprit_prior.h"

namespace lab::stats {

namespace {

constexpr double kLeastSeparation = 5;  ///< standard deviations within a level
constexpr std::size_t kLeastOnLevel = 2;

struct Group {
  double count = 0, sum = 0;
  void add(double value) {
    ++count;
    sum += value;
  }
  double mean() const { return sum / count; }
};

/// Logarithm of the probability of `yes` and `no` in one order, if all shares are equally likely.
double log_sequence(double yes, double no) {
  return std::lgamma(yes + 1) + std::lgamma(no + 1) - std::lgamma(yes + no + 2);
}

double log_of_order(const std::vector<bool>& upper) {
  std::array<double, 2> counts{};
  std::array<std::array<double, 2>, 2> transitions{};
  for (std::size_t i = 0; i < upper.size(); ++i) {
    ++counts[upper[i]];
    if (i > 0) ++transitions[upper[i - 1]][upper[i]];
  }
  const double independent = log_sequence(counts[0], counts[1]);
  const double dependent = -std::numbers::ln2 + log_sequence(transitions[0][0], transitions[0][1]) +
                           log_sequence(transitions[1][0], transitions[1][1]);
  const double most = std::max(independent, dependent);
  return most + std::log((std::exp(independent - most) + std::exp(dependent - most)) / 2);
}

/// Logarithm of the probability of a height of `x` sigma, by the prior of a step's size and Laplace's approximation:
/// what separates the levels counts as much for two levels as for a step.
double log_of_height(double x, double lower, double upper) {
  double density = 0;
  for (const EffectPrior& effect : kEffects)
    density += effect.probability * x * x / (effect.tau * effect.tau) *
               std::exp(-x * x / (2 * effect.tau * effect.tau)) / (effect.tau * std::sqrt(2 * std::numbers::pi));
  const double width = std::sqrt(2 * std::numbers::pi * (1 / lower + 1 / upper));
  return std::log(std::max(std::min(1.0, density * width), std::numeric_limits<double>::min()));
}

/// The distance of the levels within builds; none if no build shows both.
std::optional<double> height_within(std::span<const std::size_t> builds, std::span<const double> log_values,
                                    const std::vector<bool>& upper) {
  std::map<std::size_t, std::array<Group, 2>> of_builds;
  for (std::size_t i = 0; i < builds.size(); ++i) of_builds[builds[i]][upper[i]].add(log_values[i]);
  double sum = 0, weights = 0;
  for (const auto& [build, levels] : of_builds) {
    if (levels[0].count == 0 || levels[1].count == 0) continue;
    const double weight = levels[0].count * levels[1].count / (levels[0].count + levels[1].count);
    sum += weight * (levels[1].mean() - levels[0].mean());
    weights += weight;
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

}  // namespace

std::optional<TwoLevels> two_levels(std::span<const std::size_t> builds, std::span<const double> log_values) {
  const std::size_t size = log_values.size();
  if (size < 2 * kLeastOnLevel) return std::nullopt;
  std::vector<double> sorted(log_values.begin(), log_values.end());
  std::ranges::sort(sorted);
  const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  const auto count = static_cast<double>(size);
  // The least sum of squares within is the largest between.
  double below = 0, most = -1;
  std::size_t split = 0;
  for (std::size_t i = 1; i < size; ++i) {
    below += sorted[i - 1];
    const auto lower = static_cast<double>(i);
    const double distance = (total - below) / (count - lower) - below / lower;
    const double between = distance * distance * lower * (count - lower);
    if (i < kLeastOnLevel || i > size - kLeastOnLevel || between <= most) continue;
    most = between;
    split = i;
  }
  const double limit = (sorted[split - 1] + sorted[split]) / 2;
  TwoLevels found;
  found.limit = limit;
  std::array<Group, 2> levels;
  for (const double value : log_values) {
    found.upper.push_back(value > limit);
    levels[value > limit].add(value);
  }
  if (std::min(levels[0].count, levels[1].count) < kLeastOnLevel) return std::nullopt;  // equal values at the limit
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double residual = log_values[i] - levels[found.upper[i]].mean();
    squares += residual * residual;
  }
  const double sigma = std::max(std::sqrt(squares / (count - 2)), kNoiseScale);
  const double distance = levels[1].mean() - levels[0].mean();
  if (distance < kLeastSeparation * sigma) return std::nullopt;
  found.height = height_within(builds, log_values, found.upper).value_or(distance);
  found.upper_share = levels[1].count / count;
  found.log_likelihood =
      log_of_order(found.upper) + log_of_height(found.height / sigma, levels[0].count, levels[1].count);
  return found;
}

}  // namespace lab::stats
