#include "variants/designs/offsets/float_bins.h"

namespace lab::designs {

static_assert(RangeAllocator<FloatBins>);

Suballocation FloatBins::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  bytes += bytes == 0;
  if (alignment > nodes_.block_bytes()) [[unlikely]]
    return allocate_aligned(bytes, alignment);
  const RangeNodes::Index space = lists_.find(nodes_, bytes);
  if (space == Lists::kNone) [[unlikely]]
    return {};
  return nodes_.take(space, 0, bytes, bytes, lists_);
}

Suballocation FloatBins::allocate_aligned(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > nodes_.capacity()) return {};  // so the sum does not overflow
  const std::uint64_t padded = bytes + (alignment - nodes_.block_bytes());
  const RangeNodes::Index space = lists_.find(nodes_, padded);
  if (space == Lists::kNone) return {};
  const std::uint64_t gap = nodes_.gap(space, alignment);
  Suballocation taken = nodes_.take(space, 0, padded, bytes, lists_);
  taken.offset += gap;
  return taken;
}

void FloatBins::free(Suballocation taken) {
  nodes_.free(taken, lists_);
}

}  // namespace lab::designs
