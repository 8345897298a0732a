#include "harness/judge/judged_blocks.h"

#include <algorithm>

#include "harness/judge/comparison.h"

namespace lab::judge {

namespace {

/// The rows of a session's own comparison: the most benchmarks of base in one block.
std::size_t rows_of(const results::Result& result) {
  std::map<int, std::size_t> rows;
  std::size_t most = 0;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kBase) most = std::max(most, ++rows[process.block]);
  return most;
}

}  // namespace

bool is_disturbed(const results::Disturbance& block) {
  return block.foreign + block.stolen > kDisturbedShare * block.seconds + kTicks;
}

JudgedBlocks::JudgedBlocks(const results::Result& result, std::string_view benchmark, double alpha) {
  std::map<int, double> seconds;
  for (const results::Disturbance& block : result.session.disturbances) {
    seconds[block.block] = block.seconds;
    if (is_disturbed(block)) disturbed_.insert(block.block);
  }
  if (disturbed_.empty()) return;
  const results::BenchmarkParts own = results::benchmark_parts(benchmark);
  for (const results::Process& process : result.processes) {
    const results::BenchmarkParts parts = results::benchmark_parts(process.benchmark);
    if (process.arm != results::kHead || parts.workload != own.workload || parts.family != own.family) continue;
    Blocks& of = benchmarks_[process.benchmark];
    const bool disturbed = disturbed_.contains(process.block);
    ++of.all;
    of.undisturbed += !disturbed;
    of.seconds += seconds[process.block];
    of.disturbed_seconds += disturbed ? seconds[process.block] : 0;
  }
  if (const std::size_t rows = rows_of(result); rows > 0)
    least_ = std::max(least_, stats::fewest_blocks(family_size(rows), alpha));
  // A benchmark that ended early has no interval either way, and must not decide for the others.
  const auto has_enough = [this](const auto& one) { return one.second.undisturbed >= least_; };
  sets_aside_ = std::ranges::any_of(benchmarks_, has_enough) && std::ranges::all_of(benchmarks_, [&](const auto& one) {
                  return one.second.all < least_ || has_enough(one);
                });
}

JudgedBlocks::Blocks JudgedBlocks::blocks_of(std::string_view benchmark) const {
  const auto found = benchmarks_.find(results::without_metric(benchmark));
  return found == benchmarks_.end() ? Blocks() : found->second;
}

bool JudgedBlocks::is_level(std::string_view benchmark) const {
  const Blocks own = blocks_of(benchmark);
  return sets_aside(benchmark) || own.disturbed_seconds <= kDisturbedTime * own.seconds;
}

}  // namespace lab::judge
