#include "variants/designs/offsets/buddy.h"

#include <bit>
#include <cassert>

namespace lab::designs {

BuddyStoreBeside::BuddyStoreBeside(const BuddyLayout& layout)
    : leaf_log2_(static_cast<unsigned>(std::countr_zero(layout.leaf_bytes))), links_(kBuddyLists + layout.leaves) {
  assert(layout.begin == 0 && links_.size() <= std::size_t{1} << 32);
}

std::uint64_t* BuddyStoreBeside::clear(const BuddyLayout& layout) {
  words_.assign((layout.metadata_bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), 0);
  return words_.data();
}

template class BuddyTree<BuddyStoreBeside>;

}  // namespace lab::designs
