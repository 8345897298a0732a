/// The parts of a variant executable: a Variant describes itself and offers workloads; variant_main runs them. A
/// variant's source file defines this_variant() and nothing else of the benchmarks (usually with its family's
/// make_variant<...>()).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/instructions.h"

namespace lab::bench {

/// Version of the protocol between `run` and a variant executable (see protocol.h); old executables keep theirs.
inline constexpr int kProtocol = 2;

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

  /// Nanoseconds per phase since construction.
  const std::vector<double>& nanoseconds() const { return nanoseconds_; }

 private:
  std::vector<double> nanoseconds_;
  decltype(Clock::now) now_;
  Instructions* instructions_;
};

/// The inputs of a workload's preparation.
struct Parameters {
  std::uint64_t seed = 1;  ///< of every random choice
  unsigned threads = 1;    ///< logical cores the process may use
};

/// A prepared workload: set-up is done, and it can be repeated any number of times.
class Task {
 public:
  virtual ~Task() = default;

  /// Does the same work each time; only code inside `clock.time` is timed. Returns the checksum of everything read
  /// back: the same in every repetition and, for one seed, in every correct variant.
  virtual std::uint64_t repeat(PhaseClock& clock) = 0;

  /// Exact metrics of the task other than times, by name with unit ("metadata_bytes").
  virtual std::map<std::string, double> counters() const { return {}; }

  /// The same for metrics that cost as much as some repetitions; called in a few processes, after the timing.
  virtual std::map<std::string, double> costly_counters() const { return {}; }
};

/// One deterministic task of a family.
struct Workload {
  std::string name;                 ///< as in `family/variant/workload`
  std::string title;                ///< one line for people
  int version = 1;                  ///< raised when the work changes: results of two versions are not comparable
  std::vector<std::string> phases;  ///< at least one; the benchmark's time is their sum
  std::uint64_t operations = 1;     ///< per repetition; times are divided by it
  std::string operation = "op";     ///< what one operation is ("command", "pair")
  bool parallel = false;            ///< uses every logical core: its process is not pinned
  std::string unsupported;          ///< why this variant does not support it; "" if it does
  std::function<std::unique_ptr<Task>(const Parameters&)> prepare;  ///< empty where unsupported
  bool repeatable = true;  ///< no clock, address or other thread changes which instructions run
  std::map<std::string, std::uint64_t> phase_operations = {};  ///< by phase; the others have `operations`
};

/// A promise of a family, which its variants must keep.
struct ConformanceCheck {
  std::string name;                            ///< a true sentence about a correct variant; unique in the variant
  std::function<std::string()> what_is_wrong;  ///< "" if the check passes
};

/// A variant's source file names it and fills in the four descriptive lines; its family's make_variant() the rest.
struct Variant {
  std::string family = {};
  std::string name = {};
  std::string idea = {};
  std::string cost = {};
  std::string source = {};
  std::string weakness = {};
  std::map<std::string, std::string> traits = {};  ///< what drives the conformance checks, for readers and the report
  std::vector<Workload> workloads = {};
  std::vector<ConformanceCheck> conformance = {};
};

/// Defined once, in every variant's source file.
Variant this_variant();

/// `--describe`, `--run WORKLOAD --seed N --seconds S [--threads N]`, `--conformance [CHECK] [--seconds S]`, or Google
/// Benchmark's own flags. Returns the exit status: 0, 1 if a check failed, 2 for wrong usage.
int variant_main(int argc, char** argv, const Variant& variant);

}  // namespace lab::bench
