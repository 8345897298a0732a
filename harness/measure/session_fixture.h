/// For tests of a session's parts: benchmarks that do not exist, and an environment whose children end as a test says.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/measure/session.h"

namespace lab::measure {

inline Benchmark made_up_benchmark(const std::string& variant, bool tolerance = false) {
  results::WorkloadInfo workload{"fake", "store", "", 1, {"all"}, 10, "op", false};
  if (tolerance) workload.tolerance = bench::Tolerance{};
  return {fmt::format("fake/{}/store", variant), fmt::format("/b/fake/{}", variant), false, workload, ""};
}

struct SessionFixture : SessionEvents {
  explicit SessionFixture(const std::vector<std::string>& variants = {"plain", "quick"}) {
    for (const std::string& variant : variants) spec.selection.benchmarks.push_back(made_up_benchmark(variant));
    spec.length = processes_length(4);
    environment.now = [this] { return now; };
    environment.run = [this](const ChildSpec& child) {
      commands.push_back(child.command);
      now += 1;
      return next;
    };
    environment.interrupted = [this] { return interrupted; };
    environment.utc = [] { return std::string("2026-08-02T23:17:00Z"); };
    environment.journal = [this](std::string_view line) -> Expected<void> {
      if (full) return Error("the disk is full", "");
      journal.emplace_back(line);
      return {};
    };
  }

  void on_failure(const results::Failure& failure) override { failures.push_back(failure.detail); }

  /// Each benchmark of head runs also in `arm`.
  void add_arm(const std::string& arm) {
    for (const Benchmark& benchmark : spec.selection.benchmarks) spec.other_arms.push_back({arm, benchmark});
  }

  SessionSpec spec;
  SessionEnvironment environment;
  results::Result result;
  double now = 0;
  bool interrupted = false, full = false;
  ChildOutcome next;  ///< of every child
  std::vector<std::vector<std::string>> commands;
  std::vector<std::string> journal, failures;
};

/// What a process of fake/`variant`/store prints.
inline std::string made_up_output(const std::string& variant) {
  return fmt::format(
      R"({{"protocol":1,"benchmark":"fake/{}/store","version":1,"seed":1,"threads":1,"checksum":"00000000000000aa",)"
      R"("operations":10,"repetitions":1,"samples":{{"all":[5]}},"counters":{{}},"real_time":1,"cpu_time":1,)"
      R"("time_unit":"ns"}})",
      variant);
}

}  // namespace lab::measure
