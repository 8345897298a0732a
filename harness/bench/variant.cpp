#include "harness/bench/variant.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <optional>
#include <string_view>

#include "harness/base/nearest.h"
#include "harness/bench/conformance.h"
#include "harness/bench/protocol.h"
#include "harness/bench/stationary.h"

namespace lab::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMinRepetitions = 3;
constexpr std::size_t kMaxRepetitions = 100'000;

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

int usage(const std::string& what, const std::string& hint) {
  fmt::print(stderr, "variant: error: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
  return 2;
}

void print(const boost::json::object& object) {
  fmt::print("{}\n", boost::json::serialize(object));
}

/// The main thread's CPU time; seconds.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Repeats one task and keeps every repetition.
class Recorder {
 public:
  Recorder(const Workload& workload, Task& task) : workload_(workload), task_(task), samples_(workload.phases.size()) {}

  /// Room for all, so that keeping them changes nothing in a heap that they share with the task.
  void reserve() {
    for (std::vector<double>& phase : samples_) phase.reserve(kMaxRepetitions);
    totals_.reserve(kMaxRepetitions);
    begins_.reserve(kMaxRepetitions);
  }

  /// One repetition, of which nothing is kept but its answer; returns its timed nanoseconds by phase.
  std::vector<double> repeat(Instructions* instructions = nullptr) {
    PhaseClock clock(workload_.phases.size(), instructions);
    const std::uint64_t checksum = task_.repeat(clock);
    if (!checksum_) checksum_ = checksum;
    if (*checksum_ != checksum) stable_ = false;
    ++repetitions_;
    return clock.nanoseconds();
  }

  /// Repeats and keeps what was measured, as often as fits. A repetition is taken to cost what the one before did: later
  /// ones may take much less than the first, or more.
  void record_until(Clock::time_point end) {
    Clock::duration cost{0};
    while (totals_.size() < kMinRepetitions || (totals_.size() < kMaxRepetitions && Clock::now() + cost < end))
      cost = record();
  }

  /// Forgets what was warm-up, at most half of the time since `start`, and fills in all that was measured.
  void settle_into(Measurement& measurement, Clock::time_point start) {
    const Clock::time_point half = start + (end_.wall - start) / 2;
    std::size_t most = 0;
    while (most + kMinRepetitions < totals_.size() && begins_[most + 1].wall <= half) ++most;
    const Settling settling = settle(totals_, most);
    const std::size_t first = settling.warmup;
    const auto kept = static_cast<double>(totals_.size() - first);
    measurement.checksum = checksum_.value_or(0);
    measurement.stationary = settling.stationary;
    measurement.warmup_repetitions = repetitions_ - (totals_.size() - first);
    measurement.warmup_seconds = std::chrono::duration<double>(begins_[first].wall - start).count();
    measurement.cpu_time_ns = (end_.cpu - begins_[first].cpu) * 1e9 / kept;
    for (std::vector<double>& phase : samples_)
      phase.erase(phase.begin(), phase.begin() + static_cast<std::ptrdiff_t>(first));
    measurement.samples = std::move(samples_);
  }

  /// What one repetition executes inside its phases; none where that cannot be counted.
  std::optional<std::uint64_t> count_instructions() {
    Instructions instructions;
    if (!instructions.counts()) return std::nullopt;
    // From the beginning of a page: memset's path through an array on the stack depends on its alignment, and where the
    // stack lies is chance.
    constexpr std::uintptr_t kPageBytes = 4096;
    void* const padding = __builtin_alloca(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % kPageBytes);
    asm volatile("" : : "r"(padding) : "memory");
    repeat(&instructions);
    return instructions.sum();
  }

  bool stable() const { return stable_; }

 private:
  struct Moment {
    Clock::time_point wall;
    double cpu = 0;
  };
  static Moment now() { return {Clock::now(), cpu_seconds()}; }

  /// Returns what it took, untimed parts included.
  Clock::duration record() {
    const Moment before = now();
    const std::vector<double> nanoseconds = repeat();
    for (std::size_t phase = 0; phase < samples_.size(); ++phase) samples_[phase].push_back(nanoseconds[phase]);
    totals_.push_back(std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0));
    begins_.push_back(before);
    end_ = now();
    return end_.wall - before.wall;
  }

  const Workload& workload_;
  Task& task_;
  std::vector<std::vector<double>> samples_;  ///< [phase][repetition], nanoseconds
  std::vector<double> totals_;                ///< of the phases
  std::vector<Moment> begins_;
  Moment end_;
  std::size_t repetitions_ = 0;  ///< those that were not kept included
  std::optional<std::uint64_t> checksum_;
  bool stable_ = true;
};

