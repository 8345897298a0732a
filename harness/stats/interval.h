/// The laboratory's interval: distribution-free, for a median, from the order statistics of independent
/// values. One process is one value. Repetitions inside a process are not independent and never count as values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lab::stats {

/// How often an interval contains the true value. `confidence` is another quantity: that of an alarm
/// (change_points.h).
inline constexpr double kCoverage = 0.95;

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A median with its interval, in the unit of the values.
struct Estimate {
  std::size_t count = 0;  ///< number of values
  double median = 0;
  std::optional<Interval> interval;  ///< none if `count` values cannot reach the requested coverage
  std::size_t sessions = 1;          ///< that were put together (sessions.h)
};

/// Probability that [x_(depth), x_(count + 1 - depth)] of `count` independent values covers the median of their
/// continuous distribution: 1 - 2 P(B <= depth - 1), B binomial(count, 1/2): the inverted sign test.
/// Table A.7 in many textbooks; 1 <= depth <= (count + 1) / 2.
double median_coverage(std::size_t count, std::size_t depth);

/// Minimum number of values for an interval of a median: 6 for 95 %.
std::size_t least_count(double coverage = kCoverage);

/// The interval of the median at exactly the nominal coverage: between the two neighbouring pairs of order statistics
/// whose coverages enclose it, interpolated after Hettmansperger and Sheather, "Confidence intervals based on
/// interpolated order statistics", Statistics & Probability Letters 4 (1986) 75-79:
///   I = (c_d - c) / (c_d - c_(d+1)),  w = (n - d) I / (d + (n - 2d) I),
///   low = (1 - w) x_(d) + w x_(d+1),  high = (1 - w) x_(n-d+1) + w x_(n-d).
/// Exact for any distribution at w = 0 or 1, very nearly so between. coverage in [0.5, 1).
std::optional<Interval> median_interval(std::span<const double> values, double coverage = kCoverage);

/// Median and interval. `values` must not be empty.
Estimate estimate_median(std::span<const double> values, double coverage = kCoverage);

/// One process of one benchmark: its block and its time (or another positive quantity).
struct Datum {
  int block = 0;
  double value = 0;
  int layout = 0;   ///< the link of its executable; 0: the only one
  int session = 0;  ///< that it ran in; blocks of different sessions have different numbers
};

/// from / to for every block that contains both sides, in the order of blocks (above 1: `to` is faster). Drift between
/// blocks cancels. If a block contains several processes of one side, their median is used.
std::vector<double> block_ratios(std::span<const Datum> from, std::span<const Datum> to);

/// Median ratio and interval by the method above, on logarithms, so that exchanging both sides gives the exact inverse.
/// None if no block contains both sides or a value is not positive. Of several sessions, each gives its own ratio, and
/// these are put together (sessions.h).
std::optional<Estimate> estimate_ratio(std::span<const Datum> from, std::span<const Datum> to,
                                       double coverage = kCoverage);

/// Half the interval's width over the median: 0.01 is 1 %. None without an interval.
std::optional<double> relative_half_width(const Estimate& estimate);

}  // namespace lab::stats
