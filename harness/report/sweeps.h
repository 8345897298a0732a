/// Charts of workloads that are swept over an axis: one line a variant.
#pragma once

#include <string>
#include <vector>

#include "harness/report/document.h"
#include "harness/results/result.h"

namespace lab::report {

/// One chart for each workload of the family with an axis and numbers.
std::vector<Chart> sweep_charts(const std::string& family, const results::Result& result);

}  // namespace lab::report
