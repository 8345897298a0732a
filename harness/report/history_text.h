/// A history, its changes and a night of it, in words and as JSON.
#pragma once

#include <cstddef>
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

/// "1a2b3c4d5e6f..6f5e4d3c2b1a"; one commit alone where both ends are it; "no git" where there is none.
std::string commits_text(const judge::CommitRange& commits);

/// "regressed" or "improved" where the code is answerable; else "slower, new kernel" and its like.
std::string verdict_text(const judge::Change& change);

/// "too young to tell: 4 more nights"; "" where no night is missing.
std::string missing_text(const judge::Judged& judged);

/// Of a series of `nights` without a change: "no change from night 16 to 36", between which one would have been found;
/// or missing_text().
std::string quiet_text(const judge::Judged& judged, std::size_t nights);

/// The series in which no change was found, counted.
struct Unchanged {
  std::size_t quiet = 0;                             ///< that can be called unchanged
  std::size_t fewest_before = 0, most_before = 0;    ///< nights of these in which a change is never found
  std::size_t young = 0;                             ///< that cannot
  std::size_t fewest_missing = 0, most_missing = 0;  ///< nights, of these

  void add(const judge::Findings& findings);
  void add(const judge::Judged& young_one);
};

/// "12 benchmarks without a change after their first 15 nights and before their last 4, 3 too young to tell (4 to 9
/// more nights)"; "" where there is none.
std::string unchanged_text(const Unchanged& unchanged);
/// Of it "3 too young to tell (4 to 9 more nights)", `what` behind the number; "" where none is.
std::string young_text(const Unchanged& unchanged, std::string_view what);

/// What changed on each machine, the latest first, and what was seen of the rest. `points` are not looked at.
std::string to_text(std::span<const judge::SeriesHistory> followed, std::size_t width);
/// One object on a line, with all points.
std::string to_json(const judge::SeriesHistory& followed);

/// A night beside the nights before it, a sentence a line.
std::string to_text(const judge::JudgedNight& night);
/// One object on a line.
std::string to_json(const judge::JudgedNight& night);

}  // namespace lab::report
