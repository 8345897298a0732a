/// Verdicts: each benchmark of head compared with base, and how certain the difference is.
///
/// Within a session both arms ran interleaved in blocks: the exact rank test (stats/ranks.h) runs on strata of blocks
/// (stats/strata.h). A row's `p` is Holm's over the tested rows, for a table a quarter larger (family_size): plain Holm
/// would give a false finding in almost exactly alpha of all tables. A row's interval is of the same test, at 1 - alpha
/// for this row alone: p already prevents false findings, and intervals as wide as Holm's would need more than twice
/// the processes to call anything "same". If at least kEnoughRows rows ran in the same blocks, the common effect of a
/// block (the median of its effects on the rows) is removed first. It is removed from both arms of a row equally, so it
/// cannot cause a verdict, but it makes larger strata worthwhile.
///
/// Two sessions are not interleaved, and a machine is never in the same state twice. The drift of each is still
/// removed. Their rows are tested against "head is within `session_shift` of base" instead of "head equals base": the
/// interval is wider by the shift on both sides, and p is the largest within it. The shift between two sessions is, the
/// most trusted source first:
///   1. measured on at least kEnoughIdentical benchmarks whose executables are identical in both: the 95 % quantile of
///      their moves (stats::quantile), or
///   2. measured on a table of at least kEnoughRows rows: the move of its median row plus 1.96 times the spread of the
///      rows beyond their own noise (1.4826 MAD); this cannot separate a change of the whole table from a change of the
///      machine, and the comparison reports that; or
///   3. kAssumedShift.
/// Never less than kLeastShift.
///
/// Where a session measured several links of its builds, a row is tested against what links of equal code differ by
/// (stats/layout_effect.h). Where that alone could explain what the processes show, it says so.
///
/// A row gets a verdict only if a test could have found something. Other rows are "unknown" with a Reason and a
/// sentence: nothing was tested (identical code, two machines, two seeds), or the test could not have detected a change
/// of kMaxDetectableChange.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/results/atlas.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"
#include "harness/stats/strata.h"

