#include "variants/designs/offsets/tlsf.h"

namespace lab::designs {

static_assert(RangeAllocator<OffsetTlsf>);

Suballocation OffsetTlsf::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  bytes += bytes == 0;
  if (alignment > nodes_.block_bytes()) [[unlikely]]
    return allocate_aligned(bytes, alignment);
  const RangeNodes::Index space = lists_.find(nodes_, bytes);
  if (space == Lists::kNone) [[unlikely]]
    return {};
  return nodes_.take(space, 0, bytes, bytes, lists_);
}

Suballocation OffsetTlsf::allocate_aligned(std::uint64_t bytes, std::uint64_t alignment) {
  RangeNodes::Index space = lists_.find(nodes_, bytes);
  if (space == Lists::kNone) return {};
  if (nodes_[space].state < nodes_.gap(space, alignment) + bytes) {
    // Every offset is a multiple of block_bytes, so no gap is larger than this. What is found holds at least `bytes`,
    // so they and an alignment do not overflow.
    space = lists_.find(nodes_, bytes + (alignment - nodes_.block_bytes()));
    if (space == Lists::kNone) return {};
  }
  return nodes_.take(space, nodes_.gap(space, alignment), bytes, bytes, lists_);
}

void OffsetTlsf::free(Suballocation taken) {
  nodes_.free(taken, lists_);
}

}  // namespace lab::designs
