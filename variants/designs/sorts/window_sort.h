/// Radix sort by a window of the key's bits: the highest that differ, as many as decide the order of most entries.
#pragma once

#include <span>

#include "variants/designs/sorts/keyed.h"

namespace lab::designs {

/// Sorts the entries of all runs into the front of `out`: ascending by key, entries with equal keys in the order of the
/// runs. `out` and `scratch` each hold at least all entries, at most 2^32 - 1; neither overlaps a run or the other. The
/// contents of `scratch` are unspecified afterwards. Allocates nothing, and takes 48 KiB of stack. O(n) in the worst
/// case; entries that are already sorted take as long as any.
void window_sort(std::span<const std::span<const Keyed>> runs, std::span<Keyed> out, std::span<Keyed> scratch);

/// The same for entries that lie in one array. `scratch` holds at least as many.
void window_sort(std::span<Keyed> entries, std::span<Keyed> scratch);

}  // namespace lab::designs