/// Whether this process is to find what takes a few repetitions (protocol.h).
bool wants_exact() {
  const char* const asked = std::getenv("LAB_EXACT");
  return asked != nullptr && std::string_view(asked) == "1";
}

int run_workload(const Variant& variant, const Workload& workload, const Parameters& parameters, double seconds) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(seconds));
  const std::unique_ptr<Task> task = workload.prepare(parameters);
  Recorder recorder(workload, *task);
  recorder.reserve();
  const Clock::time_point start = Clock::now();

  // The first two pay for page faults and cold caches, whatever comes after.
  recorder.repeat();
  recorder.repeat();
  // Always the third one: an allocator's lists are not in the same order after each.
  const bool exact = wants_exact();
  const std::optional<std::uint64_t> instructions = exact && workload.repeatable && !workload.parallel
                                                        ? recorder.count_instructions()
                                                        : std::nullopt;
  recorder.record_until(end);

  Measurement measurement;
  measurement.benchmark = fmt::format("{}/{}/{}", variant.family, variant.name, workload.name);
  if (!recorder.stable()) {
    fmt::print(stderr, "variant: error: {}: two repetitions read back different contents\n", measurement.benchmark);
    return 1;
  }
  measurement.workload = &workload;
  measurement.parameters = parameters;
  recorder.settle_into(measurement, start);
  measurement.counters = task->counters();
  if (instructions) measurement.counters["instructions"] = static_cast<double>(*instructions);
  if (exact) measurement.counters.merge(task->costly_counters());
  print(to_json(measurement));
  return 0;
}

/// By hand, an executable is an ordinary Google Benchmark program with all of its workloads.
int run_google_benchmark(int argc, char** argv, const Variant& variant) {
  ::benchmark::Initialize(&argc, argv);
  if (::benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Workload& workload : variant.workloads) {
    if (!workload.unsupported.empty()) continue;
    const std::string name = fmt::format("{}/{}/{}", variant.family, variant.name, workload.name);
    ::benchmark::RegisterBenchmark(name.c_str(), [&workload](::benchmark::State& state) {
      const std::unique_ptr<Task> task = workload.prepare({.seed = 1, .threads = usable_cores()});
      Recorder recorder(workload, *task);
      for (auto _ : state) {
        const std::vector<double> nanoseconds = recorder.repeat();
        state.SetIterationTime(std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0) * 1e-9);
      }
      state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.operations));
    })->UseManualTime();
  }
  ::benchmark::RunSpecifiedBenchmarks();
  return 0;
}

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && rest == text.data() + text.size();
}

/// --conformance [CHECK] [--seconds S]
int conformance(int argc, char** argv, const Variant& variant) {
  std::optional<std::string_view> check;
  std::optional<double> seconds;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    double number = 0;
    if (word == "--seconds" && i + 1 < argc && parse_number(argv[i + 1], number) && number > 0) {
      seconds = number;
      ++i;
    } else if (!check && !word.starts_with("--")) {
      check = word;
    } else {
      return usage(fmt::format("'{}' is not understood", word), "--conformance [CHECK] [--seconds S]");
    }
  }
  return check ? run_check(variant, *check, seconds.value_or(0))
               : run_checks(variant, argv[0], seconds.value_or(kCheckSeconds));
}

}  // namespace

int variant_main(int argc, char** argv, const Variant& variant) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "--describe") {
    print(describe(variant));
    return 0;
  }
  if (verb == "--conformance") return conformance(argc, argv, variant);
  if (verb != "--run") return run_google_benchmark(argc, argv, variant);

  Parameters parameters{.seed = 1, .threads = usable_cores()};
  double seconds = 1;
  for (int i = 3; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    const bool good = flag == "--seed"      ? parse_number(value, parameters.seed)
                      : flag == "--threads" ? parse_number(value, parameters.threads) && parameters.threads > 0
                      : flag == "--seconds" ? parse_number(value, seconds) && seconds > 0
                                            : false;
    if (!good)
      return usage(fmt::format("'{} {}' is not understood", flag, value),
                   "--run WORKLOAD [--seed N] [--seconds S] [--threads N]");
  }
  const std::string_view wanted = argc > 2 ? argv[2] : "";
  std::vector<std::string> names;
  for (const Workload& workload : variant.workloads) {
    names.push_back(workload.name);
    if (workload.name != wanted) continue;
    if (!workload.unsupported.empty())
      return usage(fmt::format("{} does not support {}: {}", variant.name, workload.name, workload.unsupported), "");
    return run_workload(variant, workload, parameters, seconds);
  }
  const std::string near = nearest_name(wanted, names);
  return usage(fmt::format("{} has no workload '{}'", variant.name, wanted),
               near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near));
}

}  // namespace lab::bench
