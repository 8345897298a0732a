/// Condenses a result: its head arm as one row per benchmark, and its environment.
#pragma once

#include <vector>

#include "harness/results/condensed.h"
#include "harness/results/result.h"

namespace lab::judge {

/// A value of CondensedResult::skipped: the machine was disturbed (judge/fitness.h).
inline constexpr const char* kUnfitSession = "unfit session";

/// A change of this function must increment kFindingsVersion (judge/changes.h).
results::CondensedResult condense(const results::Result& result);

/// The rows of a result, even if it is in no series.
std::vector<results::CondensedRow> condensed_rows(const results::Result& result);

}  // namespace lab::judge
