/// Which of a process's repetitions are warm-up, and whether the rest still becomes faster or slower.
#pragma once

#include <cstddef>
#include <vector>

namespace lab::bench {

struct Settling {
  std::size_t warmup = 0;  ///< so many of the first repetitions are not like the rest
  /// false: what is left has a trend; or, where warm-up leaves fewer than kLeastJudged, all repetitions have.
  /// Of fewer than kLeastJudged in all nobody can tell: true.
  bool stationary = true;
};

/// Fewer than these in order can be so by chance.
inline constexpr std::size_t kLeastJudged = 6;

/// `nanoseconds`: of all repetitions, in order. At most the first `most` are warm-up.
///
/// Warm-up ends where the marginal standard error of the rest is least (MSER: White, 1997); spikes are cut to what is
/// merely far off. Of repetitions that differ by chance alone it takes one or two.
///
/// A trend is one of the medians of kLevels stretches of equal length, by Mann (1945) and Kendall, at 1 %, that changes
/// them by kLeastDrift or more over all (Sen's slope, 1968). Medians of stretches, because what disturbs a process
/// comes in spikes and bursts, which are in one stretch and not in the next; what lasts makes one step, no trend.
Settling settle(const std::vector<double>& nanoseconds, std::size_t most);

inline constexpr std::size_t kLevels = 12;
inline constexpr double kLeastDrift = 0.02;

}  // namespace lab::bench
