#include "harness/bench/variant.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "harness/base/nearest.h"
#include "harness/bench/protocol.h"

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

/// Swallows Google Benchmark's report: the samples are ours, its means are read from the run.
class Means : public ::benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      real_ns = run.real_accumulated_time * 1e9 / static_cast<double>(run.iterations);
      cpu_ns = run.cpu_accumulated_time * 1e9 / static_cast<double>(run.iterations);
    }
  }
  double real_ns = 0;
  double cpu_ns = 0;
};

/// Repeats one task: the loop under Google Benchmark, and the samples that its mean would lose.
class Recorder {
 public:
  Recorder(const Workload& workload, Task& task) : workload_(workload), task_(task), samples_(workload.phases.size()) {}

  /// One repetition; returns its timed seconds.
  double repeat(bool record, Instructions* instructions = nullptr) {
    PhaseClock clock(workload_.phases.size(), instructions);
    const std::uint64_t checksum = task_.repeat(clock);
    if (!checksum_) checksum_ = checksum;
    if (*checksum_ != checksum) stable_ = false;
    double total = 0;
    for (std::size_t phase = 0; phase < samples_.size(); ++phase) {
      total += clock.nanoseconds()[phase];
      if (record) samples_[phase].push_back(clock.nanoseconds()[phase]);
    }
    return total * 1e-9;
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
    repeat(false, &instructions);
    return instructions.sum();
  }

  bool stable() const { return stable_; }
  std::uint64_t checksum() const { return checksum_.value_or(0); }
  std::vector<std::vector<double>> take_samples() { return std::move(samples_); }

 private:
  const Workload& workload_;
  Task& task_;
  std::vector<std::vector<double>> samples_;
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

  // The first repetition pays for page faults and cold caches and is not a sample; the second says how long one takes,
  // the untimed part included, and so how many fit; the third may be counted.
  recorder.repeat(false);
  const Clock::time_point before = Clock::now();
  recorder.repeat(false);
  const double cost = std::max(1e-7, std::chrono::duration<double>(Clock::now() - before).count());
  // Always the third one: an allocator's lists are not in the same order after each.
  const bool exact = wants_exact();
  const std::optional<std::uint64_t> instructions = exact && workload.repeatable && !workload.parallel
                                                        ? recorder.count_instructions()
                                                        : std::nullopt;
  const double left = std::max(0.0, std::chrono::duration<double>(end - Clock::now()).count());
  const std::size_t repetitions =
      std::clamp(static_cast<std::size_t>(left / cost), kMinRepetitions, kMaxRepetitions);

  const std::string name = fmt::format("{}/{}/{}", variant.family, variant.name, workload.name);
  ::benchmark::RegisterBenchmark(name.c_str(), [&](::benchmark::State& state) {
    for (auto _ : state) state.SetIterationTime(recorder.repeat(true));
  })->UseManualTime()->Iterations(static_cast<::benchmark::IterationCount>(repetitions));
  Means means;
  ::benchmark::RunSpecifiedBenchmarks(&means, ".*");

  if (!recorder.stable()) {
    fmt::print(stderr, "variant: error: {}: two repetitions read back different contents\n", name);
    return 1;
  }
  std::map<std::string, double> counters = task->counters();
  if (instructions) counters["instructions"] = static_cast<double>(*instructions);
  if (exact) counters.merge(task->costly_counters());
  Measurement measurement{name, &workload, parameters, recorder.checksum(), recorder.take_samples(),
                          std::move(counters), means.real_ns, means.cpu_ns};
  print(to_json(measurement));
  return 0;
}

int run_conformance(const Variant& variant) {
  const std::vector<Check> checks = variant.conformance ? variant.conformance() : std::vector<Check>{};
  boost::json::array list;
  bool failed = checks.empty();
  for (const Check& check : checks) {
    list.push_back(boost::json::object{
        {"name", check.name},
        {"failure", check.failure.empty() ? boost::json::value(nullptr) : boost::json::value(check.failure)}});
    failed = failed || !check.failure.empty();
  }
  print({{"protocol", kProtocol}, {"variant", variant.family + "/" + variant.name}, {"checks", std::move(list)}});
  return failed ? 1 : 0;
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
      for (auto _ : state) state.SetIterationTime(recorder.repeat(false));
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

}  // namespace

int variant_main(int argc, char** argv, const Variant& variant) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "--describe") {
    print(describe(variant));
    return 0;
  }
  if (verb == "--conformance") return run_conformance(variant);
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
