#include "harness/judge/drift.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/quantile.h"

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

}  // namespace lab::judge
