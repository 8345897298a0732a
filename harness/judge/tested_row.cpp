#include "harness/judge/tested_row.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/judge/comparison.h"
#include "harness/stats/normal.h"
#include "harness/stats/power.h"

namespace lab::judge {

namespace {

using stats::ArmData;
using stats::BlockedArms;
using stats::Datum;
using stats::Interval;

/// Puts everything in one stratum, because two sessions have no common block.
ArmData in_one_stratum(ArmData data) {
  for (Datum& datum : data.base) datum.block = 0;
  for (Datum& datum : data.head) datum.block = 0;
  return data;
}

ArmData strata_of(const std::vector<Datum>& base, const std::vector<Datum>& head, const TestMethod& method) {
  const std::vector<Datum> from = method.base_drift.removed_from(base), to = method.head_drift.removed_from(head);
  if (!method.interleaved) return in_one_stratum({from, to});
  const std::size_t least = method.base_drift.is_known() ? stats::kSteady : stats::kDrifting;
  return stats::to_strata(from, to,
                          stats::stratum_blocks(stats::common_blocks(from, to), method.table, method.alpha, least));
}

std::optional<Interval> logarithms(const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  return Interval{std::log(interval->low), std::log(interval->high)};
}

std::optional<Interval> widened(const std::optional<Interval>& logs, double shift) {
  if (!logs) return std::nullopt;
  return Interval{std::exp(logs->low - shift), std::exp(logs->high + shift)};
}

/// The largest p over all true ratios within `shift` of 1.
template <typename Arms>
double p_within(const Arms& arms, double log_ratio, double shift) {
  if (std::abs(log_ratio) <= shift) return 1;
  return arms.p_value(std::exp(log_ratio > 0 ? shift : -shift));
}

std::optional<double> error_of(const std::optional<Interval>& logs, double alpha) {
  if (!logs) return std::nullopt;
  return (logs->high - logs->low) / 2 / stats::upper_normal_quantile(alpha / 2);
}

/// The equivalent number of processes per arm, if both arms had the same number.
double harmonic_mean(std::size_t base, std::size_t head) {
  const auto a = static_cast<double>(base), b = static_cast<double>(head);
  return 2 * a * b / (a + b);
}

}  // namespace

TestedRow::TestedRow(const std::vector<Datum>& base, const std::vector<Datum>& head, const TestMethod& method)
    : TestedRow(strata_of(base, head, method), method) {
  base_processes_ = base.size();
  head_processes_ = head.size();
}

TestedRow::TestedRow(const ArmData& strata, const TestMethod& method)
    : TestedRow(strata, stats::layout_effect(strata.base, strata.head), method) {}

TestedRow::TestedRow(const ArmData& strata, stats::LayoutEffect layout, const TestMethod& method)
    : alpha_(method.alpha),
      table_(method.table),
      layout_(layout.shift.empty() ? std::nullopt
                                   : std::optional(LayoutShare{layout.sigma, layout.share, layout.measured})),
      arms_(BlockedArms(strata.base, strata.head), std::move(layout.shift)),
      log_ratio_(std::log(arms_.ratio())),
      logs_(logarithms(arms_.interval(alpha_))),
      narrow_(layout_ ? logarithms(arms_.arms().interval(alpha_)) : logs_) {}

double TestedRow::p(double shift) const {
  return p_within(arms_, log_ratio_, shift);
}

double TestedRow::p_without_layout(double shift) const {
  return p_within(arms_.arms(), log_ratio_, shift);
}

std::optional<Interval> TestedRow::interval(double shift) const {
  return widened(logs_, shift);
}

std::optional<Interval> TestedRow::interval_without_layout(double shift) const {
  return widened(narrow_, shift);
}

std::optional<double> TestedRow::standard_error() const {
  return error_of(logs_, alpha_);
}

std::optional<double> TestedRow::noise() const {
  const std::optional<double> error = error_of(narrow_, alpha_);
  if (!error) return std::nullopt;
  return *error * std::sqrt(harmonic_mean(base_processes_, head_processes_) / 2 * 3 / std::numbers::pi);
}

double TestedRow::layout_shift() const {
  if (!logs_ || !narrow_) return 0;
  return ((logs_->high - logs_->low) - (narrow_->high - narrow_->low)) / 2;
}

double TestedRow::layout_shift(double alpha) const {
  if (!layout_) return 0;
  const std::optional<Interval> wide = logarithms(arms_.interval(alpha)),
                                narrow = logarithms(arms_.arms().interval(alpha));
  if (!wide || !narrow) return layout_shift();
  return ((wide->high - wide->low) - (narrow->high - narrow->low)) / 2;
}

std::optional<std::size_t> TestedRow::needed(double noise, double shift, double threshold) const {
  const double edge = std::log1p(threshold), far = std::abs(log_ratio_);
  // More processes make the noise smaller, but not what the layouts differ by.
  shift += layout_shift();
  // The shift narrows the range of either verdict.
  const double reach = far > edge ? edge + shift : edge - shift;
  if (far > edge ? far <= reach : far >= reach) return std::nullopt;
  auto needed = stats::processes_to_decide(
      std::exp(far),
      {.sigma = noise, .table = table_, .alpha = alpha_, .threshold = std::expm1(reach), .power = stats::kPower});
  if (!needed) return std::nullopt;
  if (far > edge) {
    // After the correction for the table, too, layouts hide what more processes do not show.
    const double hidden = layout_shift(alpha_ / static_cast<double>(table_));
    if (far <= hidden) return std::nullopt;
    const auto significant =
        stats::processes_for(std::expm1(far - hidden), {.sigma = noise, .table = table_, .alpha = alpha_});
    if (!significant) return std::nullopt;
    *needed = std::max(*needed, *significant);
  }
  return std::max(*needed, std::min(base_processes_, head_processes_) + 1);
}

std::optional<double> TestedRow::detectable(double shift, double threshold) const {
  const double strict_alpha = alpha_ / static_cast<double>(table_);
  const std::optional<Interval> own = widened(logs_, 0), strict = arms_.interval(strict_alpha);
  if (!own || !strict) return std::nullopt;
  const double ratio = std::exp(log_ratio_);
  // Both must hold, and the estimate that is far enough for the one is far enough for the other or not.
  const double significant = 1 + stats::detectable_change(*strict, ratio, strict_alpha);
  const double beyond = (1 + stats::detectable_change(*own, ratio, alpha_)) * (1 + threshold);
  return std::max(significant, beyond) * std::exp(shift) - 1;
}

}  // namespace lab::judge
