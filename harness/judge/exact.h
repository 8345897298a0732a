/// Counters without noise: one session is enough to find a change.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/results/result.h"

namespace lab::judge {

/// User-space instructions of one repetition (harness/bench/instructions.h). Some kernels do not count them.
inline constexpr std::string_view kInstructions = bench::kInstructionsMetric;

/// The metrics of kind exact, instructions, and what no workload declares, as in results of schema 1. By benchmark and
/// metric, for one arm: the value, or none if the processes that have it disagree. Instructions need
/// two processes: one cannot show whether the count depends on an address or the clock.
std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const results::Result& result,
                                                                                   std::string_view arm);

}  // namespace lab::judge
