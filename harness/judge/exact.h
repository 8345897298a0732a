/// Counters without noise, which one session can tell a change by.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/results/result.h"

namespace lab::judge {

/// Instructions in user space of one repetition (harness/bench/instructions.h). The kernel need not count them.
inline constexpr std::string_view kInstructions = "instructions";
inline constexpr std::string_view kMinimumHeap = "minimum_heap_bytes";

/// Whether finding the counter takes so long that only some processes are asked, or some kernels cannot tell: that it
/// is not there says nothing.
constexpr bool is_costly(std::string_view counter) {
  return counter == kInstructions || counter == kMinimumHeap;
}

/// By benchmark of one arm and by counter: the value on which all processes that have it agree, or none. Instructions
/// need two processes: one cannot tell whether an address or the clock decides how many there are.
std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const results::Result& result,
                                                                                   std::string_view arm);

}  // namespace lab::judge
