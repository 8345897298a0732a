/// The parts of a variant executable: a Variant describes itself and offers workloads; variant_main runs them. A
/// variant's source file defines this_variant() and nothing else of the benchmarks (usually with its family's
/// make_variant<...>()).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/description.h"
#include "harness/bench/instructions.h"

namespace lab::bench {

/// Version of the protocol between `run` and a variant executable (see protocol.h); old executables keep theirs.
inline constexpr int kProtocol = 3;

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
  /// With `instructions`, it counts instead of timing, because reading the clock takes a varying number of
  /// instructions.
  explicit PhaseClock(std::size_t phases, Instructions* instructions = nullptr, const Clock& clock = {})
      : nanoseconds_(phases, 0.0), now_(clock.now), instructions_(instructions) {}

  /// Runs `work` and adds its wall time to `phase` (an index into Workload::phases).
  template <typename Work>
  void time(std::size_t phase, Work&& work) {
    Clock::TimePoint start;
    if (instructions_ == nullptr)
      start = now_();
    else
      instructions_->start();
    std::forward<Work>(work)();
    if (instructions_ == nullptr)
      nanoseconds_[phase] += std::chrono::duration<double, std::nano>(now_() - start).count();
    else
      instructions_->stop();
  }

  /// Adds a time that something else measured, for example the timestamps of a device.
  void add(std::size_t phase, double nanoseconds) { nanoseconds_[phase] += nanoseconds; }

  /// Nanoseconds per phase since construction.
  const std::vector<double>& nanoseconds() const { return nanoseconds_; }

 private:
  std::vector<double> nanoseconds_;
  decltype(Clock::now) now_;
  Instructions* instructions_;
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

class ExhibitFiles;

/// A workload and how to run it.
struct Workload : WorkloadInfo {
  std::string unsupported = {};  ///< why this variant does not support it; "" if it does
  std::function<std::unique_ptr<Task>(const Case&)> prepare = {};  ///< empty where unsupported
  bool repeatable = true;  ///< no clock, address or other thread changes which instructions run
  /// Writes every file of WorkloadInfo::exhibits (exhibits.h). Does the same work each time.
  std::function<void(const Case&, ExhibitFiles&)> exhibit = {};
};

/// A promise of a family, which its variants must keep.
struct ConformanceCheck {
  std::string name;                            ///< a true sentence about a correct variant; unique in the variant
  std::function<std::string()> what_is_wrong;  ///< "" if the check passes
  bool decides = true;  ///< false: a failure is only remarked, because no workload depends on the promise
};

/// What a variant's source file says of itself: literals, so that no variant compiles code for strings.
struct Card {
  const char* idea = "";
  const char* cost = "";
  const char* source = "";
  const char* weakness = "";
};

/// The same with the variant's names; its family adds the traits.
VariantCard variant_card(const char* family, const char* name, const Card& card);

/// A variant's card, which its source file writes, and what its family's make_variant() adds.
struct Variant : VariantCard {
  std::vector<Workload> workloads = {};
  std::vector<ConformanceCheck> conformance = {};
  /// Does what the bytes of `input` say and checks every result; "" or what is wrong. For every input: a fuzzer chooses
  /// them. Empty: the family has no such check.
  std::function<std::string(std::span<const std::uint8_t> input)> fuzz = {};
};

/// Defined once, in every variant's source file.
Variant this_variant();

/// `--describe`, `--run WORKLOAD`, `--answer WORKLOAD`, `--exhibit WORKLOAD`, `--conformance [CHECK]` with the options
/// of protocol.h, or Google Benchmark's own flags. Returns the exit status: 0, 1 if a check failed, 2 for wrong usage.
int variant_main(int argc, char** argv, const Variant& variant);

}  // namespace lab::bench
