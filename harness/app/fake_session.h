/// A session on a machine of the tests: its clock only moves when a process runs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/app/judged_session.h"

namespace lab::app {

using namespace measure;

/// Its processes behave as configured by name.
class FakeSessionEnvironment : private SessionEvents {
 public:
  struct Behaviour {
    double overhead = 0.05;
    double nanoseconds = 1000;
    std::string checksum = "00000000000000aa";
    int fails_at = -1;  ///< the process of this number ends with `failing`
    ChildOutcome failing;
    std::string breach;  ///< of its conformance; "" where it conforms
  };

  FakeSessionEnvironment() {
    environment.now = [this] { return now; };
    environment.run = [this](const ChildSpec& child) { return run(child); };
    environment.interrupted = [this] { return static_cast<int>(ran.size()) >= interrupted_after; };
    environment.utc = [] { return "2026-08-02T23:17:00Z"; };
    environment.journal = [this](std::string_view line) -> Expected<void> {
      if (static_cast<int>(journal.size()) >= disk_full_after)
        return Error{"appending to 'j': No space left on device", "free some space"};
      journal.emplace_back(line);
      return {};
    };
  }

  Behaviour& add(const std::string& variant, const std::string& workload = "store", bool core = true) {
    const bool reference = variant == "plain";
    const results::WorkloadInfo described{"fake", workload, "", 1, {"all"}, 10, "op", workload == "spread"};
    spec.selection.benchmarks.push_back(
        {"fake/" + variant + "/" + workload, "/b/fake/" + variant, reference, described, "", core});
    if (results::find_variant(head, spec.selection.benchmarks.back().name) == nullptr)
      head.variants.push_back({"fake", variant, reference, "", "", "", "", {}});
    return behaviours["fake/" + variant + "/" + workload];
  }

  /// The benchmark of `variant` in another arm, whose executable lies in a folder of the arm's name.
  Behaviour& add_arm(const std::string& arm, const std::string& variant) {
    for (Benchmark benchmark : spec.selection.benchmarks) {
      if (benchmark.name != "fake/" + variant + "/store") continue;
      benchmark.executable = "/" + arm + "/fake/" + variant;
      spec.other_arms.push_back({arm, benchmark});
    }
    return behaviours[arm + ":fake/" + variant + "/store"];
  }

  Expected<void> go() {
    head.session.seed = spec.seed;
    return run_judged_session(spec, environment, *this, head);
  }

  std::size_t count(const std::string& benchmark) const {
    return static_cast<std::size_t>(std::count(ran.begin(), ran.end(), benchmark));
  }

  SessionEnvironment environment;
  SessionSpec spec;
  results::Result head;
  std::map<std::string, Behaviour> behaviours;
  double now = 1000;
  int interrupted_after = 1'000'000;
  int disk_full_after = 1'000'000;
  double conformance_seconds = 0;
  std::function<double()> slowdown = [] { return 1.0; };  ///< of what a process does beside measuring, by other work
  std::vector<std::string> announced;
  std::vector<std::string> checked;  ///< for conformance
  std::vector<std::string> ran;
  std::vector<ChildSpec> specs;
  std::vector<std::string> journal;
  std::vector<std::size_t> blocks_seen;
  std::vector<std::string> failures_seen;
  std::vector<SessionProgress> progresses;
  std::vector<WaitProgress> waits;

 private:
  void on_block(const results::Result& result) override { blocks_seen.push_back(result.processes.size()); }
  void on_failure(const results::Failure& failure) override { failures_seen.push_back(failure.benchmark); }
  void on_conformance(const ConformanceProgress& progress) override {
    announced.push_back(fmt::format("{} {}/{}", progress.variant, progress.checked, progress.executables));
  }
  void on_wait(const WaitProgress& progress) override { waits.push_back(progress); }
  void on_process(const SessionProgress& progress) override { progresses.push_back(progress); }

  /// A variant's executable in an arm has the conformance of the first of its benchmarks.
  ChildOutcome ask(const std::string& executable) {
    checked.push_back(executable);
    now += conformance_seconds;
    const std::size_t slash = executable.find('/', 1);
    const std::string arm = executable.substr(1, slash - 1), variant = executable.substr(slash + 1);
    std::string breach;
    for (const auto& [name, behaviour] : behaviours)
      if (name.starts_with(arm == "b" ? variant + "/" : arm + ":" + variant + "/")) breach = behaviour.breach;
    ChildOutcome outcome;
    outcome.code = breach.empty() ? 0 : 1;
    outcome.output = fmt::format(R"({{"protocol":1,"variant":"v","checks":[{{"name":"keeps","failure":null}},)"
                                 R"({{"name":"holds","failure":{}}}]}})",
                                 breach.empty() ? "null" : "\"" + breach + "\"");
    return outcome;
  }

  ChildOutcome run(const ChildSpec& child) {
    if (child.command[1] == "--conformance") return ask(child.command[0]);
    specs.push_back(child);
    const std::string variant = child.command[0].substr(child.command[0].rfind('/') + 1);
    const std::string benchmark = "fake/" + variant + "/" + child.command[2];
    const std::string arm = child.command[0].substr(1, child.command[0].find('/', 1) - 1);
    const std::string name = arm == "b" ? benchmark : arm + ":" + benchmark;
    const Behaviour& behaviour = behaviours[name];
    const int process = processes_[name]++;
    ran.push_back(name);
    const double seconds = std::stod(child.command[6]);
    if (process == behaviour.fails_at) {
      now += behaviour.failing.end == ChildEnd::kTimedOut ? child.timeout_seconds : behaviour.overhead;
      return behaviour.failing;
    }
    const double wall_seconds = seconds + behaviour.overhead * slowdown();
    now += wall_seconds;
    ChildOutcome outcome;
    outcome.wall_seconds = wall_seconds;
    // A little different in every process.
    const double sample = behaviour.nanoseconds * (1 + 0.001 * process);
    outcome.output = fmt::format(
        R"({{"protocol":1,"benchmark":"{}","version":1,"seed":{},"threads":1,"checksum":"{}","operations":10,"repetitions":1,)"
        R"("samples":{{"all":[{}]}},"counters":{{}},"real_time":1,"cpu_time":1,"time_unit":"ns"}})",
        benchmark, child.command[4], behaviour.checksum, sample);
    return outcome;
  }

  std::map<std::string, int> processes_;  ///< started so far, by name
};

}  // namespace lab::app
