#include "variants/designs/offsets/alignment_buckets.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "variants/designs/offsets/compaction.h"

namespace lab::designs {

template class MemoryPools<BestFit, Grouping{.by_kind = true, .by_alignment = true}>;

std::vector<MemoryMove> plan_compaction(const AlignmentBuckets& buckets) {
  std::vector<MemoryMove> moves;
  buckets.for_each_group(
      [&](const MemoryGroup&, const std::vector<std::uint64_t>& names, const std::vector<const BestFit*>& ranges) {
        // The emptiest come last, so that they become empty first.
        std::vector<std::size_t> fullest_first(ranges.size());
        std::iota(fullest_first.begin(), fullest_first.end(), std::size_t{0});
        std::ranges::stable_sort(fullest_first, std::greater{}, [&](std::size_t i) { return ranges[i]->used_bytes(); });
        std::vector<BestFit> copies;
        for (const std::size_t i : fullest_first) copies.push_back(*ranges[i]);
        for (const CompactionMove& move : plan_compaction(std::move(copies)))
          moves.push_back({{names[fullest_first[move.from_range]], move.from},
                           {names[fullest_first[move.to_range]], move.to},
                           move.bytes});
      });
  return moves;
}

}  // namespace lab::designs
