/// Counters without noise: one session is enough to find a change.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/results/result.h"

namespace lab::judge {

/// User-space instructions of one repetition (harness/bench/instructions.h). Some kernels do not count them.
inline constexpr std::string_view kInstructions = "instructions";
inline constexpr std::string_view kMinimumHeap = "minimum_heap_bytes";

/// Whether the counter is so slow to measure that only some processes have it, or some kernels lack it. A missing value
/// then has no meaning.
constexpr bool is_costly(std::string_view counter) {
  return counter == kInstructions || counter == kMinimumHeap;
}

/// By benchmark and counter, for one arm: the value, or none if the processes that have it disagree. Instructions need
/// two processes: one cannot show whether the count depends on an address or the clock.
std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const results::Result& result,
                                                                                   std::string_view arm);

}  // namespace lab::judge
