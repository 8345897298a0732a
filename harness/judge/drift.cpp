#include "harness/judge/drift.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/normal.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::judge {

namespace {

/// The logarithms of a benchmark's values, by block and arm.
std::map<int, std::vector<std::vector<double>>> by_block(const Drift::Arms& arms) {
  std::map<int, std::vector<std::vector<double>>> blocks;
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    for (const stats::Datum& datum : arms[arm]) {
      auto& of = blocks[datum.block];
      of.resize(arms.size());
      of[arm].push_back(std::log(datum.value));
    }
  return blocks;
}

/// The effect of each block that has all arms on one benchmark: the logarithm of the arms' middle there, relative to
/// that of the middle block.
std::map<int, double> block_effects(const Drift::Arms& arms) {
  std::map<int, double> effects;
  std::vector<double> all;
  for (const auto& [block, values] : by_block(arms)) {
    if (std::ranges::any_of(values, [](const auto& of) { return of.empty(); })) continue;
    double sum = 0;
    for (const std::vector<double>& of : values) sum += stats::median(of);
    all.push_back(effects[block] = sum / static_cast<double>(values.size()));
  }
  const double middle = all.empty() ? 0 : stats::median(all);
  for (auto& [block, effect] : effects) effect -= middle;
  return effects;
}

SessionShift measured(double log_shift, ShiftSource source) {
  return {std::expm1(std::max(kLeastShift, log_shift)), source};
}

std::optional<SessionShift> of_identical_code(const std::vector<RowMove>& rows, double alpha) {
  std::vector<double> moves;
  for (const RowMove& row : rows)
    if (row.identical) moves.push_back(std::abs(row.log_ratio));
  if (moves.size() < kEnoughIdentical) return std::nullopt;
  return measured(stats::quantile(moves, 1 - alpha), {ShiftSource::kIdentical, moves.size(), 0});
}

std::optional<SessionShift> of_table(const std::vector<RowMove>& rows, double alpha) {
  std::vector<double> logs, errors;
  for (const RowMove& row : rows)
    if (row.standard_error) {
      logs.push_back(row.log_ratio);
      errors.push_back(*row.standard_error);
    }
  if (logs.size() < kEnoughRows) return std::nullopt;
  const double center = stats::median(logs), noise = stats::median(errors), spread = stats::mad_sigma(logs);
  const double beyond = std::sqrt(std::max(0.0, spread * spread - noise * noise));
  return measured(std::abs(center) + stats::upper_normal_quantile(alpha / 2) * beyond,
                  {ShiftSource::kTable, 0, std::expm1(center)});
}

}  // namespace

Drift::Drift(const std::vector<Arms>& benchmarks) {
  std::map<int, std::vector<double>> blocks;
  for (const Arms& arms : benchmarks)
    for (const auto& [block, effect] : block_effects(arms)) blocks[block].push_back(effect);
  if (std::ranges::any_of(blocks, [](const auto& block) { return block.second.size() < kEnoughRows; })) return;
  for (const auto& [block, effects] : blocks) effects_[block] = stats::median(effects);
}

std::vector<stats::Datum> Drift::removed_from(std::vector<stats::Datum> data) const {
  for (stats::Datum& datum : data)
    if (const auto at = effects_.find(datum.block); at != effects_.end()) datum.value *= std::exp(-at->second);
  return data;
}

SessionShift session_shift(const std::vector<RowMove>& rows, double alpha) {
  if (const std::optional<SessionShift> shift = of_identical_code(rows, alpha)) return *shift;
  if (const std::optional<SessionShift> shift = of_table(rows, alpha)) return *shift;
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
