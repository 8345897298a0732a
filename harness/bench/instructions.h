/// Counts the instructions of a piece of work with the processor's own counter (perf_event_open(2)).
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/open_file.h"
#include "harness/bench/phase_counter.h"

namespace lab::bench {

/// Counts the user-space instructions of the constructing thread between start() and stop(), plus a few of these two
/// functions. If no such counter is available (perf_event_paranoid, a container's seccomp, a virtual machine, another
/// kernel), every function does nothing.
///
/// A processor counts the return from an interrupt as a user-space instruction (Weaver, Terpstra, Moore:
/// Non-determinism and overcount on modern hardware performance counter implementations, 2013), so 20 ms of work count
/// 4 to 8 too many. The processor counts the same returns as far branches, and these are subtracted.
///
/// The counter always runs and is only read: switching it on and off takes up to 5 ms in a virtual machine.
class Instructions final : public PhaseCounter {
 public:
  Instructions();

  bool counts() const { return instructions_.get() >= 0; }
  void start() override;
  void stop() override;

  /// The total over all start()/stop() pairs so far; none if any part could not be counted.
  std::optional<std::uint64_t> sum() const { return sum_; }

 private:
  std::optional<std::uint64_t> now() const;

  File instructions_;
  File far_branches_;  ///< counted in the same group; none if the processor's event is unknown
  std::optional<std::uint64_t> before_;
  std::optional<std::uint64_t> sum_ = 0;
};

}  // namespace lab::bench
