/// Google Benchmark's own JSON files as results, so that whoever has them can compare them here.
#pragma once

#include <string_view>

#include "harness/base/error.h"
#include "harness/results/result.h"

namespace lab::results {

/// Whether this is JSON with `context` and `benchmarks` and without our `schema`. Not whether it can be read.
bool is_google_benchmark(std::string_view text);

/// One file is one process, and a benchmark's time in it the median of its repetitions; with `independent` each
/// repetition is a process of its own, in a block of its own. Aggregates are passed over; what was skipped or failed
/// becomes a failure. Times are in the file's time_unit. The machine is known by host_name and num_cpus. Errors are one
/// sentence with ExitStatus::kUsage.
Expected<Result> parse_google_benchmark(std::string_view text, std::string_view name, bool independent);

}  // namespace lab::results
