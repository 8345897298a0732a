/// What a family's variants needed of memory beside their time: counters of results, exact where all processes agree.
#pragma once

#include <string>
#include <vector>

#include "harness/report/document.h"
#include "harness/results/result.h"

namespace lab::report {

/// One row a benchmark that counted memory, one column a counter. No rows where none did.
Table memory_table(const std::string& family, const results::Result& result);

/// Where variants can be told apart by memory: what rounding costs, and the heap that a workload takes.
std::vector<Chart> memory_charts(const std::string& family, const results::Result& result);

}  // namespace lab::report
