/// Power analysis: the smallest change that a planned comparison detects, and the number of processes that would decide
/// a row.
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

namespace lab::stats {

/// Number of processes per arm with which a two-sided rank test at `alpha` detects a difference of `effect` standard
/// deviations with probability `power`. Not rounded; effect > 0.
double sample_size(double effect, double alpha, double power);

/// A planned comparison. Shares are relative to the time: 0.01 is 1 %.
struct ComparisonPlan {
  std::size_t processes = 0;  ///< of each arm
  double sigma = 0;           ///< standard deviation between processes, a share
  std::size_t table = 1;      ///< number of tested rows, which Holm corrects for
  double alpha = 0.05;
  double threshold = 0;  ///< a share: smaller changes are no finding
  double power = 0.8;
};

/// The smallest change, as a share, that the plan detects as regressed with probability `power`: p must be below alpha
/// after the largest of Holm's corrections, and the whole interval beyond the threshold. None if so few processes
/// cannot give so small a p for any change.
std::optional<double> detectable_change(const ComparisonPlan& plan);

/// Minimum number of processes per arm, at least two, for which detectable_change is at most `change`. Ignores
/// plan.processes. None above kMostProcesses.
std::optional<std::size_t> processes_for(double change, ComparisonPlan plan);

/// Number of processes per arm that would decide a row with the true ratio `ratio`: regressed or improved if it is
/// beyond the threshold, same if it is within. None above kMostProcesses, as for a ratio at the threshold.
std::optional<std::size_t> processes_to_decide(double ratio, ComparisonPlan plan);

inline constexpr std::size_t kMostProcesses = 10'000;

/// Sensitivity of a finished measurement: the change, as a share, above which any slowdown or speedup would have been
/// detected, at the interval's own alpha. An interval contains exactly the ratios that its test does not reject, and a
/// change shifts it on the logarithmic axis. So the result is the distance of `center` from the farther end. `center`
/// is the true ratio if it is known (1 for two arms of one executable), else the estimate. Limits instead of post-hoc
/// power: Hoenig and Heisey, "The Abuse of Power", The American Statistician 55 (2001) 19-24.
double detectable_change(const Interval& interval, double center = 1);

}  // namespace lab::stats
