/// The levels of a whole series, seen from its end. Unlike on-line detection (change_points.h), all points count on
/// both sides of a change.
///
/// Values are replaced by their normal scores (van der Waerden, "Order tests for the two-sample problem and their
/// power", Indagationes Mathematicae 14 (1952) 453-458), so that neither tails nor scale matter. For each number of
/// changes, dynamic programming finds the division with the least sum of squares within levels. The evidence for a
/// change is the squared difference of the mean scores of its two levels over its variance: the variance within all
/// levels, inflated by the autocorrelation within all levels (Bayley and Hammersley, "The 'effective' number of
/// independent observations in an autocorrelated time series", Supplement to the Journal of the Royal Statistical
/// Society 8 (1946) 184-197). Scores saturate: between two levels that do not overlap they differ by about 3.5 standard
/// deviations, however far apart the values are. So a larger distance of the values counts more, up to a limit. Of a
/// level of few points, the evidence is at most what the rarity of its ranks allows under any distribution. The
/// division with the most changes is taken whose changes all have more than the critical evidence. So one step that
/// hides between two others, or that comes back, is found although no single division into two would show it. Where a
/// division with the most changes explains nearly all, there may be more than it has: then overlapping parts are
/// divided, each with scores of its own.
///
/// What a division does not explain, such as an excursion or a wave, makes all its changes less sure. So a step that
/// stands out from its neighbourhood (sharp_steps.h) is a change in any case, and the series is divided anew between
/// such steps and the changes that the whole series shows. An unchanged series hardly ever has one, so they do not
/// change what the critical evidence must be.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lab::stats {

struct Division {
  std::vector<std::size_t> starts;  ///< the first point of every level but the first
  double evidence = 0;              ///< for the weakest of these changes; infinite between constant levels
  std::vector<double> each;         ///< the evidence for each change
  double unexplained = 0;           ///< share of the scores' sum of squares that is within levels
};

/// The divisions into 2, 3, ... levels with the least sums of squares, each with at least kShortestLevel points. The
/// values are finite. None for fewer than kFewestSegmented values.
std::vector<Division> divisions(std::span<const double> values);
/// `thorough`: Division::each is right also where the weakest change is none in any case.
std::vector<Division> divisions(std::span<const double> values, bool thorough);

struct Levels {
  std::vector<std::size_t> starts = {};  ///< the first point of every level but the first
  std::vector<std::size_t> sharp = {};   ///< those of `starts` that stand out from their neighbourhood (sharp_steps.h)
  /// The series goes back and forth between two levels, as on a machine that runs in one of two states. Such levels are
  /// not in `starts`, but a change that is larger than the distance between them is.
  bool switching = false;
  /// A straight line fits better than levels, of which there are then none. A line that begins or ends, with a level
  /// before or after it, has levels.
  bool drifting = false;
};

/// The levels of the last kMostSegmented values.
Levels find_levels(std::span<const double> values);
/// The same with the evidence that `count` values need, and `more`.
Levels find_levels(std::span<const double> values, std::size_t count, double more);

/// The evidence that two levels differ, whatever is between them; as Division::evidence. Neither is empty.
double evidence_between(std::span<const double> before, std::span<const double> after);

/// The evidence that the weakest change must exceed in a series of this length.
double critical_evidence(std::size_t count);

/// Two points in a row may be outliers.
inline constexpr std::size_t kShortestLevel = 3;
/// Older points are not segmented anew.
inline constexpr std::size_t kMostSegmented = 1000;
/// A shorter series is not segmented.
inline constexpr std::size_t kFewestSegmented = 7;

}  // namespace lab::stats
