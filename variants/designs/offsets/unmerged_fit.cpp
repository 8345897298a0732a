#include "variants/designs/offsets/unmerged_fit.h"

namespace lab::designs {

static_assert(RangeAllocator<UnmergedFit>);

Suballocation UnmergedFit::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t least = bytes + (bytes == 0);
  for (Token space = spaces_.find(nodes_, least); space != SpacesInOrder::kNone; space = spaces_.next(nodes_, space))
    if (const std::uint64_t gap = nodes_.gap(space, alignment);
        gap < nodes_[space].state && least <= nodes_[space].state - gap)
      return nodes_.take(space, gap, least, least, spaces_);
  return {};
}

void UnmergedFit::free(Suballocation taken) {
  if (nodes_.used_count() > 1) {
    nodes_.free_apart(taken, spaces_);
    return;
  }
  nodes_ = RangeNodes(nodes_.capacity(), nodes_.block_bytes());
  spaces_ = SpacesInOrder(nodes_.block_bytes());
  nodes_.start(spaces_);
}

std::uint64_t UnmergedFit::free_tail_bytes() const {
  const Token last = nodes_.last();
  return last != RangeNodes::kEnds && nodes_[last].is_free() ? nodes_.capacity() % nodes_.block_bytes() : 0;
}

}  // namespace lab::designs
