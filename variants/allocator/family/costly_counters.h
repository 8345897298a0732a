/// What a workload counts besides its repetitions, in a few processes and after all timing: minimum heaps, and what a
/// full arena still serves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// Of an allocator with a fixed capacity that can execute the workload.
using CostlyCounters = std::map<std::string, double> (*)(std::uint64_t seed, const Subject& subject);

/// nullptr: the workload has none.
CostlyCounters costly_counters_of(std::string_view workload);

}  // namespace lab::allocator
