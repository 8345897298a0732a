#include "harness/bench/variant.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>

#include "harness/base/nearest.h"
#include "harness/bench/conformance.h"
#include "harness/bench/protocol.h"
#include "harness/bench/recorder.h"

namespace lab::bench {

namespace {

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

/// Whether this process also collects metrics that cost a few repetitions (protocol.h).
bool wants_exact() {
  const char* const asked = std::getenv("LAB_EXACT");
  return asked != nullptr && std::string_view(asked) == "1";
}

int run_workload(const Variant& variant, const Workload& workload, const Parameters& parameters, double seconds) {
  const Expected<Measurement> measurement = measure(variant, workload, parameters, seconds, wants_exact());
  if (!measurement) {
    fmt::print(stderr, "variant: error: {}\n", measurement.error().what);
    return 1;
  }
  print(to_json(*measurement));
  return 0;
}

/// Started by hand, an executable is an ordinary Google Benchmark program with all of its workloads.
int run_google_benchmark(int argc, char** argv, const Variant& variant) {
  ::benchmark::Initialize(&argc, argv);
  if (::benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Workload& workload : variant.workloads) {
    if (!workload.unsupported.empty()) continue;
    const std::string name = fmt::format("{}/{}/{}", variant.family, variant.name, workload.name);
    ::benchmark::RegisterBenchmark(name.c_str(), [&workload](::benchmark::State& state) {
      const std::unique_ptr<Task> task = workload.prepare({.seed = 1, .threads = usable_cores()});
      for (auto _ : state) {
        PhaseClock clock(workload.phases.size());
        task->repeat(clock);
        state.SetIterationTime(std::accumulate(clock.nanoseconds().begin(), clock.nanoseconds().end(), 0.0) * 1e-9);
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
      return usage(fmt::format("unknown argument '{}'", word), "--conformance [CHECK] [--seconds S]");
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
      return usage(fmt::format("unknown argument '{} {}'", flag, value),
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
  return usage(
      fmt::format("{} has no workload '{}'", variant.name, wanted),
      near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near));
}

}  // namespace lab::bench
