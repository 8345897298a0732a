/// How far processes of one benchmark lie apart, apart from what drifts over a session.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/interval.h"

namespace lab::stats {

/// Standard deviation between processes as a share of their time (0.01 is 1 %), from the differences of successive
/// logarithms, in which a slow drift cancels (von Neumann, Kent, Bellinson and Hart, "The mean square successive
/// difference", The Annals of Mathematical Statistics 12 (1941) 153-162), by their median, which a few outliers do not
/// move: median |d| / (0.6745 sqrt 2), right for normal noise. `data` in the order of blocks, positive; none of fewer
/// than kLeastForSpread.
std::optional<double> spread_between(std::span<const Datum> data);

inline constexpr std::size_t kLeastForSpread = 4;

/// 1.4826 times the median absolute deviation from the median: the standard deviation where the noise is normal, and
/// blind to less than half of the values. `values` must not be empty.
double mad_sigma(std::span<const double> values);

}  // namespace lab::stats
