/// The A/A control of a session: one build as two arms, head and control, each in links of its own if the build has
/// several. There is no true difference beyond that of the links. One found between them could be found between any two
/// arms.
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
  double adjusted = 1;                      ///< p after Holm over the rows
  std::optional<double> detectable_change;  ///< a share: stats::detectable_change; none without an interval
};

struct Control {
  std::vector<ControlRow> rows;         ///< by benchmark
  std::size_t false_alarms = 0;         ///< rows with p below 1 - stats::kConfidence
  double rate = 0;                      ///< of false alarms among the rows
  stats::Interval rate_interval{0, 1};  ///< Clopper and Pearson, Biometrika 26 (1934) 404-413, 95 %
  /// The largest ControlRow::detectable_change: a change of this share or more would have shown in any family. None if
  /// a row has too few processes for an interval.
  std::optional<double> detectable_change;
  bool fit = true;
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

/// A session, or a row of a comparison, gets a verdict only if it could have detected a change of this share.
inline constexpr double kMaxDetectableChange = 0.1;

/// Compares head with control in every benchmark that ran as both. If there is none: fit, without rows.
Control judge_control(const results::Result& result);

/// The row with the clearest bias. `control` has rows.
const ControlRow& most_biased(const Control& control);

}  // namespace lab::judge
