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

namespace lab::results {

/// One benchmark of one family that ran as both arms.
struct ControlRow {
  std::string benchmark;
  std::size_t processes = 0;                ///< of both arms
  double ratio = 1;                         ///< control / head
  std::optional<stats::Interval> interval;  ///< of `ratio`, 95 %
  double p = 1;                             ///< of this row alone
  double adjusted = 1;                      ///< Holm over the rows
};

struct Control {
  std::vector<ControlRow> rows;  ///< by benchmark
  std::size_t false_alarms = 0;  ///< rows with p below 1 - stats::kConfidence
  double rate = 0;               ///< of false alarms among the rows
  stats::Interval rate_interval{0, 1};  ///< Clopper and Pearson, Biometrika 26 (1934) 404-413, 95 %
  bool fit = true;
  std::string sentence;  ///< what it found; with `fit` false: why no verdict of this session can be trusted
};

/// A session is unfit where a row's adjusted p is below this: fewer than 1 in 300 sessions that are fit, by the test's
/// exactness, whatever the noise.
inline constexpr double kUnfitAlpha = 0.003;

/// And the arms differ by at least this: what is surely there, but a fifth of the least threshold that anybody judges
/// by, spoils no verdict.
inline constexpr double kHarmlessBias = 0.001;

/// Judges head against control in every benchmark that ran as both. Without any: fit, and the sentence says that
/// nothing is known.
Control judge_control(const Result& result);

}  // namespace lab::results
