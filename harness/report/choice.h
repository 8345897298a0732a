/// "Which one for my case?": a family's variants in one table, grouped by what they can do, and time against memory.
#pragma once

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// What each column means, the plot of each workload with at least two variants, and the table. No elements if the
/// family does not describe the choice or nothing is measured.
Section choice_section(const std::string& family, const results::Family& described, const results::Result& result,
                       const judge::Fitness& fitness = {});

/// Indices of the points that no other point beats: none has at most its x and at most its y, and less of one. Sorted
/// by x.
std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& points);

}  // namespace lab::report
