/// A family's numbers: a plot and a table for each workload, and what its variants are.
#pragma once

#include <string>
#include <vector>

#include "harness/report/document.h"
#include "harness/results/result.h"

namespace lab::report {

/// The families that the result knows of, in its order.
std::vector<std::string> families_of(const results::Result& result);

/// The finding of the family's first workload with numbers: "random_replace: buddy has the lowest median, ..."; ""
/// where none has any.
std::string family_finding(const std::string& family, const results::Result& result);

/// Plots, tables, memory and variants of one family. Where no process has finished it says so instead.
Section family_section(const std::string& family, const results::Result& result);

}  // namespace lab::report
