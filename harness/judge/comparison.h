/// A comparison as values: what was requested, the rows with their verdicts, and what limits them. compare.h makes it;
/// harness/report/comparison_sentences.h makes sentences of it.
///
/// A row gets a verdict only if a test could have found something. Other rows are "unknown" with a Reason: nothing was
/// tested (identical code, two machines, two seeds), or the test could not have detected a change of
/// kMaxDetectableChange.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
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
  kIdentical,   ///< the same executable, C library, kernel and machine: no difference is possible
  kNoInterval,  ///< too few processes for an interval
  kTooYoung,    ///< too few processes for any finding in this table, for any times
  kBlind,       ///< noise would have hidden large changes
  kWarmingUp,   ///< more than half of a side's processes measured before they were warm
  kUnfit,       ///< the control of its family could have detected nothing
  kSeeds,       ///< the two sides did different work
  kMachine,     ///< the two sides ran on different machines
  kDisturbed,   ///< the session's times were not made by the code alone, or in two sessions, those of this row
};

/// "identical", "too_young" (also kNoInterval), "blind" (also kWarmingUp and kUnfit), "seeds", "machine" (also
/// kDisturbed); "" for kNone.
std::string_view to_string(Reason reason);

/// Half a percent. To find a true change of 2 % in noise of 1 % in 95 % of cases, any exact test needs 26 processes per
/// arm with a threshold of 1 %, and 20 with 0.5 %.
inline constexpr double kThreshold = 0.005;

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
  std::size_t table = 0;                    ///< number of rows that `p` is corrected for
  Verdict verdict = Verdict::kUnknown;
  Reason reason = Reason::kNone;
  std::size_t base_processes = 0;
  std::size_t head_processes = 0;
  double base_value = 0;  ///< median over processes; 0 if it was not measured
  double head_value = 0;
  std::string unit = {};        ///< of both: "ns per operation", or the metric's
  bool more_is_better = false;  ///< a smaller value is a regression
  bool identical = false;       ///< the same executable, or session, in both, in the same environment
  /// A share: the smallest change that would be called regressed or improved with probability stats::kPower. None
  /// without a verdict for a reason other than kBlind, or if no change would.
  std::optional<double> detectable = {};
  /// Standard deviation between links of one build, relative, and its share of the variance between processes; none if
  /// neither side has two links.
  std::optional<LayoutShare> layout = {};
  bool hidden_by_layout = false;  ///< a verdict if layout had no effect; so layout alone could explain the difference
  std::optional<std::size_t> needed;  ///< unknown: processes per arm that would decide it at this ratio, if any
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

/// A benchmark or driver column that the other side does not have, and why, if known.
struct OneSided {
  std::string name;
  std::string failure = {};  ///< kind of failure: "crash"; "" without one
  std::string detail = {};   ///< of the failure, or why the benchmark is unsupported
};

/// Where Comparison::session_shift comes from.
struct ShiftSource {
  enum Kind { kNone, kIdentical, kTable, kAssumed } kind = kNone;
  std::size_t identical = 0;  ///< kIdentical: number of benchmarks with identical executables
  double middle = 0;          ///< kTable: what the middle of the table moved by, a share
};

/// A metric with values of 0 or less, which have no ratio, is not judged.
struct Unratioed {
  std::string benchmark;
};
/// The sides could only be compared because the user allowed it.
struct AllowedRefusal {
  std::string refusal;  ///< the error without the permission
};
struct InterruptedSession {
  std::string session;
};
/// Base and head are one session: nothing is compared.
struct SameSession {};
/// A fact of machine or build that differs, so it may be the cause of the findings.
struct ChangedFact {
  std::string fact;
  std::string before, now;
};
/// One version of the C library in two builds.
struct PatchedLibrary {
  std::string library;
  std::string before, now;
};
/// Identical code moved between two sessions by more than sessions usually do.
struct MovedIdenticalCode {
  std::string benchmark;  ///< the one that moved most
  double move = 0;        ///< a share
};
/// Two files of Google Benchmark, each of them one process; or else of repetitions that count as processes.
struct GoogleFiles {
  bool independent_repetitions = false;
};
/// What a reader must know before the rows.
using Warning = std::variant<Unratioed, AllowedRefusal, InterruptedSession, SameSession, ChangedFact, PatchedLibrary,
                             MovedIdenticalCode, GoogleFiles>;

struct Comparison {
  ComparisonSide base, head;
  double alpha = stats::kAlpha;
  double threshold = kThreshold;
  bool interleaved = true;
  double session_shift = 0;  ///< a share; 0 if interleaved
  ShiftSource shift_source;
  double layout_shift = 0;          ///< a share: what layouts widen the intervals by on either side, in the median row
  bool exact_only = false;          ///< two atlases: nothing was timed
  std::size_t tested = 0;           ///< number of tested rows: those that have a p
  std::optional<double> noise;      ///< between processes, a share: of the median row; none if no row has one
  std::vector<ComparisonRow> rows;  ///< sorted by verdict, then distance of the ratio from 1 (descending), then name
  std::vector<ExactChange> exact;
  std::vector<OneSided> only_base, only_head;
  std::vector<Fitness> fitness;  ///< of the sessions that take part: base's, then head's, or one session's
  bool judged = true;            ///< false: unfit, so every verdict is "unknown"
  std::vector<Warning> warnings;
};

/// Number of rows with this verdict; for kUnknown only tested rows.
std::size_t count(const Comparison& comparison, Verdict verdict);

/// kMachineReason or kBlindReason, of the first session that is unfit; kBlindReason if one is in the families of all
/// rows; "" otherwise.
std::string_view unfit_reason(const Comparison& comparison);

/// kUnfit if it was not judged; kRegression if a row regressed or an exact metric got worse; else kOk.
ExitStatus exit_status(const Comparison& comparison);

/// What the processes of a comparison can and cannot detect, and how many would say more.
struct Outlook {
  /// What the verdict same needs for an unchanged benchmark of this noise.
  enum class Same {
    kProcesses,     ///< `processes_for_same`
    kTooMany,       ///< more than stats::kMostProcesses
    kNoThreshold,   ///< a threshold above 0
    kOneSession,    ///< both in one session: two differ by more than the threshold
    kOtherLayouts,  ///< layouts alone differ by more than the threshold
  };

  std::size_t processes = 0;         ///< per arm, of the row with most
  double noise = 0;                  ///< between processes, a share
  std::optional<double> detectable;  ///< of the median row; none if no change is
  Same same = Same::kProcesses;
  std::size_t processes_for_same = 0;  ///< per arm, with stats::kPower
  /// Threshold with which these processes give it, with stats::kPower, a share; none if no threshold does.
  std::optional<double> threshold_for_same = {};
};

/// None if no tested row is unknown.
std::optional<Outlook> outlook(const Comparison& comparison);

}  // namespace lab::judge
