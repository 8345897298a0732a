/// Verdicts: what head is to base, benchmark by benchmark, and how sure that is.
///
/// Within a session both arms ran interleaved in blocks: strata of blocks (stats/strata.h) go through the exact rank
/// test (stats/ranks.h). A row's `p` is Holm's over the rows that were tested, as if they were a quarter more
/// (family_size): Holm's own would have a false finding in almost exactly alpha of all tables. A row's interval is the
/// same test's, at 1 - alpha for this row alone: false findings are p's to prevent, and intervals as wide as Holm's
/// would need more than twice the processes to call anything "same". Where at least kEnoughRows rows ran in the same
/// blocks, what a block did to all of them alike, the median of what it did to each, is taken out first: out of both
/// arms of a row alike, so that no verdict can come of it, but larger strata are worth having then.
///
/// Two sessions were not interleaved, and a machine is not the same twice. Each one's own drift is taken out all the
/// same; their rows are tested against "head is within `session_shift` of base" instead of "is base": the interval is
/// wider by the shift on both sides, and p is the largest over it. How much two sessions differ is, in this order of
/// trust:
///   1. measured on at least kEnoughTwins benchmarks whose executables are identical in both: the 95 % quantile of how
///      far they moved (stats::quantile), or
///   2. measured on a table of at least kEnoughRows rows: how far its median row moved, and on top 1.96 times what the
///      rows spread beyond their own noise (1.4826 MAD); a change that moves the whole table is so not told from a
///      machine that did, and the comparison says that; or
///   3. kAssumedShift.
/// Never less than kLeastShift.
///
/// A verdict is given only where a test could have found something. What is not judged is "unknown" with a Reason and a
/// sentence: nothing was tested (identical code, two machines, two seeds), or the test could not have seen a change of
/// judge::kMustSee.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/fitness.h"
#include "harness/results/atlas.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"
#include "harness/stats/strata.h"

