/// Merges sorted runs of entries into one.
#pragma once

#include <cstddef>
#include <span>

#include "variants/designs/sorts/keyed.h"

namespace lab::designs {

/// More runs than this are sorted afresh by window_sort, which is faster than merging them.
constexpr std::size_t kMaxMergedRuns = 16;

/// Merges runs that are each sorted by key into the front of `out`: ascending, entries with equal keys in the order of
/// the runs. `out` and `scratch` each hold at least all entries, at most 2^32 - 1; neither overlaps a run or the other.
/// The contents of `scratch` are unspecified afterwards. Allocates nothing. O(n log k) for k runs that are not empty.
void merge_runs(std::span<const std::span<const Keyed>> runs, std::span<Keyed> out, std::span<Keyed> scratch);

}  // namespace lab::designs
