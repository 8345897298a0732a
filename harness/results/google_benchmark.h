/// Imports JSON files of Google Benchmark as results, so that its users can compare them here.
#pragma once

#include <string_view>

#include "harness/base/error.h"
#include "harness/results/result.h"

namespace lab::results {

/// Whether this looks like JSON with `context` and `benchmarks` and without our `schema`. It may still be invalid.
bool is_google_benchmark(std::string_view text);

/// One file is one process; a benchmark's time is the median of its repetitions. With `independent` each repetition is
/// a separate process in a separate block. Aggregates are ignored; a skipped or failed benchmark becomes a failure.
/// Times are in the file's time_unit. host_name and num_cpus identify the machine. Errors are one sentence with
/// ExitStatus::kUsage.
Expected<Result> parse_google_benchmark(std::string_view text, std::string_view name, bool independent);

}  // namespace lab::results
