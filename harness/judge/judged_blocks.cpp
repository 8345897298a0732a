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
    if (process.is_untimed) continue;
    Blocks& of = sessions_[process.session].benchmarks[process.benchmark];
    const bool disturbed = disturbed_.contains(process.block);
    ++of.all;
    of.undisturbed += !disturbed;
    of.seconds += seconds[process.block];
    of.disturbed_seconds += disturbed ? seconds[process.block] : 0;
  }
  for (auto& [number, session] : sessions_) {
    // Only the main session of a picture has a table of its own.
    if (const std::size_t rows = number == 0 ? rows_of(result) : 0; rows > 0)
      session.least = std::max(session.least, stats::fewest_blocks(family_size(rows), alpha));
    const std::size_t least = session.least;
    // A benchmark that ended early has no interval either way, and must not decide for the others.
    const auto has_enough = [least](const auto& one) { return one.second.undisturbed >= least; };
    session.sets_aside = std::ranges::any_of(session.benchmarks, has_enough) &&
                         std::ranges::all_of(session.benchmarks, [&](const auto& one) {
                           return one.second.all < least || has_enough(one);
                         });
  }
}

JudgedBlocks::Blocks JudgedBlocks::Session::blocks_of(std::string_view benchmark) const {
  const auto found = benchmarks.find(results::without_metric(benchmark));
  return found == benchmarks.end() ? Blocks() : found->second;
}

bool JudgedBlocks::sets_aside(int session, std::string_view benchmark) const {
  const auto found = sessions_.find(session);
  return found != sessions_.end() && found->second.sets_aside_of(benchmark);
}

bool JudgedBlocks::is_affected(std::string_view benchmark) const {
  return std::ranges::any_of(sessions_, [&](const auto& one) {
    const Blocks blocks = one.second.blocks_of(benchmark);
    return blocks.undisturbed < blocks.all;
  });
}

bool JudgedBlocks::sets_aside(std::string_view benchmark) const {
  return std::ranges::any_of(sessions_, [&](const auto& one) { return one.second.sets_aside_of(benchmark); });
}

bool JudgedBlocks::is_level(std::string_view benchmark) const {
  return std::ranges::all_of(sessions_, [&](const auto& one) {
    const Blocks blocks = one.second.blocks_of(benchmark);
    return one.second.sets_aside_of(benchmark) || blocks.disturbed_seconds <= kDisturbedTime * blocks.seconds;
  });
}

}  // namespace lab::judge
