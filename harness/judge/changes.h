/// What happened to one benchmark on one machine, night by night: where its level changed, by how much, between which
/// commits, and what else changed there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/condensed.h"
#include "harness/stats/change_points.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// The session's seed among results::Surroundings: other data are another task.
inline constexpr const char* kSeed = "seed";
/// Absent where it was not recorded: like any.
inline constexpr const char* kLibcBuild = "libc_build";
/// Commits a change lies between: `from` is of the last session that is surely before it, `to` of the first that is
/// surely after it. "" without git.
struct CommitRange {
  std::string from, to;
};

/// A change of level that was found by the nights as they came.
struct Change {
  std::size_t index = 0;        ///< first point of the new level, from 0
  std::size_t detected_at = 0;  ///< point at which it was found
  std::size_t earliest = 0;     ///< the first point of the new level lies within [earliest, latest] ...
  std::size_t latest = 0;       ///< ... as far as the values tell it from its neighbours; see likely_places()
  std::string started;          ///< of point `index`
  double before = 0;            ///< medians over the sessions of either level, ns per operation
  double after = 0;
  double ratio = 1;                         ///< after / before: above 1 is slower
  std::optional<stats::Interval> interval;  ///< of `ratio`, 95 %, where the new level has enough sessions
  double confidence = 0;
  CommitRange commits;
  std::string cause;                 ///< "code", or what else changed there: a word of cause_of(), or "machine"
  std::vector<std::string> changed;  ///< that in words: "kernel 6.1.0 -> 6.1.9"

  std::size_t nights() const { return detected_at - index + 1; }
  bool regressed() const { return ratio > 1; }
  /// A regression that the code is answerable for.
  bool blamed() const { return regressed() && cause == "code"; }
};

/// An exact metric that is not what it was in the last session that had it: a finding at one sample.
struct MetricChange {
  std::size_t index = 0;
  std::string started;
  std::string metric;
  double before = 0;
  double after = 0;
  CommitRange commits;
};

/// All changes of `points`, which are one benchmark, workload version and machine, in the order of time, by
/// stats::find_change_points on the logarithms of the medians: a change is a ratio. Points of one seed are held against
/// each other alone: another seed is another task. `watch`: what the machine's other series tell.
std::vector<Change> find_changes(std::span<const results::Point> points, const stats::Watch& watch = {});

/// How much of a series is judged. Points of other seeds than the last point's count for nothing.
struct Judged {
  /// Before it can be called unchanged: stats::points_missing(). 0 where a change was found all the same.
  std::size_t nights_missing = 0;
  std::size_t from = 0;  ///< where no night is missing: a change that begins at an earlier point is never found
  std::string
      reason;  ///< why nights are missing: kTooYoungReason, or kSeedsReason where another seed has them; else ""
};
/// `changes`: those of find_changes().
Judged judged_of(std::span<const results::Point> points, std::span<const Change> changes);
inline constexpr const char* kTooYoungReason = "too_young";
inline constexpr const char* kSeedsReason = "seeds";

/// The lag-1 autocorrelation of a machine's nights, from all its `series` (logarithms of medians in the order of time):
/// stats::common_autocorrelation, rounded to 0.05 so that a night more seldom changes it. None below kFewestSeries.
std::optional<double> common_autocorrelation(std::span<const std::vector<double>> series);
inline constexpr std::size_t kFewestSeries = 10;

/// Changes of metrics that were exact in every session that has them, from one such to the next of the same seed.
std::vector<MetricChange> find_metric_changes(std::span<const results::Point> points);

/// Where the first value of the new level may be as well, when `index` is said to be it among `values`, whose old level
/// begins at `start` and whose new level ends at `end`: the places, not further than 8 from `index`, whose misfit is
/// at most 6 above the least. The misfit is the sum over values of r^2 up to |r| = 1.345 and 2.69 |r| - 1.345^2 beyond
/// (Huber, "Robust Estimation of a Location Parameter", The Annals of Mathematical Statistics 35 (1964) 73-101), where
/// r = (value - median of its level) / s and s is 1.4826 times the median absolute deviation of the old level. For
/// small residuals that is -2 log likelihood. 6 was chosen on Laplace's and Student's (3 degrees) noise: a step of 3 s
/// lies within in 92 to 96 % of series, and is the very place in 68 to 74 %.
struct Places {
  std::size_t earliest = 0, latest = 0;
};
Places likely_places(std::span<const double> values, std::size_t start, std::size_t index, std::size_t end);

/// "kernel", "microcode", "toolchain", "pin" or "settings": what a name of Surroundings is reported as.
std::string_view cause_of(std::string_view name);

/// Raised when the same results would be condensed otherwise, or the same points give other changes: a store keeps
/// both.
inline constexpr int kFindingsVersion = 6;

}  // namespace lab::judge
