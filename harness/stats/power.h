/// Power analysis: the smallest detectable change, and the number of processes that would decide a row.
///
/// The smallest detectable change is one thing wherever one is printed: the true change that would be reported with
/// probability kPower, at the alpha in use.
///
/// The sample size of a two-sided test of two means (Guenther, "Sample Size Formulas for Normal Theory T Tests", The
/// American Statistician 35 (1981) 243-244), in processes per arm, with d the change over the standard deviation:
///   n = (2 (z_a + z_b)^2 / d^2 + z_a^2 / 4) pi / 3
/// z_a is the normal quantile of 1 - alpha / 2, z_b that of the power. The last factor is the cost of ranks under
/// normal noise (Hodges and Lehmann, The Annals of Mathematical Statistics 27 (1956) 324-335: efficiency 3 / pi); with
/// heavier tails, ranks need fewer processes.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/stats/interval.h"
#include "harness/stats/strata.h"

namespace lab::stats {

inline constexpr double kPower = 0.8;

/// Number of processes per arm with which a two-sided rank test at `alpha` detects a difference of `effect` standard
/// deviations with probability `power`. Not rounded; effect > 0.
double sample_size(double effect, double alpha, double power);

/// A planned comparison. Shares are relative to the time: 0.01 is 1 %.
struct ComparisonPlan {
  std::size_t processes = 0;  ///< of each arm
  double sigma = 0;           ///< standard deviation between processes, a share
  std::size_t table = 1;      ///< number of tested rows, which Holm corrects for
  double alpha = kAlpha;
  double threshold = 0;  ///< a share: smaller changes are no finding
  double power = kPower;
};

/// The smallest change, as a share, that the plan detects as regressed with probability `power`: p must be below alpha
/// after the largest of Holm's corrections, and the whole interval beyond the threshold. None if so few processes
/// cannot give so small a p for any change.
std::optional<double> detectable_change(const ComparisonPlan& plan);

/// Minimum number of processes per arm, at least two, for which detectable_change is at most `change`. Ignores
/// plan.processes. None above kMostProcesses.
std::optional<std::size_t> processes_for(double change, ComparisonPlan plan);

/// Number of processes per arm that would decide a row with the true ratio `ratio`: regressed or improved if it is
/// beyond the threshold, same if it is within: the interval must end within it on both sides. None above
/// kMostProcesses, as for a ratio at the threshold.
std::optional<std::size_t> processes_to_decide(double ratio, ComparisonPlan plan);

/// The least threshold, a share, with which the plan's processes call an unchanged benchmark the same with its power.
/// Ignores plan.threshold. None for too few processes.
std::optional<double> threshold_for_same(const ComparisonPlan& plan);

inline constexpr std::size_t kMostProcesses = 10'000;

/// The smallest change, as a share, that another measurement like this one would detect with probability `power`:
/// `interval` is of coverage 1 - alpha around the estimate `ratio`. A change as large as the interval reaches from the
/// estimate is detected in half of all cases only, because the estimate falls short of it in the other half; the rest
/// is the distance of the power's quantile. On the logarithmic axis, and of the farther end. Of the noise that was
/// measured and no observed effect: Hoenig and Heisey, "The Abuse of Power", The American Statistician 55 (2001) 19-24.
double detectable_change(const Interval& interval, double ratio, double alpha, double power = kPower);

}  // namespace lab::stats
