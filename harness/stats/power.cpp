#include "harness/stats/power.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/stats/normal.h"
#include "harness/stats/strata.h"

namespace lab::stats {

namespace {

constexpr double kPriceOfRanks = std::numbers::pi / 3;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Inverse of sample_size: the effect that `processes` per arm detect.
double visible_effect(double processes, double alpha, double power) {
  const double z = upper_normal_quantile(alpha / 2);
  const double freedom = processes / kPriceOfRanks - z * z / 4;
  return freedom > 0 ? (z + upper_normal_quantile(1 - power)) * std::sqrt(2 / freedom) : kNever;
}

double worst_alpha(const ComparisonPlan& plan) {
  return plan.alpha / static_cast<double>(std::max<std::size_t>(1, plan.table));
}

/// Minimum number of processes for which `enough` holds. `enough` must be monotonic.
template <typename Enough>
std::optional<std::size_t> fewest(const Enough& enough) {
  if (!enough(kMostProcesses)) return std::nullopt;
  std::size_t few = 1, many = kMostProcesses;
  while (many - few > 1) {
    const std::size_t middle = few + (many - few) / 2;
    (enough(middle) ? many : few) = middle;
  }
  return many;
}

}  // namespace

double sample_size(double effect, double alpha, double power) {
  const double z = upper_normal_quantile(alpha / 2);
  const double both = z + upper_normal_quantile(1 - power);
  return (2 * both * both / (effect * effect) + z * z / 4) * kPriceOfRanks;
}

std::optional<double> detectable_change(const ComparisonPlan& plan) {
  const std::size_t stratum = stratum_blocks(plan.processes, plan.table, plan.alpha);
  if (plan.processes < 2 || least_p(plan.processes, stratum) > worst_alpha(plan)) return std::nullopt;
  const auto n = static_cast<double>(plan.processes);
  // On the logarithm, where the noise of both arms is equal.
  const double significant = plan.sigma * visible_effect(n, worst_alpha(plan), plan.power);
  const double beyond = std::log1p(plan.threshold) + plan.sigma * visible_effect(n, plan.alpha, plan.power);
  const double change = std::expm1(std::max(significant, beyond));
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

std::optional<std::size_t> processes_for(double change, ComparisonPlan plan) {
  return fewest([&](std::size_t processes) {
    plan.processes = processes;
    const std::optional<double> detectable = detectable_change(plan);
    return detectable && *detectable <= change;
  });
}

std::optional<std::size_t> processes_to_decide(double ratio, ComparisonPlan plan) {
  const double change = std::exp(std::abs(std::log(ratio))) - 1;
  if (change > plan.threshold) return processes_for(change, plan);
  const double room = std::log1p(plan.threshold) - std::log1p(change);
  return fewest([&](std::size_t processes) {
    return plan.sigma * visible_effect(static_cast<double>(processes), plan.alpha, plan.power) <= room &&
           least_p(processes, stratum_blocks(processes, plan.table, plan.alpha)) <= plan.alpha;
  });
}

double detectable_change(const Interval& interval, double center) {
  return std::max(center / interval.low, interval.high / center) - 1;
}

}  // namespace lab::stats
