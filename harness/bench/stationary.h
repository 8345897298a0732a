/// Finds which of a process's repetitions are warm-up, and whether the rest still becomes faster or slower.
#pragma once

#include <cstddef>
#include <vector>

namespace lab::bench {

struct Settling {
  std::size_t warmup = 0;  ///< number of first repetitions that are not like the rest
  /// false: the rest has a trend; or, if warm-up leaves fewer than kLeastJudged, all repetitions together have one.
  /// true for fewer than kLeastJudged repetitions, which are too few to judge.
  bool stationary = true;
};

/// A smaller number of values can be in order by chance.
inline constexpr std::size_t kLeastJudged = 6;

/// `nanoseconds`: all repetitions, in order. At most the first `most` are warm-up.
///
/// Warm-up ends where the marginal standard error of the rest is least (MSER: White, 1997); spikes are clipped to a
/// limit. If repetitions differ only by chance, it is one or two of them.
///
/// A trend is tested on the medians of kLevels stretches of equal length: significant at 1 % (Mann, 1945, and Kendall),
/// and a total change of kLeastDrift or more (Sen's slope, 1968). Medians of stretches, because disturbances come in
/// spikes and bursts, which hit one stretch and not the next; a lasting disturbance makes one step, which is no trend.
Settling settle(const std::vector<double>& nanoseconds, std::size_t most);

inline constexpr std::size_t kLevels = 12;
inline constexpr double kLeastDrift = 0.02;

}  // namespace lab::bench
