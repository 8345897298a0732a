/// Counters without noise: one session is enough to find a change.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// The value on which all agree; none if two differ, or without any.
std::optional<double> only_value(std::span<const stats::Datum> values);

}  // namespace lab::judge
