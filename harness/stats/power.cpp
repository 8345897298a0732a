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

/// Standard error of the difference of two arms of `processes` each, in standard deviations, as a test at `alpha` has
/// it.
double standard_error(double processes, double alpha) {
  const double z = upper_normal_quantile(alpha / 2);
  const double freedom = processes / kPriceOfRanks - z * z / 4;
  return freedom > 0 ? std::sqrt(2 / freedom) : kNever;
}

/// Inverse of sample_size: the effect that `processes` per arm detect.
double visible_effect(double processes, double alpha, double power) {
  return (upper_normal_quantile(alpha / 2) + upper_normal_quantile(1 - power)) * standard_error(processes, alpha);
}

/// The probability that the interval ends within an edge on both sides. All in standard deviations.
double power_of_same(double near_edge, double far_edge, double error, double alpha) {
  const double z = upper_normal_quantile(alpha / 2);
  return normal_share_below(near_edge / error - z) + normal_share_below(far_edge / error - z) - 1;
}

bool has_enough(const ComparisonPlan& plan, double alpha) {
  return plan.processes >= 2 &&
         least_p(plan.processes, stratum_blocks(plan.processes, plan.table, plan.alpha)) <= alpha;
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
  if (!has_enough(plan, worst_alpha(plan))) return std::nullopt;
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
  const double edge = std::log1p(plan.threshold), away = std::log1p(change);
  return fewest([&](std::size_t processes) {
    plan.processes = processes;
    const double error = plan.sigma * standard_error(static_cast<double>(processes), plan.alpha);
    return has_enough(plan, plan.alpha) && power_of_same(edge - away, edge + away, error, plan.alpha) >= plan.power;
  });
}

std::optional<double> threshold_for_same(const ComparisonPlan& plan) {
  if (!has_enough(plan, plan.alpha)) return std::nullopt;
  // At a ratio of 1, the interval misses either edge equally often.
  const double threshold = std::expm1(
      plan.sigma * visible_effect(static_cast<double>(plan.processes), plan.alpha, 1 - (1 - plan.power) / 2));
  return std::isfinite(threshold) ? std::optional(threshold) : std::nullopt;
}

double detectable_change(const Interval& interval, double ratio, double alpha, double power) {
  const double reach = std::max(std::log(ratio / interval.low), std::log(interval.high / ratio));
  return std::expm1(reach * (1 + upper_normal_quantile(1 - power) / upper_normal_quantile(alpha / 2)));
}

}  // namespace lab::stats
