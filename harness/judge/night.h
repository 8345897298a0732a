/// One session beside the nights before it: is the night fit to be judged, and what cannot be told of it yet?
///
/// A benchmark is away from its level where its time lies beyond every usual distance from the median of its last
/// kRecent nights, and near fewer than two of them before the last: a level that it takes again is its own. Where last
/// night was near it, it has stayed there. A code change moves some benchmarks; where many of all are away at once, and
/// have not just stayed there, it was the machine or the toolchain, and nothing of that night is told. The session
/// stays in the series: from the next night at the same levels on, the change points judge it as any change.
///
/// Constants were chosen on other noises than `simulate nights` reports: 1 to 5 % normal, t with 5, log-normal with
/// 0.3, 4 % of outliers of +25 % and 10 % of +100 %, two levels 7 % (75/25) and 40 % (80/20) apart, AR(1) with 0.4 and
/// 0.9, constants; each also with 5 % that all benchmarks of a night share. Of 35 benchmarks at most 23 % were away on
/// any usual night, and at least 37 % where 17 were made 1.5 to 10.7 times slower (but of log-normal noise, which
/// hides it). Of those away, less than a quarter had moved since last night in nine of ten nights after all had become
/// 1.4 times slower for good, and more than a quarter in nine of ten second and third nights with such slowdowns; not
/// so where levels 40 % apart or outliers of +100 % move the benchmarks by themselves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/history.h"
#include "harness/results/result.h"

namespace lab::judge {

/// Nights that a level is taken from: the last ones of the same seed.
inline constexpr std::size_t kRecent = 10;
/// Fewer are no level.
inline constexpr std::size_t kFewestRecent = 5;
/// Nearer than this ratio, or this many mad_sigma of the recent nights' logarithms, is usual.
inline constexpr double kUsualRatio = 1.2, kUsualSigmas = 6;
/// Away at once are many: of the benchmarks that have a level this share, and this many.
inline constexpr double kManyShare = 0.3;
inline constexpr std::size_t kMany = 5;
/// They have just stayed where less than this share of them is elsewhere than last night.
inline constexpr double kMovedShare = 0.25;

enum class Standing {
  kNew,     ///< no level to hold it against
  kUsual,   ///< near its level, or near what it was two times of late
  kStayed,  ///< away from its level, and near last night
  kMoved,   ///< away from its level, and from last night
};

/// Where `tonight` stands beside `nights`, the oldest first; all are logarithms of times.
Standing standing(std::span<const double> nights, double tonight);

/// Benchmarks of one night, counted.
struct Standings {
  std::size_t with_level = 0, stayed = 0, moved = 0;

  void add(Standing one);
  std::size_t away() const { return stayed + moved; }
  bool many_away() const;
  /// Whether what is away cannot be the work of commits, nor a new level.
  bool unfit() const;
};

/// A benchmark of tonight that is away from its level.
struct Away {
  std::string benchmark;
  double ratio = 1;        ///< tonight over the median of the recent nights
  std::size_t nights = 0;  ///< before tonight, of its seed
};

/// A benchmark of tonight in which no change could have been seen.
struct TooYoung {
  std::string benchmark;
  Judged judged;
};

struct JudgedNight {
  std::string session, machine;
  bool fit = true;                     ///< whether anything can be told of it
  std::string reason;                  ///< kMachineReason or kBlindReason where it is not fit for that; else ""
  std::string left_out;                ///< why it is in no series, or ""
  std::vector<std::string> sentences;  ///< why it is not fit, and then what to do
  std::vector<std::string> notes;      ///< what else to know of it
  std::vector<std::string> unusual;    ///< results::Session::unusual, less `sentences`
  Standings standings;
  std::vector<Away> away;           ///< by benchmark
  std::vector<TooYoung> too_young;  ///< by benchmark; of a session that is in a series
};

/// Judges `result`, which may be any session, beside the nights of `histories` that started before it. `histories`: at
/// least the series of its machine that it has a benchmark of; others are passed over.
JudgedNight judge_night(std::span<const SeriesHistory> histories, const results::Result& result);

}  // namespace lab::judge
