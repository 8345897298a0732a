/// The buddy allocator over offsets, for memory that the allocator may not touch, such as a GPU's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/buddy_tree.h"

namespace lab::designs {

/// Keeps the bits of a tree and the links of its free blocks beside the range: 8 bytes for each leaf. The range begins
/// at offset 0 and has fewer than 2^32 - kBuddyLists leaves.
class BuddyStoreBeside {
 public:
  using Handle = std::uint32_t;
  struct Link {
    Handle next, previous;
  };
  static constexpr BuddyLayout::Position kNone = ~BuddyLayout::Position{0};

  explicit BuddyStoreBeside(const BuddyLayout& layout);

  std::uint64_t* clear(const BuddyLayout& layout);
  Handle head(unsigned log2) const { return log2; }
  Handle create(BuddyLayout::Position block) { return find(block); }
  Handle find(BuddyLayout::Position block) const { return kBuddyLists + static_cast<Handle>(block >> leaf_log2_); }
  BuddyLayout::Position position(Handle handle) const {
    return BuddyLayout::Position{handle - kBuddyLists} << leaf_log2_;
  }
  Link& link(Handle handle) { return links_[handle]; }
  const Link& link(Handle handle) const { return links_[handle]; }
  /// Bytes of the links and the bits.
  std::size_t bytes() const { return links_.size() * sizeof(Link) + words_.size() * sizeof(std::uint64_t); }

 private:
  unsigned leaf_log2_;
  std::vector<Link> links_;  // first the heads of the lists, then the leaves
  std::vector<std::uint64_t> words_;
};

extern template class BuddyTree<BuddyStoreBeside>;

/// Hands out offsets. BuddyLayout::plan(bytes, leaf_bytes) makes its layout.
using OffsetBuddy = BuddyTree<BuddyStoreBeside>;

}  // namespace lab::designs
