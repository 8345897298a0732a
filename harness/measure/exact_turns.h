/// Which processes of a session collect the exact metrics that cost time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/measure/plan.h"

namespace lab::measure {

/// Gives each benchmark SessionLength::exact_blocks such blocks, all of its arms in the same ones, until
/// SessionLength::side_seconds are spent. Each has a first block before any has the others, because one value of each
/// says more than three of some. Core benchmarks come before the others, because readers compare variants by them. Both
/// come in the order of their numbers, from `first` on around, so that another `first` in each session gives all of
/// them their turn.
class ExactTurns {
 public:
  struct Benchmark {
    std::size_t arms;
    bool core = true;
  };
  ExactTurns(const SessionLength& length, const std::vector<Benchmark>& benchmarks, std::uint64_t first);

  /// Call before each block: adds the benchmarks that the time left allows. `ready`, by number: whether the benchmark
  /// is in this block, and its next processes may collect them (with a budget, one process without them shows first
  /// what they add). `more_to_come`: whether a later block may have benchmarks that had none yet; time is kept for
  /// these.
  void begin_block(const std::vector<bool>& ready, bool more_to_come);

  /// Whether the benchmark's next process collects them.
  bool wants(std::size_t benchmark) const { return left_[benchmark] > 0 && (limit_ <= 0 || spent_ < limit_); }

  /// A process that collected them took this much longer because of them.
  void took(double seconds);

  /// Seconds that they are expected to take from now on; 0 without a budget.
  double reserve() const;

 private:
  enum class Had { kNone, kFirst, kAll };  ///< blocks, promised ones included

  double expected_seconds() const;
  double cost(std::size_t benchmark, int blocks) const;
  int blocks_after(Had had) const;

  int blocks_each_;
  double limit_;  ///< seconds; 0: none
  std::vector<std::size_t> arms_;
  std::vector<std::size_t> order_;
  std::vector<Had> had_;       ///< by benchmark
  std::vector<int> left_;      ///< promised blocks, by benchmark; this one included
  std::vector<bool> current_;  ///< what was ready for this block
  double spent_ = 0;
  std::size_t processes_ = 0;  ///< that took `spent_`
};

}  // namespace lab::measure
