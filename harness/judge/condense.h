/// How a result is condensed: its head arm in one row a benchmark, and what surrounded it.
#pragma once

#include <vector>

#include "harness/results/condensed.h"
#include "harness/results/result.h"

namespace lab::judge {

/// A reason of `skipped`: the machine was disturbed (judge/fitness.h).
inline constexpr const char* kUnfitSession = "unfit session";

/// A change here raises kFindingsVersion (judge/changes.h).
results::Condensed condense(const results::Result& result);

/// Its rows, whether or not it is in a series.
std::vector<results::CondensedRow> condensed_rows(const results::Result& result);

}  // namespace lab::judge
