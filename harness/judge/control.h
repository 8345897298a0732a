/// A session's own A/A control: the same executables as two arms, head and control, which cannot truly differ. What a
/// test finds between them is what it would find between any two arms for no reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  double adjusted = 1;                      ///< Holm over the rows
  std::optional<double> seen;               ///< a share: stats::least_seen; none without an interval
};

struct Control {
  std::vector<ControlRow> rows;         ///< by benchmark
  std::size_t false_alarms = 0;         ///< rows with p below 1 - stats::kConfidence
  double rate = 0;                      ///< of false alarms among the rows
  stats::Interval rate_interval{0, 1};  ///< Clopper and Pearson, Biometrika 26 (1934) 404-413, 95 %
  /// The largest of the rows': a change of any family from this share on would have shown. None where a row has too few
  /// processes for an interval.
  std::optional<double> seen;
  bool fit = true;
  std::string_view reason;  ///< kMachineReason or kBlindReason where it is not fit, else ""
  std::string sentence;     ///< what it found; with `fit` false: why no verdict of this session can be trusted
};

/// Why no verdict can be taken from a session, as JSON has it.
inline constexpr std::string_view kMachineReason = "machine";  ///< something else than the code made its times
inline constexpr std::string_view kBlindReason = "blind";      ///< its noise would have hidden large changes

/// A session is unfit where a row's adjusted p is below this: fewer than 1 in 300 sessions that are fit, by the test's
/// exactness, whatever the noise.
inline constexpr double kUnfitAlpha = 0.003;

/// And the arms differ by at least this: what is surely there, but a fifth of the least threshold that anybody judges
/// by, spoils no verdict.
inline constexpr double kHarmlessBias = 0.001;

/// What a session, or a row of a comparison, must have been able to see for a verdict: a share.
inline constexpr double kMustSee = 0.1;

/// "25 %": a share with two digits, rounded up, so that "would have seen 25 % or more" holds.
std::string seen_text(double share);

/// Judges head against control in every benchmark that ran as both. Without any: fit, and the sentence says that
/// nothing is known.
Control judge_control(const results::Result& result);

}  // namespace lab::judge
