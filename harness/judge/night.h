/// Compares one session with the nights before it: can the night be judged, and what is not known yet?
///
/// A benchmark is an outlier if its time is unusually far from the median of its last kRecent nights, and near
/// fewer than two of the nights before the last one (a level that recurs is its own). If it is also near last night's
/// time, it has stayed there. A code change moves some benchmarks. If there are many outliers at once, and they have
/// not just stayed there, the cause is the machine or the toolchain, and nothing of that night is reported. The session
/// stays in the series: from the next night at the same levels, change-point detection judges it like any change.
///
/// The constants were chosen on other noises than those `simulate nights` reports: 1 to 5 % normal, t with 5,
/// log-normal with 0.3, 4 % of outliers of +25 % and 10 % of +100 %, two levels 7 % (75/25) and 40 % (80/20) apart,
/// AR(1) with 0.4 and 0.9, constants; each also with 5 % shared by all benchmarks of a night. Of 35 benchmarks, at most
/// 23 % were outliers on any usual night, and at least 37 % when 17 were made 1.5 to 10.7 times slower (except with
/// log-normal noise, which hides it). Of the outliers, less than a quarter had moved since last night in nine of ten
/// nights after all had become 1.4 times slower permanently, and more than a quarter in nine of ten second and third
/// nights with such slowdowns. This fails if levels 40 % apart or outliers of +100 % move the benchmarks by themselves.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/judge/history.h"
#include "harness/results/result.h"

namespace lab::judge {

/// Nights that define a level: the last ones of the same seed.
inline constexpr std::size_t kRecent = 10;
/// With fewer nights there is no level.
inline constexpr std::size_t kFewestRecent = 5;
/// A distance below this ratio, or below this many mad_sigma of the recent nights' logarithms, is usual.
inline constexpr double kUsualRatio = 1.2, kUsualSigmas = 6;
/// Many outliers: this share of those that have a level, and at least this number.
inline constexpr double kManyShare = 0.3;
inline constexpr std::size_t kMany = 5;
/// They have just stayed if less than this share of them moved since last night.
inline constexpr double kMovedShare = 0.25;

enum class LevelState {
  kNew,     ///< no level to compare with
  kUsual,   ///< near its level, or near two of the nights before the last one
  kStayed,  ///< an outlier near last night's time
  kMoved,   ///< an outlier that is also far from last night's time
};

/// The standing of `tonight` relative to `nights`, the oldest first. All are logarithms of times.
LevelState level_state(std::span<const double> nights, double tonight);

/// Counts of one night's benchmarks.
struct LevelCounts {
  std::size_t with_level = 0, stayed = 0, moved = 0;

  void add(LevelState one);
  std::size_t outliers() const { return stayed + moved; }
  bool many_outliers() const;
  /// Whether neither commits nor a new level can explain the outliers.
  bool unfit() const;
};

/// A benchmark of tonight with an unusual time.
struct Outlier {
  std::string benchmark;
  double ratio = 1;        ///< tonight / median of the recent nights
  std::size_t nights = 0;  ///< nights before tonight with its seed
};

/// A benchmark of tonight in which no change could be detected yet.
struct YoungBenchmark {
  std::string benchmark;
  JudgedRange judged;
};

struct NightFitness {
  std::string session, machine;
  bool fit = true;                   ///< whether the night can be judged
  std::string reason;                ///< kMachineReason or kBlindReason if that makes it unfit, else ""
  std::string left_out;              ///< why it is in no series; "" if it is in one
  Fitness session_fitness;           ///< without the nights before: level_fitness
  std::vector<std::string> unusual;  ///< results::Session::unusual
  LevelCounts levels;
  std::vector<Outlier> outliers;          ///< sorted by benchmark
  std::vector<YoungBenchmark> too_young;  ///< sorted by benchmark; only if the session is in a series
  std::set<std::string> without_level;    ///< in no series tonight, because other work disturbed their times

  /// Whether it is in no series for another reason than its own fitness.
  bool is_excluded() const;
  /// Whether an outlier of tonight may have changed so early in its series that history finds no change.
  bool any_young_outlier() const;
};

/// Judges `result` (any session) against the nights of `histories` that started before it. `histories` must contain its
/// machine's series of its benchmarks; others are ignored.
NightFitness judge_night(std::span<const SeriesHistory> histories, const results::Result& result);

}  // namespace lab::judge
