/// How bisect measures a commit: with any command in its tree, or with a benchmark of its build. Tests of the search
/// supply a Meter of their own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/revisions.h"
#include "harness/results/bisect_record.h"

namespace lab::measure {

/// The result of preparing a commit.
struct PreparedCommit {
  std::string skip = {};      ///< why it can never be measured; "" if it can
  std::string later = {};     ///< why it cannot be measured now, but perhaps later; "" if it can
  std::string hint = {};      ///< advice for that
  std::string identity = {};  ///< equal for commits that cannot differ (a hash of the executable); "": unknown
};

/// The result of one measurement.
struct MeterReading {
  double value = 0;     ///< > 0; smaller is better
  int layout = 0;       ///< the link of the commit's build that was measured, from 1; 0: it has one
  std::string skip;     ///< why the commit can never be measured; "" if it can
  std::string failure;  ///< why there is no value; a retry may give one
};

/// Commits are full shas. An Error ends the bisect, which keeps its results.
class Meter {
 public:
  virtual ~Meter() = default;
  /// Checks out and builds: once per commit in a call of bisect, before its first measurement.
  virtual Expected<PreparedCommit> prepare(const std::string& sha) = 0;
  /// `turn`: how many measurements of the commit there are already; the links of a build take turns.
  virtual Expected<MeterReading> measure(const std::string& sha, int turn) = 0;
  /// Whether prepare has little work left.
  virtual bool is_ready(const std::string& sha) const = 0;
};

/// Runs `sh -c COMMAND` in a worktree of the commit. The last line of its output is the value; status 125 skips the
/// commit, any other status but 0 is a failure. LAB_COMMIT in its environment is the commit.
std::unique_ptr<Meter> command_meter(const results::BisectQuestion& question, Revisions& revisions, Runner run);

/// The median of one process of the benchmark, in nanoseconds per operation, in a link of the commit's own build. Skips
/// a commit that does not build, whose executable uses another protocol or fails its own conformance, or whose workload
/// has another version or another answer than at the bad end. `listener` receives the build output. `mallocs`: the
/// library of the benchmark's name, if it has one.
std::unique_ptr<Meter> benchmark_meter(const results::BisectQuestion& question, Revisions& revisions, Runner run,
                                       BuildListener listener = {}, MallocLibraries mallocs = {});

/// The number in the last line of `output`; an error where there is none, or none above 0.
Expected<double> parse_value(std::string_view output);

}  // namespace lab::measure
