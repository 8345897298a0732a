/// The spread between processes of one benchmark, without the drift of the session.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/interval.h"

namespace lab::stats {

/// Standard deviation between processes as a share of their time (0.01 is 1 %). Uses the differences of successive
/// logarithms, in which a slow drift cancels (von Neumann, Kent, Bellinson and Hart, "The mean square successive
/// difference", The Annals of Mathematical Statistics 12 (1941) 153-162), and their median, which is robust against
/// outliers: median |d| / (0.6745 sqrt 2), unbiased for normal noise. `data` must be positive and in the order of
/// blocks. None for fewer than kLeastForSpread values.
std::optional<double> spread_between(std::span<const Datum> data);

inline constexpr std::size_t kLeastForSpread = 4;

/// 1.4826 times the median absolute deviation from the median: the standard deviation for normal noise, and
/// robust against outliers in less than half of the values. `values` must not be empty.
double mad_sigma(std::span<const double> values);

}  // namespace lab::stats
