/// Memory use of a family's variants, from the counters of results; a counter is exact if all processes agree.
#pragma once

#include <string>
#include <vector>

#include "harness/report/document.h"
#include "harness/results/result.h"

namespace lab::report {

/// One row per benchmark with memory counters, one column per counter. No rows without counters.
Table memory_table(const std::string& family, const results::Result& result);

/// Charts in which variants differ by memory: the cost of rounding, and the heap that a workload needs.
std::vector<Chart> memory_charts(const std::string& family, const results::Result& result);

}  // namespace lab::report
