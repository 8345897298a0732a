/// The gate before measuring: an executable that does not conform is not measured, and no other variant's answer is
/// compared with its answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/measure/session_arms.h"
#include "harness/measure/session_log.h"
#include "harness/measure/session_processes.h"

namespace lab::measure {

class ConformanceGate {
 public:
  /// All must outlive it.
  ConformanceGate(const SessionEnvironment& environment, SessionEvents& events, SessionProcesses& processes,
                  SessionLog& log)
      : environment_(environment), events_(events), processes_(processes), log_(log) {}

  /// Checks every executable of `arms` and `references` once, by its content, unless it is known to conform; records
  /// what fails. `most_seconds` (0: any): if it takes longer, a sentence in `unusual` says so. Ends early if the
  /// session is interrupted.
  void check(const SessionArms& arms, const std::vector<Benchmark>& references, double most_seconds);

  /// Whether the executable was checked and failed.
  bool fails(const Benchmark& benchmark, std::string_view arm) const;

 private:
  struct Candidate {
    const Benchmark* benchmark;
    std::string arm;
  };
  std::string hash_of(const Candidate& one) const;
  std::string identity(const Candidate& one) const;
  bool recall(const Candidate& one);
  void check(const std::vector<Candidate>& unknown);
  void keep(const Candidate& one, ConformanceResult&& found);
  void report(const Candidate& one);

  const SessionEnvironment& environment_;
  SessionEvents& events_;
  SessionProcesses& processes_;
  SessionLog& log_;
  std::map<std::string, ConformanceResult> found_;  ///< by identity
};

}  // namespace lab::measure
