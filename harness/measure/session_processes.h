/// The processes of a session: how each is started, and how it ended.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/measure/conformance.h"
#include "harness/measure/session.h"

namespace lab::measure {

/// One of them is set; none if it was interrupted.
struct ProcessEnd {
  std::optional<results::Process> process;  ///< without its number, block, position, arm and layout
  std::optional<results::Failure> failure;  ///< kind, detail and the end of the output
};

class SessionProcesses {
 public:
  /// Both must outlive it.
  SessionProcesses(const SessionSpec& spec, const SessionEnvironment& environment)
      : spec_(spec), environment_(environment) {}

  /// Nothing if interrupted. Several threads may check at once if the environment's `run` serves them.
  std::optional<ConformanceResult> check(const Benchmark& benchmark);

  /// Measures for `seconds`. `kept_samples`: most samples of each phase.
  ProcessEnd measure(const Benchmark& benchmark, double seconds, bool exact, std::size_t kept_samples);

  /// Makes a reference write its answers to a workload with a tolerance. Later processes of the workload report their
  /// distance from them. Returns why it failed.
  std::optional<results::Failure> write_answer(const Benchmark& reference);

  /// Whether somebody has stopped the session: a process, or as the environment says now.
  bool interrupted() { return interrupted_ = interrupted_ || environment_.interrupted(); }
  /// The same as when it was last known.
  bool was_interrupted() const { return interrupted_; }

 private:
  /// Nothing if interrupted.
  std::optional<ChildOutcome> run(const ChildSpec& spec);

  const SessionSpec& spec_;
  const SessionEnvironment& environment_;
  std::map<std::string, std::filesystem::path> answers_;  ///< files, by "family/workload"
  std::atomic<bool> interrupted_ = false;
};

}  // namespace lab::measure
