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
      first_block_(length.budget_seconds > 0 ? kFirstExactBlock : 0),
      limit_(length.side_seconds()),
      left_(benchmarks.size(), 0) {
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    arms_.push_back(benchmarks[i].arms);
    order_.push_back((first % benchmarks.size() + i) % benchmarks.size());
  }
  std::stable_partition(order_.begin(), order_.end(), [&](std::size_t i) { return benchmarks[i].core; });
}

double ExactTurns::expected_seconds() const {
  return processes_ == 0 ? kAssumedSeconds : spent_ / static_cast<double>(processes_);
}

int ExactTurns::blocks_of(std::size_t turn) const {
  return turn < order_.size() ? std::min(1, blocks_each_) : std::max(0, blocks_each_ - 1);
}

void ExactTurns::begin_block(int block) {
  if (block < first_block_ || blocks_each_ == 0) return;
  double promised = spent_;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    left_[i] = std::max(0, left_[i] - 1);
    promised += left_[i] * static_cast<double>(arms_[i]) * expected_seconds();
  }
  for (; begun_ < 2 * order_.size(); ++begun_) {
    const std::size_t next = order_[begun_ % order_.size()];
    promised += blocks_of(begun_) * static_cast<double>(arms_[next]) * expected_seconds();
    if (limit_ > 0 && promised > limit_) return;
    left_[next] += blocks_of(begun_);
  }
}

bool ExactTurns::wants(std::size_t benchmark) const {
  return left_[benchmark] > 0 && (limit_ <= 0 || spent_ < limit_);
}

void ExactTurns::took(double seconds) {
  spent_ += std::max(0.0, seconds);
  ++processes_;
}

double ExactTurns::reserve() const {
  double blocks = 0;
  for (std::size_t i = 0; i < arms_.size(); ++i) blocks += left_[i] * static_cast<double>(arms_[i]);
  for (std::size_t turn = begun_; turn < 2 * order_.size(); ++turn)
    blocks += blocks_of(turn) * static_cast<double>(arms_[order_[turn % order_.size()]]);
  return std::clamp(limit_ - spent_, 0.0, blocks * expected_seconds());
}

}  // namespace lab::measure
