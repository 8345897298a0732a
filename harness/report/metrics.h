/// Metrics of a family's variants beside time, from the counters of results; a counter is exact if all processes agree.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// Fewer page faults in a repetition are any process's own (a stack that grows, code that runs for the first time), so
/// no table has them.
inline constexpr double kLeastPageFaults = 10;

/// A metric's value as its table shows it.
std::string formatted(double value, results::NumberFormat format);

/// One row per benchmark with counters, one column per counter: first the described ones. No rows without counters.
Table metrics_table(const std::string& family, const results::Family& described, const results::Result& result);

/// The charts that the family asks for, if variants have different metrics. Lower is better.
std::vector<Chart> metric_charts(const std::string& family, const results::Family& described,
                                 const results::Result& result, const judge::Fitness& fitness = {});

}  // namespace lab::report
