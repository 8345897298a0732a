/// The changes of one benchmark on one machine over the nights: where its level changed, by how much, between which
/// commits, and what else changed there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/detector_memory.h"
#include "harness/results/condensed.h"
#include "harness/results/store.h"
#include "harness/stats/change_points.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// The session's seed in results::MeasurementEnvironment. Another seed means other data: the times cannot be compared.
inline constexpr const char* kSeed = "seed";
/// The machine's host name. A machine may change it, which is a cause if it stays; two machines that take turns have
/// one id by mistake.
inline constexpr const char* kHost = "host";
/// Absent if not recorded; then it matches any build.
inline constexpr const char* kLibcBuild = "libc_build";

/// Values of LevelChange::cause: nothing else changed there; the same executable has another time, too; either of both.
inline constexpr const char* kCodeCause = "code";
inline constexpr const char* kMachineCause = "machine";
inline constexpr const char* kEitherCause = "code or machine";

/// A change of level: an alarm, raised night after night, or one that only hindsight shows (stats/hindsight.h).
struct LevelChange {
  std::size_t index = 0;        ///< first point of the new level, from 0
  std::size_t detected_at = 0;  ///< point at which it was found
  bool in_hindsight = false;    ///< no alarm was raised for it
  /// Only in hindsight: sure also beside the machine's other series, any of which may show a change that is none.
  bool settled = false;
  std::size_t earliest = 0;  ///< the first point of the new level lies within [earliest, latest] ...
  std::size_t latest = 0;    ///< ... as far as the values can separate it from its neighbours; see likely_range()
  std::string started;       ///< of point `index`
  double before = 0;         ///< medians over the sessions of either level, ns per operation
  double after = 0;
  double ratio = 1;                         ///< after / before
  bool more_is_better = false;              ///< a smaller value is a regression
  std::optional<stats::Interval> interval;  ///< of `ratio`, 95 %, if the new level has enough sessions
  double confidence = 0;                    ///< of an alarm
  results::CommitRange commits;
  /// kCodeCause, kMachineCause or kEitherCause (common_changes.h), or what else changed there: a value of cause_of().
  std::string cause;
  std::vector<std::string> changed;  ///< the same as text: "kernel 6.1.0 -> 6.1.9"

  std::size_t nights() const { return detected_at - index + 1; }
  bool regressed() const { return more_is_better ? ratio < 1 : ratio > 1; }
  /// Whether a commit may be the cause.
  bool may_be_code() const { return cause == kCodeCause || cause == kEitherCause; }
  bool is_code_regression() const { return regressed() && may_be_code(); }
};

/// A change of an exact metric since the last session that had it. One sample is enough.
struct MetricChange {
  std::size_t index = 0;
  std::string started;
  std::string metric;
  double before = 0;
  double after = 0;
  results::CommitRange commits;
};

/// What was known of the machine's series at the time of each session. In order of time.
struct WatchedSince {
  std::string started;  ///< of the first session that is judged with it
  stats::DetectorContext context;
};

/// All changes of `points` (one benchmark, workload version and machine, in order of time), by
/// stats::find_change_points and stats::look_back on the logarithms of the medians, because a change is a ratio. Only
/// points of the same seed are compared. `contexts`: known from the machine's other series (watched_machine()).
std::vector<LevelChange> find_changes(std::span<const results::SeriesPoint> points,
                                      std::span<const WatchedSince> contexts = {});
/// The same, faster with the memories that the last call left for this series. Whatever they are, nothing else changes.
std::vector<LevelChange> find_changes(std::span<const results::SeriesPoint> points,
                                      std::span<const WatchedSince> contexts, Memories& memories);

/// What else hindsight shows in the points of the last point's seed.
struct SeriesPattern {
  bool switching = false;               ///< between two levels
  bool drifting = false;                ///< a straight line fits better than levels
  double noise_ratio = 1;               ///< of the last change of the noise, after / before; 1: none
  std::optional<std::size_t> noise_at;  ///< its first point
  std::string noise_started;            ///< when that session started
};
SeriesPattern pattern_of(std::span<const results::SeriesPoint> points);

