/// Google Benchmark's own JSON files as results, so that whoever has them can compare them here.
#pragma once

#include <string_view>

#include "harness/compare/compare.h"

namespace lab::compare {

/// Whether this is JSON with `context` and `benchmarks` and without our `schema`. Not whether it can be read.
bool is_google_benchmark(std::string_view text);

/// One file is one process, and a benchmark's time in it the median of its repetitions; with `independent` each
/// repetition is a process of its own, in a block of its own. Aggregates are passed over; what was skipped or failed
/// becomes a failure. Times are in the file's time_unit. The machine is known by host_name and num_cpus. Errors are one
/// sentence with ExitStatus::kUsage.
Expected<results::Result> parse_google_benchmark(std::string_view text, std::string_view name, bool independent);

/// Two files whose repetitions were processes of their own: the first of each is one block, and so on. Where one has
/// more, its are dealt out to the other's blocks in order.
Expected<Comparison> compare_repetitions(const results::Result& base, const results::Result& head,
                                         const Settings& settings);

}  // namespace lab::compare
