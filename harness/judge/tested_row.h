/// The test of one row of a comparison: the values of one benchmark in base and head.
///
/// Within a session both arms ran interleaved in blocks: the exact rank test (stats/ranks.h) runs on strata of blocks
/// (stats/strata.h), after the session's drift (drift.h) is removed. Two sessions have no common block, so everything
/// is one stratum, and their rows are tested against "head is within a shift (drift.h) of base" instead of
/// "head equals base": the interval is wider by the shift on both sides, and p is the largest within it. Shifts and
/// ratios are logarithms here.
///
/// Where a session measured several links of its builds, a row is tested against what links of equal code differ by
/// (stats/layout_effect.h). The values "without layout" are those if layout had no effect.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/judge/drift.h"
#include "harness/judge/summary.h"
#include "harness/stats/interval.h"
#include "harness/stats/layout_effect.h"
#include "harness/stats/strata.h"

namespace lab::judge {

/// How every row of a comparison is tested.
struct TestMethod {
  bool interleaved = true;
  std::size_t table = 1;  ///< number of rows that p is corrected for
  double alpha = stats::kAlpha;
  Drift base_drift, head_drift;  ///< equal if interleaved
};

class TestedRow {
 public:
  TestedRow(const std::vector<stats::Datum>& base, const std::vector<stats::Datum>& head, const TestMethod& method);

  double log_ratio() const { return log_ratio_; }
  /// None if neither side has two links.
  const std::optional<LayoutShare>& layout() const { return layout_; }

  /// Of this row alone, two-sided.
  double p(double shift) const;
  double p_without_layout(double shift) const;
  /// The least p that so many processes could give for any times.
  double least_p() const { return arms_.arms().least_p(); }

  /// Of the ratio, at 1 - alpha for this row alone; none if there are too few processes.
  std::optional<stats::Interval> interval(double shift) const;
  std::optional<stats::Interval> interval_without_layout(double shift) const;

  /// Of log_ratio, as the interval shows it; none without one.
  std::optional<double> standard_error() const;
  /// Between processes, a share; none without an interval.
  std::optional<double> noise() const;
  /// What the layouts widen the interval by on either side.
  double layout_shift() const;
  /// The same at another alpha; at the row's own where so few processes have no interval at it.
  double layout_shift(double alpha) const;

  /// The number of processes per arm that would decide the row in `noise`, if its ratio is the true one.
  std::optional<std::size_t> needed(double noise, double shift, double threshold) const;
  /// The smallest detectable change (stats/power.h), a share: p must be below alpha after the largest correction, and
  /// the interval beyond the threshold.
  std::optional<double> detectable(double shift, double threshold) const;

 private:
  TestedRow(const stats::ArmData& strata, const TestMethod& method);
  TestedRow(const stats::ArmData& strata, stats::LayoutEffect layout, const TestMethod& method);

  std::size_t base_processes_ = 0, head_processes_ = 0;
  double alpha_;
  std::size_t table_;
  std::optional<LayoutShare> layout_;
  stats::ShiftedArms arms_;
  double log_ratio_;
  std::optional<stats::Interval> logs_;    ///< interval of log_ratio
  std::optional<stats::Interval> narrow_;  ///< without layout
};

}  // namespace lab::judge
