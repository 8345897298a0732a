#include "harness/judge/session_shift.h"

#include <algorithm>
#include <cmath>

#include "harness/judge/drift.h"
#include "harness/stats/normal.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::judge {

namespace {

SessionShift measured(double log_shift, ShiftSource source) {
  return {std::expm1(std::max(kLeastShift, log_shift)), source};
}

std::optional<SessionShift> of_identical_code(const std::vector<RowMove>& rows) {
  std::vector<double> moves;
  for (const RowMove& row : rows)
    if (row.identical) moves.push_back(std::abs(row.log_ratio));
  if (moves.size() < kEnoughIdentical) return std::nullopt;
  return measured(stats::quantile(moves, 0.95), {ShiftSource::kIdentical, moves.size(), 0});
}

std::optional<SessionShift> of_table(const std::vector<RowMove>& rows) {
  std::vector<double> logs, errors;
  for (const RowMove& row : rows)
    if (row.standard_error) {
      logs.push_back(row.log_ratio);
      errors.push_back(*row.standard_error);
    }
  if (logs.size() < kEnoughRows) return std::nullopt;
  const double center = stats::median(logs), noise = stats::median(errors), spread = stats::mad_sigma(logs);
  const double beyond = std::sqrt(std::max(0.0, spread * spread - noise * noise));
  return measured(std::abs(center) + stats::upper_normal_quantile(0.05 / 2) * beyond,
                  {ShiftSource::kTable, 0, std::expm1(center)});
}

}  // namespace

SessionShift session_shift(const std::vector<RowMove>& rows) {
  if (const std::optional<SessionShift> shift = of_identical_code(rows)) return *shift;
  if (const std::optional<SessionShift> shift = of_table(rows)) return *shift;
  return measured(std::log1p(kAssumedShift), {ShiftSource::kAssumed, 0, 0});
}

std::optional<MovedIdenticalCode> moved_identical_code(const std::vector<RowMove>& rows) {
  const RowMove* farthest = nullptr;
  for (const RowMove& row : rows)
    if (row.identical && (farthest == nullptr || std::abs(row.log_ratio) > std::abs(farthest->log_ratio)))
      farthest = &row;
  if (farthest == nullptr || std::abs(farthest->log_ratio) <= std::log1p(kAssumedShift)) return std::nullopt;
  return MovedIdenticalCode{farthest->benchmark, std::expm1(farthest->log_ratio)};
}

}  // namespace lab::judge
