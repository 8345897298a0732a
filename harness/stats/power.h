/// What a comparison will be able to see, before it is made; and how many processes would decide a row afterwards.
///
/// The sample size of a two-sided test of two means (Guenther, "Sample Size Formulas for Normal Theory T Tests", The
/// American Statistician 35 (1981) 243-244), in processes an arm, with d the change over the standard deviation:
///   n = (2 (z_a + z_b)^2 / d^2 + z_a^2 / 4) pi / 3
/// z_a is the normal quantile of 1 - alpha / 2, z_b that of the power. The last factor is the price of ranks under
/// normal noise (Hodges and Lehmann, The Annals of Mathematical Statistics 27 (1956) 324-335: efficiency 3 / pi); where
/// noise has longer tails, ranks need fewer.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/stats/interval.h"

namespace lab::stats {

/// Processes an arm with which a two-sided rank test at `alpha` finds a difference of `effect` standard deviations
/// with probability `power`. Not rounded; effect > 0.
double sample_size(double effect, double alpha, double power);

/// A comparison as planned. Shares are of the time: 0.01 is 1 %.
struct Plan {
  std::size_t processes = 0;  ///< of each arm
  double sigma = 0;           ///< standard deviation between processes, a share
  std::size_t table = 1;      ///< rows that are tested, which Holm corrects for
  double alpha = 0.05;
  double threshold = 0;  ///< a share: what is smaller is no finding
  double power = 0.8;
};

/// The smallest change, as a share, that the plan calls regressed with probability `power`: its p must stay below alpha
/// after the worst of Holm's corrections, and its interval wholly beyond the threshold. None where so few processes
/// cannot give a p that small, whatever the change.
std::optional<double> visible_change(const Plan& plan);

/// Processes an arm, at least two, from which on visible_change is `change` at most (plan.processes does not count);
/// none above kMostProcesses.
std::optional<std::size_t> processes_for(double change, Plan plan);

/// Processes an arm that would decide a row whose ratio is truly `ratio`: regressed or improved where it lies beyond
/// the threshold, same where it lies within; none above kMostProcesses, as on the threshold itself.
std::optional<std::size_t> processes_to_decide(double ratio, Plan plan);

inline constexpr std::size_t kMostProcesses = 10'000;

/// What a measurement that is made could have seen: the change, as a share, beyond which every one, slower or faster,
/// would have been found had it been there, at the interval's own alpha. An interval holds just the ratios that its test
/// does not reject, and a change moves it as it is (on the logarithm); so it is the farther of its ends from `center`.
/// `center` is the truth where it is known (1 for two arms of one executable), else the ratio found. Limits in place of
/// power after the fact: Hoenig and Heisey, "The Abuse of Power", The American Statistician 55 (2001) 19-24.
double least_seen(const Interval& interval, double center = 1);

}  // namespace lab::stats
