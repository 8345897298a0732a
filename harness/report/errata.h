/// Errors in the articles, each with this machine's figure.
#pragma once

#include <span>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/memory_findings.h"
#include "harness/results/result.h"

namespace lab::report {

/// Of the articles about one family, or ("") about drivers. `result` may be null: a report from the atlas alone.
/// Without errata, the section has no elements. `memory`: real allocations on the devices of some columns.
Section errata_section(const std::string& family, std::span<const results::Article> articles,
                       const results::Result* result, std::span<const results::DriverColumn> atlas,
                       const judge::Fitness& fitness = {}, std::span<const results::MemoryFindings> memory = {});

}  // namespace lab::report
