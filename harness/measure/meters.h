/// The two ways to measure a commit: any command in its tree, or a benchmark of its build.
#pragma once

#include <memory>

#include "harness/measure/catalog.h"
#include "harness/measure/meter.h"
#include "harness/measure/revisions.h"
#include "harness/results/bisect_record.h"

namespace lab::measure {

/// Runs `sh -c COMMAND` in a worktree of the commit. The last line of its output is the value; status 125 skips the
/// commit, any other status but 0 is a failure. LAB_COMMIT in its environment is the commit.
std::unique_ptr<Meter> command_meter(const results::BisectQuestion& question, measure::Revisions& revisions,
                                     Runner run);

/// The median of one process of the benchmark, in nanoseconds per operation, in the commit's own build. Skips a commit
/// that does not build, whose executable uses another protocol or fails its own conformance, or whose workload has
/// another version or another answer than at the bad end. `listener` receives the build output.
std::unique_ptr<Meter> benchmark_meter(const results::BisectQuestion& question, measure::Revisions& revisions,
                                       Runner run, measure::Listener listener = {});

/// The number in the last line of `output`; an error where there is none, or none above 0.
Expected<double> parse_value(std::string_view output);

}  // namespace lab::measure
