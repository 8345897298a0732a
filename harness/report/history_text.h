/// A history, its changes and one night, as text and as JSON.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/judge/changes.h"
#include "harness/judge/history.h"
#include "harness/judge/night.h"
#include "harness/report/history.h"

namespace lab::report {

/// "+4.00 %" for 1.04.
std::string change_text(double ratio);

/// "1a2b3c4d5e6f", or "no git".
std::string short_name(const std::optional<std::string>& commit);
/// "1a2b3c4d5e6f..6f5e4d3c2b1a"; one commit if both ends are equal; "no git" without commits.
std::string commits_text(const results::CommitRange& commits);

/// "regressed" or "improved" if the code is the cause; otherwise, for example, "worse, new kernel".
std::string verdict_text(const judge::LevelChange& change);

/// "too young to tell: 4 more nights"; "" if no night is missing.
std::string missing_text(const judge::JudgedRange& judged);

/// "switches between two levels" or "drifts"; "" if the series does neither.
std::string pattern_text(const judge::SeriesPattern& pattern);

/// For a series of `nights` without a change: "no change from night 16 to 36", the range in which a change would have
/// been found; or missing_text().
std::string quiet_text(const judge::JudgedRange& judged, std::size_t nights);

/// Counts of the series without a change.
struct UnchangedCounts {
  std::size_t quiet = 0;                             ///< series that can be called unchanged
  std::size_t fewest_before = 0, most_before = 0;    ///< their first nights, in which no change can be found
  std::size_t asked = 0;                             ///< of these, whose smallest detectable steps are known
  double least_seen = 0, most_seen = 0;              ///< which are from and to this; 0: none is known
  std::size_t switching = 0;                         ///< series that switch between two levels
  std::size_t drifting = 0;                          ///< series that drift
  std::size_t young = 0;                             ///< series with too few nights
  std::size_t fewest_missing = 0, most_missing = 0;  ///< nights that these lack

  void add(const judge::SeriesFindings& findings);
  void add(const judge::JudgedRange& young_one);
};

/// "12 benchmarks without a change between their first 15 nights and their last 4 (a step of 1.2 to 5 % is
/// alarmed within 5 nights in 4 of 5 cases), 3 too young to tell (4 to 9 more nights), 1 benchmark switches between two
/// levels, 1 benchmark drifts"; "" if all counts are 0.
std::string unchanged_text(const UnchangedCounts& unchanged);
/// Only "3 too young to tell (4 to 9 more nights)", with `what` after the number; "" if there are none.
std::string young_text(const UnchangedCounts& unchanged, std::string_view what);

/// The changes on each machine, the latest first, and a summary of the rest. Says which machines have been silent at
/// the time `now` (seconds since the epoch; 0: unknown).
std::string to_text(std::span<const judge::SeriesHistory> histories, std::size_t width, std::time_t now = 0);
/// One object on one line, with all points.
std::string to_json(const judge::SeriesHistory& history);

/// Its points as rows of CSV (RFC 4180), after kHistoryCsvHead. A value that is not known is empty.
std::string to_csv(const judge::SeriesHistory& history);
inline constexpr std::string_view kHistoryCsvHead =
    "machine,benchmark,version,session,started,commit,median,low,high,processes,executable\r\n";

/// A night compared with earlier nights, one sentence per line.
std::string to_text(const judge::NightFitness& night);
/// One object on one line.
std::string to_json(const judge::NightFitness& night);

}  // namespace lab::report
