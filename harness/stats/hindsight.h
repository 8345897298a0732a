/// What a series looks like once more of it is known: its levels and its noise, from its last point back. On-line
/// detection (change_points.h) says what was known each night.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/change_points.h"

namespace lab::stats {

struct HindsightChange {
  std::size_t index = 0;  ///< first point of the new level, from 0
  /// The first point after which the series so far had this change. In a series of more than 400 points, this is judged
  /// by the last 150 before it, and may be up to an eighth of the distance from `index` too late.
  std::size_t known_at = 0;
  double before = 0, after = 0;  ///< medians of its two levels

  friend bool operator==(const HindsightChange&, const HindsightChange&) = default;
};

/// A change of the noise around the levels.
struct NoiseChange {
  std::size_t index = 0;
  double ratio = 1;  ///< of the median distances from the level, after / before

  friend bool operator==(const NoiseChange&, const NoiseChange&) = default;
};

struct Hindsight {
  std::vector<HindsightChange> changes;
  std::vector<NoiseChange> noise;  ///< none while it switches or drifts
  bool switching = false;          ///< see stats::Levels
  bool drifting = false;           ///< see stats::Levels
};

/// Of finite values. Each change is found among at most kMostSegmented values around it; noise and switching are those
/// of the last ones.
Hindsight look_back(std::span<const double> values);

/// The first points of levels of at least kSettledPoints, after others of as many, whose changes have so much more
/// evidence than one series needs. Of `series` that are watched together any may show a change that is none, as twice
/// the logarithm of their number accounts for: evidence is distributed about as chi-squared. Shorter levels may be
/// clusters of outliers, whose distance makes them look sure. Of a creep, which has several changes in one direction,
/// the largest, if the levels before the first and after the last are sure to differ.
inline constexpr std::size_t kSettledPoints = 10;
std::vector<std::size_t> sure_starts(std::span<const double> values, std::size_t series);

/// The changes of `hindsight` that no alarm was raised for.
std::vector<HindsightChange> untold(const std::vector<HindsightChange>& hindsight,
                                    const std::vector<ChangePoint>& alarms);

/// Most points between two estimates of one change's place.
inline constexpr std::size_t kNearPoints = 3;
/// Whether changes at `a` and `b` are one: at most kNearPoints apart.
bool is_same_change(std::size_t a, std::size_t b);

}  // namespace lab::stats
