/// Measurements that lie on two levels whatever is measured: a processor that predicts a program's branches at one time
/// and not at another, memory that two programs share, a clock with two frequencies. Each commit of a bisect then shows
/// both, and the distance between them is often many times the change that is sought.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lab::stats {

/// Log values split into a lower and an upper level.
struct TwoLevels {
  double height = 0;        ///< distance of the levels, of logarithms
  std::vector<bool> upper;  ///< by measurement
  double limit = 0;         ///< values above it are on the upper level
  double upper_share = 0;
  /// Of this sequence of levels and of the height. Of the sequence: the mean of two models, in which a measurement's
  /// level is independent of the one before and in which it depends on it, all shares equally likely. Of the height:
  /// the prior of a step's size (culprit_fit.h).
  double log_likelihood = 0;
};

/// The split with the least sum of squares within the levels; none if they are closer than kLeastSeparation standard
/// deviations or one has less than two values. Where a build shows both levels, the height is the mean of their
/// distance within builds. `builds` and `log_values` are in the order of measuring.
std::optional<TwoLevels> two_levels(std::span<const std::size_t> builds, std::span<const double> log_values);

}  // namespace lab::stats
