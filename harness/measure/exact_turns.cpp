#include "harness/measure/exact_turns.h"

#include <algorithm>

namespace lab::measure {

namespace {

/// What they add to a process, in seconds, before any has collected them: between that of an ordinary machine and that
/// of a loaded virtual one (harness/docs/decisions.md).
constexpr double kAssumedSeconds = 0.2;

}  // namespace

ExactTurns::ExactTurns(const SessionLength& length, const std::vector<Benchmark>& benchmarks, std::uint64_t first)
    : blocks_each_(length.exact_blocks),
      limit_(length.side_seconds()),
      had_(benchmarks.size(), Had::kNone),
      left_(benchmarks.size(), 0),
      current_(benchmarks.size(), false) {
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    arms_.push_back(benchmarks[i].arms);
    order_.push_back((first % benchmarks.size() + i) % benchmarks.size());
  }
  std::stable_partition(order_.begin(), order_.end(), [&](std::size_t i) { return benchmarks[i].core; });
}

double ExactTurns::expected_seconds() const {
  return processes_ == 0 ? kAssumedSeconds : spent_ / static_cast<double>(processes_);
}

double ExactTurns::cost(std::size_t benchmark, int blocks) const {
  return blocks * static_cast<double>(arms_[benchmark]) * expected_seconds();
}

int ExactTurns::blocks_after(Had had) const {
  return had == Had::kAll ? 0 : had == Had::kFirst ? std::max(0, blocks_each_ - 1) : blocks_each_;
}

void ExactTurns::begin_block(const std::vector<bool>& ready, bool more_to_come) {
  if (blocks_each_ == 0) return;
  double promised = spent_;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (current_[i]) left_[i] = std::max(0, left_[i] - 1);
    promised += cost(i, left_[i]);
  }
  current_ = ready;
  // Adds blocks in their order, until they would exceed the limit.
  const auto promise = [&](Had before, Had after, int blocks) {
    for (const std::size_t i : order_) {
      if (!ready[i] || had_[i] != before) continue;
      promised += cost(i, blocks);
      if (limit_ > 0 && promised > limit_) return false;
      left_[i] += blocks;
      had_[i] = after;
    }
    return true;
  };
  if (!promise(Had::kNone, Had::kFirst, 1)) return;
  for (std::size_t i = 0; more_to_come && i < arms_.size(); ++i)
    if (had_[i] == Had::kNone) promised += cost(i, 1);
  promise(Had::kFirst, Had::kAll, blocks_each_ - 1);
}

void ExactTurns::took(double seconds) {
  spent_ += std::max(0.0, seconds);
  ++processes_;
}

double ExactTurns::reserve() const {
  double seconds = 0;
  for (std::size_t i = 0; i < arms_.size(); ++i) seconds += cost(i, left_[i] + blocks_after(had_[i]));
  return std::clamp(limit_ - spent_, 0.0, seconds);
}

}  // namespace lab::measure
