/// The buddy allocator over memory: see offsets/buddy_tree.h for the algorithm. Its bits lie in the first leaves of the
/// buffer, and its links in the free blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "variants/designs/offsets/buddy_tree.h"

namespace lab::designs {

/// Keeps the bits of a tree in its first leaves, and the links of a free block in that block. The memory must outlive
/// the store.
class BuddyStoreInside {
 public:
  struct Link {
    Link* next;
    Link* previous;
  };
  using Handle = Link*;
  static constexpr BuddyLayout::Position kNone = 0;

  explicit BuddyStoreInside(const BuddyLayout&) {}

  std::uint64_t* clear(const BuddyLayout& layout);
  Link* head(unsigned log2) const { return &lists_[log2]; }
  Link* create(BuddyLayout::Position block) { return new (find(block)) Link; }
  Link* find(BuddyLayout::Position block) const { return reinterpret_cast<Link*>(block); }
  BuddyLayout::Position position(Link* link) const { return reinterpret_cast<BuddyLayout::Position>(link); }
  Link& link(Link* handle) const { return *handle; }

 private:
  mutable std::array<Link, kBuddyLists> lists_;  // mutable: who visits the free blocks compares with their head
};

extern template class BuddyTree<BuddyStoreInside>;

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
class Buddy {
 public:
  static constexpr std::size_t kMinLeafBytes = sizeof(BuddyStoreInside::Link);

  /// Refuses leaf_bytes below kMinLeafBytes, and a buffer of fewer than two leaves (one is for the metadata).
  static PlannedBuddy plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes);

  explicit Buddy(const BuddyLayout& layout) : tree_(layout) {}

  /// A block of at least `bytes` (0 counts as 1), or nullptr if none is free. The contents are indeterminate.
  void* allocate(std::size_t bytes) { return reinterpret_cast<void*>(tree_.allocate(bytes)); }

  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined (checked_buddy.h detects it).
  void free(void* block) { tree_.free(reinterpret_cast<std::uintptr_t>(block)); }
  /// The same without the walk. `bytes` is the requested size, or any other with the same block_bytes().
  void free(void* block, std::size_t bytes) { tree_.free(reinterpret_cast<std::uintptr_t>(block), bytes); }

  /// Frees everything: the state is that after construction.
  void reset() { tree_.reset(); }

  /// The live block that contains `inside`, and its size: one step per level below it.
  std::span<std::byte> find_live(const void* inside) const {
    const auto [begin, log2] = tree_.find_used(reinterpret_cast<std::uintptr_t>(inside));
    return {reinterpret_cast<std::byte*>(begin), std::size_t{1} << log2};
  }

  const BuddyLayout& layout() const { return tree_.layout(); }
  std::byte* begin() const { return reinterpret_cast<std::byte*>(layout().begin); }
  std::byte* end() const { return reinterpret_cast<std::byte*>(layout().end()); }

  /// As in BuddyTree, with the address of each free block.
  std::size_t largest_free() const { return tree_.largest_free(); }
  template <typename Visit>
  void for_each_free(Visit visit) const {
    tree_.for_each_free([&](std::uintptr_t block, std::size_t bytes) { visit(reinterpret_cast<void*>(block), bytes); });
  }
  std::span<const std::byte> metadata() const { return tree_.metadata(); }

 private:
  BuddyTree<BuddyStoreInside> tree_;
};

}  // namespace lab::designs
