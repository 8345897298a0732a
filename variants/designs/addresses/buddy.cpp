#include "variants/designs/addresses/buddy.h"

namespace lab::designs {

std::uint64_t* BuddyStoreInside::clear(const BuddyLayout& layout) {
  // At least a word: a leaf has room for one even if a few bits would do.
  const std::size_t words = (layout.metadata_bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  return new (reinterpret_cast<void*>(layout.begin)) std::uint64_t[words]();
}

template class BuddyTree<BuddyStoreInside>;

PlannedBuddy Buddy::plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes) {
  PlannedBuddy planned = BuddyLayout::plan(reinterpret_cast<std::uintptr_t>(buffer), buffer == nullptr ? 0 : bytes,
                                           leaf_bytes, {.leaf_bytes = kMinLeafBytes, .leaves = 2});
  BuddyLayout& layout = planned.layout;
  if (planned.refusal.empty()) layout.reserved_leaves = (layout.metadata_bytes() + leaf_bytes - 1) / leaf_bytes;
  return planned;
}

}  // namespace lab::designs
