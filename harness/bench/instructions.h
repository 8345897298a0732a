/// How many instructions a piece of work takes, by the processor's own counter (perf_event_open(2)).
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/spawn.h"

namespace lab::bench {

/// Counts what the thread that made it executes in user space between start() and stop(), and a few instructions of
/// these two. Where there is no such counter for us (perf_event_paranoid, a container's seccomp, a virtual machine,
/// another kernel) all of it does nothing.
///
/// A processor counts the return from an interrupt as an instruction of user space (Weaver, Terpstra, Moore:
/// Non-determinism and overcount on modern hardware performance counter implementations, 2013), so a work of 20 ms
/// counts 4 to 8 too many. It counts the same returns as far branches, and these are taken off.
///
/// The counter runs all the time and is read: switching it on and off takes up to 5 ms in a virtual machine.
class Instructions {
 public:
  Instructions();

  bool counts() const { return instructions_.get() >= 0; }
  void start();
  void stop();

  /// Between all start()s and stop()s so far; none where any of it could not be counted.
  std::optional<std::uint64_t> sum() const { return sum_; }

 private:
  std::optional<std::uint64_t> now() const;

  File instructions_;
  File far_branches_;  ///< counted in the same group; none where the processor's event is not known
  std::optional<std::uint64_t> before_;
  std::optional<std::uint64_t> sum_ = 0;
};

}  // namespace lab::bench