/// The smallest detectable step, a share: one that begins on the next night is alarmed within
/// stats::ChangePointDetector::kPlain nights with probability stats::kPower
/// (stats::ChangePointDetector::detectable_step). None for a last level of fewer than
/// stats::ChangePointDetector::kFewest points. `changes`: from find_changes() with the same contexts.
std::optional<double> smallest_detectable(std::span<const results::SeriesPoint> points,
                                          std::span<const LevelChange> changes,
                                          std::span<const WatchedSince> contexts = {});

/// How much of a series is judged. Only points with the last point's seed count.
struct JudgedRange {
  /// Nights needed before it can be called unchanged: stats::points_missing(). 0 if a change was found anyway.
  std::size_t nights_missing = 0;
  std::size_t from = 0;  ///< if no night is missing: a change that begins at an earlier point is never found
  /// Why nights are missing: kTooYoungReason, or kSeedsReason where another seed has them; else "".
  std::string reason;
};
/// `changes`: from find_changes().
JudgedRange judged_of(std::span<const results::SeriesPoint> points, std::span<const LevelChange> changes);
inline constexpr const char* kTooYoungReason = "too_young";
inline constexpr const char* kSeedsReason = "seeds";

/// What is known of a machine from all of its series, session after session: how many there are, and what their noises
/// have in common (stats::shared_noise of at least kFewestSeries, at most kMostShared). It is learned anew when the
/// number of sessions has grown by a quarter, each time from earlier sessions only and without a series' last
/// stats::ChangePointDetector::kLongest: what all series do tonight may be the step that is looked for. So nothing that
/// was told of a night changes with later ones.
std::vector<WatchedSince> watched_machine(std::span<const results::TimedSeries> series);
/// The same, faster with the memories that the last call left for this machine. Whatever they are, nothing else
/// changes.
std::vector<WatchedSince> watched_machine(std::span<const results::TimedSeries> series, Memories& memories);
inline constexpr std::size_t kFewestSeries = 10, kMostShared = 128;

/// Changes of metrics that are exact in every session that has them, between consecutive such sessions of one seed.
std::vector<MetricChange> find_metric_changes(std::span<const results::SeriesPoint> points);

/// The uncertainty of a change's place. `index` is the estimated first value of the new level; in `values` the old
/// level begins at `start` and the new level ends at `end`. The likely places are at most 8 from `index`, with a misfit
/// at most 6 above the least. The misfit is the sum over values of r^2 up to |r| = 1.345 and 2.69 |r| - 1.345^2 beyond
/// (Huber, "Robust Estimation of a Location Parameter", The Annals of Mathematical Statistics 35 (1964) 73-101), where
/// r = (value - median of its level) / s and s is 1.4826 times the median absolute deviation of the old level. For
/// small residuals it is -2 log likelihood. 6 was chosen on Laplace and Student (3 degrees) noise: the range contains a
/// step of 3 s in 92 to 96 % of series, and `index` is exact in 68 to 74 %.
struct IndexRange {
  std::size_t earliest = 0, latest = 0;
};
IndexRange likely_range(std::span<const double> values, std::size_t start, std::size_t index, std::size_t end);

/// The hosts that measured `points`, sorted, if they took turns: one came back after another. Otherwise none.
std::vector<std::string> hosts_of(std::span<const results::SeriesPoint> points);

/// The reported cause of a name in MeasurementEnvironment: "hardware", "host", "kernel", "microcode", "toolchain",
/// "pin" or "settings".
std::string_view cause_of(std::string_view name);

/// Incremented when the same results are condensed differently, or when the same points give other changes or other
/// JSON, or leave other memories (detector_memory.h). A store keeps all of them, and builds its index again after an
/// increment.
inline constexpr int kFindingsVersion = 19;

}  // namespace lab::judge
