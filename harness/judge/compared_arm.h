/// One side of a comparison: the values of one arm of a result, by benchmark. And whether two sides, or a benchmark of
/// both, can be compared: machine, seeds, versions of workloads, and which code and which session are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/judge/comparison.h"
#include "harness/judge/judged_blocks.h"
#include "harness/results/metrics.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// A benchmark is named "family/variant/workload", or with ":metric" if that is not the primary one. Refers to the
/// result, which must outlive it.
class ComparedArm {
 public:
  /// Has the results::judged_metrics, and those of the settings, of the blocks that are judged (judged_blocks.h).
  ComparedArm(const results::Result& result, std::string_view arm, const CompareSettings& settings);

  const results::Result& result() const { return *result_; }
  std::string_view arm() const { return arm_; }
  std::string_view machine() const { return result_->machine.id; }
  ComparisonSide side() const;
  const results::Build& build() const { return found_arm() != nullptr ? found_arm()->build : result_->build; }
  /// The versions of the workloads, by "family/workload".
  std::map<std::string, int> versions() const;

  std::set<std::string> benchmarks() const;
  bool has(const std::string& benchmark) const { return benchmarks_.contains(benchmark); }
  /// In file order. Empty if it has none.
  const std::vector<stats::Datum>& values(const std::string& benchmark) const { return find(benchmark).values; }
  const results::Metric& metric(const std::string& benchmark) const { return find(benchmark).metric; }
  const std::set<std::uint64_t>& seeds(const std::string& benchmark) const { return find(benchmark).seeds; }
  /// Whether its values can be compared with those of another session (JudgedBlocks::is_level).
  bool is_level(const std::string& benchmark) const { return find(benchmark).level; }
  /// Whether more than half of its processes measured before their repetitions were stationary.
  bool is_warming_up(const std::string& benchmark) const;
  /// The hash of its executable; "" if unknown.
  std::string executable(std::string_view benchmark) const { return results::executable_of(found_arm(), benchmark); }

  void leave_out(const std::string& benchmark) { benchmarks_.erase(benchmark); }

 private:
  /// One metric of the processes of one benchmark.
  struct Measured {
    std::vector<stats::Datum> values;
    results::Metric metric;
    std::set<std::uint64_t> seeds;
    std::size_t warming_up = 0;
    bool level = true;
  };

  void add(const results::Process& process, const results::WorkloadInfo& workload, const JudgedBlocks& blocks,
           const std::vector<std::string>& also);
  const Measured& find(const std::string& benchmark) const;
  const results::Arm* found_arm() const { return results::find_arm(*result_, arm_); }

  const results::Result* result_;
  std::string_view arm_;
  std::map<std::string, Measured> benchmarks_;
};

/// Rejects two machines, two seeds and two versions of a workload. What the settings allow becomes a warning.
Expected<std::vector<Warning>> check_comparable(const ComparedArm& base, const ComparedArm& head,
                                                const CompareSettings& settings);

/// The error that two machines are not compared; `what`: "sessions", "files".
Error two_machines(const results::Result& base, const results::Result& head, std::string_view what);

/// Whether the hash of the benchmark's executable is known and equal, and the environment too: then no difference is
/// possible.
bool is_identical(const ComparedArm& base, const ComparedArm& head, std::string_view benchmark);

/// Why a benchmark is not tested: kMachine, kSeeds or kIdentical; kNone if it is.
Reason untested_reason(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark);

/// Whether both are one session, or a session and a part of it: its processes would be compared with themselves.
bool is_same_session(const ComparedArm& base, const ComparedArm& head);

/// The machine's facts that differ: ChangedFact, PatchedLibrary.
std::vector<Warning> changed_facts(const results::Result& base, const results::Result& head);

/// How the builds of both arms differ, code and pins excluded: ChangedFact. A debug build against a release one is no
/// verdict on the code.
std::vector<Warning> changed_builds(const ComparedArm& base, const ComparedArm& head);

}  // namespace lab::judge
