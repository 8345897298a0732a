/// The allocation policy of the io7m article for a GPU's memory: few large allocations, one set of them for each kind
/// of resource, alignment S and memory type T, cut into blocks of size S.
///
/// Idea: a resource goes into an allocation of its group (memory_pools.h), where best fit in blocks of S gives it an
/// aligned place without gaps between alignments (best_fit.h).
/// Cost: that of best fit, for each allocation of the group until one serves the request.
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023).
/// Weakness: each group has a partly used allocation, so a program with many pairs (S, T) and small resources holds
/// far more memory than it uses.
#pragma once

#include <cstdint>
#include <vector>

#include "variants/designs/offsets/best_fit.h"
#include "variants/designs/offsets/memory_pools.h"

namespace lab::designs {

extern template class MemoryPools<BestFit, Grouping{.by_kind = true, .by_alignment = true}>;

using AlignmentBuckets = MemoryPools<BestFit, Grouping{.by_kind = true, .by_alignment = true}>;

struct MemoryMove {
  MemoryPlace from, to;
  std::uint64_t bytes = 0;  ///< as requested
  bool operator==(const MemoryMove&) const = default;
};

/// The moves that compact each group, in the order of their execution (compaction.h). Whoever executes one copies the
/// bytes and then calls AlignmentBuckets::move(). The buckets must not change otherwise until the last of them.
std::vector<MemoryMove> plan_compaction(const AlignmentBuckets& buckets);

}  // namespace lab::designs
