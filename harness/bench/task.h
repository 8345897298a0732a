/// What a variant's source file includes of the benchmarks: the types of timed code, and this_variant(). A file that
/// includes this alone is not compiled again when descriptions change.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/phase_counter.h"

namespace lab::bench {

/// CPU time of the calling thread; seconds.
double thread_cpu_seconds();

/// The source of times; tests supply their own. Plain functions: a read costs as much as steady_clock::now().
struct Clock {
  using TimePoint = std::chrono::steady_clock::time_point;
  TimePoint (*now)() noexcept = std::chrono::steady_clock::now;
  double (*cpu_seconds)() = thread_cpu_seconds;
};

/// The stopwatch of one repetition, with one total per phase. Code outside time() is not measured.
class PhaseClock {
 public:
  /// With `counter`, it counts instead of timing, because reading the clock takes a varying number of instructions.
  explicit PhaseClock(std::size_t phases, PhaseCounter* counter = nullptr, const Clock& clock = {})
      : nanoseconds_(phases, 0.0), now_(clock.now), counter_(counter) {}

  /// Runs `work` and adds its wall time to `phase` (an index into Workload::phases).
  template <typename Work>
  void time(std::size_t phase, Work&& work) {
    Clock::TimePoint start;
    if (counter_ == nullptr)
      start = now_();
    else
      counter_->start();
    std::forward<Work>(work)();
    if (counter_ == nullptr)
      nanoseconds_[phase] += std::chrono::duration<double, std::nano>(now_() - start).count();
    else
      counter_->stop();
  }

  /// Adds a time that something else measured, for example the timestamps of a device.
  void add(std::size_t phase, double nanoseconds) { nanoseconds_[phase] += nanoseconds; }

  /// Nanoseconds per phase since construction.
  const std::vector<double>& nanoseconds() const { return nanoseconds_; }

 private:
  std::vector<double> nanoseconds_;
  decltype(Clock::now) now_;
  PhaseCounter* counter_;
};

/// What one process measures.
struct Case {
  std::uint64_t seed = 1;   ///< of every random choice
  unsigned threads = 1;     ///< logical cores the process may use
  std::string device = {};  ///< the Vulkan device to use, as the probe names it; "": none
  std::string assets = {};  ///< folder of the files that a workload reads; "": none
  double point = 0;         ///< of the workload's axis; 0 without one
};

/// A prepared workload: set-up is done, and it can be repeated any number of times.
class Task {
 public:
  virtual ~Task();

  /// Does the same work each time; only code inside `clock.time` is timed. Returns the checksum of everything read
  /// back: the same in every repetition and, for one seed, in every correct variant. A workload with a tolerance
  /// returns anything: its answer() counts.
  virtual std::uint64_t repeat(PhaseClock& clock) = 0;

  /// What the last repetition computed, for a workload with a tolerance: as many values in every variant.
  virtual std::vector<float> answer() const;

  /// Values of the workload's metrics other than times, by name ("metadata_bytes").
  virtual std::map<std::string, double> counters() const;

  /// The same for metrics that cost as much as some repetitions; called in a few processes, after the timing.
  virtual std::map<std::string, double> costly_counters() const;
};

/// What a variant's source file says of itself: literals, so that no variant compiles code for strings.
struct Card {
  const char* idea = "";
  const char* cost = "";
  const char* source = "";
  const char* weakness = "";
};

struct Workload;
struct Variant;

/// Defined once, in every variant's source file (usually with its family's make_variant<...>()).
const Variant& this_variant();

}  // namespace lab::bench
