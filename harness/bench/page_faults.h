/// Counts the page faults of a piece of work (getrusage(2)).
#pragma once

#include <cstdint>

#include "harness/bench/phase_counter.h"

namespace lab::bench {

/// Counts the page faults of all threads of the process, with and without reading a disk, between start() and stop().
/// The kernel makes a page when it is first touched, and takes it back when memory is returned: work that returns
/// memory and asks for it again has them in each repetition.
class PageFaults final : public PhaseCounter {
 public:
  void start() override;
  void stop() override;

  /// The total over all start()/stop() pairs so far.
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t before_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace lab::bench