namespace lab::judge {

/// In the order in which a reader wants them.
enum class Verdict { kRegressed, kImproved, kUnknown, kSame };

/// "regressed", "improved", "unknown" or "same".
std::string_view to_string(Verdict verdict);

/// Why a row has no verdict.
enum class Reason {
  kNone,       ///< it has one; or it was tested, could have seen kMustSee, and lies between the verdicts
  kIdentical,  ///< the same executable with the same C library on the same kernel and machine: there is nothing to find
  kTooYoung,   ///< too few processes for any finding, whatever their times
  kBlind,      ///< noise, or processes that were still warming up, would have hidden large changes
  kSeeds,      ///< the two did other work
  kMachine,    ///< the two ran on other machines, or something disturbed the session
};

/// "identical", "too_young", "blind", "seeds", "machine"; "" for kNone.
std::string_view to_string(Reason reason);

/// Half a per cent: with 1 % the true 2 % of a 1 % noise needs 26 processes an arm to be found in 95 % of cases,
/// whatever exact test is used; with 0.5 % 20 do.
inline constexpr double kThreshold = 0.005;

inline constexpr std::size_t kEnoughTwins = 10;
inline constexpr std::size_t kEnoughRows = 20;
/// What two sessions of one commit on one quiet machine may differ by in a benchmark: other temperature, other pages,
/// other neighbours. Far more on a shared machine: there nothing replaces interleaving.
inline constexpr double kAssumedShift = 0.02;
inline constexpr double kLeastShift = 0.002;

/// What to do where two machines are refused.
inline constexpr std::string_view kAllowMachines = "--allow machines shows them, not judged";

/// How many rows Holm corrects for where `tested` are tested.
constexpr std::size_t family_size(std::size_t tested) {
  return tested + (tested == 0 ? 0 : (tested - 1) / 4);
}

struct Settings {
  double alpha = stats::kAlpha;
  double threshold = kThreshold;  ///< a share: 0.01 is 1 %
  bool allow_machines = false;    ///< shows sessions of different machines, without verdicts
  bool allow_seeds = false;       ///< shows what ran with different seeds, without verdicts
  bool allow_versions = false;    ///< compares different versions of a workload
  bool allow_unfit = false;       ///< gives verdicts although a session is unfit
};

struct ComparisonRow {
  std::string benchmark;
  double ratio = 1;                         ///< head / base: above 1, head is slower; says nothing unless is_timed
  std::optional<stats::Interval> interval;  ///< of `ratio`; none where not tested or the processes are too few for one
  std::optional<double> p;                  ///< Holm's, two-sided; none where not tested
  Verdict verdict = Verdict::kUnknown;
  Reason reason = Reason::kNone;
  std::size_t base_processes = 0;
  std::size_t head_processes = 0;
  double base_ns = 0;  ///< an operation: median over processes; 0 where it was not timed
  double head_ns = 0;
  bool identical = false;             ///< the same executable, or session, in both, where nothing around it differs
  std::optional<std::size_t> needed;  ///< unknown: processes an arm that would decide it as it looks; none: no number
  std::string note;                   ///< a sentence: what the reason means for this row, else ""
};

/// Whether both sides have times.
bool is_timed(const ComparisonRow& row);

/// What a row's p and interval say, if it was tested. The threshold is the same share either way: 1.005 is as far from
/// 1 as 1 / 1.005.
Verdict judge(const ComparisonRow& row, double alpha, double threshold);

/// A metric without noise that is not what it was: a finding at one sample.
struct ExactChange {
  std::string benchmark;  ///< or driver column
  std::string metric;     ///< "metadata_bytes", "checksum", "image 64x64 size"
  std::string base;       ///< "" where it is not there
  std::string head;
  bool worse = false;  ///< more bytes, other answers
};

/// Where one side's numbers came from.
struct Side {
  std::string name;     ///< as the user called it
  std::string machine;  ///< id
  std::string commit;   ///< "" where there is none
  std::string state;    ///< "clean", "dirty", "no git"
  std::string started;
};

struct Comparison {
  Side base, head;
  double alpha = stats::kAlpha;
  double threshold = kThreshold;
  bool interleaved = true;
  double session_shift = 0;         ///< a share; 0 where interleaved
  std::string shift_source;         ///< where `session_shift` is from: half a sentence
  bool exact_only = false;          ///< two atlases: nothing was timed
  std::size_t tested = 0;           ///< rows that went through the test: those that have a p
  std::optional<double> noise;      ///< between processes, a share: the middle row's; none where no row shows it
  std::vector<ComparisonRow> rows;  ///< by verdict, then the farthest from 1 first, then by name
  std::vector<ExactChange> exact;
  std::vector<std::string> only_base, only_head;  ///< benchmarks; why, in brackets, where a failure says
  std::vector<judge::Control> controls;           ///< of the sessions that take part
  judge::Fitness fitness;                         ///< of all of them together
  bool judged = true;                             ///< false: not fit, therefore every verdict is "unknown"
  std::vector<std::string> warnings;              ///< whole sentences
};

/// head against base of one session that holds both arms.
Expected<Comparison> compare_arms(const results::Result& session, const Settings& settings);

/// The head arms of two sessions.
Expected<Comparison> compare_sessions(const results::Result& base, const results::Result& head,
                                      const Settings& settings);

/// The head arms of two files whose processes ran by turns, block by block.
Expected<Comparison> compare_interleaved(const results::Result& base, const results::Result& head,
                                         const Settings& settings);

/// Two atlases, each one column or more. Columns pair by name, what is left by driver and device.
Expected<Comparison> compare_atlases(const std::vector<results::Column>& base,
                                     const std::vector<results::Column>& head);

/// Rows of that verdict; of the unknown ones those that were tested.
std::size_t count(const Comparison& comparison, Verdict verdict);

/// What was found, in one sentence.
std::string sentence(const Comparison& comparison);

/// What these processes can and what they cannot tell, in one sentence; "" where nothing that was tested is unknown.
std::string outlook(const Comparison& comparison);

/// kUnfit where it was not judged; kRegression where a row regressed or an exact metric got worse; else kOk.
ExitStatus exit_status(const Comparison& comparison);

/// Two files whose repetitions were processes of their own: the first of each is one block, and so on. Where one has
/// more, its are dealt out to the other's blocks in order.
Expected<Comparison> compare_repetitions(const results::Result& base, const results::Result& head,
                                         const Settings& settings);

}  // namespace lab::judge
