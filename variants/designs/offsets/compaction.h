/// A plan that compacts ranges: which used ranges to move where, so that free space is at the ends.
///
/// Idea: used ranges are sorted by size. Each, the largest first, moves to the lowest place that is free and holds it,
/// if that is lower than its own place; this repeats until none can move. Then a used range behind a space that is too
/// small for it makes a detour: to any free space that holds it, and from there to the beginning of the small space.
/// Every destination is free at its turn and does not overlap the source. So a move is a plain copy, as a GPU needs it,
/// and whoever executes the plan may stop after any move.
/// Cost: O(n f) for each pass over n used ranges, with f free spaces; a few passes. A detour copies twice.
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023), on compaction: sort by size, free the ends.
/// Weakness: where no free space holds the range behind a small space, the small space stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/best_fit.h"

namespace lab::designs {

struct CompactionMove {
  std::size_t from_range = 0, to_range = 0;  ///< index of the allocator in the list given to plan_compaction()
  std::uint64_t from = 0, to = 0;
  std::uint64_t bytes = 0;  ///< as requested: what must be copied
  bool operator==(const CompactionMove&) const = default;
};

/// The moves in the order in which they must be executed. The first ranges are filled first, so that the last become
/// empty. A range that is empty is only used for detours, so that never more ranges are in use at the end. All ranges
/// have one block size.
std::vector<CompactionMove> plan_compaction(std::vector<BestFit> ranges);

}  // namespace lab::designs
