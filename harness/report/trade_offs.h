/// Charts of one metric against another: what each point of a workload's sweep costs, and what it gives.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// The trade-offs that the family describes. A chart has the points of all variants, and the page draws those of one. A
/// point without a value of both metrics is left out, and a chart without points.
std::vector<Chart> trade_off_charts(const std::string& family, const results::Family& described,
                                    const results::Result& result, const judge::Fitness& fitness = {});

}  // namespace lab::report