namespace lab::judge {

/// In order of importance to a reader.
enum class Verdict { kRegressed, kImproved, kUnknown, kSame };

/// "regressed", "improved", "unknown" or "same".
std::string_view to_string(Verdict verdict);

/// Why a row has no verdict.
enum class Reason {
  kNone,  ///< it has a verdict; or it was tested, could have detected kMaxDetectableChange, and is between the verdicts
  kIdentical,  ///< the same executable, C library, kernel and machine: no difference is possible
  kTooYoung,   ///< too few processes for any finding, for any times
  kBlind,      ///< noise, or processes that were still warming up, would have hidden large changes
  kSeeds,      ///< the two sides did different work
  kMachine,    ///< the two sides ran on different machines, or the session was disturbed
};

/// "identical", "too_young", "blind", "seeds", "machine"; "" for kNone.
std::string_view to_string(Reason reason);

/// Half a percent. To find a true change of 2 % in noise of 1 % in 95 % of cases, any exact test needs 26 processes per
/// arm with a threshold of 1 %, and 20 with 0.5 %.
inline constexpr double kThreshold = 0.005;

inline constexpr std::size_t kEnoughIdentical = 10;
inline constexpr std::size_t kEnoughRows = 20;
/// Possible difference of a benchmark between two sessions of one commit on one quiet machine, from temperature, pages
/// and neighbours. Far more on a shared machine: there only interleaving helps.
inline constexpr double kAssumedShift = 0.02;
inline constexpr double kLeastShift = 0.002;

/// The hint if a comparison of two machines is refused.
inline constexpr std::string_view kAllowMachines = "--allow machines shows them, not judged";

/// Number of rows that Holm corrects for, if `tested` rows are tested.
constexpr std::size_t family_size(std::size_t tested) {
  return tested + (tested == 0 ? 0 : (tested - 1) / 4);
}

struct CompareSettings {
  double alpha = stats::kAlpha;
  double threshold = kThreshold;          ///< a share: 0.01 is 1 %
  bool allow_machines = false;            ///< shows sessions of different machines, without verdicts
  bool allow_seeds = false;               ///< shows what ran with different seeds, without verdicts
  bool allow_versions = false;            ///< compares different versions of a workload
  bool allow_unfit = false;               ///< gives verdicts even if a session is unfit
  std::vector<std::string> metrics = {};  ///< judged beside results::judged_metrics, for example phases
};

struct ComparisonRow {
  std::string benchmark;                    ///< ends in ":metric" if that is not the primary one of its workload
  double ratio = 1;                         ///< head / base; meaningless unless is_measured
  std::optional<stats::Interval> interval;  ///< of `ratio`; none if not tested or if there are too few processes
  std::optional<double> p;                  ///< Holm's, two-sided; none if not tested
  Verdict verdict = Verdict::kUnknown;
  Reason reason = Reason::kNone;
  std::size_t base_processes = 0;
  std::size_t head_processes = 0;
  double base_value = 0;  ///< median over processes; 0 if it was not measured
  double head_value = 0;
  std::string unit = {};        ///< of both: "ns per operation", or the metric's
  bool more_is_better = false;  ///< a smaller value is a regression
  bool identical = false;       ///< the same executable, or session, in both, in the same environment
  /// A share: a change of this size or more would have been called regressed or improved. None without a verdict for a
  /// reason, or if no change would.
  std::optional<double> seen = {};
  /// Standard deviation between links of one build, relative, and its share of the variance between processes; none if
  /// neither side has two links.
  std::optional<LayoutShare> layout = {};
  bool hidden_by_layout = false;  ///< a verdict if layout had no effect; so layout alone could explain the difference
  std::optional<std::size_t> needed;  ///< unknown: processes per arm that would decide it at this ratio, if any
  std::string note;                   ///< a sentence: the meaning of the reason for this row, else ""
};

/// Whether both sides have values.
bool is_measured(const ComparisonRow& row);

/// The verdict from a row's p and interval, if it was tested. The threshold is symmetric: 1.005 is as far from 1 as
/// 1 / 1.005.
Verdict judge(const ComparisonRow& row, double alpha, double threshold);

/// A change of a metric without noise. One sample is enough.
struct ExactChange {
  std::string benchmark;  ///< or driver column
  std::string metric;     ///< "metadata_bytes", "checksum", "image 64x64 size"
  std::string base;       ///< "" if missing
  std::string head;
  bool worse = false;  ///< by the metric's direction; a different checksum is always worse
};

/// The provenance of one side's numbers.
struct ComparisonSide {
  std::string name;     ///< as given by the user
  std::string machine;  ///< id
  std::string commit;   ///< "" if there is none
  std::string state;    ///< "clean", "dirty", "no git"
  std::string started;
};

struct Comparison {
  ComparisonSide base, head;
  double alpha = stats::kAlpha;
  double threshold = kThreshold;
  bool interleaved = true;
  double session_shift = 0;         ///< a share; 0 if interleaved
  std::string shift_source;         ///< source of `session_shift`: half a sentence
  double layout_shift = 0;          ///< a share: what layouts widen the intervals by on either side, in the median row
  bool exact_only = false;          ///< two atlases: nothing was timed
  std::size_t tested = 0;           ///< number of tested rows: those that have a p
  std::optional<double> noise;      ///< between processes, a share: of the median row; none if no row has one
  std::vector<ComparisonRow> rows;  ///< sorted by verdict, then distance of the ratio from 1 (descending), then name
  std::vector<ExactChange> exact;
  std::vector<std::string> only_base, only_head;  ///< benchmarks; with the failure's reason in brackets, if known
  std::vector<Control> controls;                  ///< of the sessions that take part
  Fitness fitness;                                ///< of all of them together
  bool judged = true;                             ///< false: unfit, so every verdict is "unknown"
  std::vector<std::string> warnings;              ///< whole sentences
};

/// Compares head with base within one session that has both arms.
Expected<Comparison> compare_arms(const results::Result& session, const CompareSettings& settings);

/// Compares the head arms of two sessions.
Expected<Comparison> compare_sessions(const results::Result& base, const results::Result& head,
                                      const CompareSettings& settings);

/// Compares the head arms of two files whose processes ran interleaved, block by block.
Expected<Comparison> compare_interleaved(const results::Result& base, const results::Result& head,
                                         const CompareSettings& settings);

/// Compares two atlases of at least one column each. Columns are paired by name, the rest by driver and device.
Expected<Comparison> compare_atlases(const std::vector<results::DriverColumn>& base,
                                     const std::vector<results::DriverColumn>& head);

/// Number of rows with this verdict; for kUnknown only tested rows.
std::size_t count(const Comparison& comparison, Verdict verdict);

/// The findings in one sentence.
std::string sentence(const Comparison& comparison);

/// What these processes can and cannot detect, in one sentence; "" if no tested row is unknown.
std::string outlook(const Comparison& comparison);

/// kUnfit if it was not judged; kRegression if a row regressed or an exact metric got worse; else kOk.
ExitStatus exit_status(const Comparison& comparison);

/// Compares two files whose repetitions were separate processes: the first of each is one block, and so on. If one side
/// has more, they are distributed over the other side's blocks in order.
Expected<Comparison> compare_repetitions(const results::Result& base, const results::Result& head,
                                         const CompareSettings& settings);

}  // namespace lab::judge
