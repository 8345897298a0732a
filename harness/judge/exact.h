/// Metrics without noise: bytes, counts, checksums. One session is enough to find a change of one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/comparison.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// User-space instructions of one repetition (harness/bench/instructions.h). Some kernels do not count them.
inline constexpr std::string_view kInstructions = bench::kInstructionsMetric;

/// The metrics of kind exact, instructions, and what no workload declares, as in results of schema 1. By benchmark and
/// metric, for one arm: the value, or none if the processes that have it disagree. Instructions need
/// two processes: one cannot show whether the count depends on an address or the clock.
std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const results::Result& result,
                                                                                   std::string_view arm);

/// Whether the metric of a benchmark has no noise: it is of kind exact, or a counter that no workload declares.
bool is_exact(const results::Result& result, std::string_view benchmark, std::string_view metric);

/// The value of an exact metric in head, from all processes that have it, in any blocks; none as in exact_counters, and
/// if no process has it.
std::optional<double> exact_value(const results::Result& result, std::string_view benchmark, std::string_view metric);

/// The same of these values of the metric.
std::optional<double> only_exact(std::span<const stats::Datum> values, std::string_view metric);

/// The value on which all agree; none if two differ, or without any.
std::optional<double> only_value(std::span<const stats::Datum> values);

/// Changes of counters and checksums of benchmarks that both sides have. Counters are those of judge::exact_counters,
/// instructions only if both sides have them. Counters of benchmarks in `uncounted` are skipped: with another seed or
/// on another machine they count other work. Checksums are compared per process of the same seed, on any machine.
/// Worse is: more, if the counter's name ends in bytes, fragmentation or instructions; a different checksum. Anything
/// else is only a change.
std::vector<ExactChange> exact_changes(const results::Result& base, std::string_view base_arm,
                                       const results::Result& head, std::string_view head_arm,
                                       const std::set<std::string>& uncounted);

}  // namespace lab::judge
