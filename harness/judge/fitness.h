/// Whether a session may give verdicts, from its A/A control, and what the other load on the machine cost it
/// (judged_blocks.h).
///
/// The A/A control of a session: one build as two arms, head and control, each in links of its own if the build has
/// several. There is no true difference beyond that of the links. One found between them could be found between any two
/// arms.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/judge/judged_blocks.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// One benchmark of one family that ran as both arms.
struct ControlRow {
  std::string benchmark;
  std::size_t processes = 0;                ///< of both arms
  double ratio = 1;                         ///< control / head
  std::optional<stats::Interval> interval;  ///< of `ratio`, 95 %
  double p = 1;                             ///< of this row alone
  double adjusted = 1;                      ///< p after Holm over the rows
  std::optional<double> detectable_change;  ///< a share: stats::detectable_change; none without an interval
};

struct Control {
  std::vector<ControlRow> rows;         ///< by benchmark
  std::size_t false_alarms = 0;         ///< rows with p below 1 - stats::kCoverage
  double rate = 0;                      ///< of false alarms among the rows
  stats::Interval rate_interval{0, 1};  ///< Clopper and Pearson, Biometrika 26 (1934) 404-413, 95 %
  /// The families that are not judged although the session is fit: their rows could not have detected
  /// kMaxDetectableChange, or they have none although others do.
  std::set<std::string, std::less<>> blind;
  /// The largest ControlRow::detectable_change of the families that are judged: a change of this share shows with
  /// stats::kPower in any of them. Of a blind control, the smallest that there is. None if no row has one.
  std::optional<double> detectable_change;
  bool fit = true;          ///< false if the control is biased, or blind in all families
  std::string_view reason;  ///< kMachineReason or kBlindReason if unfit, else ""
};

/// Why a session gives no verdicts, as in JSON.
inline constexpr std::string_view kMachineReason = "machine";  ///< its times were not made by the code alone
inline constexpr std::string_view kBlindReason = "blind";      ///< its noise would have hidden large changes

/// A session is unfit if a row's adjusted p is below this. The test is exact, so this happens in fewer than 1 in 300
/// fit sessions, for any noise.
inline constexpr double kUnfitAlpha = 0.003;

/// And if the arms differ by at least this. A smaller bias, even if real, is a fifth of the lowest threshold in use and
/// spoils no verdict.
inline constexpr double kHarmlessBias = 0.001;

/// A family of a session, or a row of a comparison, gets a verdict only if its smallest detectable change
/// (stats/power.h) is at most this, a share: about what an interval of +-10 % can detect.
inline constexpr double kMaxDetectableChange = 0.15;

/// Compares head with control in every benchmark that ran as both. If there is none: fit, without rows.
Control judge_control(const results::Result& result);

/// The row with the clearest bias. `control` has rows.
const ControlRow& most_biased(const Control& control);

/// The blocks of a session that other work disturbed, and what is judged of them.
struct DisturbedBlocks {
  std::size_t count = 0, all = 0;  ///< blocks
  double share_of_time = 0;        ///< of the session
  double seconds = 0;              ///< at least kTicks
  double foreign = 0, stolen = 0;  ///< CPU seconds: used by other processes, withheld by the host
  /// CPUs of the machine, if it cannot give as much CPU time as the kernel counted.
  std::optional<double> too_few_cpus = {};
  std::size_t benchmarks = 0;     ///< of head
  std::size_t affected = 0;       ///< of these, with processes in disturbed blocks
  std::size_t all_judged = 0;     ///< of these, judged on all of their blocks, because too few are undisturbed
  std::size_t without_level = 0;  ///< of these, whose times say nothing about this machine: JudgedBlocks::is_level

  bool leaves_no_level() const { return benchmarks > 0 && without_level == benchmarks; }
};

/// Noise belongs to a family's work, so that a control is blind in one family alone. A bias may be anywhere.
struct Fitness {
  /// For the times of one family.
  Fitness of(std::string_view family) const;

  bool fit = true;
  std::string_view reason = {};                   ///< kMachineReason or kBlindReason if unfit, else ""
  std::optional<DisturbedBlocks> disturbed = {};  ///< if there are any
  Control control = {};                           ///< may make it unfit, or some families of it
  bool lacks_levels = false;                      ///< it is unfit because no time is a level: only of level_fitness
};

/// For verdicts within the session: unfit if the control is (judge_control). `alpha`: of the table, for which blocks
/// are judged (judged_blocks.h). The control has levels of its own.
Fitness judge_fitness(const results::Result& result, double alpha = stats::kAlpha);

/// For what compares its times with those of other sessions: unfit also if none of its times is a level.
Fitness level_fitness(const results::Result& result, double alpha = stats::kAlpha);

/// kUnfit if no time of the session has a verdict, else kOk. A user who chose the number of processes gets kOk with a
/// blind control: whether they are enough for a verdict was not asked.
ExitStatus exit_status(const results::Result& result, const Fitness& fitness);

}  // namespace lab::judge
